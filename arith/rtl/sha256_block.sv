// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// sha256_block: SHA-256's compression function (FIPS 180-4, section 6.2.2), one round per clock.
//
// Accepts padded messages in 32-bit words, big-endian as in the standard: 16 words per block, then
// none for 48 rounds. in_first_i on a block's first word starts a new message; it is accepted only
// when the previous block has been added. digest_o, with the standard's H0 in the high bits, is
// valid while settled_o is high, and stays until the next block's first word is accepted.
//
// A block takes 65 clocks: 64 rounds, and one in which its result is added. A word is accepted (or
// computed by the schedule) two clocks before its round; in the clock between, its constant and the
// round's h, which is known then, are added to it. So the next block's first word is accepted in
// the clock of the last round.
module sha256_block (
  input  logic         clk_i,
  input  logic         rst_ni,

  input  logic         in_valid_i,
  output logic         in_ready_o,
  input  logic [31:0]  in_data_i,
  input  logic         in_first_i,

  output logic         settled_o,
  output logic [255:0] digest_o
);
  typedef logic [31:0] word_t;
  typedef word_t [7:0] value_t;  // a (H0) is [7]

  // The first 32 bits of the fractional parts of the square roots of the first eight primes.
  localparam value_t InitialValue = {
    32'h6a09e667, 32'hbb67ae85, 32'h3c6ef372, 32'ha54ff53a,
    32'h510e527f, 32'h9b05688c, 32'h1f83d9ab, 32'h5be0cd19
  };
  // ... of the cube roots of the first 64 (section 4.2.2).
  localparam word_t Constants[64] = '{
    32'h428a2f98, 32'h71374491, 32'hb5c0fbcf, 32'he9b5dba5,
    32'h3956c25b, 32'h59f111f1, 32'h923f82a4, 32'hab1c5ed5,
    32'hd807aa98, 32'h12835b01, 32'h243185be, 32'h550c7dc3,
    32'h72be5d74, 32'h80deb1fe, 32'h9bdc06a7, 32'hc19bf174,
    32'he49b69c1, 32'hefbe4786, 32'h0fc19dc6, 32'h240ca1cc,
    32'h2de92c6f, 32'h4a7484aa, 32'h5cb0a9dc, 32'h76f988da,
    32'h983e5152, 32'ha831c66d, 32'hb00327c8, 32'hbf597fc7,
    32'hc6e00bf3, 32'hd5a79147, 32'h06ca6351, 32'h14292967,
    32'h27b70a85, 32'h2e1b2138, 32'h4d2c6dfc, 32'h53380d13,
    32'h650a7354, 32'h766a0abb, 32'h81c2c92e, 32'h92722c85,
    32'ha2bfe8a1, 32'ha81a664b, 32'hc24b8b70, 32'hc76c51a3,
    32'hd192e819, 32'hd6990624, 32'hf40e3585, 32'h106aa070,
    32'h19a4c116, 32'h1e376c08, 32'h2748774c, 32'h34b0bcb5,
    32'h391c0cb3, 32'h4ed8aa4a, 32'h5b9cca4f, 32'h682e6ff3,
    32'h748f82ee, 32'h78a5636f, 32'h84c87814, 32'h8cc70208,
    32'h90befffa, 32'ha4506ceb, 32'hbef9a3f7, 32'hc67178f2
  };

  function automatic word_t rotate_right(input word_t word, input int unsigned bits);
    return (word >> bits) | (word << (32 - bits));
  endfunction

  // ---- Sums of several words: three become two, without a carry chain in between ---------------
  function automatic word_t sums(input word_t a, input word_t b, input word_t c);
    return a ^ b ^ c;
  endfunction

  function automatic word_t carries(input word_t a, input word_t b, input word_t c);
    return ((a & b) | (a & c) | (b & c)) << 1;
  endfunction

  logic [5:0]   next_q;       // number of the next word
  logic [5:0]   place_q;      // number of the newest word of the window
  logic         word_q;       // it came one clock ago
  logic         round_q;      // added_q waits for its round
  logic         sum_q;        // all rounds are done, the result is to be added
  word_t        added_q;      // h, word and constant of a round
  word_t        schedule_q;   // the next schedule word, without the newest word's part
  word_t [15:1] window_q;     // the last 15 words of the schedule, the newest in [15]
  value_t       work_q, hash_q;
  logic         fresh_q, none_q;  // the next word is one of the 16 that come in, the first of them
  logic         advance;

  // ---- Words ---------------------------------------------------------------------------------
  word_t word, sigma0, sigma1;

  // A first word must not overtake the sum of the previous message's block.
  assign in_ready_o = fresh_q && !(none_q && (word_q || (in_first_i && (round_q || sum_q))));
  assign advance    = fresh_q ? in_valid_i && in_ready_o : 1'b1;

  assign sigma0 = rotate_right(window_q[2], 7) ^ rotate_right(window_q[2], 18)
      ^ (window_q[2] >> 3);
  assign sigma1 = rotate_right(window_q[14], 17) ^ rotate_right(window_q[14], 19)
      ^ (window_q[14] >> 10);
  assign word   = fresh_q ? in_data_i : sigma1 + schedule_q;

  // ---- h of the next round, with its word and constant -----------------------------------------
  word_t h_first, h_second, constant, pair_sums, pair_carries, h_sums, h_carries;

  always_comb begin
    constant     = Constants[place_q];
    h_first      = sum_q ? hash_q[0] : round_q ? work_q[1] : work_q[0];
    h_second     = sum_q ? work_q[0] : '0;
    pair_sums    = sums(constant, h_first, h_second);
    pair_carries = carries(constant, h_first, h_second);
    h_sums       = sums(pair_sums, pair_carries, window_q[15]);
    h_carries    = carries(pair_sums, pair_carries, window_q[15]);
  end

  // ---- A round, or the sum of a block: a, which has the most terms, uses the same adder --------
  word_t       a, b, c, d, e, f, g, unused_h;
  word_t [4:0] parts;  // of a; the first three are also e's, with d
  word_t       three_sums, three_carries, four_sums, four_carries, five_sums, five_carries;
  word_t       e_sums, e_carries, new_a, new_e;
  value_t      mixed, summed;

  always_comb begin
    {a, b, c, d, e, f, g, unused_h} = work_q;
    parts[0] = sum_q ? '0 : added_q;
    parts[1] = sum_q ? '0 : rotate_right(e, 6) ^ rotate_right(e, 11) ^ rotate_right(e, 25);
    parts[2] = sum_q ? '0 : (e & f) ^ (~e & g);
    parts[3] = sum_q ? a : rotate_right(a, 2) ^ rotate_right(a, 13) ^ rotate_right(a, 22);
    parts[4] = sum_q ? hash_q[7] : (a & b) ^ (a & c) ^ (b & c);

    three_sums    = sums(parts[0], parts[1], parts[2]);
    three_carries = carries(parts[0], parts[1], parts[2]);
    four_sums     = sums(three_sums, three_carries, parts[3]);
    four_carries  = carries(three_sums, three_carries, parts[3]);
    five_sums     = sums(four_sums, four_carries, parts[4]);
    five_carries  = carries(four_sums, four_carries, parts[4]);
    e_sums        = sums(three_sums, three_carries, d);
    e_carries     = carries(three_sums, three_carries, d);
    new_a         = five_sums + five_carries;
    new_e         = e_sums + e_carries;

    mixed = {new_a, a, b, c, new_e, e, f, g};
    for (int unsigned i = 0; i < 7; i++) summed[i] = hash_q[i] + work_q[i];
    summed[7] = new_a;
  end

  assign settled_o = none_q && !word_q && !round_q && !sum_q;
  assign digest_o  = hash_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      next_q  <= '0;
      fresh_q <= 1'b1;
      none_q  <= 1'b1;
      word_q  <= 1'b0;
      round_q <= 1'b0;
      sum_q   <= 1'b0;
    end else begin
      if (advance) begin
        next_q  <= next_q + 6'd1;
        fresh_q <= next_q < 6'd15 || next_q == 6'd63;
        none_q  <= next_q == 6'd63;
      end
      word_q  <= advance;
      round_q <= word_q;
      // The round of word 63, which was accepted two clocks ago.
      sum_q   <= round_q && !word_q && none_q;
    end
  end

  always_ff @(posedge clk_i) begin
    if (advance) begin
      place_q    <= next_q;
      window_q   <= {word, window_q[15:2]};
      schedule_q <= window_q[10] + sigma0 + window_q[1];
    end
    if (word_q) added_q <= h_sums + h_carries;
    if (none_q && advance && in_first_i) begin
      work_q <= InitialValue;
      hash_q <= InitialValue;
    end else begin
      if (sum_q) hash_q <= summed;
      if (sum_q || round_q) work_q <= sum_q ? summed : mixed;
    end
  end
endmodule
