// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// stream_arbiter_proof: each beat that stream_arbiter accepts leaves in the same clock, unchanged
// and once, so none is lost, duplicated or overtaken. Frames are not interleaved, offers stay, and
// a beat is offered whenever possible. While one input waits with a frame, every other input begins
// at most one. Assumed: inputs keep their offers until they are accepted.
module stream_arbiter_proof #(
  parameter int unsigned Inputs = 3,
  parameter int unsigned DataWidth = 8,
  parameter bit Invariants = 1'b1
) (
  input logic                             clk_i,
  input logic                             rst_ni,
  input logic                             clear_i,
  input logic [Inputs-1:0]                in_valid_i,
  input logic [Inputs-1:0][DataWidth-1:0] in_data_i,
  input logic [Inputs-1:0]                in_last_i,
  input logic                             out_ready_i
);
  localparam int unsigned IndexBits = $clog2(Inputs);
  typedef logic [IndexBits-1:0] index_t;

  logic [Inputs-1:0]    in_ready, in_beat;
  logic                 out_valid, out_last, out_beat;
  logic [DataWidth-1:0] out_data;

  stream_arbiter #(.Inputs(Inputs), .DataWidth(DataWidth)) u_dut (
    .clk_i, .rst_ni, .clear_i,
    .in_valid_i, .in_ready_o(in_ready), .in_data_i, .in_last_i,
    .out_valid_o(out_valid), .out_ready_i, .out_data_o(out_data), .out_last_o(out_last)
  );
  assign in_beat = in_valid_i & in_ready;
  assign out_beat = out_valid && out_ready_i;

  proof_reset u_reset (.rst_ni);
  for (genvar i = 0; i < Inputs; i++) begin : gen_input
    proof_stable #(.DataWidth(DataWidth + 1), .Assume(1'b1)) u_stable (
      .clk_i, .rst_ni, .free_i(clear_i), .valid_i(in_valid_i[i]), .ready_i(in_ready[i]),
      .data_i({in_last_i[i], in_data_i[i]})
    );
  end
  proof_stable #(.DataWidth(DataWidth + 1)) u_stable (
    .clk_i, .rst_ni, .free_i(clear_i), .valid_i(out_valid), .ready_i(out_ready_i),
    .data_i({out_last, out_data})
  );

  // ---- the input of the current frame ----
  logic   inside_q;
  index_t owner_q, source;

  always_comb begin
    source = '0;
    for (int unsigned i = 0; i < Inputs; i++) if (in_beat[i]) source = index_t'(i);
  end

  // ---- two arbitrary inputs: while `one` waits, `other` has begun a frame ----
  index_t one_q, other_q;
  logic   waits, begins, passed_q;

  always_ff @(posedge clk_i) begin
    one_q   <= one_q;
    other_q <= other_q;
  end
  assign waits = in_valid_i[one_q] && !in_beat[one_q] && !(inside_q && owner_q == one_q);
  assign begins = in_beat[other_q] && !inside_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      inside_q <= 1'b0;
      owner_q  <= '0;
      passed_q <= 1'b0;
    end else if (clear_i) begin
      inside_q <= 1'b0;
      passed_q <= 1'b0;
    end else begin
      if (out_beat) begin
        inside_q <= !out_last;
        owner_q  <= source;
      end
      passed_q <= waits && (passed_q || begins);
    end
  end

  always_comb begin
    assume (one_q < Inputs && other_q < Inputs && one_q != other_q);
    if (rst_ni) begin
      assert ($countones(in_beat) == 32'(out_beat));
      if (out_beat) assert (out_data == in_data_i[source] && out_last == in_last_i[source]);
      if (out_beat && inside_q) assert (source == owner_q);
      assert (out_valid == (inside_q ? in_valid_i[owner_q] : in_valid_i != '0));
      assert (!(passed_q && begins));

      cover (passed_q && out_beat && out_last && inside_q && source != one_q);
      cover (inside_q && !in_valid_i[owner_q] && in_valid_i != '0);
    end
  end

  // Steps of the round from input `from` to input `to`.
  function automatic index_t steps(input index_t from, input index_t to);
    return to >= from ? to - from : to + index_t'(Inputs) - from;
  endfunction

  if (Invariants) begin : gen_invariants
    index_t granted;
    always_comb begin
      granted = '0;
      for (int unsigned i = 0; i < Inputs; i++) begin
        if (u_dut.granted_q[i]) granted = index_t'(i);
      end
      if (rst_ni) begin
        assert ($countones(u_dut.granted_q) == 1);
        for (int unsigned i = 0; i < Inputs; i++) begin
          assert (u_dut.behind_q[i] == (index_t'(i) > granted));
        end
        assert (!inside_q || (u_dut.locked_q && granted == owner_q));
        if (u_dut.locked_q && !inside_q) assert (in_valid_i[granted]);
        if (passed_q) begin
          // The round has passed `other` and not yet `one`.
          assert (in_valid_i[one_q]);
          assert (steps(granted, one_q) <= steps(other_q, one_q));
          if (u_dut.locked_q && !inside_q) assert (granted != other_q);
        end
      end
    end
  end
endmodule
