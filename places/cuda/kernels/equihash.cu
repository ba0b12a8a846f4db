// SPDX-License-Identifier: Apache-2.0 OR MIT
// Verifies solutions of Equihash (Zcash protocol specification, sections 7.7.1 and 7.7.4): a block
// of threads per solution.
//
// An item is four numbers: the byte of its input in `data`, the input's length, the byte of its
// solution in the minimal form, and, for a block header, the length of header, length and solution,
// which follow each other from the input on; otherwise 0. `data` is aligned to 16 bytes and a
// multiple of 4 bytes long.
#include "hash/blake2b.cuh"
#include "hash/sha256.cuh"

// Failed checks, as in the engine's masks.
enum Failure : uint32 { DIFFICULTY = 1, XOR = 2, ORDER = 4, COLLISION = 8, DUPLICATE = 16 };

constexpr uint32 ITEM_NUMBERS = 4;
// The byte of the compact target in a header.
constexpr uint32 TARGET_BYTE = 104;
// The most words of a leaf.
constexpr uint32 LEAF_WORDS = 8;
constexpr uint32 BLOCK_WORDS = 16;

// n, k and the values that follow from them.
struct Puzzle {
    uint32 n, k;

    METHOD uint32 collision_bits() const { return n / (k + 1); }
    METHOD uint32 index_bits() const { return collision_bits() + 1; }
    METHOD uint32 indices() const { return 1u << k; }
    METHOD uint32 leaves_per_hash() const { return 512 / n; }
};

// Reads the block of 128 bytes at a byte, of which `bytes` follow; the others are 0.
DEVICE void read_long_block(const uint32 *data, uint64 place, uint32 bytes, uint64 *block) {
    uint32 half[16];
    NO_UNROLL for (uint32 part = 0; part < 2; ++part) {
        uint32 before = part * BLOCK_BYTES;
        uint32 rest = bytes > before ? bytes - before : 0;
        read_block(data, place + before, rest < BLOCK_BYTES ? rest : BLOCK_BYTES, half);
        UNROLL for (uint32 i = 0; i < 8; ++i) {
            uint64 word = static_cast<uint64>(half[2 * i + 1]) << 32 | half[2 * i];
            if (part == 0) {
                block[i] = word;
            } else {
                block[8 + i] = word;
            }
        }
    }
}

// Returns true if a compact target is valid and a hash, little-endian in words, is at most it.
DEVICE bool meets_target(const uint32 *hash, uint32 compact) {
    uint32 size = compact >> 24, mantissa = compact & 0x7fffff;
    if (size < 3) mantissa >>= 8 * (3 - size);
    if (mantissa == 0 || (compact >> 23 & 1) != 0) return false;
    uint32 shift = size < 3 ? 0 : 8 * (size - 3), place = shift / 32;
    uint64 shifted = static_cast<uint64>(mantissa) << (shift % 32);
    uint32 low = static_cast<uint32>(shifted), high = static_cast<uint32>(shifted >> 32);
    if (place >= 8 || (place == 7 && high != 0)) return false;
    bool is_less = true;
    UNROLL for (uint32 i = 0; i < 8; ++i) {
        uint32 word = i == place ? low : (i == place + 1 ? high : 0);
        is_less = hash[i] < word || (hash[i] == word && is_less);
    }
    return is_less;
}

// Hashes the input's whole blocks (BLAKE2b with the personalization of n and k), and checks the
// difficulty of headers.
KERNEL(128, equihash_begin, const uint32 *data, const uint64 *items, uint64 *states, uint32 *masks,
       uint32 count, uint32 n, uint32 k) {
    uint64 index = global_index();
    if (index >= count) return;
    Puzzle puzzle{n, k};
    const uint64 *item = items + index * ITEM_NUMBERS;
    uint64 value[8], block[BLOCK_WORDS];
    UNROLL for (uint32 i = 0; i < 8; ++i) value[i] = blake2b_initial(i);
    // The parameters (RFC 7693, section 2.5): the length of the output, fanout 1, depth 1, and the
    // personalization "ZcashPoW", n, k.
    value[0] ^= 0x01010000u ^ (puzzle.leaves_per_hash() * n / 8);
    value[6] ^= 0x576f50687361635aull;
    value[7] ^= static_cast<uint64>(k) << 32 | n;
    uint64 blocks = item[1] / BLAKE2B_BLOCK_BYTES;
    NO_UNROLL for (uint64 i = 0; i < blocks; ++i) {
        read_long_block(data, item[0] + i * BLAKE2B_BLOCK_BYTES, BLAKE2B_BLOCK_BYTES, block);
        blake2b_compress(value, block, (i + 1) * BLAKE2B_BLOCK_BYTES, false);
    }
    UNROLL for (uint32 i = 0; i < 8; ++i) states[index * 8 + i] = value[i];
    uint32 mask = 0;
    if (item[3] != 0) {
        uint32 hash[8], words[16], target[16];
        sha256_begin(hash);
        sha256_end(hash, data, item[0], item[3], item[3]);
        UNROLL for (uint32 i = 0; i < 16; ++i) words[i] = i < 8 ? hash[i] : 0;
        words[8] = 0x80000000u;
        words[15] = 256;
        sha256_begin(hash);
        sha256_compress(hash, words);
        UNROLL for (uint32 i = 0; i < 8; ++i) hash[i] = swap_bytes(hash[i]);
        read_block(data, item[0] + TARGET_BYTE, 4, target);
        if (!meets_target(hash, target[0])) mask = DIFFICULTY;
    }
    masks[index] = mask;
}

