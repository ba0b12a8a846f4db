// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// equihash_pkg: the parameter sets that can be built, the types between the parts of equihash_port,
// BLAKE2b's constants (RFC 7693, sections 2.6 and 2.7), and the constants of the wire format.
package equihash_pkg;
  // Each module uses some of these.
  /* verilator lint_off UNUSEDPARAM */
  localparam logic [31:0] ReplyVerify        = 32'h8000_0100;
  localparam logic [31:0] ReplyVerifyChecked = 32'h8000_0102;

  // The bit of a request's command word that distinguishes verify_equihash_checked from
  // verify_equihash.
  localparam int unsigned CheckedBit = 1;
  // The bytes after the message of a checked request: CRC-32C and four zero bytes.
  localparam int unsigned ChecksumBytes = 8;
  // The status of a checked reply if the request's checksum does not match.
  localparam logic [7:0] StatusCorrupt = 8'd4;

  // Bytes of a frame before the block header: its own header and the index.
  localparam int unsigned FixedBytes  = 16;
  localparam int unsigned HeaderBytes = 140;

  // ---- Parameter sets: n bits of a leaf, k levels --------------------------------------------
  // A set's number is its bit in the mask of built sets.
  localparam int unsigned MostSets = 4;
  localparam int unsigned SetN[MostSets] = '{200, 144, 96, 48};
  localparam int unsigned SetK[MostSets] = '{9, 5, 5, 5};
  localparam int unsigned MaxLevels    = 9;
  localparam int unsigned MaxIndexBits = 25;  // of (144, 5)
  localparam int unsigned MaxSlotBits  = 24;

  typedef logic [1:0] set_t;
  typedef logic [MaxIndexBits-1:0] index_t;
  /* verilator lint_on UNUSEDPARAM */

  // (Verilator reports the high bits of a table's index as unused.)
  /* verilator lint_off UNUSEDSIGNAL */

  function automatic int unsigned collision_bits(input int unsigned set);
    return SetN[set] / (SetK[set] + 1);
  endfunction

  function automatic int unsigned index_bits(input int unsigned set);
    return collision_bits(set) + 1;
  endfunction

  function automatic int unsigned solution_bytes(input int unsigned set);
    return (1 << SetK[set]) * index_bits(set) / 8;
  endfunction

  // Bytes of the length before the solution (Bitcoin's compactSize).
  function automatic int unsigned prefix_bytes(input int unsigned set);
    return solution_bytes(set) < 253 ? 1 : 3;
  endfunction

  // Header, length and solution: the input of the difficulty's hash.
  function automatic int unsigned message_bytes(input int unsigned set);
    return HeaderBytes + prefix_bytes(set) + solution_bytes(set);
  endfunction

  // Beats of the message, the last one partly filled.
  function automatic int unsigned message_words(input int unsigned set);
    return (message_bytes(set) + 7) / 8;
  endfunction

  // Zero bytes after a checked request's checksum, including those that fill its last beat.
  function automatic int unsigned checked_zeros(input int unsigned set);
    return 4 + (8 - (message_bytes(set) + ChecksumBytes) % 8) % 8;
  endfunction

  // The length field after the header, its first byte in the low bits.
  function automatic logic [23:0] prefix(input int unsigned set);
    return solution_bytes(set) < 253 ? 24'(solution_bytes(set))
                                     : {16'(solution_bytes(set)), 8'hfd};
  endfunction

  function automatic int unsigned leaves_per_hash(input int unsigned set);
    return 512 / SetN[set];
  endfunction

  /* verilator lint_on UNUSEDSIGNAL */

  // Bytes of the BLAKE2b output that leaves are cut from.
  function automatic int unsigned hash_bytes(input int unsigned set);
    return leaves_per_hash(set) * SetN[set] / 8;
  endfunction

  // The most levels of the sets in a mask.
  function automatic int unsigned most_levels(input logic [MostSets-1:0] built);
    most_levels = 0;
    for (int unsigned s = 0; s < MostSets; s++) begin
      if (built[s] && SetK[s] > most_levels) most_levels = SetK[s];
    end
  endfunction

  // Returns 1 if a set of the mask has this number of levels.
  function automatic logic some_ends(input logic [MostSets-1:0] built, input int unsigned level);
    some_ends = 1'b0;
    for (int unsigned s = 0; s < MostSets; s++) some_ends |= built[s] && SetK[s] == level;
  endfunction

  // Returns 1 if a set's tree ends at this level.
  function automatic logic ends(input set_t set, input int unsigned level);
    return SetK[set] == level;
  endfunction

  // ---- Solutions in progress -----------------------------------------------------------------
  localparam int unsigned Slots = 8;
  typedef logic [$clog2(Slots)-1:0] slot_t;

  // The mask of failed checks (reply of verify_equihash).
  typedef struct packed {
    logic duplicate;
    logic collision;
    logic order;
    logic xor_rest;
    logic difficulty;
  } mask_t;

  // An index that is being processed.
  typedef struct packed {
    slot_t  slot;
    set_t   set;
    logic   first;  // of its solution
    logic   last;
    index_t index;
  } leaf_t;

  // ---- BLAKE2b -------------------------------------------------------------------------------
  /* verilator lint_off UNUSEDPARAM */
  localparam int unsigned Rounds = 12;

  // Word 0 in the low bits.
  localparam logic [7:0][63:0] InitialValue = {
    64'h5be0cd19137e2179, 64'h1f83d9abfb41bd6b, 64'h9b05688c2b3e6c1f, 64'h510e527fade682d1,
    64'ha54ff53a5f1d36f1, 64'h3c6ef372fe94f82b, 64'hbb67ae8584caa73b, 64'h6a09e667f3bcc908
  };

  // The order of the message's words in a round, the first in the low digit.
  localparam logic [15:0][3:0] Sigma[10] = '{
    64'hfedcba9876543210, 64'h357b20c16df984ae, 64'h491763eadf250c8b, 64'h8f04a562ebcd1397,
    64'hd386cb1efa427509, 64'h91ef57d438b0a6c2, 64'hb8293670a4def15c, 64'ha2684f05931ce7bd,
    64'h5a417d2c803b9ef6, 64'h0dc3e9bf5167482a
  };
  /* verilator lint_on UNUSEDPARAM */

  // The value before the first block: parameters of BLAKE2b (RFC 7693, section 2.5; BLAKE2 paper,
  // section 2.8): digest length, fan-out and depth 1, and `ZcashPoW` || n || k.
  function automatic logic [7:0][63:0] first_value(input int unsigned set);
    first_value = InitialValue;
    first_value[0] ^= 64'h0101_0000 | 64'(hash_bytes(set));
    first_value[6] ^= 64'h576f_5068_7361_635a;  // ZcashPoW
    first_value[7] ^= {32'(SetK[set]), 32'(SetN[set])};
  endfunction
endpackage
