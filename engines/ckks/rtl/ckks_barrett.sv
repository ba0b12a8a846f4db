// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// ckks_barrett: a * b modulo any q of 30 bits by Barrett's reduction (1986), in every lane. The
// shared core of the published accelerator computes this; the area tables compare it with
// ckks_multiply. No unit of this card uses it.
//
// With m = floor(2^60 / q), the quotient of a product T is t = floor(floor(T / 2^29) * m / 2^31),
// at most 2 too small: T - t * q lies in [0, 3q). One row a clock, 19 clocks: three full products.
module ckks_barrett
  import ckks_pkg::*;
#(
  parameter int unsigned Lanes = 4
) (
  input  logic                   clk_i,
  input  residue_t               modulus_i,     // 2^29 < q < 2^30; stays for all rows
  input  logic [ResidueBits:0]   reciprocal_i,  // m
  input  residue_t [Lanes-1:0]   a_i,
  input  residue_t [Lanes-1:0]   b_i,
  output residue_t [Lanes-1:0]   product_o
);
  localparam int unsigned RestBits = ResidueBits + 2;
  typedef logic [RestBits-1:0] rest_t;

  for (genvar i = 0; i < Lanes; i++) begin : gen_lane
    logic [ProductBits-1:0] product, estimate, multiple;
    logic [ResidueBits:0]   high, high_delayed;
    rest_t                  low, rest_q, once_q;
    residue_t               result_q;

    ckks_product u_product (.clk_i, .a_i(a_i[i]), .b_i(b_i[i]), .product_o(product));
    // m has 31 bits, the highest of which is 1: its product is a shift. So is that of the high bit
    // of floor(T / 2^29).
    assign high = product[ProductBits-1:ResidueBits-1];
    ckks_product u_estimate (
      .clk_i, .a_i(high[ResidueBits-1:0]), .b_i(reciprocal_i[ResidueBits-1:0]),
      .product_o(estimate)
    );
    pipeline_delay #(.DataWidth(ResidueBits + 1), .Stages(ProductLatency)) u_high (
      .clk_i, .data_i(high), .data_o(high_delayed)
    );
    logic [ProductBits+1:0] quotient_q;
    always_ff @(posedge clk_i) begin
      quotient_q <= (ProductBits + 2)'(estimate)
                  + {1'b0, reciprocal_i[ResidueBits] ? high_delayed : '0, ResidueBits'(0)}
                  + {2'b0, high_delayed[ResidueBits] ? reciprocal_i[ResidueBits-1:0] : '0,
                     ResidueBits'(0)};
    end
    ckks_product u_multiple (
      .clk_i, .a_i(quotient_q[ResidueBits+1+:ResidueBits]), .b_i(modulus_i), .product_o(multiple)
    );
    pipeline_delay #(.DataWidth(RestBits), .Stages(2 * ProductLatency + 1)) u_low (
      .clk_i, .data_i(product[RestBits-1:0]), .data_o(low)
    );
    always_ff @(posedge clk_i) begin
      rest_q   <= low - multiple[RestBits-1:0];
      once_q   <= rest_q >= RestBits'(modulus_i) ? rest_q - RestBits'(modulus_i) : rest_q;
      result_q <= ResidueBits'(once_q >= RestBits'(modulus_i) ? once_q - RestBits'(modulus_i)
                                                             : once_q);
    end
    assign product_o[i] = result_q;
    logic unused;
    assign unused = ^{quotient_q, multiple, once_q};
  end
endmodule
