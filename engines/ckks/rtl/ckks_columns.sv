// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// ckks_columns: sums of products in every lane, Columns of them at a time, with one reduction for
// all. Base conversions, products with keys and products of polynomials consist of such sums.
//
// A sum has 1 to MaxTerms products (24 of residues, and one of a residue and a number below 2^5),
// one a clock without a gap: first_i starts it, last_i ends it. The factor b may differ in each
// column and in each lane; the factor a is the same for all columns. The sums of the first
// columns_i columns are reduced at the end, one a clock, so that the next sum's end must follow at
// least that number of clocks later. The parts of products are added up separately, each within the
// width of a DSP's adder, and joined at the end.
//
// A sum of fractions (fraction_i, with last_i) is not reduced: column 0 gives the nearest integer
// to its sum, which has 59 bits after the point; halves are rounded up. Its factors a are shifted
// left by shift_i, which must leave them below 2^30.
//
// Cycles: last_i in clock t; the residues of column c at the output in clock t + ColumnsLatency +
// c, with valid_o.
module ckks_columns
  import ckks_pkg::*;
#(
  parameter  int unsigned Lanes      = 4,
  parameter  int unsigned Columns    = 3,
  localparam int unsigned ColumnBits = $clog2(Columns + 1)
) (
  input  logic                              clk_i,
  input  logic                              rst_ni,

  input  logic                              valid_i,
  input  logic                              first_i,
  input  logic                              last_i,
  input  logic [ColumnBits-1:0]             columns_i,   // with last_i: 1..Columns
  input  logic                              fraction_i,  // with last_i
  input  logic [2:0]                        shift_i,
  input  prime_t [Columns-1:0]              prime_i,     // with last_i
  input  residue_t [Lanes-1:0]              a_i,
  input  residue_t [Columns-1:0][Lanes-1:0] b_i,

  output logic                              valid_o,
  output residue_t [Lanes-1:0]              residue_o
);
  localparam int unsigned SumBits = sum_bits(MaxTerms);
  localparam int unsigned Growth  = SumBits - ProductBits;

  // ---- The factor a, shifted -------------------------------------------------------------------
  residue_t [Lanes-1:0]              a_q;
  residue_t [Columns-1:0][Lanes-1:0] b_q;
  always_ff @(posedge clk_i) begin
    for (int unsigned i = 0; i < Lanes; i++) a_q[i] <= a_i[i] << shift_i;
    b_q <= b_i;
  end

  // ---- Properties of the rows ------------------------------------------------------------------
  // After the products: it is added to the sums.
  localparam int unsigned AddStage = 2;
  // The sums of the parts are joined in two clocks, after the clock that adds.
  localparam int unsigned JoinStage = AddStage + 3;

  typedef struct packed {
    logic                  last;
    logic                  fraction;
    logic [ColumnBits-1:0] columns;
    prime_t [Columns-1:0]  prime;
  } end_t;

  logic               first;
  end_t               join_end;
  logic [JoinStage:1] valid_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) valid_q <= '0;
    else valid_q <= {valid_q[JoinStage-1:1], valid_i};
  end
  pipeline_delay #(.DataWidth(1), .Stages(AddStage)) u_first (
    .clk_i, .data_i(first_i), .data_o(first)
  );
  pipeline_delay #(.DataWidth($bits(end_t)), .Stages(JoinStage)) u_end (
    .clk_i, .data_i({last_i, fraction_i, columns_i, prime_i}), .data_o(join_end)
  );

  // ---- Sums of the columns ---------------------------------------------------------------------
  logic [Columns-1:0][Lanes-1:0][SumBits-1:0] sum;

  for (genvar c = 0; c < Columns; c++) begin : gen_column
    for (genvar i = 0; i < Lanes; i++) begin : gen_lane
      localparam int unsigned TilesBits = TileBits + ResidueBits + Growth;
      localparam int unsigned PairBits  = ResidueBits + 2;
      logic [TileLowBits+Growth-1:0]  low;
      logic [TileHighBits+Growth-1:0] high;
      logic [RowsBits+Growth-1:0]     rows_q, rows_joined_q;
      logic [1:0][PairBits-1:0]       pair_q;
      logic [TilesBits-1:0]           tiles_q;
      logic [SumBits-1:0]             sum_q;

      ckks_sum_tile #(
        .WidthA(TileBits), .WidthB(StepBits), .SumWidth(TileLowBits + Growth)
      ) u_low (
        .clk_i, .a_i(a_q[i][TileBits-1:0]), .b_i(b_q[c][i][StepBits-1:0]),
        .add_i(valid_q[AddStage]), .start_i(first), .sum_o(low)
      );
      ckks_sum_tile #(
        .WidthA(TileBits), .WidthB(PrimeBits), .SumWidth(TileHighBits + Growth)
      ) u_high (
        .clk_i, .a_i(a_q[i][TileBits-1:0]), .b_i(b_q[c][i][ResidueBits-1:StepBits]),
        .add_i(valid_q[AddStage]), .start_i(first), .sum_o(high)
      );
      // The rows of a's high bits, as in ckks_partials, are added up too.
      always_ff @(posedge clk_i) begin
        for (int unsigned k = 0; k < 2; k++) begin
          pair_q[k] <= PairBits'(a_q[i][TileBits+2*k] ? b_q[c][i] : '0)
                     + {1'b0, a_q[i][TileBits+2*k+1] ? b_q[c][i] : '0, 1'b0};
        end
        if (valid_q[AddStage]) begin
          rows_q <= (first ? '0 : rows_q) + (RowsBits + Growth)'(pair_q[0])
                  + (RowsBits + Growth)'({pair_q[1], 2'b0});
        end
        tiles_q       <= TilesBits'(low) + {high, StepBits'(0)};
        rows_joined_q <= rows_q;
        sum_q         <= SumBits'(tiles_q) + {rows_joined_q, TileBits'(0)};
      end
      assign sum[c][i] = sum_q;
    end
  end

  // ---- The columns in sequence to the reduction ------------------------------------------------
  logic                                       ends;
  logic [Columns-1:0]                         waits_q;
  logic [Columns-1:0][Lanes-1:0][SumBits-1:0] waiting_q;
  prime_t [Columns-1:0]                       waiting_prime_q;
  logic                                       fraction_q;
  assign ends = valid_q[JoinStage] && join_end.last;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      waits_q <= '0;
    end else begin
      for (int unsigned c = 0; c < Columns; c++) begin
        if (ends) waits_q[c] <= ColumnBits'(c) < join_end.columns;
        else waits_q[c] <= c + 1 < Columns && waits_q[(c + 1) % Columns];
      end
    end
  end
  always_ff @(posedge clk_i) begin
    fraction_q <= ends && join_end.fraction;
    for (int unsigned c = 0; c < Columns; c++) begin
      if (ends) begin
        waiting_q[c]       <= sum[c];
        waiting_prime_q[c] <= join_end.prime[c];
      end else begin
        waiting_q[c]       <= waiting_q[(c + 1) % Columns];
        waiting_prime_q[c] <= waiting_prime_q[(c + 1) % Columns];
      end
    end
  end

  prime_t prime_first, prime_second, prime_correct;
  ckks_primes u_primes (
    .clk_i, .prime_i(waiting_prime_q[0]), .prime_first_o(prime_first),
    .prime_second_o(prime_second), .prime_correct_o(prime_correct)
  );

  logic fraction;
  pipeline_delay #(.DataWidth(1), .Stages(reduce_latency(MaxTerms))) u_fraction (
    .clk_i, .data_i(fraction_q), .data_o(fraction)
  );
  valid_delay #(.Stages(reduce_latency(MaxTerms))) u_valid (
    .clk_i, .rst_ni, .valid_i(waits_q[0]), .valid_o
  );

  for (genvar i = 0; i < Lanes; i++) begin : gen_reduce
    residue_t             reduced;
    logic [WholeBits-1:0] whole_q, whole;
    ckks_reduce #(.Terms(MaxTerms)) u_reduce (
      .clk_i, .sum_i(waiting_q[0][i]), .prime_first_i(prime_first),
      .prime_second_i(prime_second), .prime_correct_i(prime_correct), .residue_o(reduced)
    );
    // Adds one half, and drops the bits after the point.
    always_ff @(posedge clk_i) begin
      whole_q <= waiting_q[0][i][FractionBits+:WholeBits]
               + WholeBits'(waiting_q[0][i][FractionBits-1]);
    end
    pipeline_delay #(.DataWidth(WholeBits), .Stages(reduce_latency(MaxTerms) - 1)) u_whole (
      .clk_i, .data_i(whole_q), .data_o(whole)
    );
    assign residue_o[i] = fraction ? ResidueBits'(whole) : reduced;
  end

`ifndef SYNTHESIS
  always_ff @(posedge clk_i or negedge rst_ni) if (rst_ni) begin
    // No column still waits when the next sum ends.
    assert (!ends || (waits_q >> 1) == '0);
  end
`endif
endmodule
