// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// equihash_sha_lane: the double SHA-256 of one block header at a time, solution included.
//
// The message's words, eight bytes each, the first in the low bits, are written into the lane's own
// memory; start_i begins the hash. From then until the digest has been taken the lane is busy, and
// no word may be written. Zeros must stand behind the message in its last word; the padding is put
// in while the words are read.
//
// A message of b blocks takes 65 * (b + 1) + 5 clocks from start_i to done_valid_o.
module equihash_sha_lane
  import equihash_pkg::*;
#(
  parameter logic [Sets-1:0] Built = 4'b0001
) (
  input  logic         clk_i,
  input  logic         rst_ni,

  input  logic         write_valid_i,
  input  logic [7:0]   write_place_i,
  input  logic [63:0]  write_word_i,

  input  logic         start_i,
  input  set_t         start_set_i,
  output logic         busy_o,

  output logic         done_valid_o,
  input  logic         done_ready_i,
  output logic [255:0] done_digest_o  // the standard's H0 in the high bits
);
  // The memory's depth, in words of the message.
  localparam int unsigned Words = 256;

  typedef enum logic [2:0] { Idle, Message, MessageSum, Digest, DigestSum, Done } state_e;

  state_e state_q, state_d;
  set_t   set_q;

  // ---- The message, padded -------------------------------------------------------------------
  logic [63:0] memory[Words];
  logic [63:0] read_q, padded;
  logic [7:0]  place_q;   // of the word in read_q
  logic [7:0]  read_place;
  logic        second_q;  // half of it
  logic        step, taken;
  logic [7:0]  data_words, last_word;
  logic [63:0] end_mark, length;

  // One read port, so that it may become block memory.
  assign read_place = start_i ? '0 : place_q + 8'd1;
  always_ff @(posedge clk_i) begin
    if (write_valid_i) memory[write_place_i] <= write_word_i;
    if (start_i || step) read_q <= memory[read_place];
  end

  // Byte i of a word of the message stands in bits 8i.
  always_comb begin
    data_words = '0;
    last_word  = '0;
    end_mark   = '0;
    length     = '0;
    for (int unsigned s = 0; s < Sets; s++) begin
      if (Built[s] && set_q == set_t'(s)) begin
        data_words = 8'(message_bytes(s) / 8);
        last_word  = 8'((message_bytes(s) + 8) / 64 * 8 + 7);
        end_mark   = 64'h80 << (8 * (message_bytes(s) % 8));
        length     = 64'(8 * message_bytes(s));
      end
    end
  end

  function automatic logic [31:0] swapped(input logic [31:0] word);
    return {word[7:0], word[15:8], word[23:16], word[31:24]};
  endfunction

  // Both halves as SHA-256 reads them, the first on top.
  always_comb begin
    if (place_q == last_word) padded = length;
    else if (place_q > data_words) padded = '0;
    else begin
      padded = place_q == data_words ? read_q | end_mark : read_q;
      padded = {swapped(padded[31:0]), swapped(padded[63:32])};
    end
  end

  // ---- The digest, padded --------------------------------------------------------------------
  logic [255:0] digest, digest_q;
  logic [3:0]   word_q;
  logic [31:0]  digest_word;

  always_comb begin
    digest_word = digest_q[255-:32];
    if (word_q == 4'd8) digest_word = 32'h8000_0000;
    else if (word_q == 4'd15) digest_word = 32'd256;
    else if (word_q[3]) digest_word = '0;
  end

  // ---- Hashing -------------------------------------------------------------------------------
  logic feeds, sha_ready, settled;

  assign feeds = state_q == Message || state_q == Digest;
  assign taken = feeds && sha_ready;
  assign step  = taken && state_q == Message && second_q;

  sha256_block u_sha256 (
    .clk_i,
    .rst_ni,
    .in_valid_i(feeds),
    .in_ready_o(sha_ready),
    .in_data_i (state_q == Digest ? digest_word : second_q ? padded[31:0] : padded[63:32]),
    .in_first_i(state_q == Digest ? word_q == '0 : place_q == '0 && !second_q),
    .settled_o (settled),
    .digest_o  (digest)
  );

  always_comb begin
    state_d = state_q;
    unique case (state_q)
      Idle:       if (start_i) state_d = Message;
      Message:    if (step && place_q == last_word) state_d = MessageSum;
      MessageSum: if (settled) state_d = Digest;
      Digest:     if (taken && word_q == 4'd15) state_d = DigestSum;
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

  always_ff @(posedge clk_i) begin
    if (start_i) begin
      set_q    <= start_set_i;
      place_q  <= '0;
      second_q <= 1'b0;
    end else if (taken && state_q == Message) begin
      second_q <= !second_q;
      if (second_q) place_q <= place_q + 8'd1;
    end
    if (state_q == MessageSum) begin
      digest_q <= digest;
      word_q   <= '0;
    end else if (taken && state_q == Digest) begin
      digest_q <= digest_q << 32;
      word_q   <= word_q + 4'd1;
    end
  end
endmodule
