// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// ckks_sum_unit: the instructions of engines/ckks/card/isa.toml that add or permute whole limbs. It
// connects ckks_additions and ckks_automorphism with ckks_scoreboard and the ports of
// ckks_scratchpad, two for operands, one for results.
//
// Both units share the ports and the queue of writes. Instructions of one kind therefore follow
// each other closely, and one of the other kind begins when all earlier ones are written.
module ckks_sum_unit
  import ckks_pkg::*;
  import ckks_isa_pkg::*;
#(
  parameter  int unsigned LogLanes     = 3,
  parameter  int unsigned MaxLogDegree = 16,
  parameter  int unsigned AddressBits  = 12,
  parameter  int unsigned LogPartitions = 2,
  localparam int unsigned Lanes        = 1 << LogLanes,
  localparam int unsigned DegreeBits   = $clog2(MaxLogDegree + 1)
) (
  input  logic                            clk_i,
  input  logic                            rst_ni,
  input  logic [DegreeBits-1:0]           log_degree_i,

  input  logic                            begin_valid_i,
  output logic                            begin_ready_o,
  input  instruction_t                    begin_word_i,
  output logic                            done_valid_o,

  // From ckks_prime_table: 2 clocks after the place.
  output logic [7:0]                      prime_place_o,
  input  prime_t                          prime_i,

  output logic [1:0]                      read_valid_o,
  input  logic [1:0]                      read_ready_i,
  output logic [1:0][AddressBits-1:0]     read_row_o,
  input  residue_t [1:0][Lanes-1:0]       read_word_i,
  output logic                            write_valid_o,
  input  logic                            write_ready_i,
  output logic [AddressBits-1:0]          write_row_o,
  output residue_t [Lanes-1:0]            write_word_o,
  output logic                            memory_error_o
);
  typedef logic [AddressBits-1:0] address_t;
  function automatic address_t row_of(input logic [11:0] slot,
                                      input logic [DegreeBits-1:0] log_degree);
    return address_t'(first_row(slot, 32'(log_degree) - LogLanes, AddressBits, LogPartitions));
  endfunction

  // ---- The current instruction -----------------------------------------------------------------
  localparam int unsigned InsideBits = 4;
  logic                  offers, may, takes, job_ready, add_ready, perm_ready;
  instruction_t          word;
  logic [5:0]            opcode;
  logic                  is_perm, was_perm_q;
  logic [InsideBits-1:0] inside_q;  // jobs that are not written
  ckks_issue #(.PayloadBits(InstructionBits)) u_issue (
    .clk_i, .rst_ni, .begin_valid_i, .begin_ready_o, .begin_payload_i(begin_word_i),
    .payload_o(word), .valid_o(offers), .ready_i(takes)
  );
  assign opcode        = field_opcode(word);
  assign is_perm       = opcode == OpPerm;
  assign may           = (inside_q == '0 || is_perm == was_perm_q) && inside_q != '1;
  assign job_ready     = is_perm ? perm_ready : add_ready;
  assign takes         = offers && may && job_ready;
  assign prime_place_o = field_p0(word);
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      inside_q   <= '0;
      was_perm_q <= 1'b0;
    end else begin
      inside_q <= inside_q + InsideBits'(takes) - InsideBits'(done_valid_o);
      if (takes) was_perm_q <= is_perm;
    end
  end

  // ---- Additions -------------------------------------------------------------------------------
  logic                      ready, hold;
  logic [1:0]                add_read;
  address_t [1:0]            add_rows;
  logic                      add_write, add_done, unused_add_tag;
  address_t                  add_write_row, a_row, b_row, x_row;
  residue_t [Lanes-1:0]      add_word;
  residue_t [1:0][Lanes-1:0] words;
  residue_t [1:0]            numbers;
  assign a_row   = row_of(field_a(word), log_degree_i);
  assign b_row   = row_of(field_b(word), log_degree_i);
  assign x_row   = row_of(field_x0(word), log_degree_i);
  assign numbers = (opcode == OpAddnum) ? {field_n1(word), field_n0(word)} : '0;
  ckks_additions #(
    .LogLanes(LogLanes), .MaxLogDegree(MaxLogDegree), .AddressBits(AddressBits), .TagBits(1)
  ) u_additions (
    .clk_i, .rst_ni, .log_degree_i, .job_valid_i(offers && may && !is_perm),
    .job_ready_o(add_ready), .job_first_i(opcode inside {OpAdd, OpSub, OpAddnum}),
    .job_second_i(opcode inside {OpAdd, OpSub, OpNeg}),
    .job_subtract_i(opcode inside {OpSub, OpNeg}), .job_a_i(a_row), .job_b_i(b_row),
    .job_numbers_i(numbers), .job_prime_i(prime_i), .job_result_i(x_row), .job_tag_i(1'b0),
    .done_valid_o(add_done), .done_tag_o(unused_add_tag), .a_valid_o(add_read[0]),
    .b_valid_o(add_read[1]), .read_ready_i(ready), .a_row_o(add_rows[0]), .b_row_o(add_rows[1]),
    .a_word_i(words[0]), .b_word_i(words[1]), .write_valid_o(add_write),
    .write_row_o(add_write_row), .write_word_o(add_word)
  );

  // ---- Permutations ----------------------------------------------------------------------------
  logic                 perm_read, perm_write, perm_done, unused_perm_tag;
  address_t             perm_row, perm_write_row;
  residue_t [Lanes-1:0] perm_word;
  ckks_automorphism #(
    .LogLanes(LogLanes), .MaxLogDegree(MaxLogDegree), .AddressBits(AddressBits), .TagBits(1)
  ) u_automorphism (
    .clk_i, .rst_ni, .log_degree_i, .job_valid_i(offers && may && is_perm),
    .job_ready_o(perm_ready), .job_exponent_i((MaxLogDegree + 1)'(field_exponent(word))),
    .job_source_i(a_row), .job_result_i(x_row), .job_tag_i(1'b0), .done_valid_o(perm_done),
    .done_tag_o(unused_perm_tag), .read_valid_o(perm_read), .read_ready_i(ready),
    .read_row_o(perm_row), .read_word_i(words[0]), .write_valid_o(perm_write),
    .write_row_o(perm_write_row), .write_word_o(perm_word)
  );

  // ---- Ports -----------------------------------------------------------------------------------
  // From a read to its last write: 2 clocks of memory, and those of the longer unit.
  localparam int unsigned InFlight = 2 + arith_pkg::maximum(AddLatency, LogLanes) + 4;
  ckks_gather #(.LogLanes(LogLanes), .AddressBits(AddressBits), .Ports(2)) u_gather (
    .clk_i, .rst_ni, .hold_i(hold), .read_valid_i(perm_read ? 2'b01 : add_read),
    .read_ready_o(ready), .read_row_i({add_rows[1], perm_read ? perm_row : add_rows[0]}),
    .read_word_o(words), .port_valid_o(read_valid_o), .port_ready_i(read_ready_i),
    .port_row_o(read_row_o), .port_word_i(read_word_i)
  );
  ckks_write_queue #(
    .LogLanes(LogLanes), .AddressBits(AddressBits), .InFlight(InFlight)
  ) u_queue (
    .clk_i, .rst_ni, .hold_o(hold), .in_valid_i(add_write || perm_write),
    .in_last_i(add_write ? add_done : perm_done),
    .in_row_i(add_write ? add_write_row : perm_write_row),
    .in_word_i(add_write ? add_word : perm_word), .write_valid_o, .write_ready_i, .write_row_o,
    .write_word_o, .done_valid_o, .memory_error_o
  );
endmodule
