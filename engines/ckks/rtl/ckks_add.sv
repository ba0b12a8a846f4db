// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// ckks_add: a + b or a - b modulo q in every lane (the operator core MA). Residues lie in [0, q);
// the prime and the sign belong to the row. With a of 0 a difference is -b.
//
// One row a clock, 2 clocks (ckks_pkg::AddLatency): the plain sum and the corrected one, then the
// choice.
module ckks_add
  import ckks_pkg::*;
#(
  parameter int unsigned Lanes = 4
) (
  input  logic                 clk_i,
  input  prime_t               prime_i,
  input  logic                 subtract_i,
  input  residue_t [Lanes-1:0] a_i,
  input  residue_t [Lanes-1:0] b_i,
  output residue_t [Lanes-1:0] sum_o
);
  // Signed: the plain sum lies in (-q, 2q), the corrected one in [-q, q).
  localparam int unsigned Bits = ResidueBits + 2;
  typedef logic [Bits-1:0] sum_t;

  logic subtract_q;
  always_ff @(posedge clk_i) subtract_q <= subtract_i;
  sum_t correction;
  assign correction = subtract_i ? {2'b0, prime_i, StepBits'(1)} : -{2'b0, prime_i, StepBits'(1)};

  for (genvar i = 0; i < Lanes; i++) begin : gen_lane
    // One difference for both: a - ~b - 1 is a + b. The bit below takes the one.
    logic [Bits:0] total;
    sum_t          plain, plain_q, corrected_q;
    residue_t      sum_q;
    assign total = {Bits'(a_i[i]), 1'b0}
                 - {subtract_i ? Bits'(b_i[i]) : ~Bits'(b_i[i]), !subtract_i};
    assign plain = total[Bits:1];
    always_ff @(posedge clk_i) begin
      plain_q     <= plain;
      corrected_q <= plain + correction;
      // A difference is corrected if it is negative, a sum if the corrected sum is not negative.
      sum_q <= ResidueBits'((subtract_q ? !plain_q[Bits-1] : corrected_q[Bits-1]) ? plain_q
                                                                                 : corrected_q);
    end
    assign sum_o[i] = sum_q;
    logic unused;
    assign unused = ^{plain_q, corrected_q, total[0]};
  end
endmodule
