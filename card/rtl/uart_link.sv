// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// uart_link: the card's two streams of 64-bit beats over a serial line without flow control.
//
// Bytes fill beats from the low end, by their order on the line, so a frame that starts at a
// multiple of 8 bytes starts a beat.
//
// No byte is lost for lack of room. The line cannot be stopped, so beats that the card does not
// accept at once wait in a FIFO of FifoBeats beats. A host limits the bytes of unanswered requests
// to half of that (`WINDOW_BYTES` of card/src/transport/uart.rs); the other half is for control
// commands. Idle beats of zeros may exceed it. If the FIFO is full, whole beats are dropped and
// counted, so that at least the offset within the beat is kept.
//
// Resynchronization. A byte that the line lost or damaged shifts all later ones. If the line has
// been idle for IdleBits bits within a beat, a new beat begins: the bytes of the partial beat are
// dropped. (A USB bridge pauses between packets of 64 bytes, which is between beats.) So the host's
// first reset after a pause finds the beginning of the beats, and if a frame is open, 65,536 zero
// bytes complete it, as on any link.
module uart_link #(
  parameter int unsigned BitSixteenths = 400,    // sixteenths of a clock per bit
  parameter int unsigned FifoBeats     = 2048,
  parameter int unsigned IdleBits      = 8192    // the time of 819 bytes
) (
  input  logic        clk_i,
  input  logic        rst_ni,

  input  logic        rx_i,  // asynchronous
  output logic        tx_o,

  output logic        to_card_valid_o,
  input  logic        to_card_ready_i,
  output logic [63:0] to_card_data_o,
  input  logic        from_card_valid_i,
  output logic        from_card_ready_o,
  input  logic [63:0] from_card_data_i,

  output logic        receives_o,        // pulse: a byte has arrived
  output logic [15:0] framing_errors_o,  // bytes dropped for a bad stop bit
  output logic [15:0] overflows_o,       // beats dropped for lack of room
  output logic [15:0] realignments_o     // partial beats that were dropped
);
  localparam int unsigned IdleClocks = BitSixteenths * (IdleBits / 16);
  localparam int unsigned IdleCountBits = $clog2(IdleClocks + 1);

  // ---- line to card ----
  logic       byte_valid, framing_error;
  logic [7:0] byte_data;

  uart_rx #(.BitSixteenths(BitSixteenths)) u_rx (
    .clk_i, .rst_ni, .rx_i,
    .valid_o(byte_valid), .data_o(byte_data), .framing_error_o(framing_error)
  );

  logic [55:0] begun_q;  // the first bytes of the beat, from the high end down
  logic [2:0]  count_q;
  logic [IdleCountBits-1:0] idle_q;
  logic        beat_valid, beat_ready, gives_up;

  assign beat_valid = byte_valid && count_q == 3'd7;
  assign gives_up = count_q != 3'd0 && idle_q == IdleCountBits'(IdleClocks) && !byte_valid;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      count_q <= 3'd0;
      idle_q  <= '0;
    end else begin
      if (gives_up) count_q <= 3'd0;
      else if (byte_valid) count_q <= count_q + 3'd1;

      if (byte_valid || framing_error || count_q == 3'd0) idle_q <= '0;
      else idle_q <= idle_q + IdleCountBits'(1);
    end
  end

  always_ff @(posedge clk_i) begin
    if (byte_valid) begun_q <= {byte_data, begun_q[55:8]};
  end

  logic unused_error;  // frames on the link are protected by their checksums
  stream_fifo #(.DataWidth(64), .Depth(FifoBeats), .Parity(1'b0)) u_fifo (
    .clk_i, .rst_ni, .clear_i(1'b0),
    .in_valid_i(beat_valid), .in_ready_o(beat_ready), .in_data_i({byte_data, begun_q}),
    .out_valid_o(to_card_valid_o), .out_ready_i(to_card_ready_i), .out_data_o(to_card_data_o),
    .memory_error_o(unused_error)
  );

  assign receives_o = byte_valid;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      framing_errors_o <= '0;
      overflows_o      <= '0;
      realignments_o   <= '0;
    end else begin
      framing_errors_o <= framing_errors_o + 16'(framing_error);
      overflows_o      <= overflows_o + 16'(beat_valid && !beat_ready);
      realignments_o   <= realignments_o + 16'(gives_up);
    end
  end

  // ---- card to line ----
  logic [63:0] sending_q;
  logic [3:0]  left_q;  // bytes of sending_q that have not been accepted
  logic        tx_ready;

  uart_tx #(.BitSixteenths(BitSixteenths)) u_tx (
    .clk_i, .rst_ni,
    .in_valid_i(left_q != 4'd0), .in_ready_o(tx_ready), .in_data_i(sending_q[7:0]), .tx_o
  );

  assign from_card_ready_o = left_q == 4'd0;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) left_q <= 4'd0;
    else if (from_card_ready_o) left_q <= from_card_valid_i ? 4'd8 : 4'd0;
    else if (tx_ready) left_q <= left_q - 4'd1;
  end
  always_ff @(posedge clk_i) begin
    if (from_card_ready_o) sending_q <= from_card_data_i;
    else if (tx_ready) sending_q <= {8'd0, sending_q[63:8]};
  end
endmodule
