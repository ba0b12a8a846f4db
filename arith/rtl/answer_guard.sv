// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// answer_guard: ensures that each request of a unit is answered, by the unit or with `timed out`.
//
//   in  -> slot -> unit_in                 unit: answers in any order, each with its slot,
//   out <- tag  <- unit_out, or timed out  and is reset by unit_rst_no
//
// A request takes a free slot, which stores its tag; the unit receives only the slot number. A
// timer ticks every TimeoutClocks clocks in which no answer waits for the reader. A request that is
// still in the unit at the second tick after its arrival has been lost, since no request takes that
// long. The unit is then reset for at least Slots clocks, while every outstanding request is
// answered with timed_out_o; afterwards the unit starts again. So an answer comes at most 2
// TimeoutClocks + Slots clocks after the request, without counting the clocks in which the reader
// does not accept an answer.
//
// Cycles: requests and answers pass within one clock. One slot is examined per clock, so that
// requests come at most every second clock, and may wait for up to Slots clocks while others are in
// the unit. memory_error_o reports a tag that left two clocks before (memory_parity).
module answer_guard #(
  parameter int unsigned TagBits       = 64,
  parameter int unsigned AnswerBits    = 8,
  parameter int unsigned Slots         = 64,       // a power of two, >= 2: open requests
  parameter int unsigned TimeoutClocks = 1 << 18,  // longer than any request
  localparam int unsigned SlotBits     = $clog2(Slots)
) (
  input  logic                  clk_i,
  input  logic                  rst_ni,

  input  logic                  in_valid_i,
  output logic                  in_ready_o,
  input  logic [TagBits-1:0]    in_tag_i,

  output logic                  unit_rst_no,
  output logic                  unit_in_valid_o,
  input  logic                  unit_in_ready_i,
  output logic [SlotBits-1:0]   unit_in_slot_o,
  input  logic                  unit_out_valid_i,
  output logic                  unit_out_ready_o,
  input  logic [SlotBits-1:0]   unit_out_slot_i,
  input  logic [AnswerBits-1:0] unit_out_answer_i,

  output logic                  out_valid_o,
  input  logic                  out_ready_i,
  output logic [TagBits-1:0]    out_tag_o,
  output logic [AnswerBits-1:0] out_answer_o,    // undefined after a timeout
  output logic                  out_timed_out_o,
  output logic                  memory_error_o
);
  localparam int unsigned TimerBits = $clog2(TimeoutClocks) + 1;

  // A separate flop drives the unit's reset, so that it is free of glitches.
  logic                 unit_rst_nq, draining_q;
  logic                 found_q;  // slot_q is free, and the unit is not in reset
  logic [Slots-1:0]     used_q, old_q;
  logic [SlotBits-1:0]  slot_q;
  logic [TimerBits-1:0] timer_q;
  logic [TagBits-1:0]   tags [Slots];
  logic                 taken, given, ticks, waits, expired_q;

  assign unit_rst_no     = unit_rst_nq;
  assign unit_in_valid_o = in_valid_i && found_q;
  assign in_ready_o      = unit_in_ready_i && found_q;
  assign unit_in_slot_o  = slot_q;
  assign taken           = in_valid_i && in_ready_o;

  // ---- answers: those of the unit, or in its reset those of all slots in sequence. An answer of
  // the unit without a request is dropped ----
  logic                given_q;  // the slot given_slot_q is free; used_q shows it a clock later
  logic [SlotBits-1:0] out_slot, given_slot_q;
  logic                is_asked;
  assign out_slot         = draining_q ? slot_q : unit_out_slot_i;
  assign is_asked         = used_q[out_slot] && !(given_q && given_slot_q == out_slot);
  assign out_valid_o      = is_asked && (draining_q || unit_out_valid_i);
  assign unit_out_ready_o = !draining_q && (out_ready_i || !is_asked);
  assign out_tag_o        = tags[out_slot];
  assign out_answer_o     = unit_out_answer_i;
  assign out_timed_out_o  = draining_q;
  assign given            = out_valid_o && out_ready_i;

  always_ff @(posedge clk_i) if (taken) tags[slot_q] <= in_tag_i;

  memory_parity #(
    .Width     (TagBits),
    .Depth     (Slots),
    .ReadClocks(0)
  ) u_parity (
    .clk_i,
    .write_valid_i  (taken),
    .write_address_i(slot_q),
    .write_data_i   (in_tag_i),
    .read_enable_i  (1'b1),
    .read_address_i (out_slot),
    .check_i        (given),
    .data_i         (out_tag_o),
    .error_o        (memory_error_o)
  );

  // ---- time ----
  assign waits = out_valid_o && !out_ready_i;
  assign ticks = timer_q == TimerBits'(TimeoutClocks - 1) && !waits && !draining_q;

  // ---- slots ----
  logic drained;
  assign drained = slot_q == '1 && !waits;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      unit_rst_nq <= 1'b0;
      draining_q  <= 1'b0;
      found_q     <= 1'b0;
      expired_q   <= 1'b0;
      given_q     <= 1'b0;
      given_slot_q <= '0;
      used_q      <= '0;
      old_q       <= '0;
      slot_q      <= '0;
      timer_q     <= '0;
    end else begin
      if (ticks) old_q <= used_q;
      given_q      <= given;
      given_slot_q <= out_slot;
      if (given_q) used_q[given_slot_q] <= 1'b0;
      if (taken) begin
        used_q[slot_q] <= 1'b1;
        old_q[slot_q]  <= 1'b0;
      end

      if (ticks) timer_q <= '0;
      else if (!waits && !draining_q) timer_q <= timer_q + 1'b1;

      // An offered answer is delivered first: the reset of the unit must not drop it.
      expired_q <= !draining_q && (expired_q || (ticks && (used_q & old_q) != '0));
      found_q <= 1'b0;
      if (draining_q) begin
        draining_q <= !drained;
        if (!waits) slot_q <= slot_q + 1'b1;
      end else if (expired_q && !waits) begin
        draining_q <= 1'b1;
        slot_q     <= '0;
      end else if (found_q) begin
        found_q <= !taken;
        if (taken) slot_q <= slot_q + 1'b1;
      end else begin
        found_q <= !used_q[slot_q];
        if (used_q[slot_q]) slot_q <= slot_q + 1'b1;
      end
      unit_rst_nq <= draining_q ? drained : !(expired_q && !waits);
    end
  end
endmodule
