// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// skew_scale_proof: a tree of skewed sums computes the product, for every number: the segments of x
// enter one clock apart, those of the result are aligned, and equal x * Constant modulo 2^Width.
// The digits of the constant have both signs, and their number is not divisible by the operands of
// a sum, so one part of the tree waits.
module skew_scale_proof #(
  parameter int unsigned Width = 9,
  parameter int unsigned Segment = 3,
  parameter int unsigned Constant = 205,  // 256 - 64 + 16 - 4 + 1
  parameter int unsigned Operands = 2,
  parameter bit Invariants = 1'b1
) (
  input logic             clk_i,
  input logic             rst_ni,
  input logic [Width-1:0] x_i
);
  localparam arith_pkg::constant_t Full = arith_pkg::constant_t'(Constant);
  localparam int unsigned Segments = Width / Segment;
  localparam int unsigned Clocks =
      arith_pkg::skew_scale_latency(Full, Width, Operands) + Segments - 1;

  proof_reset u_reset (.rst_ni);

  logic [Width-1:0] skewed, product, result, x;
  for (genvar k = 0; k < Segments; k++) begin : gen_segment
    pipeline_delay #(.DataWidth(Segment), .Stages(k)) u_in (
      .clk_i, .data_i(x_i[k*Segment+:Segment]), .data_o(skewed[k*Segment+:Segment])
    );
    pipeline_delay #(.DataWidth(Segment), .Stages(Segments - 1 - k)) u_out (
      .clk_i, .data_i(product[k*Segment+:Segment]), .data_o(result[k*Segment+:Segment])
    );
  end
  skew_scale #(
    .InWidth(Width), .OutWidth(Width), .Constant(Full), .Operands(Operands),
    .Segment(Segment)
  ) u_dut (
    .clk_i, .x_i(skewed), .result_o(product)
  );

  logic valid;
  valid_delay #(.Stages(Clocks)) u_valid (.clk_i, .rst_ni, .valid_i(1'b1), .valid_o(valid));
  pipeline_delay #(.DataWidth(Width), .Stages(Clocks)) u_x (.clk_i, .data_i(x_i), .data_o(x));

  always_comb begin
    if (rst_ni && valid) begin
      assert (result == Width'(x * Width'(Constant)));
      cover (&result);
    end
  end
  logic unused;
  assign unused = Invariants;
endmodule
