// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// sync_bits: registers that bring bits of another clock domain into clk_i, with Stages clocks of
// latency.
//
// Each bit is synchronized separately: bits that change together may arrive in different clocks. A
// number that crosses must therefore change in one bit at a time (a Gray code), and data_i must
// come from registers. All stages are zero in reset.
//
// LATE_BITS_MODEL (simulation only): each bit that changes in data_i arrives, at random, some
// clocks late, but not after the next change. This models metastability and wires of different
// lengths, which may spread the bits of one change over one period of the clock of data_i.
module sync_bits #(
  parameter int unsigned Width = 1,
  parameter int unsigned Stages = 2  // at least 2
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic [Width-1:0] data_i,
  output logic [Width-1:0] data_o
);
  (* ASYNC_REG = "TRUE" *) logic [Stages-1:0][Width-1:0] stages_q;
  logic [Width-1:0] sampled;

`ifdef LATE_BITS_MODEL
  logic [Width-1:0] older, now, late, late_q, chance_q;
  int unsigned changes, changes_q;

  initial begin
    now = '0;
    changes = 0;
  end

  always @(data_i) begin
    older = now;
    now = data_i;
    changes = changes + 1;
  end

  always @(posedge clk_i) begin
    changes_q <= changes;
    chance_q <= Width'($urandom());
    late_q <= rst_ni ? late & Width'($urandom()) : '0;
  end

  assign late = changes == changes_q ? late_q : chance_q;
  assign sampled = (older & late) | (data_i & ~late);
`else
  assign sampled = data_i;
`endif

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) stages_q <= '0;
    else stages_q <= {stages_q[Stages-2:0], sampled};
  end

  assign data_o = stages_q[Stages-1];
endmodule
