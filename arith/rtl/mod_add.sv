// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// mod_add: a + b mod Modulus, or a - b with subtract_i. Operands and result are in [0, Modulus).
//
// One sum per clock, 2 clocks (arith_pkg::ModAddLatency). The first computes the plain sum or
// difference and, in parallel, the one corrected by the modulus; the second selects by their signs.
module mod_add #(
  parameter int unsigned Width = 256,
  parameter logic [Width-1:0] Modulus = arith_pkg::FrModulus
) (
  input  logic             clk_i,
  input  logic [Width-1:0] a_i,
  input  logic [Width-1:0] b_i,
  input  logic             subtract_i,
  output logic [Width-1:0] result_o
);
  // Signed: plain in (-Modulus, 2 * Modulus), corrected in [-Modulus, Modulus).
  localparam int unsigned SumWidth = Width + 2;
  logic [SumWidth-1:0] a, b, correction, plain_q, corrected_q;
  logic [Width-1:0] result_q;
  logic subtract_q, unused_bits;

  assign a = SumWidth'(a_i);
  assign b = SumWidth'(b_i) ^ {SumWidth{subtract_i}};
  assign correction = subtract_i ? SumWidth'(Modulus) + SumWidth'(1) : -SumWidth'(Modulus);

  always_ff @(posedge clk_i) begin
    subtract_q  <= subtract_i;
    plain_q     <= a + b + SumWidth'(subtract_i);
    corrected_q <= a + b + correction;
    // A difference is corrected if it is negative, a sum if the corrected one is not negative.
    result_q <= ((subtract_q && !plain_q[SumWidth-1]) || (!subtract_q && corrected_q[SumWidth-1]))
                ? plain_q[Width-1:0] : corrected_q[Width-1:0];
  end
  assign unused_bits = ^{plain_q, corrected_q};
  assign result_o = result_q;
endmodule
