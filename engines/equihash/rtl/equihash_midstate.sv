// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// equihash_midstate: BLAKE2b's value after the first 128 bytes of a block header, which all of a
// solution's hashes have in common (RFC 7693, section 3.2).
//
// The header's 16 words are written one by one; start_i then begins the compression, which the one
// round goes through twelve times. The words lie in 16 copies of a small memory, each read in the
// order in which one place of the round wants them: no 16-fold choice between 16 words. They are
// read a round ahead into registers, and the places one more round ahead.
//
// Takes 12 * StagesPerRound + 1 clocks from start_i to done_o. Until then busy_o is high, and no
// word may be written.
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
  output logic [7:0][63:0] done_value_o,

  output logic             memory_error_o
);
  logic [7:0][63:0]  initial_q;  // the value that the block begins with
  logic [15:0][63:0] state_in, state_out, words_q, unused_words;
  logic              begin_q, busy_q, round_valid, round_out_valid, ended;
  logic [3:0]        round_q;    // that is entered next
  slot_t             slot_q;

  assign ended       = round_out_valid && round_q == 4'(Rounds);
  assign round_valid = begin_q || (round_out_valid && !ended);

  always_comb begin
    state_in = state_out;
    if (begin_q) begin
      state_in = {InitialValue, initial_q};
      state_in[12] ^= 64'd128;  // bytes so far; not the last block
    end
  end

  // The words of the first round are read with start_i.
  logic       ahead;
  logic [3:0] ahead_q;  // the round whose places come next

  assign ahead = start_i || round_valid;

  // All words are written before the start, none until the end.
  logic        read_q;
  logic [15:0] errors;
  assign memory_error_o = errors != '0;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) read_q <= 1'b0;
    else read_q <= ahead;
  end

  always_ff @(posedge clk_i) begin
    if (ahead) ahead_q <= ahead_q + 4'd1;
    else if (!busy_q) ahead_q <= 4'd1;
  end

  for (genvar i = 0; i < 16; i++) begin : gen_copy
    logic [63:0] copy[16];
    logic [3:0]  place, place_q;
    always_comb begin
      place = '0;
      for (int unsigned r = 0; r < Rounds; r++) begin
        if (ahead_q == 4'(r)) place = Sigma[r % 10][i];
      end
    end
    always_ff @(posedge clk_i) begin
      if (write_valid_i) copy[write_place_i] <= write_word_i;
      if (ahead) words_q[i] <= copy[place_q];
      if (ahead) place_q <= place;
      else if (!busy_q) place_q <= Sigma[0][i];
    end

    memory_parity #(
      .Width     (64),
      .Depth     (16),
      .ReadClocks(1)
    ) u_parity (
      .clk_i,
      .write_valid_i,
      .write_address_i(write_place_i),
      .write_data_i   (write_word_i),
      .read_enable_i  (ahead),
      .read_address_i (place_q),
      .check_i        (read_q),
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
    .valid_i  (round_valid),
    .state_i  (state_in),
    .message_i(words_q),
    .valid_o  (round_out_valid),
    .state_o  (state_out),
    .message_o(unused_words)
  );

  assign busy_o       = busy_q;
  assign done_o       = ended;
  assign done_slot_o  = slot_q;
  assign done_value_o = initial_q ^ state_out[7:0] ^ state_out[15:8];

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      begin_q <= 1'b0;
      busy_q  <= 1'b0;
      round_q <= '0;
    end else begin
      begin_q <= start_i;
      if (start_i) busy_q <= 1'b1;
      else if (ended) busy_q <= 1'b0;
      if (start_i) round_q <= '0;
      else if (round_valid) round_q <= round_q + 4'd1;
    end
  end

  always_ff @(posedge clk_i) begin
    if (start_i) begin
      slot_q <= start_slot_i;
      for (int unsigned s = 0; s < Sets; s++) begin
        if (Built[s] && start_set_i == set_t'(s)) initial_q <= first_value(s);
      end
    end
  end

  logic unused;
  assign unused = ^unused_words;
endmodule
