// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// stream_late_ready_proof: stream_late_ready loses no beat, duplicates none, keeps their order,
// keeps its offers until they are accepted, and accepts a beat at its input in the clock after the
// output accepted it and in no other. Assumed: the input keeps its offers until they are accepted.
module stream_late_ready_proof #(
  parameter int unsigned DataWidth = 64,
  parameter bit Invariants = 1'b1
) (
  input logic                 clk_i,
  input logic                 rst_ni,
  input logic                 in_valid_i,
  input logic [DataWidth-1:0] in_data_i,
  input logic                 out_ready_i
);
  logic                 in_ready, in_beat, out_valid, out_beat;
  logic [DataWidth-1:0] out_data;

  stream_late_ready #(.DataWidth(DataWidth)) u_dut (
    .clk_i, .rst_ni, .in_valid_i, .in_ready_o(in_ready), .in_data_i,
    .out_valid_o(out_valid), .out_ready_i, .out_data_o(out_data)
  );
  assign in_beat = in_valid_i && in_ready;
  assign out_beat = out_valid && out_ready_i;

  proof_reset u_reset (.rst_ni);
  proof_stable #(.DataWidth(DataWidth), .Assume(1'b1)) u_in_stable (
    .clk_i, .rst_ni, .free_i(1'b0), .valid_i(in_valid_i), .ready_i(in_ready), .data_i(in_data_i)
  );
  proof_stable #(.DataWidth(DataWidth)) u_out_stable (
    .clk_i, .rst_ni, .free_i(1'b0), .valid_i(out_valid), .ready_i(out_ready_i), .data_i(out_data)
  );

  // A beat that left is accepted at the input in the next clock: none is lost, and none leaves
  // twice, since its next offer would have to come in the clock in which it is accepted.
  logic                 out_beat_q;
  logic [DataWidth-1:0] data_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) out_beat_q <= 1'b0;
    else out_beat_q <= out_beat;
  end
  always_ff @(posedge clk_i) data_q <= out_data;

  always_comb begin
    if (rst_ni) begin
      assert (in_beat == out_beat_q);
      if (in_beat) assert (!out_valid && in_data_i == data_q);
      if (out_valid) assert (in_valid_i && out_data == in_data_i);
      if (in_valid_i && !out_beat_q) assert (out_valid);

      cover (in_beat);
      cover (out_valid && !out_ready_i);
    end
  end

  if (Invariants) begin : gen_invariants
    always_comb if (rst_ni) assert (u_dut.taken_q == out_beat_q);
  end
endmodule
