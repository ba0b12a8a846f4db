// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// engine_guard_proof: an engine fails through a memory error, or soon after nothing has moved for
// TimeoutClocks, and not otherwise. Until then requests and replies pass unchanged. From then to
// the soft reset the engine is in reset, and requests are dropped. Each failure causes one notice
// of at most two beats, between two frames. If the reader reads and the engine offers nothing, the
// notice comes within a few clocks, unless a soft reset does. All frames end; offers stay. Assumed:
// the engine keeps its offers until they are accepted.
module engine_guard_proof
  import card_pkg::*;
#(
  parameter int unsigned TimeoutClocks = 3,
  parameter int unsigned QuietClocks = 2,
  parameter bit Invariants = 1'b1
) (
  input logic        clk_i,
  input logic        rst_ni,
  input logic        soft_reset_i,
  input logic        engine_idle_i,
  input logic        memory_error_i,
  input logic        req_valid_i,
  input logic        req_last_i,
  input logic        engine_req_ready_i,
  input logic        engine_rpl_valid_i,
  input logic [63:0] engine_rpl_data_i,
  input logic        engine_rpl_last_i,
  input logic        rpl_ready_i
);
  localparam int unsigned Port = 5;
  localparam int unsigned Soon = QuietClocks + 3;

  logic        engine_reset, req_ready, engine_req_valid, engine_rpl_ready;
  logic        rpl_valid, rpl_last, timed_out, idle;
  logic [63:0] rpl_data;

  engine_guard #(
    .Port(Port), .TimeoutClocks(TimeoutClocks), .QuietClocks(QuietClocks)
  ) u_dut (
    .clk_i, .rst_ni, .soft_reset_i, .engine_reset_o(engine_reset), .engine_idle_i,
    .memory_error_i, .req_valid_i, .req_ready_o(req_ready), .req_last_i,
    .engine_req_valid_o(engine_req_valid), .engine_req_ready_i, .engine_rpl_valid_i,
    .engine_rpl_ready_o(engine_rpl_ready), .engine_rpl_data_i, .engine_rpl_last_i,
    .rpl_valid_o(rpl_valid), .rpl_ready_i, .rpl_data_o(rpl_data), .rpl_last_o(rpl_last),
    .timed_out_o(timed_out), .idle_o(idle)
  );

  proof_reset u_reset (.rst_ni);

  // ---- offers ----
  logic        waits_q, engine_waits_q;
  logic [64:0] offer_q, engine_offer_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) {waits_q, engine_waits_q} <= '0;
    else begin
      waits_q        <= rpl_valid && !rpl_ready_i;
      engine_waits_q <= engine_rpl_valid_i && !engine_rpl_ready;
    end
  end
  always_ff @(posedge clk_i) begin
    offer_q        <= {rpl_last, rpl_data};
    engine_offer_q <= {engine_rpl_last_i, engine_rpl_data_i};
  end

  // ---- expected behavior ----
  // Clocks without a move, now and one clock before; clocks in which a notice could have come.
  logic [3:0]  still_q, before_q, unheard_q;
  logic        in_request_q, failed_q, owed_q, begun_q, told_q, in_frame_q, reset_q, fails, moves;
  logic [31:0] reason_q, told_reason_q;
  logic        engine_beat, beat, first, second, ends;

  assign moves = (req_valid_i && req_ready) || engine_rpl_valid_i
      || (!req_valid_i && (engine_idle_i || in_request_q)) || engine_reset;
  assign fails = (memory_error_i || timed_out) && !failed_q;
  assign engine_beat = engine_rpl_valid_i && engine_rpl_ready;
  assign beat   = rpl_valid && rpl_ready_i;
  assign second = beat && !engine_beat && told_q;
  assign first  = beat && !engine_beat && !told_q && !in_frame_q;
  assign ends   = beat && !engine_beat && in_frame_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      {still_q, unheard_q, in_request_q, failed_q, owed_q, begun_q, told_q} <= '0;
      {before_q, in_frame_q, reset_q} <= '0;
    end else begin
      before_q <= still_q;
      still_q <= moves ? '0 : still_q + 4'(still_q != '1);
      if (engine_reset) in_request_q <= 1'b0;
      else if (req_valid_i && req_ready) in_request_q <= !req_last_i;
      failed_q <= (failed_q || fails) && !soft_reset_i;
      reset_q  <= soft_reset_i || failed_q || fails;
      owed_q   <= (owed_q || fails) && !u_dut.begins && !soft_reset_i;
      begun_q  <= u_dut.begins || (begun_q && !first);
      unheard_q <= owed_q && !u_dut.begins && rpl_ready_i && !engine_rpl_valid_i && !soft_reset_i
                   ? unheard_q + 4'(unheard_q != '1) : '0;
      told_q <= (told_q || first) && !second;
      if (engine_beat) in_frame_q <= !engine_rpl_last_i;
      else if (ends) in_frame_q <= 1'b0;
    end
  end
  always_ff @(posedge clk_i) begin
    if (fails) reason_q <= memory_error_i ? FailureMemoryError : FailureTimedOut;
    if (u_dut.begins) told_reason_q <= reason_q;
  end

  always_comb begin
    if (rst_ni) begin
      assume (!engine_waits_q || (engine_rpl_valid_i
              && engine_offer_q == {engine_rpl_last_i, engine_rpl_data_i}));

      assert (!timed_out || (before_q >= 4'(TimeoutClocks) && !failed_q));
      assert (still_q < 4'(TimeoutClocks + 3));
      assert (engine_reset == reset_q);
      assert (engine_req_valid == (req_valid_i && !failed_q));
      assert (req_ready == (engine_req_ready_i || failed_q));

      assert (!waits_q || (rpl_valid && offer_q == {rpl_last, rpl_data}));
      assert (!engine_beat || (beat && !told_q && rpl_data == engine_rpl_data_i
              && rpl_last == engine_rpl_last_i));
      assert (!u_dut.begins || (owed_q && !begun_q && !told_q));
      assert (!first || (begun_q && !rpl_last
              && rpl_data == {ReplyEngineFailedRpl, EngineFailedRplBytes}));
      assert (!second || (rpl_last && rpl_data == {told_reason_q, 32'(Port)}));
      assert (!ends || (rpl_last && rpl_data == '0));
      assert (!idle || !told_q);
      assert (unheard_q <= 4'(Soon));

      cover (second && told_reason_q == FailureTimedOut);
      cover (ends);
    end
  end

  if (Invariants) begin : gen_invariants
    always_comb begin
      if (rst_ni) begin
        assert (u_dut.failed_q == failed_q && u_dut.in_request_q == in_request_q);
        assert (u_dut.in_reply_q == in_frame_q && u_dut.owes_q == owed_q);
        assert (u_dut.second_q == told_q && u_dut.sends_q == (begun_q || told_q));
        assert (!(begun_q && told_q) && (!owed_q || failed_q));
        assert (!u_dut.sends_q || (!in_frame_q && !u_dut.ends_q));
        assert (!u_dut.ends_q || in_frame_q);
        assert (!owed_q || u_dut.reason_q == reason_q);
        assert (!u_dut.sends_q || u_dut.told_reason_q == told_reason_q);
        // The timer is one clock late.
        assert (u_dut.moves_q == (still_q == '0));
        assert (u_dut.moves_q || reset_q || still_q == 4'(u_dut.timer_q) + 4'd1);
        assert (!u_dut.expired_q || before_q == 4'(TimeoutClocks));
        assert (u_dut.moves_q || before_q + 4'd1 == still_q);
        assert (still_q <= 4'(TimeoutClocks) || u_dut.expired_q || reset_q);
        // The condition for the notice.
        assert (owed_q || unheard_q == '0);
        if (owed_q) begin
          if (u_dut.sends_q) assert (unheard_q <= 4'(told_q) + 4'd1);
          else if (!in_frame_q) assert (unheard_q <= 4'(Soon));
          else if (u_dut.ends_q) assert (unheard_q <= 4'(QuietClocks + 2));
          else if (u_dut.was_reset_q) assert (unheard_q <= 4'(u_dut.quiet_q) + 4'd1);
          else assert (unheard_q <= 4'd1);
        end
        assert (32'(u_dut.quiet_q) <= QuietClocks + 1);
      end
    end
  end
endmodule
