// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// equihash_midstate: BLAKE2b's chaining value after the first 128 bytes of a block header, which is
// common to all hashes of a solution (RFC 7693, section 3.2).
//
// The header's 16 words are written one by one; start_i ends a header. There are two buffers, each
// for one header from its first word until its value is ready; busy_o is set if both are occupied,
// and then no word may be written.
//
// A header passes twelve times through the single round. A register before the round ends the
// selection between a new header and a returning one. Both headers can be in progress at once: one
// enters when the other does not. The words are stored in 16 copies of a small memory, each read in
// the order in which one position of the round needs them, which avoids sixteen 16-to-1
// multiplexers of words. They are read into registers together with the state; their addresses are
// computed one clock ahead from the round number that travels with a header.
//
// Takes 12 * (StagesPerRound + 1) + 1 clocks from start_i to done_o, and one clock more if the
// other header enters the round when this one would begin.
module equihash_midstate
  import equihash_pkg::*;
#(
  parameter logic [MostSets-1:0] Built = 4'b0001,
  parameter int unsigned StagesPerRound = 8  // 1, 2, 4 or 8
) (
  input  logic             clk_i,
  input  logic             rst_ni,

  input  logic             write_valid_i,
  input  logic [3:0]       write_place_i,
  input  logic [63:0]      write_word_i,

  input  logic             start_i,
  input  set_t             start_set_i,
  input  slot_t            start_slot_i,
  output logic             busy_o,

  output logic             done_o,
  output slot_t            done_slot_o,
  output logic [7:0][63:0] done_value_o,

  output logic             memory_error_o
);
  // The tag of a header: its buffer and its current round.
  typedef struct packed {
    logic       buffer;
    logic [3:0] round;
  } tag_t;

  // ---- Buffers -------------------------------------------------------------------------------
  logic [1:0] full_q;   // a header waits or is in progress
  logic [1:0] begun_q;  // it is in progress
  logic       write_q;  // the buffer to be written next
  logic       read_q;   // the buffer whose header begins next
  slot_t      slots_q[2];
  set_t       sets_q[2];

  // Returns the initial value of a header's block.
  function automatic logic [7:0][63:0] initial_of(input set_t set);
    initial_of = '0;
    for (int unsigned s = 0; s < MostSets; s++) begin
      if (Built[s] && set == set_t'(s)) initial_of = first_value(s);
    end
  endfunction

  // ---- Round input ---------------------------------------------------------------------------
  logic              round_out_valid, ended, returns, begins, enter, enter_q;
  tag_t              entering, tags_q[StagesPerRound+1];  // with state_q, and after each stage
  tag_t              leaving;
  logic [15:0][63:0] beginning, state_q, state_out, words_q, unused_words;

  assign leaving = tags_q[StagesPerRound];
  assign ended   = round_out_valid && leaving.round == 4'(Rounds - 1);
  assign returns = round_out_valid && !ended;
  assign begins  = full_q[read_q] && !begun_q[read_q] && !returns;
  assign enter   = begins || returns;

  assign entering.buffer = returns ? leaving.buffer : read_q;
  assign entering.round  = returns ? leaving.round + 4'd1 : 4'd0;

  always_comb begin
    beginning = {InitialValue, initial_of(sets_q[read_q])};
    beginning[12] ^= 64'd128;  // bytes so far; not the last block
  end

  // A header enters when all of its words are written, and no word is written until its value is
  // ready.
  logic [15:0] errors;
  assign memory_error_o = errors != '0;

  always_ff @(posedge clk_i) begin
    if (enter) state_q <= returns ? state_out : beginning;
    tags_q[0] <= entering;
    for (int unsigned i = 0; i < StagesPerRound; i++) tags_q[i+1] <= tags_q[i];
  end

  for (genvar i = 0; i < 16; i++) begin : gen_copy
    logic [63:0] copy[32];
    logic [3:0]  next_q;  // the word address of the header that returns in this clock
    logic [3:0]  next, place;
    always_comb begin
      next = '0;
      for (int unsigned r = 1; r < Rounds; r++) begin
        if (tags_q[StagesPerRound-1].round == 4'(r - 1)) next = Sigma[r % 10][i];
      end
    end
    assign place = returns ? next_q : Sigma[0][i];
    always_ff @(posedge clk_i) begin
      next_q <= next;
      if (write_valid_i) copy[{write_q, write_place_i}] <= write_word_i;
      if (enter) words_q[i] <= copy[{entering.buffer, place}];
    end

    memory_parity #(
      .Width     (64),
      .Depth     (32),
      .ReadClocks(1)
    ) u_parity (
      .clk_i,
      .write_valid_i,
      .write_address_i({write_q, write_place_i}),
      .write_data_i   (write_word_i),
      .read_enable_i  (enter),
      .read_address_i ({entering.buffer, place}),
      .check_i        (enter_q),
      .data_i         (words_q[i]),
      .error_o        (errors[i])
    );
  end

  blake_round #(
    .WordBits (64),
    .Rotation0(32),
    .Rotation1(24),
    .Rotation2(16),
    .Rotation3(63),
    .Stages   (StagesPerRound)
  ) u_round (
    .clk_i,
    .rst_ni,
    .valid_i  (enter_q),
    .state_i  (state_q),
    .message_i(words_q),
    .valid_o  (round_out_valid),
    .state_o  (state_out),
    .message_o(unused_words)
  );

  assign busy_o       = &full_q;
  assign done_o       = ended;
  assign done_slot_o  = slots_q[leaving.buffer];
  assign done_value_o = initial_of(sets_q[leaving.buffer]) ^ state_out[7:0] ^ state_out[15:8];

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      full_q  <= '0;
      begun_q <= '0;
      write_q <= 1'b0;
      read_q  <= 1'b0;
      enter_q <= 1'b0;
    end else begin
      if (start_i) begin
        full_q[write_q] <= 1'b1;
        write_q         <= !write_q;
      end
      if (begins) begin
        begun_q[read_q] <= 1'b1;
        read_q          <= !read_q;
      end
      if (ended) begin
        full_q[leaving.buffer]  <= 1'b0;
        begun_q[leaving.buffer] <= 1'b0;
      end
      enter_q <= enter;
    end
  end

  always_ff @(posedge clk_i) begin
    if (start_i) begin
      slots_q[write_q] <= start_slot_i;
      sets_q[write_q]  <= start_set_i;
    end
  end

  logic unused;
  assign unused = ^unused_words;
endmodule