// Writes the hash of a number: BLAKE2b of the input and the number, 32 bits, little-endian.
DEVICE void leaf_hash(const uint32 *data, const uint64 *item, const uint64 *state, uint32 number,
                      uint64 *value) {
    uint64 length = item[1], whole = length / BLAKE2B_BLOCK_BYTES * BLAKE2B_BLOCK_BYTES;
    uint32 rest = static_cast<uint32>(length - whole), place = rest / 8, shift = rest % 8 * 8;
    uint64 block[BLOCK_WORDS];
    read_long_block(data, item[0] + whole, rest, block);
    uint64 low = static_cast<uint64>(number) << shift;
    uint64 high = shift > 32 ? static_cast<uint64>(number) >> (64 - shift) : 0;
    UNROLL for (uint32 i = 0; i < BLOCK_WORDS; ++i) {
        block[i] |= (i == place ? low : 0) | (i == place + 1 ? high : 0);
    }
    UNROLL for (uint32 i = 0; i < 8; ++i) value[i] = state[i];
    bool is_split = rest + 4 > BLAKE2B_BLOCK_BYTES;
    NO_UNROLL for (uint32 part = 0; part < (is_split ? 2u : 1u); ++part) {
        bool is_last = !is_split || part == 1;
        uint64 end = is_last ? length + 4 : whole + BLAKE2B_BLOCK_BYTES;
        blake2b_compress(value, block, end, is_last);
        // The rest of the number begins the second block.
        UNROLL for (uint32 i = 0; i < BLOCK_WORDS; ++i) block[i] = i == 0 ? high : 0;
    }
}

// Index number `i` of a solution.
DEVICE uint32 read_index(const uint32 *data, uint64 solution, uint32 i, uint32 bits) {
    uint64 bit = solution * 8 + static_cast<uint64>(i) * bits;
    const uint32 *words = data + bit / 32;
    uint32 skipped = static_cast<uint32>(bit % 32);
    uint32 second = skipped + bits > 32 ? swap_bytes(words[1]) : 0;
    uint64 both = static_cast<uint64>(swap_bytes(words[0])) << 32 | second;
    return static_cast<uint32>((both << skipped) >> (64 - bits));
}

