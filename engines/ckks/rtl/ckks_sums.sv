// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// ckks_sums: sums of products of whole limbs: base conversions, products with keys and with
// polynomials, scalings. It reads the rows that ckks_columns adds up, one row at a time.
//
// A job has 1 to MaxTerms terms and 1 to Columns sums. Each term is a limb and, for each sum, a
// factor: a number, or another limb. A job of one sum may have two numbers a term, for the lower
// and the upper half of the places. The terms of a job are consecutive in a table that is written
// before the job comes; a job that comes while another runs has its terms elsewhere in the table.
// (A table may be several rings of 2^RingBits.) A conversion to more primes than Columns needs
// several jobs. Its overflow is a job before them, with job_fraction_i: the nearest integer to the
// sum of its terms, which has 59 bits after the point (engines/ckks/model/conversion.py).
//
// A row takes one clock per term, but at least one per sum. A row of reads is offered until
// read_ready_i, all reads of a term in one clock; words come 2 clocks later. Writes are not held
// up. The rows of a result are written after the reads of the same rows, so that a result may
// replace a term.
module ckks_sums
  import ckks_pkg::*;
#(
  parameter  int unsigned LogLanes     = 3,
  parameter  int unsigned Columns      = 3,
  parameter  int unsigned MaxLogDegree = 16,
  parameter  int unsigned AddressBits  = 12,
  parameter  int unsigned TagBits      = 8,
  parameter  int unsigned TableBits    = 6,  // log2 of the terms in the table
  parameter  int unsigned RingBits     = TableBits,  // lowest bits of a place that count round
  localparam int unsigned Lanes        = 1 << LogLanes,
  localparam int unsigned DegreeBits   = $clog2(MaxLogDegree + 1),
  localparam int unsigned ColumnBits   = $clog2(Columns + 1),
  localparam int unsigned TermsBits    = $clog2(MaxTerms + 1),
  localparam int unsigned Numbers      = arith_pkg::maximum(Columns, 2)
) (
  input  logic                                clk_i,
  input  logic                                rst_ni,
  input  logic [DegreeBits-1:0]               log_degree_i,  // LogLanes < it; a clock before a job

  // Terms. The number of a limb as a factor is its first row.
  input  logic                                term_valid_i,
  input  logic [TableBits-1:0]                term_place_i,
  input  logic [AddressBits-1:0]              term_base_i,
  input  logic [2:0]                          term_shift_i,
  input  logic                                term_limbs_i,   // its factors are limbs
  input  logic                                term_halves_i,  // two numbers, of one sum
  input  residue_t [Numbers-1:0]              term_numbers_i,

  input  logic                                job_valid_i,
  output logic                                job_ready_o,
  input  logic [TableBits-1:0]                job_first_i,
  input  logic [TermsBits-1:0]                job_terms_i,
  input  logic [ColumnBits-1:0]               job_columns_i,  // 1 for a fraction
  input  logic                                job_fraction_i,
  input  prime_t [Columns-1:0]                job_prime_i,
  input  logic [Columns-1:0][AddressBits-1:0] job_result_i,
  input  logic [TagBits-1:0]                  job_tag_i,
  output logic                                done_valid_o,
  output logic [TagBits-1:0]                  done_tag_o,

  output logic                                read_valid_o,
  input  logic                                read_ready_i,
  output logic [AddressBits-1:0]              read_row_o,
  input  residue_t [Lanes-1:0]                read_word_i,
  output logic [Columns-1:0]                  factor_valid_o,  // with read_valid_o
  output logic [Columns-1:0][AddressBits-1:0] factor_row_o,
  input  residue_t [Columns-1:0][Lanes-1:0]   factor_word_i,
  output logic                                write_valid_o,
  output logic [AddressBits-1:0]              write_row_o,
  output residue_t [Lanes-1:0]                write_word_o
);
  localparam int unsigned RowBits = MaxLogDegree - LogLanes;
  localparam logic [TableBits-1:0] Ring = TableBits'((1 << RingBits) - 1);
  typedef logic [RowBits-1:0]     row_t;
  typedef logic [AddressBits-1:0] address_t;

  typedef struct packed {
    address_t                    base;
    logic [2:0]                  shift;
    logic                        limbs;
    logic                        halves;
    residue_t [Numbers-1:0]      numbers;
  } term_t;

  // The properties of a job's sums.
  typedef struct packed {
    logic                   fraction;
    logic [ColumnBits-1:0]  columns;
    prime_t [Columns-1:0]   prime;
    address_t [Columns-1:0] result;
    logic [TagBits-1:0]     tag;
  } sums_t;

  // The properties of a read.
  typedef struct packed {
    logic  first;
    logic  last;
    logic  last_row;
    row_t  row;
    sums_t sums;
  } read_t;

  row_t last_row, half_bit;
  always_ff @(posedge clk_i) begin
    last_row <= row_t'((1 << (log_degree_i - DegreeBits'(LogLanes))) - 1);
    half_bit <= row_t'(1 << (log_degree_i - DegreeBits'(LogLanes) - 1'b1));
  end

  // ---- Rows and terms, one a clock -------------------------------------------------------------
  logic                  busy_q, moves, is_last_term, is_last_row, pauses;
  logic [TableBits-1:0]  first_q, place_q;
  logic [TermsBits-1:0]  terms_q, left_q;   // of the row, without the current one
  logic [ColumnBits-1:0] gap_q, pause_q;    // clocks after each row, and those left
  row_t                  row_q;
  sums_t                 sums_q;

  assign job_ready_o  = !busy_q;
  assign pauses       = pause_q != '0;
  assign is_last_term = left_q == '0;
  assign is_last_row  = row_q == last_row;

  // Sums end at least that number of clocks apart that the first one has columns.
  logic [ColumnBits-1:0] columns_less_one;
  assign columns_less_one = job_columns_i - 1'b1;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      busy_q  <= 1'b0;
      pause_q <= '0;
    end else if (!busy_q) begin
      busy_q <= job_valid_i;
      if (moves && pauses) pause_q <= pause_q - 1'b1;
    end else if (moves) begin
      if (pauses) pause_q <= pause_q - 1'b1;
      else if (is_last_term) begin
        pause_q <= is_last_row ? sums_q.columns - 1'b1 : gap_q;
        busy_q  <= !is_last_row;
      end
    end
  end
  always_ff @(posedge clk_i) begin
    if (!busy_q) begin
      first_q <= job_first_i;
      place_q <= job_first_i;
      terms_q <= job_terms_i - 1'b1;
      left_q  <= job_terms_i - 1'b1;
      gap_q   <= (TermsBits'(columns_less_one) >= job_terms_i)
               ? ColumnBits'(TermsBits'(job_columns_i) - job_terms_i) : '0;
      row_q   <= '0;
      sums_q  <= '{fraction: job_fraction_i, columns: job_columns_i, prime: job_prime_i,
                   result: job_result_i, tag: job_tag_i};
    end else if (moves && !pauses) begin
      place_q <= is_last_term ? first_q : (place_q & ~Ring) | ((place_q + 1'b1) & Ring);
      left_q  <= is_last_term ? terms_q : left_q - 1'b1;
      if (is_last_term) row_q <= row_q + 1'b1;
    end
  end

  // ---- The term, then its addresses ------------------------------------------------------------
  logic                   term_valid_q, read_valid_q, upper_q, limbs_q;
  logic [2:0]             shift_q;
  read_t                  term_read_q, read_q;
  term_t                  term;
  residue_t [Columns-1:0] number_q;

  assign moves = !read_valid_q || read_ready_i;
  field_core_memory #(.Width($bits(term_t)), .Depth(1 << TableBits)) u_terms (
    .clk_i, .write_valid_i(term_valid_i), .write_address_i(term_place_i),
    .write_data_i({term_base_i, term_shift_i, term_limbs_i, term_halves_i,
                    term_numbers_i}),
    .read_enable_i(moves), .read_address_i(place_q), .read_data_o(term)
  );
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      term_valid_q <= 1'b0;
      read_valid_q <= 1'b0;
    end else if (moves) begin
      term_valid_q <= busy_q && !pauses;
      read_valid_q <= term_valid_q;
    end
  end
  always_ff @(posedge clk_i) begin
    if (moves) begin
      term_read_q <= '{first: left_q == terms_q, last: is_last_term, last_row: is_last_row,
                       row: row_q, sums: sums_q};
      upper_q     <= (row_q & half_bit) != '0;
      read_q      <= term_read_q;
      shift_q     <= term.shift;
      limbs_q     <= term.limbs;
      read_row_o  <= term.base | address_t'(term_read_q.row);
      for (int unsigned c = 0; c < Columns; c++) begin
        number_q[c]     <= term.numbers[(c == 0 && term.halves && upper_q) ? 1 : c];
        factor_row_o[c] <= address_t'(term.numbers[c]) | address_t'(term_read_q.row);
      end
    end
  end
  assign read_valid_o   = read_valid_q;
  always_comb begin
    for (int unsigned c = 0; c < Columns; c++) begin
      factor_valid_o[c] = read_valid_q && limbs_q && ColumnBits'(c) < read_q.sums.columns;
    end
  end

  // ---- Delays until the words of a read come ---------------------------------------------------
  localparam int unsigned ReadClocks = 2;
  typedef struct packed {
    logic                   limbs;
    logic [2:0]             shift;
    residue_t [Columns-1:0] number;
    read_t                  read;
  } words_t;
  words_t words;
  logic   words_valid;
  valid_delay #(.Stages(ReadClocks)) u_words_valid (
    .clk_i, .rst_ni, .valid_i(read_valid_q && read_ready_i), .valid_o(words_valid)
  );
  pipeline_delay #(.DataWidth($bits(words_t)), .Stages(ReadClocks)) u_words (
    .clk_i, .data_i({limbs_q, shift_q, number_q, read_q}), .data_o(words)
  );

  residue_t [Columns-1:0][Lanes-1:0] factor;
  for (genvar c = 0; c < Columns; c++) begin : gen_factor
    assign factor[c] = words.limbs ? factor_word_i[c] : {Lanes{words.number[c]}};
  end

  logic                 sum_valid;
  residue_t [Lanes-1:0] sum;
  ckks_columns #(.Lanes(Lanes), .Columns(Columns)) u_columns (
    .clk_i, .rst_ni, .valid_i(words_valid), .first_i(words.read.first), .last_i(words.read.last),
    .columns_i(words.read.sums.columns), .fraction_i(words.read.sums.fraction),
    .shift_i(words.shift), .prime_i(words.read.sums.prime), .a_i(read_word_i), .b_i(factor),
    .valid_o(sum_valid), .residue_o(sum)
  );

  // ---- The destinations of a row's sums --------------------------------------------------------
  typedef struct packed {
    logic                   last_row;
    logic [ColumnBits-1:0]  columns;
    logic [TagBits-1:0]     tag;
    address_t [Columns-1:0] row;
  } target_t;
  target_t target, came, target_q;
  logic    comes;
  always_comb begin
    target = '{last_row: words.read.last_row, columns: words.read.sums.columns,
               tag: words.read.sums.tag, row: words.read.sums.result};
    for (int unsigned c = 0; c < Columns; c++) target.row[c] |= address_t'(words.read.row);
  end
  pipeline_delay #(.DataWidth($bits(target_t)), .Stages(ColumnsLatency)) u_target (
    .clk_i, .data_i(target), .data_o(came)
  );
  valid_delay #(.Stages(ColumnsLatency)) u_comes (
    .clk_i, .rst_ni, .valid_i(words_valid && words.read.last), .valid_o(comes)
  );

  target_t now;
  assign now = comes ? came : target_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) {write_valid_o, done_valid_o} <= '0;
    else begin
      write_valid_o <= sum_valid;
      done_valid_o  <= sum_valid && now.last_row && now.columns == ColumnBits'(1);
    end
  end
  always_ff @(posedge clk_i) begin
    write_row_o      <= now.row[0];
    write_word_o     <= sum;
    done_tag_o       <= now.tag;
    target_q         <= now;
    target_q.columns <= now.columns - 1'b1;
    target_q.row     <= now.row >> AddressBits;
  end
endmodule
