// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// reduce_top: bench top with montgomery_reduce of both fields, with tiles (unfolded and folded) and
// without, for values of up to 16 products. latency_o has the latency of each output by arith_pkg.
module reduce_top (
  input  logic            clk_i,
  input  logic            rst_ni,
  input  logic [1:0]      valid_i,
  input  logic [515:0]    fr_value_i,
  input  logic [515:0]    felt_value_i,
  output logic [255:0]    fr_o,
  output logic [255:0]    felt_o,
  output logic [255:0]    fr2_o,
  output logic [255:0]    felt4_o,
  output logic [255:0]    bls12_o,
  output logic [255:0]    skewed_o,
  output logic [5:0][7:0] latency_o
);
  import arith_pkg::*;

  montgomery_reduce #(.Modulus(FrModulus), .ReduceTiles(1'b1)) u_fr (
    .clk_i, .rst_ni, .valid_i(1'b0), .value_i(fr_value_i), .result_o(fr_o)
  );
  montgomery_reduce #(.Modulus(FeltModulus)) u_felt (
    .clk_i, .rst_ni, .valid_i(1'b0), .value_i(felt_value_i), .result_o(felt_o)
  );
  montgomery_reduce #(.Modulus(FrModulus), .Interval(2), .ReduceTiles(1'b1)) u_fr2 (
    .clk_i, .rst_ni, .valid_i(valid_i[0]), .value_i(fr_value_i), .result_o(fr2_o)
  );
  montgomery_reduce #(.Modulus(FeltModulus), .Interval(4)) u_felt4 (
    .clk_i, .rst_ni, .valid_i(valid_i[1]), .value_i(felt_value_i), .result_o(felt4_o)
  );
  montgomery_reduce #(.Modulus(FrModulus)) u_bls12 (
    .clk_i, .rst_ni, .valid_i(1'b0), .value_i(fr_value_i), .result_o(bls12_o)
  );

  logic [515:0] skewed;
  for (genvar k = 0; k < ceil_div(516, SegmentWidth); k++) begin : gen_segment
    localparam int unsigned Bits = minimum(516 - k * SegmentWidth, SegmentWidth);
    pipeline_delay #(.DataWidth(Bits), .Stages(k)) u_skewed_value (
      .clk_i, .data_i(fr_value_i[k*SegmentWidth+:Bits]), .data_o(skewed[k*SegmentWidth+:Bits])
    );
  end
  montgomery_reduce #(.Modulus(FrModulus), .Skewed(1'b1)) u_skewed (
    .clk_i, .rst_ni, .valid_i(1'b0), .value_i(skewed), .result_o(skewed_o)
  );

  assign latency_o = {
    8'(montgomery_reduce_latency(256, constant_t'(FrModulus), 4, 1, 26, 17, 1'b0)),
    8'(montgomery_reduce_latency(256, constant_t'(FrModulus), 4, 1, 26, 17, 1'b0)),
    8'(montgomery_reduce_latency(256, constant_t'(FeltModulus), 4, 4, 26, 17, 1'b1)),
    8'(montgomery_reduce_latency(256, constant_t'(FrModulus), 4, 2, 26, 17, 1'b1)),
    8'(montgomery_reduce_latency(256, constant_t'(FeltModulus), 4, 1, 26, 17, 1'b1)),
    8'(montgomery_reduce_latency(256, constant_t'(FrModulus), 4, 1, 26, 17, 1'b1))
  };
endmodule