// The memory of a block. Words of the same place of all leaves are next to each other; a leaf's
// first bit is the highest of its first word.
template <uint32 MOST, uint32 THREADS> struct Tree {
    uint32 indices[MOST], sorted[MOST], leaves[LEAF_WORDS * MOST], hashes[16 * THREADS], mask;

    METHOD uint32 leaf_word(uint32 slot, uint32 word) const { return leaves[word * MOST + slot]; }

    // Writes the leaf of a slot: bytes of the hash from `first` on.
    METHOD void store_leaf(uint32 slot, const uint64 *value, uint32 first, uint32 n) {
        uint32 thread = thread_index();
        UNROLL for (uint32 i = 0; i < 8; ++i) {
            uint32 low = static_cast<uint32>(value[i]), high = static_cast<uint32>(value[i] >> 32);
            hashes[2 * i * THREADS + thread] = swap_bytes(low);
            hashes[(2 * i + 1) * THREADS + thread] = swap_bytes(high);
        }
        uint32 shift = first % 4 * 8;
        NO_UNROLL for (uint32 i = 0; 32 * i < n; ++i) {
            uint32 place = first / 4 + i;
            uint64 both = static_cast<uint64>(hashes[place * THREADS + thread]) << 32;
            if (place + 1 < 16) both |= hashes[(place + 1) * THREADS + thread];
            uint32 word = static_cast<uint32>(both << shift >> 32), kept = n - 32 * i;
            leaves[i * MOST + slot] = kept >= 32 ? word : word >> (32 - kept) << (32 - kept);
        }
    }

    // The `bits` bits of a slot's node from bit `first` on.
    METHOD uint32 slice(uint32 slot, uint32 first, uint32 bits) const {
        uint32 word = first / 32, skipped = first % 32;
        uint64 both = static_cast<uint64>(leaf_word(slot, word)) << 32;
        if (skipped + bits > 32) both |= leaf_word(slot, word + 1);
        return static_cast<uint32>((both << skipped) >> (64 - bits));
    }

    // Joins two nodes; returns the failed checks.
    METHOD uint32 join(uint32 left, uint32 right, uint32 n, uint32 first, uint32 bits) {
        NO_UNROLL for (uint32 i = 0; 32 * i < n; ++i) {
            leaves[i * MOST + left] ^= leaves[i * MOST + right];
        }
        uint32 failed = slice(left, first, bits) != 0 ? uint32{COLLISION} : 0;
        return failed | (indices[left] >= indices[right] ? uint32{ORDER} : 0);
    }

    // One step of a bitonic sort of 2^k indices (Batcher 1968).
    METHOD void sort_step(uint32 count, uint32 length, uint32 distance) {
        for (uint32 i = thread_index(); i < count; i += block_size()) {
            uint32 other = i ^ distance;
            if (other <= i) continue;
            uint32 a = sorted[i], b = sorted[other];
            if ((a > b) == ((i & length) == 0)) {
                sorted[i] = b;
                sorted[other] = a;
            }
        }
        barrier();
    }

    METHOD void verify(const uint32 *data, const uint64 *item, const uint64 *state,
                       const Puzzle &puzzle) {
        uint32 count = puzzle.indices(), n = puzzle.n, bits = puzzle.collision_bits();
        uint32 leaves_per_hash = puzzle.leaves_per_hash(), failed = 0;
        if (thread_index() == 0) mask = 0;
        NO_UNROLL for (uint32 i = thread_index(); i < count; i += block_size()) {
            uint32 index = read_index(data, item[2], i, puzzle.index_bits());
            indices[i] = sorted[i] = index;
            uint64 value[8];
            leaf_hash(data, item, state, index / leaves_per_hash, value);
            store_leaf(i, value, index % leaves_per_hash * (n / 8), n);
        }
        barrier();
        for (uint32 level = 0; level < puzzle.k; ++level) {
            uint32 half = 1u << level;
            for (uint32 i = thread_index(); i < count >> (level + 1); i += block_size()) {
                failed |= join(2 * half * i, 2 * half * i + half, n, level * bits, bits);
            }
            barrier();
        }
        for (uint32 length = 2; length <= count; length *= 2) {
            for (uint32 distance = length / 2; distance > 0; distance /= 2) {
                sort_step(count, length, distance);
            }
        }
        for (uint32 i = thread_index(); i + 1 < count; i += block_size()) {
            if (sorted[i] == sorted[i + 1]) failed |= DUPLICATE;
        }
        for (uint32 i = thread_index(); 32 * i < n; i += block_size()) {
            if (leaf_word(0, i) != 0) failed |= XOR;
        }
        if (failed != 0) atomic_or(&mask, failed);
        barrier();
    }
};

// Completes the masks: block i verifies solution i. MOST is the largest number of indices.
#define VERIFY_ARGUMENTS                                                                        \
    const uint32 *data, const uint64 *items, const uint64 *states, uint32 *masks, uint32 count, \
        uint32 n, uint32 k
#define VERIFY_BODY(MOST, THREADS)                                                              \
    {                                                                                           \
        SHARED Tree<MOST, THREADS> tree;                                                        \
        uint64 index = block_index();                                                           \
        Puzzle puzzle{n, k};                                                                    \
        if (index >= count || puzzle.indices() > MOST || n > 32 * LEAF_WORDS) return;           \
        tree.verify(data, items + index * ITEM_NUMBERS, states + index * 8, puzzle);            \
        if (thread_index() == 0) masks[index] |= tree.mask;                                     \
    }

KERNEL(128, equihash_verify_512, VERIFY_ARGUMENTS) VERIFY_BODY(512, 128)
KERNEL(32, equihash_verify_32, VERIFY_ARGUMENTS) VERIFY_BODY(32, 32)
