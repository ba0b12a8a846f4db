// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// engine_guard: is between a port of the shell and its engine. It stops the engine with
// engine_failed_rpl when a memory has returned a wrong word, or when nothing has moved for
// TimeoutClocks. The requests in the engine are then lost, and the host sends them again.
//
// From the failure to the next soft reset the engine is held in reset and requests are dropped. The
// notice, one of two beats per failure, is sent when no reply of the engine is offered or partly
// sent; replies that the engine began to offer before are correct and pass first. A soft reset
// drops a waiting notice; a notice that has begun is completed. A reply that was cut off (after the
// engine's reset, none of its beats is offered for QuietClocks) is ended by a beat of zeros: the
// stream still consists of complete frames, and the reply's checksum does not match.
//
// "Nothing moves" means that the engine has a request in it or before it, and neither accepts a
// beat of a request nor offers a beat of a reply, unless it waits for the rest of a frame. Every
// move restarts the timer. engine_reset_o follows soft_reset_i and a failure by one clock.
module engine_guard
  import card_pkg::*;
#(
  parameter int unsigned Port = 0,
  parameter int unsigned TimeoutClocks = 1 << 27,  // longer than any request; at least 2
  parameter int unsigned QuietClocks = 32  // longer than any pause of an engine within a reply
) (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        soft_reset_i,

  output logic        engine_reset_o,
  input  logic        engine_idle_i,
  input  logic        memory_error_i,

  input  logic        req_valid_i,
  output logic        req_ready_o,
  input  logic        req_last_i,
  output logic        engine_req_valid_o,
  input  logic        engine_req_ready_i,

  input  logic        engine_rpl_valid_i,
  output logic        engine_rpl_ready_o,
  input  logic [63:0] engine_rpl_data_i,
  input  logic        engine_rpl_last_i,
  output logic        rpl_valid_o,
  input  logic        rpl_ready_i,
  output logic [63:0] rpl_data_o,
  output logic        rpl_last_o,

  output logic        timed_out_o,  // pulse: the engine has failed by the timeout
  output logic        idle_o        // no notice waits or is partly sent
);
  localparam int unsigned TimerBits = $clog2(TimeoutClocks + 1);

  // ---- time ----
  logic                 in_request_q, moves_q, expired_q;
  logic [TimerBits-1:0] timer_q;
  logic                 taken;

  assign taken = req_valid_i && req_ready_o;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      in_request_q <= 1'b0;
      moves_q      <= 1'b1;
      expired_q    <= 1'b0;
      timer_q      <= '0;
    end else if (engine_reset_o) begin
      in_request_q <= 1'b0;
      moves_q      <= 1'b1;
      expired_q    <= 1'b0;
      timer_q      <= '0;
    end else begin
      if (taken) in_request_q <= !req_last_i;
      moves_q <= taken || engine_rpl_valid_i
          || (!req_valid_i && (engine_idle_i || in_request_q));
      timer_q <= moves_q ? '0 : timer_q + TimerBits'(1);
      expired_q <= timer_q == TimerBits'(TimeoutClocks - 1) && !moves_q;
    end
  end

  // ---- the failure ----
  logic [31:0] reason_q, told_reason_q;  // of the failure, of the notice
  logic        failed_q, owes_q, sends_q, second_q, fails, begins;

  assign fails       = (memory_error_i || expired_q) && !failed_q;
  assign timed_out_o = expired_q && fails && !memory_error_i;
  assign idle_o      = !owes_q && !sends_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      failed_q       <= 1'b0;
      owes_q         <= 1'b0;
      engine_reset_o <= 1'b0;
    end else begin
      failed_q       <= (failed_q || fails) && !soft_reset_i;
      owes_q         <= (owes_q || fails) && !begins && !soft_reset_i;
      engine_reset_o <= soft_reset_i || failed_q || fails;
    end
  end
  always_ff @(posedge clk_i) begin
    if (fails) reason_q <= memory_error_i ? FailureMemoryError : FailureTimedOut;
    if (begins) told_reason_q <= reason_q;
  end

  assign engine_req_valid_o = req_valid_i && !failed_q;
  assign req_ready_o        = engine_req_ready_i || failed_q;

  // ---- replies, the end of a cut-off reply, and the notice between two replies ----
  localparam int unsigned QuietBits = $clog2(QuietClocks + 1);
  logic                 in_reply_q, was_reset_q, ends_q;
  logic [QuietBits-1:0] quiet_q;

  assign begins = owes_q && !in_reply_q && !engine_rpl_valid_i && !sends_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      in_reply_q <= 1'b0;
      sends_q    <= 1'b0;
      second_q   <= 1'b0;
      {was_reset_q, ends_q, quiet_q} <= '0;
    end else begin
      if (ends_q && rpl_ready_i) in_reply_q <= 1'b0;
      else if (engine_rpl_valid_i && engine_rpl_ready_o) in_reply_q <= !engine_rpl_last_i;
      was_reset_q <= in_reply_q && (was_reset_q || engine_reset_o);
      if (!was_reset_q || engine_rpl_valid_i || ends_q) quiet_q <= '0;
      else quiet_q <= quiet_q + 1'b1;
      ends_q <= ends_q ? !rpl_ready_i
                       : in_reply_q && !engine_rpl_valid_i && quiet_q == QuietBits'(QuietClocks);
      sends_q <= begins || (sends_q && !(rpl_ready_i && second_q));
      if (sends_q && rpl_ready_i) second_q <= !second_q;
    end
  end

  assign engine_rpl_ready_o = rpl_ready_i && !sends_q && !ends_q;
  assign rpl_valid_o        = engine_rpl_valid_i || sends_q || ends_q;
  assign rpl_last_o         = sends_q ? second_q : engine_rpl_last_i || ends_q;
  always_comb begin
    rpl_data_o = ends_q ? '0 : engine_rpl_data_i;
    if (sends_q) begin
      rpl_data_o = second_q ? {told_reason_q, 32'(Port)}
                            : {ReplyEngineFailedRpl, EngineFailedRplBytes};
    end
  end
endmodule
