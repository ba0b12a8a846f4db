// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// A model of sync_bits for proofs: each bit of a change may reach the first register late, by any
// number of steps, but not after the next change (the constraint of stream_async_fifo;
// LATE_BITS_MODEL in simulation). While this side is in reset, all bits arrive.
module sync_bits #(
  parameter int unsigned Width = 1,
  parameter int unsigned Stages = 2
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic [Width-1:0] data_i,
  output logic [Width-1:0] data_o
);
  logic [Width-1:0] data_before, older, older_before, late, late_before, choice, sampled;
  logic [Stages-1:0][Width-1:0] stages_q;

  for (genvar i = 0; i < Width; i++) begin : gen_bit
    formal_previous u_data (.value_i(data_i[i]), .value_o(data_before[i]));
    formal_previous u_older (.value_i(older[i]), .value_o(older_before[i]));
    formal_previous u_late (.value_i(late[i]), .value_o(late_before[i]));
    formal_choice u_choice (.value_o(choice[i]));
  end

  // The value before the last change, and the bits that still show it.
  assign older = data_i != data_before ? data_before : older_before;
  always_comb begin
    if (!rst_ni) late = '0;
    else if (data_i != data_before) late = choice;
    else late = late_before & choice;
  end
  assign sampled = (older & late) | (data_i & ~late);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) stages_q <= '0;
    else stages_q <= {stages_q[Stages-2:0], sampled};
  end

  assign data_o = stages_q[Stages-1];
endmodule
