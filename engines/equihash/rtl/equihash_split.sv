// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// equihash_split: splits the index of a leaf into the number of its hash and its part of that hash:
// the quotient and remainder of a division by the leaves per hash, which are 2, 3, 5 or 10.
//
// The quotient is index * ceil(2^s / d) >> s with s = index bits + ceil(log2 d): exact for all
// indices (Granlund, Montgomery, "Division by invariant integers using multiplication", 1994,
// theorem 4.2). Latency: 2 clocks.
module equihash_split
  import equihash_pkg::*;
#(
  parameter logic [MostSets-1:0] Built = 4'b0001
) (
  input  logic       clk_i,
  input  logic       rst_ni,
  input  logic       valid_i,
  input  leaf_t      leaf_i,
  output logic       valid_o,
  output leaf_t      leaf_o,
  output index_t     number_o,
  output logic [3:0] part_o
);
  leaf_t           leaf_q;
  index_t          quotient[MostSets];
  logic [3:0]      rest[MostSets];

  for (genvar s = 0; s < MostSets; s++) begin : gen_set
    if (Built[s]) begin : gen_divide
      localparam int unsigned Divisor  = leaves_per_hash(s);
      localparam int unsigned Bits     = index_bits(s);
      localparam int unsigned Shift    = Bits + $clog2(Divisor);
      localparam logic [31:0] Inverse  =
          32'(((64'd1 << Shift) + 64'(Divisor) - 64'd1) / 64'(Divisor));
      logic [Bits+31:0] product_q;

      always_ff @(posedge clk_i) begin
        if (valid_i) product_q <= (Bits + 32)'(leaf_i.index[Bits-1:0]) * (Bits + 32)'(Inverse);
      end
      assign quotient[s] = index_t'(product_q >> Shift);
      assign rest[s]     = 4'(leaf_q.index - quotient[s] * index_t'(Divisor));
    end else begin : gen_absent
      assign quotient[s] = '0;
      assign rest[s]     = '0;
    end
  end

  logic valid_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      valid_q <= 1'b0;
      valid_o <= 1'b0;
    end else begin
      valid_q <= valid_i;
      valid_o <= valid_q;
    end
  end

  always_ff @(posedge clk_i) begin
    if (valid_i) leaf_q <= leaf_i;
    if (valid_q) begin
      leaf_o   <= leaf_q;
      number_o <= quotient[leaf_q.set];
      part_o   <= rest[leaf_q.set];
    end
  end
endmodule
