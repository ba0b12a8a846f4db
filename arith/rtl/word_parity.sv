// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// word_parity: parity_o is the parity of data_i in the last clock in which enable_i was high.
//
// Cycles: one, with one level of logic before a register and the rest after it.
module word_parity #(
  parameter int unsigned Width = 256
) (
  input  logic             clk_i,
  input  logic             enable_i,
  input  logic [Width-1:0] data_i,
  output logic             parity_o
);
  // A word is folded to Folded bits, at most six of its bits to one: one LUT. (Wide words are
  // folded by multiples of 32, which simulates fast.)
  localparam int unsigned Folded = Width > 32 ? (Width + 191) / 192 * 32 : (Width + 5) / 6;
  localparam int unsigned Slices = (Width + Folded - 1) / Folded;

  function automatic logic [Folded-1:0] fold(input logic [Width-1:0] word);
    logic [Slices*Folded-1:0] filled;
    filled = (Slices * Folded)'(word);
    fold = '0;
    for (int unsigned slice = 0; slice < Slices; slice++) fold ^= filled[slice*Folded+:Folded];
  endfunction

  logic [Folded-1:0] folded_q;
  always_ff @(posedge clk_i) if (enable_i) folded_q <= fold(data_i);
  assign parity_o = ^folded_q;
endmodule
