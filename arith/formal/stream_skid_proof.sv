// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// stream_skid_proof: stream_skid loses no beat, duplicates none, keeps their order, keeps its
// offers until they are accepted, and is ready exactly while it holds fewer than two beats.
module stream_skid_proof #(
  parameter int unsigned DataWidth = 64,
  parameter bit Invariants = 1'b1
) (
  input logic                 clk_i,
  input logic                 rst_ni,
  input logic                 clear_i,
  input logic                 in_valid_i,
  input logic [DataWidth-1:0] in_data_i,
  input logic                 out_ready_i
);
  localparam int unsigned CountBits = 4;

  logic                 in_ready, out_valid;
  logic [DataWidth-1:0] out_data;

  stream_skid #(.DataWidth(DataWidth)) u_dut (
    .clk_i, .rst_ni, .clear_i, .in_valid_i, .in_ready_o(in_ready), .in_data_i,
    .out_valid_o(out_valid), .out_ready_i, .out_data_o(out_data)
  );

  proof_reset u_reset (.rst_ni);
  proof_stable #(.DataWidth(DataWidth)) u_stable (
    .clk_i, .rst_ni, .free_i(clear_i), .valid_i(out_valid), .ready_i(out_ready_i), .data_i(out_data)
  );

  logic [CountBits-1:0] held, ahead;
  logic                 watched;
  logic [DataWidth-1:0] data;

  proof_scoreboard #(.DataWidth(DataWidth), .CountBits(CountBits)) u_scoreboard (
    .in_clk_i(clk_i), .in_rst_ni(rst_ni), .in_clear_i(clear_i),
    .in_beat_i(in_valid_i && in_ready), .in_data_i,
    .out_clk_i(clk_i), .out_rst_ni(rst_ni), .out_clear_i(clear_i),
    .out_beat_i(out_valid && out_ready_i), .out_data_i(out_data),
    .held_o(held), .watched_o(watched), .ahead_o(ahead), .data_o(data)
  );

  always_comb begin
    if (rst_ni) begin
      assert (in_ready == (held < 2));
      assert (out_valid == (held != 0));

      cover (held == 2 && !in_ready && out_valid && out_ready_i);
    end
  end

  if (Invariants) begin : gen_invariants
    always_comb begin
      if (rst_ni) begin
        assert (held == CountBits'(u_dut.out_valid_q) + CountBits'(u_dut.skid_valid_q));
        if (watched && ahead == 0) assert (u_dut.out_q == data);
        if (watched && ahead == 1) assert (u_dut.skid_q == data);
      end
    end
  end
endmodule
