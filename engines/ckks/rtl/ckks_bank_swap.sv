// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// ckks_bank_swap: moves neighboring lanes to their banks, or back: the word of place i goes to
// place i xor swap_i. Combinational; one level of 2:1 multiplexers for each bit of swap_i.
module ckks_bank_swap #(
  parameter  int unsigned Words = 16,  // a power of two, at least 2
  parameter  int unsigned Bits  = 30,
  localparam int unsigned SwapBits = $clog2(Words)
) (
  input  logic [SwapBits-1:0]        swap_i,
  input  logic [Words-1:0][Bits-1:0] word_i,
  output logic [Words-1:0][Bits-1:0] word_o
);
  always_comb begin
    word_o = word_i;
    for (int unsigned b = 0; b < SwapBits; b++) begin
      logic [Words-1:0][Bits-1:0] came;
      came = word_o;
      for (int unsigned i = 0; i < Words; i++) begin
        word_o[i] = swap_i[b] ? came[i ^ (1 << b)] : came[i];
      end
    end
  end
endmodule
