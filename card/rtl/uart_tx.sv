// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// uart_tx: sends bytes on a serial line: 8 data bits, least significant first, no parity, one stop
// bit. A waiting byte is accepted when the stop bit of the previous one has ended, so bytes follow
// each other without a gap. A bit takes BitSixteenths / 16 clocks on average, each a whole number
// of clocks.
module uart_tx #(
  parameter int unsigned BitSixteenths = 400  // sixteenths of a clock per bit, at least 96
) (
  input  logic       clk_i,
  input  logic       rst_ni,
  input  logic       in_valid_i,
  output logic       in_ready_o,
  input  logic [7:0] in_data_i,
  output logic       tx_o
);
  localparam int unsigned TimeBits = $clog2(BitSixteenths + 16) + 1;
  typedef logic [TimeBits-1:0] time_t;
  localparam time_t Clock = time_t'(16);
  localparam time_t Bit = time_t'(BitSixteenths);

  logic [8:0] bits_q;  // the bits after the one on the line: data and the stop bit, then ones
  logic [3:0] left_q;  // bits left, the one on the line included
  time_t      time_q;  // until the bit on the line ends
  logic       now;

  assign now = time_q < Clock + Clock;
  assign in_ready_o = left_q == 4'd0 || (left_q == 4'd1 && now);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      tx_o   <= 1'b1;
      left_q <= 4'd0;
      time_q <= '0;
    end else if (in_ready_o) begin
      tx_o   <= !in_valid_i;
      left_q <= in_valid_i ? 4'd10 : 4'd0;
      // The remaining fraction of a clock is carried over from one byte to the next.
      time_q <= left_q == 4'd0 ? Bit : time_q + Bit - Clock;
    end else if (now) begin
      tx_o   <= bits_q[0];
      left_q <= left_q - 4'd1;
      time_q <= time_q + Bit - Clock;
    end else begin
      time_q <= time_q - Clock;
    end
  end

  always_ff @(posedge clk_i) begin
    if (in_ready_o) bits_q <= {1'b1, in_data_i};
    else if (now) bits_q <= {1'b1, bits_q[8:1]};
  end
endmodule
