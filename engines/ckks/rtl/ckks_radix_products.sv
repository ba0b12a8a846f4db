// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// ckks_radix_products: the multipliers between two stages of ckks_radix: half of the ports are
// multiplied by their factors, the others pass unchanged.
//
// Forward, the ports that have the bit of the next stage are multiplied; inverse, those that have
// the bit of the previous stage. Each port of the first kind has a multiplier; when inverse, it
// serves the port with the two bits swapped. factor_i is in the order of the multipliers: the ports
// with the bit Forward, the lowest first.
//
// One row a clock, ckks_pkg::MultiplyLatency clocks. inverse_i stays while rows are inside.
module ckks_radix_products
  import ckks_pkg::*;
#(
  parameter  int unsigned LogRadix = 4,
  parameter  int unsigned Forward  = 3,  // the bit of the next stage
  parameter  int unsigned Inverse  = 0,  // the bit of the stage before
  localparam int unsigned Ports    = 1 << LogRadix
) (
  input  logic                   clk_i,
  input  logic                   inverse_i,
  input  prime_t                 prime_i,
  input  residue_t [Ports/2-1:0] factor_i,
  input  residue_t [Ports-1:0]   word_i,
  output residue_t [Ports-1:0]   word_o
);
  residue_t [Ports/2-1:0] operand, product;
  for (genvar m = 0; m < Ports / 2; m++) begin : gen_operand
    assign operand[m] = inverse_i ? word_i[exchanged(port_with(m, Forward), Forward, Inverse)]
                                  : word_i[port_with(m, Forward)];
  end
  ckks_multiply #(.Lanes(Ports / 2)) u_multiply (
    .clk_i, .prime_i, .a_i(operand), .b_i(factor_i), .product_o(product)
  );

  for (genvar p = 0; p < Ports; p++) begin : gen_port
    localparam bit IsForward = (p >> Forward & 1) == 1;
    localparam bit IsInverse = (p >> Inverse & 1) == 1;
    residue_t delayed;
    if (IsForward && IsInverse) begin : gen_always
      assign delayed = '0;
    end else begin : gen_at_times
      pipeline_delay #(.DataWidth(ResidueBits), .Stages(MultiplyLatency)) u_delay (
        .clk_i, .data_i(word_i[p]), .data_o(delayed)
      );
    end
    always_comb begin
      word_o[p] = delayed;
      if (!inverse_i && IsForward) word_o[p] = product[multiplier_at(p, Forward)];
      if (inverse_i && IsInverse) begin
        word_o[p] = product[multiplier_at(exchanged(p, Forward, Inverse), Forward)];
      end
    end
  end
endmodule
