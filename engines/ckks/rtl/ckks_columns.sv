// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// ckks_columns: sums of products in every lane, Columns of them at a time, with one reduction for
// all. Base conversions, products with keys and products of polynomials consist of such sums.
//
// A sum has 1 to MaxTerms products (24 of residues, and one of a residue and a number below 2^5),
// one a clock without a gap: first_i starts it, last_i ends it. The factor b may differ in each
// column and in each lane; the factor a is the same for all columns. The sums of the first
// columns_i columns are reduced at the end, one a clock, so that the next sum's end must follow at
// least that number of clocks later.
//
// The parts of products are added up separately: two in the adders of DSP slices, and the rows of
// ckks_rows in LUTs. Column c works c clocks behind column 0, so that its sums are complete in the
// clock in which they are chosen; one chain of adders joins the parts of all columns.
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
  localparam int unsigned SumBits     = sum_bits(MaxTerms);
  // b is split where 24 products of its low part and of 27 signed bits have a sum of 48 bits.
  localparam int unsigned LowBits     = 16;
  localparam int unsigned HighBits    = ResidueBits - LowBits;
  localparam int unsigned SumRowsBits = SumBits - TileBits;

  // ---- The properties of the rows --------------------------------------------------------------
  // After the products: they are added to the sums. The rows come one clock later.
  localparam int unsigned AddStage = 2;
  // The sums of column 0 are complete, and chosen.
  localparam int unsigned EndStage = AddStage + 1;

  typedef struct packed {
    logic                  last;
    logic                  fraction;
    logic [ColumnBits-1:0] columns;
    prime_t [Columns-1:0]  prime;
  } end_t;
  // Column c uses bits AddStage + c, and its rows the next one.
  logic [AddStage+Columns:1] valid_q, first_q;
  end_t                      sum_end;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) valid_q <= '0;
    else valid_q <= {valid_q[AddStage+Columns-1:1], valid_i};
  end
  always_ff @(posedge clk_i) first_q <= {first_q[AddStage+Columns-1:1], first_i};
  pipeline_delay #(.DataWidth($bits(end_t)), .Stages(EndStage)) u_end (
    .clk_i, .data_i({last_i, fraction_i, columns_i, prime_i}), .data_o(sum_end)
  );

  // ---- Which column is chosen ------------------------------------------------------------------
  logic                 ends, fraction_q;
  logic [Columns-1:0]   waits_q, chosen, chosen_q;  // with column 0 first; its rows a clock later
  prime_t [Columns-1:0] waiting_prime_q;
  assign ends = valid_q[EndStage] && sum_end.last;
  // A column leaves in each clock after the end: column c when waits_q has moved c times.
  logic [Columns-1:0] turn_q;
  always_comb begin
    chosen = turn_q;
    if (ends) chosen = Columns'(1);
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      waits_q <= '0;
      turn_q  <= '0;
    end else begin
      turn_q <= chosen << 1;
      for (int unsigned c = 0; c < Columns; c++) begin
        if (ends) waits_q[c] <= ColumnBits'(c) < sum_end.columns;
        else waits_q[c] <= c + 1 < Columns && waits_q[(c + 1) % Columns];
      end
    end
  end
  always_ff @(posedge clk_i) begin
    chosen_q   <= chosen;
    fraction_q <= ends && sum_end.fraction;
    for (int unsigned c = 0; c < Columns; c++) begin
      if (ends) waiting_prime_q[c] <= sum_end.prime[c];
      else waiting_prime_q[c] <= waiting_prime_q[(c + 1) % Columns];
    end
  end

  // From waits_q to the reduction: the parts are joined.
  localparam int unsigned JoinClocks = 2;
  minus_t minus_first, minus_second;
  prime_t prime_correct;
  ckks_primes #(.Before(JoinClocks)) u_primes (
    .clk_i, .prime_i(waiting_prime_q[0]), .minus_first_o(minus_first),
    .minus_second_o(minus_second), .prime_correct_o(prime_correct)
  );
  logic fraction;
  pipeline_delay #(
    .DataWidth(1), .Stages(JoinClocks + reduce_latency(MaxTerms))
  ) u_fraction (.clk_i, .data_i(fraction_q), .data_o(fraction));
  valid_delay #(.Stages(JoinClocks + reduce_latency(MaxTerms) + 1)) u_valid (
    .clk_i, .rst_ni, .valid_i(waits_q[0]), .valid_o
  );

  // ---- The sums of a lane ----------------------------------------------------------------------
  for (genvar i = 0; i < Lanes; i++) begin : gen_lane
    typedef logic signed [SliceBits-1:0] sum_t;
    residue_t [Columns-1:0]               a_q;  // of each column
    sum_t [Columns-1:0]                   low, high;
    logic [Columns-1:0][SumRowsBits-1:0]  rows;
    always_ff @(posedge clk_i) begin
      for (int unsigned c = 0; c < Columns; c++) begin
        a_q[c] <= (c == 0) ? a_i[i] << shift_i : a_q[arith_pkg::maximum(c, 1) - 1];
      end
    end

    for (genvar c = 0; c < Columns; c++) begin : gen_column
      residue_t               b, b_q;
      logic [RowsBits-1:0]    row;
      logic [SumRowsBits-1:0] rows_q, last_rows;
      logic [SumRowsBits:0]   next_rows;
      pipeline_delay #(.DataWidth(ResidueBits), .Stages(c)) u_behind (
        .clk_i, .data_i(b_i[c][i]), .data_o(b)
      );
      always_ff @(posedge clk_i) b_q <= b;
      ckks_sum_tile #(
        .WidthA(TileBits), .WidthB(LowBits + 1), .SumWidth(SliceBits)
      ) u_low (
        .clk_i, .a_i(a_q[c][TileBits-1:0]), .b_i({1'b0, b_q[LowBits-1:0]}),
        .add_i(valid_q[AddStage+c]), .start_i(first_q[AddStage+c]), .sum_o(low[c])
      );
      ckks_sum_tile #(
        .WidthA(TileBits), .WidthB(HighBits + 1), .SumWidth(SliceBits)
      ) u_high (
        .clk_i, .a_i(a_q[c][TileBits-1:0]), .b_i({1'b0, b_q[ResidueBits-1:LowBits]}),
        .add_i(valid_q[AddStage+c]), .start_i(first_q[AddStage+c]), .sum_o(high[c])
      );
      ckks_rows u_rows (
        .clk_i, .a_i(a_q[c][ResidueBits-1:TileBits-1]), .b_i(b_q), .rows_o(row)
      );
      // Their sum as a difference, as in ckks_rows; the bit below takes the one more.
      assign last_rows = first_q[AddStage+1+c] ? '0 : rows_q;
      assign next_rows = {SumRowsBits'(row), 1'b0} - ~{last_rows, 1'b0};
      always_ff @(posedge clk_i) begin
        if (valid_q[AddStage+1+c]) rows_q <= next_rows[SumRowsBits:1];
      end
      logic unused_bit;
      assign unused_bit = next_rows[0];
      assign rows[c] = rows_q;
    end

    // ---- Its parts, joined ---------------------------------------------------------------------
    // In units of 2^16: the lowest bit is the highest one of the first step's 17.
    localparam int unsigned TopBits = SumBits - LowBits;
    localparam int unsigned RowsPlace = TileBits - LowBits;
    sum_t                   low_q, high_q;
    logic [SumRowsBits-1:0] chosen_rows_q;
    logic [TopBits-1:0]     tiles_q, top_q;
    logic [LowBits-1:0]     rest_q, last_rest_q;
    always_ff @(posedge clk_i) begin
      low_q         <= one_of_sums(low, chosen);
      high_q        <= one_of_sums(high, chosen);
      chosen_rows_q <= one_of_rows(rows, chosen_q);
      tiles_q       <= TopBits'(low_q >>> LowBits) + TopBits'(high_q);
      rest_q        <= low_q[LowBits-1:0];
      top_q         <= {tiles_q[TopBits-1:RowsPlace] + chosen_rows_q,
                        tiles_q[RowsPlace-1:0]};
      last_rest_q   <= rest_q;
    end

    residue_t             reduced, residue_q;
    logic [WholeBits-1:0] whole_q, whole;
    ckks_reduce #(.Terms(MaxTerms)) u_reduce (
      .clk_i, .sum_i({top_q, last_rest_q}), .minus_first_i(minus_first),
      .minus_second_i(minus_second), .prime_correct_i(prime_correct), .residue_o(reduced)
    );
    // Adds one half, and drops the bits after the point.
    always_ff @(posedge clk_i) begin
      whole_q <= top_q[FractionBits-LowBits+:WholeBits]
               + WholeBits'(top_q[FractionBits-LowBits-1]);
    end
    pipeline_delay #(.DataWidth(WholeBits), .Stages(reduce_latency(MaxTerms) - 1)) u_whole (
      .clk_i, .data_i(whole_q), .data_o(whole)
    );
    always_ff @(posedge clk_i) residue_q <= fraction ? ResidueBits'(whole) : reduced;
    assign residue_o[i] = residue_q;
  end

  function automatic logic [SliceBits-1:0] one_of_sums(
      input logic [Columns-1:0][SliceBits-1:0] sums, input logic [Columns-1:0] choice);
    one_of_sums = '0;
    for (int unsigned c = 0; c < Columns; c++) if (choice[c]) one_of_sums |= sums[c];
  endfunction
  function automatic logic [SumRowsBits-1:0] one_of_rows(
      input logic [Columns-1:0][SumRowsBits-1:0] sums, input logic [Columns-1:0] choice);
    one_of_rows = '0;
    for (int unsigned c = 0; c < Columns; c++) if (choice[c]) one_of_rows |= sums[c];
  endfunction

`ifndef SYNTHESIS
  always_ff @(posedge clk_i or negedge rst_ni) if (rst_ni) begin
    // No column still waits when the next sum ends.
    assert (!ends || (waits_q >> 1) == '0);
  end
`endif
endmodule
