// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// engine_shell: the frame around the parts of an engine: their reset, the gate before the requests,
// the queue of complete reply frames after them, and the count of owed replies.
//
//   req_* -> gate -> request_*   the engine's parts,    reply_* -> stream_frame_fifo -> rpl_*
//                                reset by inner_rst_no
//
// (Only valid and ready of requests pass through: their data need no gate.)
//
// soft_reset_i (any number of clocks) drops everything inside, except that the offered reply frame
// is completed. During the soft reset and in the clock after it, no beat of a request or a reply is
// accepted; then the request stream begins with a new frame.
//
// memory_error_i signals that a memory of the engine returned a wrong word: from the next clock to
// the end of the next soft reset, everything behaves as in a soft reset. So a reply affected by the
// word never leaves, if its last beat comes after memory_error_i. memory_error_o reports these
// errors and those of the queue itself, whose reply has left with a checksum that does not match.
//
// owed_i signals that one more reply will come, before that reply's last beat does. While idle_o is
// high no reply is owed, and none is offered in this clock or the next.
module engine_shell #(
  parameter int unsigned Depth = 64,      // beats; a power of two, at least the longest reply
  parameter bit          Registered = 1'b0,  // as in stream_frame_fifo
  parameter int unsigned OwedBits = 16    // of the number of replies
) (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        soft_reset_i,

  input  logic        req_valid_i,
  output logic        req_ready_o,
  output logic        rpl_valid_o,
  input  logic        rpl_ready_i,
  output logic [63:0] rpl_data_o,
  output logic        rpl_last_o,
  output logic        idle_o,
  output logic        memory_error_o,

  output logic        inner_rst_no,
  output logic        request_valid_o,
  input  logic        request_ready_i,
  input  logic        memory_error_i,
  input  logic        owed_i,
  input  logic        reply_valid_i,
  output logic        reply_ready_o,
  input  logic [63:0] reply_data_i,
  input  logic        reply_last_i
);
  // A separate flop drives the reset of all parts except the last queue: it is free of glitches,
  // and after a soft reset it is released synchronously.
  logic inner_rst_nq;
  logic failed_q, fails, frame_error;
  assign memory_error_o = memory_error_i || frame_error;
  assign fails          = memory_error_o || failed_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) failed_q <= 1'b0;
    else failed_q <= fails && !soft_reset_i;
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) inner_rst_nq <= 1'b0;
    else inner_rst_nq <= !(soft_reset_i || fails);
  end
  assign inner_rst_no = inner_rst_nq;

  // Low from the first clock of a soft reset, or the clock after an error, to the end of the inner
  // reset.
  logic open;
  assign open = inner_rst_nq && !soft_reset_i;

  assign request_valid_o = req_valid_i && open;
  assign req_ready_o     = request_ready_i && open;

  // The one part that outlives a soft reset.
  stream_frame_fifo #(
    .DataWidth (64),
    .Depth     (Depth),
    .Registered(Registered)
  ) u_frames (
    .clk_i,
    .rst_ni,
    .flush_i    (!open),
    .in_valid_i (reply_valid_i),
    .in_ready_o (reply_ready_o),
    .in_data_i  (reply_data_i),
    .in_last_i  (reply_last_i),
    .drop_i     (1'b0),
    .out_valid_o(rpl_valid_o),
    .out_ready_i(rpl_ready_i),
    .out_data_o (rpl_data_o),
    .out_last_o (rpl_last_o),
    .memory_error_o(frame_error)
  );

  // A reply is owed until the queue reports it: one clock after its last beat, with Registered two.
  logic [OwedBits-1:0] owed_q;
  logic                whole, told;

  assign whole = reply_valid_i && reply_ready_o && reply_last_i;
  if (Registered) begin : gen_registered
    logic whole_q;
    always_ff @(posedge clk_i or negedge inner_rst_nq) begin
      if (!inner_rst_nq) whole_q <= 1'b0;
      else whole_q <= whole;
    end
    assign told = whole_q;
  end else begin : gen_unregistered
    assign told = whole;
  end

  always_ff @(posedge clk_i or negedge inner_rst_nq) begin
    if (!inner_rst_nq) owed_q <= '0;
    else owed_q <= owed_q + OwedBits'(owed_i) - OwedBits'(told);
  end
  assign idle_o = owed_q == '0 && !rpl_valid_o;
endmodule
