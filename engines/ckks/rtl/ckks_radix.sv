// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// ckks_radix: LogRadix stages of a transform on 2^LogRadix residues (the fused NTT core).
//
// Forward (Cooley, Tukey), a stage multiplies the residues that have its bit, and computes sum and
// difference; the stages go from the highest bit to the lowest. Inverse (Gentleman, Sande), sum and
// difference come first, the difference is multiplied, and the bits go upwards. Both use the same
// adders and multipliers:
//
//   forward: ─▶ products 0 ─▶ sums 0 ─▶ products 1 ─▶ sums 1 ─▶ ... ─▶ sums k-1 ─▶
//   inverse:               ─▶ sums 0 ─▶ products 1 ─▶ sums 1 ─▶ ... ─▶ sums k-1 ─▶ products 0 ─▶
//
// Sums s pair the ports that differ in bit LogRadix-1-s. An inverse transform therefore receives
// and returns its residues with the bits of their ports reversed.
//
// A pass with fewer bits skips stages: forward the first ones, inverse the last, by skip_i, bit s
// for sums s; the factors before them (after them when inverse) must be 2^34, which represents 1
// here.
//
// One row a clock, radix_latency(LogRadix) clocks. A row's factors are sampled when it passes:
// those of products s with factor_i[s], in the clock in which the row reaches them, counted from
// the row's own: forward s * RadixStageLatency; inverse AddLatency + (s - 1) * RadixStageLatency,
// with products 0 last. inverse_i may change only when no row is inside: products 0 serve both
// ends.
module ckks_radix
  import ckks_pkg::*;
#(
  parameter  int unsigned LogRadix = 4,
  localparam int unsigned Ports    = 1 << LogRadix
) (
  input  logic                                 clk_i,
  input  logic                                 inverse_i,
  input  prime_t                               prime_i,
  input  logic [LogRadix-1:0]                  skip_i,
  input  residue_t [LogRadix-1:0][Ports/2-1:0] factor_i,
  input  residue_t [Ports-1:0]                 word_i,
  output residue_t [Ports-1:0]                 word_o
);
  // The inputs and outputs of products and sums of each number.
  residue_t [LogRadix-1:0][Ports-1:0] into_products, products, into_sums, sums;
  // The row's prime at products and sums; a row's skip bits are delayed with it.
  prime_t [LogRadix-1:0] prime_products, prime_sums;
  logic [LogRadix-1:0]   skip_sums;
  prime_t                prime_last;

  for (genvar s = 0; s < LogRadix; s++) begin : gen_stage
    localparam int unsigned Bit    = LogRadix - 1 - s;
    localparam int unsigned Before = (Bit + 1) % LogRadix;  // of the stage before, when inverse
    ckks_radix_products #(.LogRadix(LogRadix), .Forward(Bit), .Inverse(Before)) u_products (
      .clk_i, .inverse_i, .prime_i(prime_products[s]), .factor_i(factor_i[s]),
      .word_i(into_products[s]), .word_o(products[s])
    );
    ckks_radix_sums #(.LogRadix(LogRadix), .Bit(Bit)) u_sums (
      .clk_i, .skip_i(skip_sums[s]), .prime_i(prime_sums[s]), .word_i(into_sums[s]),
      .word_o(sums[s])
    );

    // The distance from sums to sums is the same in both directions.
    if (s == 0) begin : gen_first
      prime_t delayed_prime;
      logic   delayed_skip;
      pipeline_delay #(.DataWidth(PrimeBits + 1), .Stages(MultiplyLatency)) u_row (
        .clk_i, .data_i({prime_i, skip_i[0]}), .data_o({delayed_prime, delayed_skip})
      );
      assign prime_sums[0]     = inverse_i ? prime_i : delayed_prime;
      assign skip_sums[0]      = inverse_i ? skip_i[0] : delayed_skip;
      assign prime_products[0] = inverse_i ? prime_last : prime_i;
      assign into_products[0]  = inverse_i ? sums[LogRadix-1] : word_i;
      assign into_sums[0]      = inverse_i ? word_i : products[0];
    end else begin : gen_next
      pipeline_delay #(.DataWidth(PrimeBits), .Stages(AddLatency)) u_products_prime (
        .clk_i, .data_i(prime_sums[s-1]), .data_o(prime_products[s])
      );
      pipeline_delay #(.DataWidth(PrimeBits), .Stages(MultiplyLatency)) u_sums_prime (
        .clk_i, .data_i(prime_products[s]), .data_o(prime_sums[s])
      );
      logic skip_from_first;
      pipeline_delay #(.DataWidth(1), .Stages(s * RadixStageLatency)) u_skip (
        .clk_i, .data_i(skip_i[s]), .data_o(skip_from_first)
      );
      logic skip_later;
      pipeline_delay #(.DataWidth(1), .Stages(MultiplyLatency)) u_skip_later (
        .clk_i, .data_i(skip_from_first), .data_o(skip_later)
      );
      assign skip_sums[s]     = inverse_i ? skip_from_first : skip_later;
      assign into_products[s] = sums[s-1];
      assign into_sums[s]     = products[s];
    end
  end

  pipeline_delay #(.DataWidth(PrimeBits), .Stages(AddLatency)) u_last (
    .clk_i, .data_i(prime_sums[LogRadix-1]), .data_o(prime_last)
  );
  assign word_o = inverse_i ? products[0] : sums[LogRadix-1];
endmodule
