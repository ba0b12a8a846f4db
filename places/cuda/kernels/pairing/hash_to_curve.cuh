// SPDX-License-Identifier: Apache-2.0 OR MIT
// Hashes messages to G1 and G2: hash_to_curve and encode_to_curve of the suites
// BLS12381G1_XMD:SHA-256_SSWU_RO_, _NU_, and the same for G2 (RFC 9380, sections 8.8.1 and 8.8.2).
#pragma once

#include "../hash/sha256.cuh"
#include "hash_to_g1.cuh"
#include "hash_to_g2.cuh"

// Words of `expand_message_xmd` for an element of F_p.
constexpr uint32 REDUCED_WORDS = 16;
// Words of `expand_message_xmd` for two elements of F_p^2, the most that a hash needs.
constexpr uint32 EXPANDED_WORDS = 4 * REDUCED_WORDS;
// Words of the two blocks that end each of its hashes but the first, for domains of up to 85 bytes.
constexpr uint32 TAIL_WORDS = 32;

// expand_message_xmd (section 5.3.1) of `words` words, a multiple of 8. The bytes from `place` on
// are the message, the number of expanded bytes in two bytes, a byte 0, and the domain separation
// tag with its length. `tail` has the blocks of big-endian words, `tail_words` in all, that are
// hashed for a b_i, with zeros in place of b_0 xor b_(i-1) and of i.
CALLED void expand_message(uint32 *expanded, uint32 words, const uint32 *data, uint64 place,
                           uint64 length, const uint32 *tail, uint32 tail_words) {
    uint32 first[8], block[16];
    sha256_begin(first);
    UNROLL for (uint32 i = 0; i < 16; ++i) block[i] = 0;
    sha256_compress(first, block);
    sha256_end(first, data, place, length, BLOCK_BYTES + length);
    NO_UNROLL for (uint32 number = 0; number < words / 8; ++number) {
        uint32 state[8];
        sha256_begin(state);
        NO_UNROLL for (uint32 begin = 0; begin < tail_words; begin += 16) {
            UNROLL for (uint32 i = 0; i < 16; ++i) block[i] = tail[begin + i];
            if (begin == 0) {
                UNROLL for (uint32 i = 0; i < 8; ++i) {
                    block[i] = first[i] ^ (number == 0 ? 0 : expanded[8 * (number - 1) + i]);
                }
                block[8] |= (number + 1) << 24;
            }
            sha256_compress(state, block);
        }
        UNROLL for (uint32 i = 0; i < 8; ++i) expanded[8 * number + i] = state[i];
    }
}

// An element of F_p from 16 big-endian words (hash_to_field, section 5.2). The upper four words
// are multiplied by 2^384.
CALLED void set_reduced(Fp &result, const uint32 *words) {
    Fp low, high = zero_limbs<12>();
    UNROLL for (uint32 i = 0; i < 12; ++i) low.words[i] = words[15 - i];
    UNROLL for (uint32 i = 0; i < 4; ++i) high.words[i] = words[3 - i];
    high = to_montgomery<Prime>(to_montgomery<Prime>(high));
    result = add<Prime>(high, to_montgomery<Prime>(low));
}

DEVICE void set_reduced(Fp2 &result, const uint32 *words) {
    set_reduced(result.c0, words);
    set_reduced(result.c1, words + REDUCED_WORDS);
}

// Words of `expand_message_xmd` for an element of F.
template <class F> constexpr uint32 REDUCED_WORDS_OF = sizeof(F) / sizeof(Fp) * REDUCED_WORDS;

// hash_to_curve from the expanded message for two elements, encode_to_curve for one.
template <class F>
CALLED void set_hashed_point(Affine<F> &result, const uint32 *expanded, uint32 elements) {
    Jacobian<F> sum, other;
    F u;
    NO_UNROLL for (uint32 i = 0; i < elements; ++i) {
        set_reduced(u, expanded + REDUCED_WORDS_OF<F> * i);
        map_to_curve(i == 0 ? sum : other, u);
    }
    if (elements == 2) add_point(sum, other);
    clear_cofactor(sum);
    set_affine(result, sum);
}
