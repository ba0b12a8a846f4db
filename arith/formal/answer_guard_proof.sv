// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// answer_guard_proof: a request with a chosen tag, one at a time, is answered exactly once, with
// its own tag, within twice TimeoutClocks and a walk over the slots, without counting the clocks in
// which the reader lets an answer wait. At any other time nothing with this tag comes. The only
// assumption about the unit is that it keeps its offers: it may lose requests, answer them twice,
// or send answers without a request.
module answer_guard_proof #(
  parameter int unsigned TagBits = 1,
  parameter int unsigned Slots = 2,
  parameter int unsigned TimeoutClocks = 2,
  parameter bit Invariants = 1'b1
) (
  input logic                     clk_i,
  input logic                     rst_ni,
  input logic                     in_valid_i,
  input logic [TagBits-1:0]       in_tag_i,
  input logic                     unit_in_ready_i,
  input logic                     unit_out_valid_i,
  input logic [$clog2(Slots)-1:0] unit_out_slot_i,
  input logic                     unit_out_answer_i,
  input logic                     out_ready_i
);
  localparam logic [TagBits-1:0] Watched = '1;
  localparam int unsigned AgeBits = $clog2(2 * TimeoutClocks + Slots + 8) + 1;
  localparam int unsigned Most = 2 * TimeoutClocks + Slots + 1;

  logic                     in_ready, unit_rst_n, unit_in_valid, unit_out_ready;
  logic                     out_valid, out_answer, timed_out;
  logic [$clog2(Slots)-1:0] unit_in_slot;
  logic [TagBits-1:0]       out_tag;

  answer_guard #(
    .TagBits(TagBits), .AnswerBits(1), .Slots(Slots), .TimeoutClocks(TimeoutClocks)
  ) u_dut (
    .clk_i, .rst_ni, .in_valid_i, .in_ready_o(in_ready), .in_tag_i,
    .unit_rst_no(unit_rst_n), .unit_in_valid_o(unit_in_valid), .unit_in_ready_i,
    .unit_in_slot_o(unit_in_slot), .unit_out_valid_i(unit_out_valid_i && unit_rst_n),
    .unit_out_ready_o(unit_out_ready), .unit_out_slot_i, .unit_out_answer_i,
    .out_valid_o(out_valid), .out_ready_i, .out_tag_o(out_tag), .out_answer_o(out_answer),
    .out_timed_out_o(timed_out)
  );

  proof_reset u_reset (.rst_ni);
  proof_stable #(.DataWidth(1 + $clog2(Slots)), .Assume(1'b1)) u_assumed (
    .clk_i, .rst_ni, .free_i(!unit_rst_n), .valid_i(unit_out_valid_i && unit_rst_n),
    .ready_i(unit_out_ready), .data_i({unit_out_answer_i, unit_out_slot_i})
  );
  proof_stable #(.DataWidth(TagBits + 2)) u_stable (
    .clk_i, .rst_ni, .free_i(1'b0), .valid_i(out_valid), .ready_i(out_ready_i),
    .data_i({out_tag, timed_out, out_answer && !timed_out})
  );

  // ---- the request with the chosen tag ----
  logic               taken, given, inside_q;
  logic [AgeBits-1:0] age_q;  // clocks in the unit in which no answer waited

  assign taken = in_valid_i && in_ready && in_tag_i == Watched;
  assign given = out_valid && out_ready_i && out_tag == Watched;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      inside_q <= 1'b0;
      age_q    <= '0;
    end else begin
      inside_q <= (inside_q && !given) || taken;
      if (taken) age_q <= '0;
      else if (!(out_valid && !out_ready_i)) age_q <= age_q + AgeBits'(age_q != '1);
    end
  end

  logic [Slots-1:0] mine;  // its slot
  for (genvar i = 0; i < Slots; i++) begin : gen_slot
    assign mine[i] = u_dut.used_q[i] && u_dut.tags[i] == Watched
        && !(u_dut.given_q && 32'(u_dut.given_slot_q) == i);
  end

  always_comb begin
    assume (!rst_ni || !inside_q || !in_valid_i || in_tag_i != Watched);
    if (rst_ni) begin
      assert (!(out_valid && out_tag == Watched && !inside_q));
      assert (!inside_q || age_q <= AgeBits'(Most));
      // Accepted requests reach the unit, and only late ones cause the timeout.
      assert (!(in_valid_i && in_ready) || (unit_in_valid && unit_rst_n));
      assert (!u_dut.ticks || (mine & u_dut.old_q) == '0 || 32'(age_q) >= TimeoutClocks);

      cover (given && timed_out);
      cover (given && !timed_out && age_q != '0);
      cover (inside_q && age_q == AgeBits'(2 * TimeoutClocks + 2));
    end
  end

  if (Invariants) begin : gen_invariants
    always_comb begin
      if (rst_ni) begin
        assert ($countones(mine) == 32'(inside_q));
        assert (32'(u_dut.timer_q) < TimeoutClocks);
        assert (!u_dut.draining_q || !unit_rst_n);
        assert (!u_dut.given_q || u_dut.used_q[u_dut.given_slot_q]);
        assert (!u_dut.found_q || !u_dut.used_q[u_dut.slot_q]);
        for (int unsigned i = 0; i < Slots; i++) begin
          if (mine[i]) begin
            assert (!u_dut.draining_q || 32'(u_dut.slot_q) <= i);
            assert (!u_dut.old_q[i] || u_dut.draining_q || 32'(age_q) > 32'(u_dut.timer_q));
            if (u_dut.draining_q) begin
              assert (32'(age_q) <= 2 * TimeoutClocks + 1 + 32'(u_dut.slot_q));
            end else if (u_dut.expired_q) begin
              assert (32'(age_q) <= 2 * TimeoutClocks);
            end else begin
              assert (32'(age_q) <= 32'(u_dut.timer_q) + (u_dut.old_q[i] ? TimeoutClocks : 0));
            end
          end
        end
      end
    end
  end
endmodule
