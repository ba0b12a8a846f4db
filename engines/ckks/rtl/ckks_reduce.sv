// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// ckks_reduce: a sum of up to Terms products of residues, times 2^-34 modulo q, in [0, q).
//
// One sum a clock, ckks_pkg::reduce_latency(Terms) clocks. Two Montgomery steps bring a sum T of at
// least 0 into (-q, T / 2^34], which is below Terms * q / 16. Up to 16 terms, one addition of q
// corrects it; 17 to 24 terms need a choice among r + q, r and r - q, one clock later. The steps'
// and the correction's primes are inputs in the clocks in which they are needed, so that the lanes
// of a vector share the delays.
//
// The first step's sum has the 48 bits of a DSP slice without a sign: it is above -q and below 1.5
// * 2^47 (24 products of residues, and one of a residue and a number below 2^5), so that it is
// negative if and only if its highest two bits are set.
module ckks_reduce
  import ckks_pkg::*;
#(
  parameter  int unsigned Terms = 1,
  localparam int unsigned Bits  = sum_bits(Terms)
) (
  input  logic            clk_i,
  input  logic [Bits-1:0] sum_i,
  input  minus_t          minus_first_i,    // with sum_i
  input  minus_t          minus_second_i,   // SecondStep clocks later
  input  prime_t          prime_correct_i,  // StepLatency clocks after that
  output residue_t        residue_o
);
  localparam bit          IsFull     = Bits - StepBits >= SliceBits;
  localparam int unsigned FirstBits  = IsFull ? SliceBits + StepBits : Bits + 1;
  localparam int unsigned HalfBits   = FirstBits - StepBits;
  localparam int unsigned SecondBits = IsFull ? HalfBits + 1 : HalfBits;
  localparam int unsigned LastBits   = arith_pkg::maximum(SecondBits - StepBits, ResidueBits + 1);

  logic signed [FirstBits-1:0]  sum;
  logic signed [HalfBits-1:0]   half_reduced;
  logic signed [SecondBits-1:0] half_q;
  logic signed [LastBits-1:0]   reduced, prime;
  assign sum = FirstBits'(sum_i);
  ckks_montgomery_step #(.Width(FirstBits)) u_first (
    .clk_i, .minus_i(minus_first_i), .value_i(sum), .value_o(half_reduced)
  );
  if (IsFull) begin : gen_sign
    always_ff @(posedge clk_i) half_q <= {&half_reduced[HalfBits-1-:2], half_reduced};
  end else begin : gen_signed
    always_ff @(posedge clk_i) half_q <= half_reduced;
  end
  ckks_montgomery_step #(.Width(SecondBits)) u_second (
    .clk_i, .minus_i(minus_second_i), .value_i(half_q), .value_o(reduced)
  );
  assign prime = LastBits'({1'b0, prime_correct_i, StepBits'(1)});

  logic negative;
  assign negative = reduced[LastBits-1];
  if (Terms > EasyTerms) begin : gen_either
    logic                       negative_q;
    logic [LastBits:0]          corrected;
    logic signed [LastBits-1:0] plain_q, corrected_q;
    residue_t                   residue_q;
    // One difference: r - ~q - 1 is r + q. The bit below takes the one.
    assign corrected = {reduced, 1'b0} - {negative ? ~prime : prime, negative};
    always_ff @(posedge clk_i) begin
      negative_q  <= negative;
      plain_q     <= reduced;
      corrected_q <= corrected[LastBits:1];
      residue_q   <= !negative_q && corrected_q[LastBits-1] ? ResidueBits'(plain_q)
                                                             : ResidueBits'(corrected_q);
    end
    assign residue_o = residue_q;
    logic unused;
    assign unused = ^{plain_q, corrected_q, corrected[0]};
  end else begin : gen_add
    logic [LastBits:0] corrected;
    residue_t          residue_q;
    // A sum as the difference of an inverted number, as in ckks_rows.
    assign corrected = {reduced, 1'b0} - ~{negative ? prime : '0, 1'b0};
    always_ff @(posedge clk_i) residue_q <= corrected[ResidueBits:1];
    assign residue_o = residue_q;
    logic unused;
    assign unused = ^corrected;
  end
endmodule
