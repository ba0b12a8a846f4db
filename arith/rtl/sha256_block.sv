// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// sha256_block: SHA-256's compression function (FIPS 180-4, section 6.2.2), one round a clock.
//
// Takes padded messages in 32-bit words, big-endian as the standard reads them: 16 a block, then
// none for 48 rounds. in_first_i on a block's first word begins a message anew; it is taken only
// when the block before has been added up. digest_o, the standard's H0 in the high bits, is right
// while settled_o is high, and stays until the next block's first word is taken.
//
// A block takes 65 clocks: 64 rounds, and one in which its result is added while the next block's
// first word is taken. A word's schedule and constant are summed a clock before its round.
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

  // A round, given the sum of its word and its constant.
  function automatic value_t round(input value_t value, input word_t added);
    word_t a, b, c, d, e, f, g, h, first, second;
    {a, b, c, d, e, f, g, h} = value;
    first = h + (rotate_right(e, 6) ^ rotate_right(e, 11) ^ rotate_right(e, 25))
        + ((e & f) ^ (~e & g)) + added;
    second = (rotate_right(a, 2) ^ rotate_right(a, 13) ^ rotate_right(a, 22))
        + ((a & b) ^ (a & c) ^ (b & c));
    return {first + second, a, b, c, d + first, e, f, g};
  endfunction

  logic [5:0]         next_q;     // number of the word whose round comes next but one
  logic               round_q;    // added_q waits for its round
  logic               sum_q;      // all rounds are done, the result is to be added
  word_t              added_q;
  word_t [15:0]       window_q;   // the last 16 words of the schedule, the youngest in [15]
  value_t             work_q, hash_q;
  logic               fresh, advance;
  word_t              word, sigma0, sigma1;
  value_t             summed;

  assign fresh      = next_q < 6'd16;
  // A first word may not overtake the sum that its message's value does not use.
  assign in_ready_o = fresh && !(next_q == '0 && (round_q || (sum_q && in_first_i)));
  assign advance    = fresh ? in_valid_i && in_ready_o : 1'b1;

  assign sigma0 = rotate_right(window_q[1], 7) ^ rotate_right(window_q[1], 18)
      ^ (window_q[1] >> 3);
  assign sigma1 = rotate_right(window_q[14], 17) ^ rotate_right(window_q[14], 19)
      ^ (window_q[14] >> 10);
  assign word   = fresh ? in_data_i : sigma1 + window_q[9] + sigma0 + window_q[0];

  for (genvar i = 0; i < 8; i++) begin : gen_sum
    assign summed[i] = hash_q[i] + work_q[i];
  end

  assign settled_o = next_q == '0 && !round_q && !sum_q;
  assign digest_o  = hash_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      next_q  <= '0;
      round_q <= 1'b0;
      sum_q   <= 1'b0;
    end else begin
      if (advance) next_q <= next_q + 6'd1;
      round_q <= advance;
      // The round of word 63, which was taken a clock ago.
      sum_q   <= round_q && next_q == '0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (advance) begin
      window_q <= {word, window_q[15:1]};
      added_q  <= word + Constants[next_q];
    end
    if (next_q == '0 && advance && in_first_i) begin
      work_q <= InitialValue;
      hash_q <= InitialValue;
    end else if (sum_q) begin
      work_q <= summed;
      hash_q <= summed;
    end else if (round_q) begin
      work_q <= round(work_q, added_q);
    end
  end
endmodule
