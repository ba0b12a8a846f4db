// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// idle_beat_proof: the beats pass in order and unchanged. A beat of zeros comes only between two
// frames, after Clocks clocks without a beat, and then it does come. Offers stay. Assumed: the
// input keeps its offers.
module idle_beat_proof #(
  parameter int unsigned DataWidth = 4,
  parameter int unsigned Clocks = 4,
  parameter bit Invariants = 1'b1
) (
  input logic                 clk_i,
  input logic                 rst_ni,
  input logic                 in_valid_i,
  input logic [DataWidth-1:0] in_data_i,
  input logic                 in_last_i,
  input logic                 out_ready_i
);
  logic                 in_ready, out_valid, comes, leaves;
  logic [DataWidth-1:0] out_data;

  idle_beat #(.DataWidth(DataWidth), .Clocks(Clocks)) u_dut (
    .clk_i, .rst_ni, .in_valid_i, .in_ready_o(in_ready), .in_data_i, .in_last_i,
    .out_valid_o(out_valid), .out_ready_i, .out_data_o(out_data)
  );
  assign comes = in_valid_i && in_ready;
  assign leaves = out_valid && out_ready_i;

  proof_reset u_reset (.rst_ni);
  proof_stable #(.DataWidth(DataWidth + 1), .Assume(1'b1)) u_in_stable (
    .clk_i, .rst_ni, .free_i(1'b0), .valid_i(in_valid_i), .ready_i(in_ready),
    .data_i({in_last_i, in_data_i})
  );
  proof_stable #(.DataWidth(DataWidth)) u_out_stable (
    .clk_i, .rst_ni, .free_i(1'b0), .valid_i(out_valid), .ready_i(out_ready_i), .data_i(out_data)
  );

  // The clocks without an offer before this one, and the place in a frame.
  logic       inside_q;
  logic [3:0] silent_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      inside_q <= 1'b0;
      silent_q <= '0;
    end else begin
      if (comes) inside_q <= !in_last_i;
      silent_q <= out_valid || inside_q ? '0 : silent_q + 4'd1;
    end
  end

  logic inserted;  // the offered beat is not one of the input
  assign inserted = out_valid && !(in_valid_i && in_ready == out_ready_i && out_data == in_data_i);

  always_comb begin
    if (rst_ni) begin
      if (comes) assert (leaves && out_data == in_data_i);
      if (leaves && !comes) assert (out_data == '0 && !inside_q);
      if (inserted) assert (!inside_q);
      // After the silence, and not before, the beat is offered.
      assert (silent_q <= 4'(Clocks));
      if (silent_q == 4'(Clocks)) assert (out_valid && !comes);
      if (silent_q != 4'(Clocks) && silent_q != 0) assert (out_valid == in_valid_i);

      cover (silent_q == 4'(Clocks) && in_valid_i && out_ready_i);
      cover (comes && in_data_i != '0 && inside_q && in_last_i);
    end
  end

  if (Invariants) begin : gen_invariants
    always_comb begin
      if (rst_ni) begin
        assert (u_dut.inside_q == inside_q);
        assert (!(u_dut.fills_q && inside_q));
        if (silent_q != 0) assert (u_dut.fills_q == (silent_q == 4'(Clocks)));
        if (!u_dut.fills_q) assert (4'(u_dut.silent_q) == silent_q);
      end
    end
  end
endmodule
