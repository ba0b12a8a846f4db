// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// poseidon_dispatcher: distributes a stream of jobs to the cores, each whole job to one core.
//
// A job goes to the first core, after the one served last, that is ready to begin one. While no
// core is ready the stream waits; the choice is made again in each clock, so no core can block the
// others. A core's ready must not depend on its valid. Latency: 0 clocks.
module poseidon_dispatcher #(
  parameter int unsigned Cores = 1
) (
  input  logic             clk_i,
  input  logic             rst_ni,

  input  logic             in_valid_i,
  output logic             in_ready_o,
  input  logic             in_last_i,

  output logic [Cores-1:0] core_valid_o,
  input  logic [Cores-1:0] core_ready_i
);
  localparam int unsigned IndexBits = Cores > 1 ? $clog2(Cores) : 1;

  logic [IndexBits-1:0] core, choice, core_q;
  logic                 inside_q;  // between the first and the last word of a job

  // The last assignment wins: first any ready core, then any ready core after core_q. Both loops
  // count down, so the nearest core is assigned last.
  always_comb begin
    choice = core_q;
    for (int unsigned i = Cores; i > 0; i--) begin
      if (core_ready_i[IndexBits'(i-1)]) choice = IndexBits'(i - 1);
    end
    for (int unsigned i = Cores; i > 0; i--) begin
      if (core_ready_i[IndexBits'(i-1)] && IndexBits'(i - 1) > core_q) choice = IndexBits'(i - 1);
    end
  end

  assign core       = inside_q ? core_q : choice;
  assign in_ready_o = core_ready_i[core];
  always_comb begin
    core_valid_o       = '0;
    core_valid_o[core] = in_valid_i;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      core_q   <= '0;
      inside_q <= 1'b0;
    end else if (in_valid_i && in_ready_o) begin
      core_q   <= core;
      inside_q <= !in_last_i;
    end
  end

endmodule
