// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// ckks_product_unit: the products of engines/ckks/card/isa.toml: CONV, MACP, WHOLE with their
// TERMs, and MUL, SCALE, SUBSCALE, whose one or two terms are generated here. It connects ckks_sums
// with ckks_scoreboard and the ports of ckks_scratchpad: one port for the first factors, one per
// column for limbs as second factors, one for results.
//
// TERMs come as ckks_decode finds them, at their places in the lower half of the table. The terms
// that are generated here use the upper half, two for each of two jobs: one runs, and one waits.
// Cycles: 3 from the clock that takes an instruction to its job, 4 for a SUBSCALE; a TERM that
// comes in between is written first.
module ckks_product_unit
  import ckks_pkg::*;
  import ckks_isa_pkg::*;
#(
  parameter  int unsigned LogLanes     = 3,
  parameter  int unsigned Columns      = 3,
  parameter  int unsigned MaxLogDegree = 16,
  parameter  int unsigned AddressBits  = 12,
  parameter  int unsigned LogPartitions = 2,
  parameter  int unsigned TableBits    = 6,  // of the TERMs
  localparam int unsigned Lanes        = 1 << LogLanes,
  localparam int unsigned DegreeBits   = $clog2(MaxLogDegree + 1),
  localparam int unsigned PayloadBits  = TableBits + InstructionBits
) (
  input  logic                                   clk_i,
  input  logic                                   rst_ni,
  input  logic [DegreeBits-1:0]                  log_degree_i,

  input  logic                                   term_valid_i,
  input  logic [TableBits-1:0]                   term_place_i,
  input  instruction_t                           term_i,

  input  logic                                   begin_valid_i,
  output logic                                   begin_ready_o,
  input  logic [PayloadBits-1:0]                 begin_payload_i,
  output logic                                   done_valid_o,

  // From ckks_prime_table: 2 clocks after the places.
  output logic [Columns-1:0][7:0]                prime_place_o,
  input  prime_t [Columns-1:0]                   prime_i,

  output logic [Columns:0]                       read_valid_o,
  input  logic [Columns:0]                       read_ready_i,
  output logic [Columns:0][AddressBits-1:0]      read_row_o,
  input  residue_t [Columns:0][Lanes-1:0]        read_word_i,
  output logic                                   write_valid_o,
  input  logic                                   write_ready_i,
  output logic [AddressBits-1:0]                 write_row_o,
  output residue_t [Lanes-1:0]                   write_word_o,
  output logic                                   memory_error_o
);
  localparam int unsigned SumTableBits = TableBits + 1;
  localparam int unsigned Numbers      = arith_pkg::maximum(Columns, 2);
  localparam int unsigned ColumnBits   = $clog2(Columns + 1);
  localparam int unsigned TermsBits    = $clog2(MaxTerms + 1);
  typedef logic [AddressBits-1:0] address_t;

  function automatic address_t row_of(input logic [11:0] slot,
                                      input logic [DegreeBits-1:0] log_degree);
    return address_t'(first_row(slot, 32'(log_degree) - LogLanes, AddressBits, LogPartitions));
  endfunction

  // ---- The current instruction -----------------------------------------------------------------
  logic                   offers, job_ready, job_valid;
  instruction_t           word;
  logic [TableBits-1:0]   first;
  logic [5:0]             opcode;
  logic                   is_sum, is_multiple;  // ... by numbers
  logic [1:0]             own_left_q;           // terms that are still to be written
  logic                   turn_q;               // of the upper half's two jobs
  ckks_issue #(.PayloadBits(PayloadBits)) u_issue (
    .clk_i, .rst_ni, .begin_valid_i, .begin_ready_o, .begin_payload_i, .payload_o({first, word}),
    .valid_o(offers), .ready_i(job_ready && own_left_q == '0)
  );
  assign opcode      = field_opcode(word);
  assign is_sum      = opcode inside {OpConv, OpMacp, OpWhole};
  assign is_multiple = opcode != OpMul;
  assign job_valid   = offers && own_left_q == '0;

  // ---- Terms -----------------------------------------------------------------------------------
  logic                    begins, own_writes, term_valid_q;
  logic [5:0]              next_opcode;
  assign begins      = begin_valid_i && begin_ready_o;
  assign next_opcode = field_opcode(begin_payload_i[InstructionBits-1:0]);
  assign own_writes  = own_left_q != '0 && !term_valid_i;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      own_left_q <= '0;
      turn_q     <= 1'b0;
    end else if (begins) begin
      own_left_q <= (next_opcode inside {OpMul, OpScale}) ? 2'd1
                  : (next_opcode == OpSubscale) ? 2'd2 : 2'd0;
      turn_q     <= !turn_q;
    end else if (own_writes) begin
      own_left_q <= own_left_q - 1'b1;
    end
  end

  typedef struct packed {
    logic [SumTableBits-1:0] place;
    address_t                base;
    logic [2:0]              shift;
    logic                    limbs;
    logic                    halves;
    residue_t [Numbers-1:0]  numbers;
  } term_t;
  term_t                   term, term_q;
  logic [3:0][11:0]        slots;
  residue_t [3:0]          numbers;
  logic [SumTableBits-1:0] own_first;
  assign own_first = {1'b1, (TableBits - 2)'(0), turn_q, 1'b0};
  assign slots     = {field_x3(term_i), field_x2(term_i), field_x1(term_i), field_x0(term_i)};
  assign numbers   = {field_n3(term_i), field_n2(term_i), field_n1(term_i), field_n0(term_i)};
  always_comb begin
    term = '0;
    if (term_valid_i) begin
      term.place  = {1'b0, term_place_i};
      term.base   = row_of(field_a(term_i), log_degree_i);
      term.shift  = field_shift(term_i);
      term.limbs  = field_limb(term_i);
      term.halves = field_halves(term_i);
      for (int unsigned c = 0; c < Numbers; c++) begin
        term.numbers[c] = (term.limbs && c < Columns)
                        ? residue_t'(row_of(slots[c], log_degree_i)) : numbers[c];
      end
    end else begin
      // The second of two terms comes first.
      term.place      = own_first | SumTableBits'(own_left_q == 2'd2);
      term.base       = row_of((own_left_q == 2'd2) ? field_b(word) : field_a(word), log_degree_i);
      term.limbs      = !is_multiple;
      term.halves     = opcode == OpScale;
      term.numbers[0] = !is_multiple ? residue_t'(row_of(field_b(word), log_degree_i))
                      : (own_left_q == 2'd2) ? field_n1(word) : field_n0(word);
      term.numbers[1] = (opcode == OpScale) ? field_n1(word) : '0;
    end
  end
  always_ff @(posedge clk_i) term_q <= term;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) term_valid_q <= 1'b0;
    else term_valid_q <= term_valid_i || own_writes;
  end

  // ---- The job ---------------------------------------------------------------------------------
  logic [3:0][7:0]        primes;
  logic [3:0][11:0]       results;
  address_t [Columns-1:0] result;
  logic [SumTableBits-1:0] job_first;
  logic [TermsBits-1:0]   job_terms;
  logic [ColumnBits-1:0]  job_columns;
  assign primes    = {field_p3(word), field_p2(word), field_p1(word), field_p0(word)};
  assign results   = {field_x3(word), field_x2(word), field_x1(word), field_x0(word)};
  assign job_first = is_sum ? {1'b0, first} : own_first;
  assign job_terms = is_sum ? field_terms(word) : (opcode == OpSubscale) ? 5'd2 : 5'd1;
  assign job_columns = (opcode inside {OpConv, OpMacp}) ? ColumnBits'(field_columns(word))
                                                        : ColumnBits'(1);
  always_comb begin
    for (int unsigned c = 0; c < Columns; c++) begin
      prime_place_o[c] = primes[c];
      result[c]        = row_of(results[c], log_degree_i);
    end
  end

  logic                              sums_valid, sums_ready, sums_write, sums_done, hold;
  logic                              unused_tag;
  logic [Columns-1:0]                factor_valid;
  address_t                          sums_row, sums_write_row;
  address_t [Columns-1:0]            factor_row;
  residue_t [Lanes-1:0]              sums_word;
  residue_t [Columns:0][Lanes-1:0]   words;
  ckks_sums #(
    .LogLanes(LogLanes), .Columns(Columns), .MaxLogDegree(MaxLogDegree), .AddressBits(AddressBits),
    .TagBits(1), .TableBits(SumTableBits), .RingBits(TableBits)
  ) u_sums (
    .clk_i, .rst_ni, .log_degree_i, .term_valid_i(term_valid_q), .term_place_i(term_q.place),
    .term_base_i(term_q.base), .term_shift_i(term_q.shift), .term_limbs_i(term_q.limbs),
    .term_halves_i(term_q.halves), .term_numbers_i(term_q.numbers),
    .job_valid_i(job_valid), .job_ready_o(job_ready), .job_first_i(job_first),
    .job_terms_i(job_terms), .job_columns_i(job_columns), .job_fraction_i(opcode == OpWhole),
    .job_prime_i(prime_i), .job_result_i(result), .job_tag_i(1'b0), .done_valid_o(sums_done),
    .done_tag_o(unused_tag), .read_valid_o(sums_valid), .read_ready_i(sums_ready),
    .read_row_o(sums_row), .read_word_i(words[0]), .factor_valid_o(factor_valid),
    .factor_row_o(factor_row), .factor_word_i(words[Columns:1]), .write_valid_o(sums_write),
    .write_row_o(sums_write_row), .write_word_o(sums_word)
  );

  ckks_gather #(.LogLanes(LogLanes), .AddressBits(AddressBits), .Ports(Columns + 1)) u_gather (
    .clk_i, .rst_ni, .hold_i(hold), .read_valid_i({factor_valid, sums_valid}), .read_ready_o(sums_ready),
    .read_row_i({factor_row, sums_row}), .read_word_o(words), .port_valid_o(read_valid_o),
    .port_ready_i(read_ready_i), .port_row_o(read_row_o), .port_word_i(read_word_i)
  );
  ckks_write_queue #(
    .LogLanes(LogLanes), .AddressBits(AddressBits), .InFlight(ColumnsLatency + Columns + 6)
  ) u_queue (
    .clk_i, .rst_ni, .hold_o(hold), .in_valid_i(sums_write), .in_last_i(sums_done),
    .in_row_i(sums_write_row), .in_word_i(sums_word), .write_valid_o, .write_ready_i, .write_row_o,
    .write_word_o, .done_valid_o, .memory_error_o
  );
endmodule
