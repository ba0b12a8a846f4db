// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// quotient_finish: (a_i + b_i + carry_i) mod Modulus, in [0, Modulus), for a carry-save pair whose
// sum is below Multiples * Modulus.
//
// One sum per clock, arith_pkg::QuotientFinishLatency clocks; the first one only registers the
// pair and estimates the quotient, so carry-save levels may precede it. With 2^(Shift + 1) <=
// Modulus and the sum h of the bits from Shift up, the whole is in [h, h + 2) * 2^Shift, so k =
// floor(h * 2^Shift / Modulus) is the quotient or one less. Then -k * Modulus and -(k + 1) *
// Modulus, from tables, are added to the pair in parallel, and the sign of the second sum selects.
//
// The sum is modulo 2^InBits. It is at least 2^Shift, or a_i + b_i + carry_i is below 2^InBits as
// a plain integer: so h is not that of a sum that has already wrapped.
module quotient_finish #(
  parameter  int unsigned      Width     = 384,
  parameter  logic [Width-1:0] Modulus   = Width'(arith_pkg::Bls12BaseModulus),
  parameter  int unsigned      Multiples = 15,
  localparam int unsigned      InBits    =
      arith_pkg::bit_length(arith_pkg::constant_t'(Modulus) * arith_pkg::constant_t'(Multiples))
) (
  input  logic              clk_i,
  input  logic [InBits-1:0] a_i,
  input  logic [InBits-1:0] b_i,
  input  logic              carry_i,
  output logic [Width-1:0]  result_o
);
  localparam arith_pkg::constant_t Full = arith_pkg::constant_t'(Modulus);
  localparam int unsigned ModulusBits = arith_pkg::bit_length(Full);
  localparam int unsigned Shift = ModulusBits - 2;
  localparam int unsigned HighBits = InBits - Shift;
  localparam int unsigned QuotientBits = $clog2(Multiples);
  // The two differences are in [-Modulus, 2 * Modulus).
  localparam int unsigned DiffBits = ModulusBits + 1;

  if (Multiples < 2 || HighBits > 8) begin : gen_check
    $error("quotient_finish: a sum below %0d times the modulus", Multiples);
  end

  // floor(h * 2^Shift / Modulus), at most Multiples - 1.
  function automatic logic [QuotientBits-1:0] quotient_of(input int unsigned high);
    arith_pkg::constant_t limit, multiple;
    limit       = arith_pkg::constant_t'(high) << Shift;
    multiple    = Full;
    quotient_of = '0;
    for (int unsigned i = 1; i < Multiples; i++) begin
      if (multiple <= limit) quotient_of = QuotientBits'(i);
      multiple = multiple + Full;
    end
  endfunction

  // ---- The quotient -----------------------------------------------------------------------------
  logic [QuotientBits-1:0] quotients[2**HighBits];
  for (genvar i = 0; i < 2 ** HighBits; i++) begin : gen_quotient
    localparam logic [QuotientBits-1:0] Quotient = quotient_of(i);
    assign quotients[i] = Quotient;
  end

  logic [HighBits-1:0]     high;
  logic [QuotientBits-1:0] quotient_q;
  logic [DiffBits-1:0]     a_q, b_q;
  logic                    carry_q;
  assign high = a_i[InBits-1:Shift] + b_i[InBits-1:Shift];
  always_ff @(posedge clk_i) begin
    quotient_q <= quotients[high];
    a_q        <= DiffBits'(a_i);
    b_q        <= DiffBits'(b_i);
    carry_q    <= carry_i;
  end

  // ---- The differences --------------------------------------------------------------------------
  logic [1:0][DiffBits-1:0] difference;
  for (genvar more = 0; more < 2; more++) begin : gen_difference
    logic [DiffBits-1:0]      negated[2**QuotientBits];
    logic [1:0][DiffBits-1:0] pair;
    for (genvar i = 0; i < 2 ** QuotientBits; i++) begin : gen_negated
      localparam logic [DiffBits-1:0] Negated =
          DiffBits'(arith_pkg::constant_t'(0) - Full * arith_pkg::constant_t'(i + more));
      assign negated[i] = Negated;
    end
    carry_save #(.Operands(3), .Width(DiffBits), .Levels(1)) u_pair (
      .operands_i({negated[quotient_q], b_q, a_q}), .results_o(pair)
    );
    registered_add #(.Width(DiffBits), .Segment(arith_pkg::QuotientChainWidth)) u_add (
      .clk_i, .a_i(pair[0]), .b_i(pair[1]), .carry_i(carry_q), .sum_o(difference[more])
    );
  end

  always_ff @(posedge clk_i) begin
    result_o <= Width'(difference[1][DiffBits-1] ? difference[0][DiffBits-2:0]
                                                 : difference[1][DiffBits-2:0]);
  end

  logic unused_sign;
  assign unused_sign = difference[0][DiffBits-1];
endmodule
