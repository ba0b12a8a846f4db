// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// poseidon_dispatcher_proof: each word that poseidon_dispatcher accepts goes to one core in the
// same clock, so none is lost or duplicated; a job goes whole to one core; a job can begin whenever
// any core is ready; and it begins at the first ready core after the one served last.
module poseidon_dispatcher_proof #(
  parameter int unsigned Cores = 3,
  parameter bit Invariants = 1'b1
) (
  input logic             clk_i,
  input logic             rst_ni,
  input logic             in_valid_i,
  input logic             in_last_i,
  input logic [Cores-1:0] core_ready_i
);
  localparam int unsigned IndexBits = $clog2(Cores);
  typedef logic [IndexBits-1:0] index_t;

  logic             in_ready, in_beat;
  logic [Cores-1:0] core_valid, core_beat;

  poseidon_dispatcher #(.Cores(Cores)) u_dut (
    .clk_i, .rst_ni, .in_valid_i, .in_ready_o(in_ready), .in_last_i,
    .core_valid_o(core_valid), .core_ready_i
  );
  assign in_beat = in_valid_i && in_ready;
  assign core_beat = core_valid & core_ready_i;

  proof_reset u_reset (.rst_ni);

  // ---- the core that has the job, or had the last one ----
  logic   inside_q;
  index_t owner_q, target, other_q;

  always_comb begin
    target = '0;
    for (int unsigned i = 0; i < Cores; i++) if (core_beat[i]) target = index_t'(i);
  end

  always_ff @(posedge clk_i) other_q <= other_q;  // any core

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      inside_q <= 1'b0;
      owner_q  <= '0;
    end else if (in_beat) begin
      inside_q <= !in_last_i;
      owner_q  <= target;
    end
  end

  // Round-robin steps from core `from` to core `to`, from 1 to Cores.
  function automatic int unsigned steps(input index_t from, input index_t to);
    return to > from ? 32'(to) - 32'(from) : 32'(to) + Cores - 32'(from);
  endfunction

  always_comb begin
    assume (32'(other_q) < Cores);
    if (rst_ni) begin
      assert ($countones(core_beat) == 32'(in_beat) && $countones(core_valid) == 32'(in_valid_i));
      if (inside_q) begin
        assert (in_ready == core_ready_i[owner_q]);
        if (in_beat) assert (target == owner_q);
      end else begin
        assert (in_ready == (core_ready_i != '0));
        if (in_beat && core_ready_i[other_q]) begin
          assert (steps(owner_q, target) <= steps(owner_q, other_q));
        end
      end

      cover (inside_q && !core_ready_i[owner_q] && core_ready_i != '0 && in_valid_i);
      cover (!inside_q && in_beat && owner_q == index_t'(Cores - 1) && target == index_t'(1));
    end
  end

  if (Invariants) begin : gen_invariants
    always_comb begin
      if (rst_ni) begin
        assert (u_dut.core_q == owner_q && u_dut.inside_q == inside_q);
        assert (32'(owner_q) < Cores);
      end
    end
  end
endmodule
