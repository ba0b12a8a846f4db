// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// equihash_sha_lane: the double SHA-256 of one block header at a time, including the solution.
//
// The message's words, eight bytes each, the first in the low bits, are written in order into the
// lane's own memory, the last one with write_last_i. start_i begins the hash, while later words
// still arrive: the hash waits for a word that has not been written. From then until the digest has
// been taken the lane is busy, and no other message may be written. The bytes after the message in
// its last word must be zero. The padding is inserted while the words are read, three words ahead
// of those being hashed, so the first three words must have been written four clocks before
// start_i.
//
// A message of b blocks takes 65 * (b + 1) + 7 clocks from start_i to done_valid_o if no word is
// late.
module equihash_sha_lane
  import equihash_pkg::*;
#(
  parameter logic [MostSets-1:0] Built = 4'b0001
) (
  input  logic         clk_i,
  input  logic         rst_ni,

  input  logic         write_valid_i,
  input  logic [7:0]   write_place_i,
  input  logic [63:0]  write_word_i,
  input  logic         write_last_i,   // the message is complete

  input  logic         start_i,
  input  set_t         start_set_i,
  output logic         busy_o,

  output logic         done_valid_o,
  input  logic         done_ready_i,
  output logic [255:0] done_digest_o,  // the standard's H0 in the high bits

  output logic         memory_error_o
);
  // The memory's depth, in words of the message.
  localparam int unsigned Words = 256;

  typedef enum logic [2:0] { Idle, Message, MessageSum, Digest, DigestSum, Done } state_e;

  state_e state_q, state_d;

  // ---- The message, padded -------------------------------------------------------------------
  // The path of a word: read_q and word_q are the memory's read and output registers; feed_q holds
  // the word in SHA-256's byte order, with the next half on top. All three are full when a hash
  // begins. A word is consumed in at least two clocks: the memory follows one clock behind.
  logic [63:0] memory[Words];
  logic [63:0] read_q, word_q, feed_q, padded;
  logic [7:0]  read_place, read_place_q;  // to be read next
  logic [7:0]  place_q;       // of the word in word_q
  logic        first_q, last_q;  // feed_q has the first word, the last one
  logic        second_q;      // second half of the word
  logic        step, step_q, taken;

  assign read_place = start_i ? 8'd1 : read_place_q;
  always_ff @(posedge clk_i) begin
    if (write_valid_i) memory[write_place_i] <= write_word_i;
    if (step_q) begin
      read_q <= memory[read_place];
      word_q <= read_q;
    end
  end

  // A word that has not been written is not read. A step is known to the reader a clock late, so
  // one word more must be there.
  logic [7:0] written_q;   // words
  logic       complete_q;  // no further word comes
  logic       there_q;     // the words that the next two steps read
  always_ff @(posedge clk_i) begin
    if (write_valid_i) begin
      written_q  <= write_place_i + 8'd1;
      complete_q <= write_last_i;
    end
    there_q <= complete_q || written_q > read_place_q + 8'd1;
  end

  // The properties of the set, and the position of the word in word_q.
  logic [7:0]  data_words_q, last_word_q;
  logic [63:0] end_mark_q;
  logic [31:0] length_q;
  logic        at_last, at_end, behind;

  assign at_last = place_q == last_word_q;
  assign at_end  = place_q == data_words_q;
  assign behind  = place_q > data_words_q;

  // (The first word, which is present before the set is known, is not the last one of any set.)
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      data_words_q <= '1;
      last_word_q  <= '1;
    end else if (start_i) begin
      for (int unsigned s = 0; s < MostSets; s++) begin
        if (Built[s] && start_set_i == set_t'(s)) begin
          data_words_q <= 8'(message_bytes(s) / 8);
          last_word_q  <= 8'((message_bytes(s) + 8) / 64 * 8 + 7);
        end
      end
    end
  end
  always_ff @(posedge clk_i) begin
    if (start_i) begin
      for (int unsigned s = 0; s < MostSets; s++) begin
        if (Built[s] && start_set_i == set_t'(s)) begin
          // Byte i of a word of the message is in bits 8i+7:8i.
          end_mark_q <= 64'h80 << (8 * (message_bytes(s) % 8));
          length_q   <= 32'(8 * message_bytes(s));
        end
      end
    end
  end

  function automatic logic [31:0] swapped(input logic [31:0] word);
    return {word[7:0], word[15:8], word[23:16], word[31:24]};
  endfunction

  // Parity is checked as words advance: for the first word when the hash begins, for the others if
  // they contain bytes of the message (the last word has none if its lowest byte is the first of
  // the padding).
  logic counts;
  assign counts = !behind && !at_last && !(at_end && end_mark_q[7]);
  memory_parity #(
    .Width     (64),
    .Depth     (Words),
    .ReadClocks(2)
  ) u_parity (
    .clk_i,
    .write_valid_i,
    .write_address_i(write_place_i),
    .write_data_i   (write_word_i),
    .read_enable_i  (step_q),
    .read_address_i (read_place),
    .check_i        (start_i || (step && counts)),
    .data_i         (word_q),
    .error_o        (memory_error_o)
  );

  always_comb begin
    padded = at_end ? word_q | end_mark_q : word_q;
    padded = {swapped(padded[31:0]), swapped(padded[63:32])};
    if (at_last) padded = {32'd0, length_q};
    else if (behind) padded = '0;
  end

  // ---- The digest, padded: the padding is shifted in after it --------------------------------
  logic [255:0] digest, digest_q;
  logic [3:0]   digest_place_q;
  logic [31:0]  behind_digest;

  always_comb begin
    behind_digest = '0;
    if (digest_place_q == 4'd0) behind_digest = 32'h8000_0000;
    if (digest_place_q == 4'd7) behind_digest = 32'd256;
  end

  // ---- Hashing -------------------------------------------------------------------------------
  logic feeds, sha_ready, settled;

  assign feeds = (state_q == Message && (second_q || there_q)) || state_q == Digest;
  assign taken = feeds && sha_ready;
  assign step  = taken && state_q == Message && second_q;

  sha256_block u_sha256 (
    .clk_i,
    .rst_ni,
    .in_valid_i(feeds),
    .in_ready_o(sha_ready),
    .in_data_i (state_q == Digest ? digest_q[255-:32] : feed_q[63:32]),
    .in_first_i(state_q == Digest ? digest_place_q == '0 : first_q && !second_q),
    .settled_o (settled),
    .digest_o  (digest)
  );

  always_comb begin
    state_d = state_q;
    unique case (state_q)
      Idle:       if (start_i) state_d = Message;
      Message:    if (step && last_q) state_d = MessageSum;
      MessageSum: if (settled) state_d = Digest;
      Digest:     if (taken && digest_place_q == 4'd15) state_d = DigestSum;
      DigestSum:  if (settled) state_d = Done;
      default:    if (done_ready_i) state_d = Idle;
    endcase
  end

  assign busy_o        = state_q != Idle;
  assign done_valid_o  = state_q == Done;
  assign done_digest_o = digest;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) state_q <= Idle;
    else state_q <= state_d;
  end

  // Until a hash begins, the first word passes through all three registers; the next two follow
  // then.
  always_ff @(posedge clk_i) begin
    step_q <= state_q == Idle || step;
    if (state_q == Idle) begin
      read_place_q <= start_i ? 8'd2 : 8'd0;
      place_q      <= '0;
      first_q      <= 1'b1;
      last_q       <= 1'b0;
      second_q     <= 1'b0;
    end else begin
      if (step_q) begin
        read_place_q <= read_place_q + 8'd1;
        place_q      <= place_q + 8'd1;
      end
      if (step) begin
        first_q <= 1'b0;
        last_q  <= at_last;
      end
      if (taken && state_q == Message) second_q <= !second_q;
    end
    if (state_q == Idle || step) feed_q <= padded;
    else if (taken) feed_q <= feed_q << 32;
    if (state_q == MessageSum) begin
      digest_q       <= digest;
      digest_place_q <= '0;
    end else if (taken && state_q == Digest) begin
      digest_q       <= {digest_q[223:0], behind_digest};
      digest_place_q <= digest_place_q + 4'd1;
    end
  end
endmodule
