// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// montgomery_reduce: value_i * 2^-Width mod Modulus, in [0, Modulus).
//
// value_i may be any integer below 2^ExtraBits * Modulus^2 (ExtraBits = 4: sums of 16 products of
// reduced operands). One value every Interval clocks, sampled with valid_i (which is ignored with
// Interval = 1); arith_pkg::montgomery_reduce_latency(...) clocks. With Skewed, only for the
// modulus of bls12_reduce, value_i is a skewed number (skew_sum), and the clocks count from its
// segment 0.
//
// montgomery_round removes the low half digit by digit; the high half is added in the last round.
// For FrModulus and Bls12BaseModulus that needs multiplier tiles; bls12_reduce and
// bls12_base_reduce need none, and fewer LUTs, and are used unless ReduceTiles is set. (Other
// moduli ignore ReduceTiles.) The remainder for small_reduce is less than (1 + 2^ExtraBits *
// Modulus / 2^Width) * Modulus, after bls12_base_reduce 2 * Modulus more.
module montgomery_reduce #(
  parameter int unsigned Width = 256,
  parameter logic [Width-1:0] Modulus = arith_pkg::FrModulus,
  parameter int unsigned ExtraBits = 4,
  parameter int unsigned Interval = 1,
  parameter int unsigned TileA = 26,
  parameter int unsigned TileB = 17,
  parameter bit ReduceTiles = 1'b0,
  parameter bit Skewed = 1'b0
) (
  input  logic                         clk_i,
  input  logic                         rst_ni,
  input  logic                         valid_i,
  input  logic [2*Width+ExtraBits-1:0] value_i,
  output logic [Width-1:0]             result_o
);
  localparam arith_pkg::constant_t Full = arith_pkg::constant_t'(Modulus);
  localparam int unsigned DigitWidth = arith_pkg::montgomery_round_width(Full);
  localparam int unsigned Rounds = Width / DigitWidth;
  localparam int unsigned RoundLatency =
      arith_pkg::montgomery_round_latency(Width, Full, Interval, TileA, TileB);
  localparam int unsigned HighWidth = Width + ExtraBits;
  localparam int unsigned LastWidth = HighWidth + 1;
  localparam int unsigned Multiples =
      arith_pkg::montgomery_multiples(Width, Full, ExtraBits, ReduceTiles);

  logic [LastWidth-1:0] last;

  if (Skewed && !arith_pkg::uses_bls12_reduce(Width, Full, ReduceTiles)) begin : gen_not_skewed
    $error("montgomery_reduce: only bls12_reduce reduces a skewed number");
  end

  if (arith_pkg::uses_bls12_reduce(Width, Full, ReduceTiles)) begin : gen_bls12
    logic unused_control;
    assign unused_control = ^{rst_ni, valid_i};
    bls12_reduce #(.ExtraBits(ExtraBits), .Skewed(Skewed)) u_bls12 (
      .clk_i, .value_i, .result_o(last)
    );
  end else if (arith_pkg::uses_bls12_base_reduce(Width, Full, ReduceTiles)) begin : gen_bls12_base
    logic unused_control;
    assign unused_control = ^{rst_ni, valid_i};
    bls12_base_reduce #(.ExtraBits(ExtraBits)) u_bls12_base (.clk_i, .value_i, .result_o(last));
  end else begin : gen_rounds
    if (Width % DigitWidth != 0) begin : gen_check
      $error("montgomery_reduce: Width (%0d) must be a multiple of %0d", Width, DigitWidth);
    end

    logic [LastWidth-1:0] last_sum, last_carry;

    for (genvar i = 0; i < Rounds; i++) begin : gen_round
      localparam bit IsLast = i == Rounds - 1;
      localparam int unsigned OutWidth = IsLast ? LastWidth : Width;
      logic [Width-1:0] sum, carry;
      logic [DigitWidth-1:0] digit;
      logic [OutWidth-1:0] addend, out_sum, out_carry;
      logic valid;

      if (i == 0) begin : gen_start
        assign {sum, carry} = '0;
      end else begin : gen_chain
        assign {sum, carry} = {gen_round[i-1].out_sum, gen_round[i-1].out_carry};
      end

      pipeline_delay #(.DataWidth(DigitWidth), .Stages(i * RoundLatency)) u_digit (
        .clk_i, .data_i(value_i[i*DigitWidth+:DigitWidth]), .data_o(digit)
      );
      valid_delay #(.Stages(i * RoundLatency)) u_valid (.clk_i, .rst_ni, .valid_i, .valid_o(valid));

      if (IsLast) begin : gen_addend
        logic [HighWidth-1:0] high;
        pipeline_delay #(.DataWidth(HighWidth), .Stages(i * RoundLatency)) u_high (
          .clk_i, .data_i(value_i[2*Width+ExtraBits-1:Width]), .data_o(high)
        );
        assign addend = OutWidth'(high);
        assign {last_sum, last_carry} = {out_sum, out_carry};
      end else begin : gen_no_addend
        assign addend = '0;
      end

      montgomery_round #(
        .Width(Width), .OutWidth(OutWidth), .Modulus(Modulus), .Interval(Interval),
        .TileA(TileA), .TileB(TileB)
      ) u_round (
        .clk_i, .rst_ni, .valid_i(valid), .sum_i(sum), .carry_i(carry), .digit_i(digit),
        .addend_i(addend), .sum_o(out_sum), .carry_o(out_carry)
      );
    end

    wide_add #(.Width(LastWidth)) u_last (
      .clk_i, .a_i(last_sum), .b_i(last_carry), .sum_o(last)
    );
  end

  small_reduce #(
    .Width(Width), .InWidth(LastWidth), .Modulus(Modulus), .Multiples(Multiples)
  ) u_reduce (
    .clk_i, .value_i(last), .result_o
  );
endmodule
