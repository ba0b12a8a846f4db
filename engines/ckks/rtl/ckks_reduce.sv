// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// ckks_reduce: a sum of up to Terms products of residues, times 2^-34 modulo q, in [0, q).
//
// One sum a clock, ckks_pkg::reduce_latency(Terms) clocks. Two Montgomery steps bring a sum T of at
// least 0 into (-q, T / 2^34], which is below Terms * q / 16. Up to 16 terms, one addition of q
// corrects it; 17 to 31 terms need a choice among r + q, r and r - q, one clock later. The second
// step's and the correction's primes are inputs in the clocks in which they are needed, so that the
// lanes of a vector share the delays.
module ckks_reduce
  import ckks_pkg::*;
#(
  parameter  int unsigned Terms = 1,
  localparam int unsigned Bits  = sum_bits(Terms)
) (
  input  logic            clk_i,
  input  logic [Bits-1:0] sum_i,
  input  prime_t          prime_first_i,    // with sum_i
  input  prime_t          prime_second_i,   // StepLatency clocks later
  input  prime_t          prime_correct_i,  // StepLatency clocks after that
  output residue_t        residue_o
);
  localparam int unsigned FirstBits  = Bits + 1;
  localparam int unsigned SecondBits = arith_pkg::maximum(FirstBits - StepBits, ResidueBits + 1);
  localparam int unsigned LastBits   = arith_pkg::maximum(SecondBits - StepBits, ResidueBits + 1);

  logic signed [SecondBits-1:0] half_reduced;
  logic signed [LastBits-1:0]   reduced, prime;
  ckks_montgomery_step #(.Width(FirstBits)) u_first (
    .clk_i, .prime_i(prime_first_i), .value_i({1'b0, sum_i}), .value_o(half_reduced)
  );
  ckks_montgomery_step #(.Width(SecondBits)) u_second (
    .clk_i, .prime_i(prime_second_i), .value_i(half_reduced), .value_o(reduced)
  );
  assign prime = LastBits'({1'b0, prime_correct_i, StepBits'(1)});

  logic negative;
  assign negative = reduced[LastBits-1];
  if (Terms > EasyTerms) begin : gen_either
    logic                       negative_q;
    logic signed [LastBits-1:0] plain_q, corrected_q;
    residue_t                   residue_q;
    always_ff @(posedge clk_i) begin
      negative_q  <= negative;
      plain_q     <= reduced;
      corrected_q <= negative ? reduced + prime : reduced - prime;
      residue_q   <= !negative_q && corrected_q[LastBits-1] ? ResidueBits'(plain_q)
                                                             : ResidueBits'(corrected_q);
    end
    assign residue_o = residue_q;
    logic unused;
    assign unused = ^{plain_q, corrected_q};
  end else begin : gen_add
    logic signed [LastBits-1:0] corrected;
    residue_t                   residue_q;
    assign corrected = reduced + (negative ? prime : '0);
    always_ff @(posedge clk_i) residue_q <= ResidueBits'(corrected);
    assign residue_o = residue_q;
    logic unused;
    assign unused = ^corrected;
  end
endmodule
