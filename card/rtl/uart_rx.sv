// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// uart_rx: a serial line (8 data bits, least significant first, no parity, one stop bit) to bytes.
//
// Each bit is the majority of three samples around its middle, counted from the falling edge of the
// start bit in sixteenths of a clock, so that rates which do not divide the clock are exact to 1/16
// clock per bit. A start bit that is high again at its middle is a glitch and ignored. A byte whose
// stop bit is low is dropped with a pulse of framing_error_o, and the line must go high before the
// next start bit: a break is one framing error, whatever its length. The sampling points are within
// 2 clocks of a bit's middle; this error and a relative rate difference r over the 9.5 bits to the
// stop bit's middle must stay below half a bit: |r| * 9.5 + 2 / clocks_a_bit < 0.5.
module uart_rx #(
  parameter int unsigned BitSixteenths = 400  // sixteenths of a clock per bit, at least 96
) (
  input  logic       clk_i,
  input  logic       rst_ni,
  input  logic       rx_i,            // asynchronous
  output logic       valid_o,         // pulse: data_o is a byte, which cannot be refused
  output logic [7:0] data_o,
  output logic       framing_error_o  // pulse
);
  localparam int unsigned TimeBits = $clog2(BitSixteenths + 16) + 1;
  typedef logic [TimeBits-1:0] time_t;

  localparam time_t Clock = time_t'(16);
  // The vote is one clock after its middle sample.
  localparam time_t FirstMiddle = time_t'(BitSixteenths / 2 + 16);

  typedef enum logic [1:0] { Idle, Start, Data, Stop } state_e;

  // Two registers against metastability, then three samples.
  logic [4:0] line_q;
  logic       vote, falls;
  assign vote  = (line_q[2] & line_q[3]) | (line_q[2] & line_q[4]) | (line_q[3] & line_q[4]);
  assign falls = line_q[2] && !line_q[1];

  state_e     state_q;
  time_t      left_q;  // until the next vote
  logic [2:0] index_q;
  logic       now;
  assign now = left_q < Clock;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) line_q <= '1;
    else line_q <= {line_q[3:0], rx_i};
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q         <= Idle;
      left_q          <= '0;
      index_q         <= '0;
      valid_o         <= 1'b0;
      framing_error_o <= 1'b0;
    end else begin
      valid_o         <= 1'b0;
      framing_error_o <= 1'b0;
      left_q          <= now ? left_q + time_t'(BitSixteenths) - Clock : left_q - Clock;
      unique case (state_q)
        Idle: begin
          // The edge is visible in line_q[1], the vote's middle sample is line_q[3]: two clocks
          // later.
          left_q  <= FirstMiddle;
          index_q <= '0;
          if (falls) state_q <= Start;
        end
        Start: if (now) state_q <= vote ? Idle : Data;
        Data: if (now) begin
          index_q <= index_q + 3'd1;
          if (index_q == 3'd7) state_q <= Stop;
        end
        default: if (now) begin
          // The next start bit may begin in this clock. In a break the line is low: the next
          // falling edge comes only after the break has ended.
          state_q         <= falls ? Start : Idle;
          left_q          <= FirstMiddle;
          index_q         <= '0;
          valid_o         <= vote;
          framing_error_o <= !vote;
        end
      endcase
    end
  end

  always_ff @(posedge clk_i) begin
    if (state_q == Data && now) data_o <= {vote, data_o[7:1]};
  end
endmodule
