// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// ckks_additions: a + b, a - b, -b, a + n and 0 of whole limbs, where n is two numbers, for the
// lower and the upper half of the places. It reads and writes the rows that ckks_add adds.
//
// A job has a first operand or 0, and a limb or the numbers as its second operand. A row takes a
// clock. Both reads of a row are offered in one clock until read_ready_i; words come 2 clocks
// later. A row without reads waits for read_ready_i as well. Writes are not held up, and follow the
// reads of the same rows, so that a result may replace an operand. Cycles: from the clock after the
// one that takes the job to the last write, N / Lanes + 5, if no read waits.
module ckks_additions
  import ckks_pkg::*;
#(
  parameter  int unsigned LogLanes     = 3,
  parameter  int unsigned MaxLogDegree = 16,
  parameter  int unsigned AddressBits  = 12,
  parameter  int unsigned TagBits      = 8,
  localparam int unsigned Lanes        = 1 << LogLanes,
  localparam int unsigned DegreeBits   = $clog2(MaxLogDegree + 1)
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,
  input  logic [DegreeBits-1:0]  log_degree_i,  // LogLanes < it; from a clock before a job on

  input  logic                   job_valid_i,
  output logic                   job_ready_o,
  input  logic                   job_first_i,     // there is a first operand; otherwise it is 0
  input  logic                   job_second_i,    // the second is a limb; otherwise the numbers
  input  logic                   job_subtract_i,
  input  logic [AddressBits-1:0] job_a_i,
  input  logic [AddressBits-1:0] job_b_i,
  input  residue_t [1:0]         job_numbers_i,
  input  prime_t                 job_prime_i,
  input  logic [AddressBits-1:0] job_result_i,
  input  logic [TagBits-1:0]     job_tag_i,
  output logic                   done_valid_o,
  output logic [TagBits-1:0]     done_tag_o,

  output logic                   a_valid_o,
  output logic                   b_valid_o,
  input  logic                   read_ready_i,
  output logic [AddressBits-1:0] a_row_o,
  output logic [AddressBits-1:0] b_row_o,
  input  residue_t [Lanes-1:0]   a_word_i,
  input  residue_t [Lanes-1:0]   b_word_i,
  output logic                   write_valid_o,
  output logic [AddressBits-1:0] write_row_o,
  output residue_t [Lanes-1:0]   write_word_o
);
  localparam int unsigned RowBits    = MaxLogDegree - LogLanes;
  localparam int unsigned ReadClocks = 2;
  typedef logic [RowBits-1:0]     row_t;
  typedef logic [AddressBits-1:0] address_t;

  // The properties of a row.
  typedef struct packed {
    logic               last;
    logic               first;
    logic               second;
    logic               subtract;
    residue_t           number;
    prime_t             prime;
    address_t           result;
    logic [TagBits-1:0] tag;
  } line_t;

  row_t last_row, half_bit;
  always_ff @(posedge clk_i) begin
    last_row <= row_t'((1 << (log_degree_i - DegreeBits'(LogLanes))) - 1);
    half_bit <= row_t'(1 << (log_degree_i - DegreeBits'(LogLanes) - 1'b1));
  end

  // ---- The job, a row a clock ------------------------------------------------------------------
  logic           busy_q, moves, offers_q, is_last;
  row_t           row_q;
  line_t          job_q, line_q;
  address_t       a_q, b_q;
  residue_t [1:0] numbers_q;
  assign job_ready_o = !busy_q;
  assign is_last     = row_q == last_row;
  assign moves       = !offers_q || read_ready_i;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      busy_q   <= 1'b0;
      offers_q <= 1'b0;
    end else begin
      if (!busy_q) busy_q <= job_valid_i;
      else if (moves && is_last) busy_q <= 1'b0;
      if (moves) offers_q <= busy_q;
    end
  end
  always_ff @(posedge clk_i) begin
    if (!busy_q) begin
      row_q     <= '0;
      a_q       <= job_a_i;
      b_q       <= job_b_i;
      numbers_q <= job_numbers_i;
      job_q     <= '{last: 1'b0, first: job_first_i, second: job_second_i,
                     subtract: job_subtract_i, number: '0, prime: job_prime_i,
                     result: job_result_i, tag: job_tag_i};
    end else if (moves) begin
      row_q <= row_q + 1'b1;
    end
    if (moves) begin
      line_q        <= job_q;
      line_q.last   <= is_last;
      line_q.number <= numbers_q[(row_q & half_bit) != '0];
      line_q.result <= job_q.result | address_t'(row_q);
      a_row_o       <= a_q | address_t'(row_q);
      b_row_o       <= b_q | address_t'(row_q);
    end
  end
  assign a_valid_o = offers_q && line_q.first;
  assign b_valid_o = offers_q && line_q.second;

  // ---- Its words, added ------------------------------------------------------------------------
  line_t                words, sum_line;
  residue_t [Lanes-1:0] a, b;
  logic                 sum_valid;
  pipeline_delay #(.DataWidth($bits(line_t)), .Stages(ReadClocks)) u_words (
    .clk_i, .data_i(line_q), .data_o(words)
  );
  assign a = words.first ? a_word_i : '0;
  assign b = words.second ? b_word_i : {Lanes{words.number}};
  ckks_add #(.Lanes(Lanes)) u_add (
    .clk_i, .prime_i(words.prime), .subtract_i(words.subtract), .a_i(a), .b_i(b),
    .sum_o(write_word_o)
  );
  pipeline_delay #(.DataWidth($bits(line_t)), .Stages(AddLatency)) u_sum (
    .clk_i, .data_i(words), .data_o(sum_line)
  );
  valid_delay #(.Stages(ReadClocks + AddLatency)) u_valid (
    .clk_i, .rst_ni, .valid_i(offers_q && moves), .valid_o(sum_valid)
  );
  assign write_valid_o = sum_valid;
  assign write_row_o   = sum_line.result;
  assign done_valid_o  = sum_valid && sum_line.last;
  assign done_tag_o    = sum_line.tag;
  logic unused;
  assign unused = ^{sum_line.first, sum_line.second, sum_line.subtract, sum_line.number,
                    sum_line.prime};
endmodule
