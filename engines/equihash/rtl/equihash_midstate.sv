// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// equihash_midstate: BLAKE2b's value after the first 128 bytes of a block header, which all of a
// solution's hashes have in common (RFC 7693, section 3.2).
//
// The header's 16 words are written one by one; start_i ends a header. There are two buffers: one
// header is compressed while the next one is written. busy_o tells that both are taken: no word may
// be written.
//
// A compression goes through the one round twelve times, and each time through a register before
// it, in which the choice between the beginning and the last round ends. The words lie in 16 copies
// of a small memory, each read in the order in which one place of the round wants them: no 16-fold
// choice between 16 words. They are read into registers with the state, and their places a round
// ahead.
//
// A header that finds nothing before it takes 12 * (StagesPerRound + 1) + 1 clocks from start_i to
// done_o, and that is the distance of headers that wait.
module equihash_midstate
  import equihash_pkg::*;
#(
  parameter logic [Sets-1:0] Built = 4'b0001,
  parameter int unsigned StagesPerRound = 4  // 1, 2, 4 or 8
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
  output logic [7:0][63:0] done_value_o
);
  // ---- Buffers: one is written, one is read --------------------------------------------------
  logic [1:0]  full_q;         // a header waits or is compressed
  logic        write_q;        // the buffer that is written next
  logic        read_q;         // the one that is compressed next, or is being
  slot_t       slots_q[2];
  set_t        sets_q[2];

  // ---- Twelve rounds -------------------------------------------------------------------------
  logic              running_q, begins, ended, enter, enter_q, round_out_valid;
  logic [3:0]        round_q;    // that is entered next
  logic [7:0][63:0]  first, initial_q;  // the value that the block begins with
  logic [15:0][63:0] beginning, state_q, state_out, last, words_q, unused_words;

  assign begins = full_q[read_q] && !running_q;
  assign ended  = round_out_valid && round_q == 4'(Rounds);
  assign enter  = begins || (round_out_valid && !ended);

  always_comb begin
    first = '0;
    for (int unsigned s = 0; s < Sets; s++) begin
      if (Built[s] && sets_q[read_q] == set_t'(s)) first = first_value(s);
    end
  end

  always_comb begin
    beginning = {InitialValue, first};
    beginning[12] ^= 64'd128;  // bytes so far; not the last block
  end

  always_ff @(posedge clk_i) begin
    if (enter) state_q <= begins ? blake2b_deferred(beginning) : state_out;
    if (begins) initial_q <= first;
  end

  // The words of the first round are read as the compression begins.
  logic       rests;
  logic [3:0] ahead_q;  // the round whose places come next

  assign rests = ended || !running_q;

  always_ff @(posedge clk_i) begin
    if (enter) ahead_q <= ahead_q + 4'd1;
    else if (rests) ahead_q <= 4'd1;
  end

  for (genvar i = 0; i < 16; i++) begin : gen_copy
    logic [63:0] copy[32];
    logic [3:0]  place, place_q;
    always_comb begin
      place = '0;
      for (int unsigned r = 0; r < Rounds; r++) begin
        if (ahead_q == 4'(r)) place = Sigma[r % 10][i];
      end
    end
    always_ff @(posedge clk_i) begin
      if (write_valid_i) copy[{write_q, write_place_i}] <= write_word_i;
      if (enter) words_q[i] <= copy[{read_q, place_q}];
      if (enter) place_q <= place;
      else if (rests) place_q <= Sigma[0][i];
    end
  end

  blake_round #(
    .WordBits (64),
    .Rotation0(Rotations[0]),
    .Rotation1(Rotations[1]),
    .Rotation2(Rotations[2]),
    .Rotation3(Rotations[3]),
    .Stages   (StagesPerRound),
    .Deferred (1'b1)
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

  assign last         = blake2b_settled(state_out);
  assign busy_o       = &full_q;
  assign done_o       = ended;
  assign done_slot_o  = slots_q[read_q];
  assign done_value_o = initial_q ^ last[7:0] ^ last[15:8];

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      full_q    <= '0;
      write_q   <= 1'b0;
      read_q    <= 1'b0;
      running_q <= 1'b0;
      enter_q   <= 1'b0;
      round_q   <= '0;
    end else begin
      if (start_i) begin
        full_q[write_q] <= 1'b1;
        write_q         <= !write_q;
      end
      if (ended) begin
        full_q[read_q] <= 1'b0;
        read_q         <= !read_q;
      end
      if (begins) running_q <= 1'b1;
      else if (ended) running_q <= 1'b0;
      enter_q <= enter;
      if (ended) round_q <= '0;
      else if (enter) round_q <= round_q + 4'd1;
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
