// SPDX-License-Identifier: Apache-2.0 OR MIT
// BLS12-381: encodings of points, hashes to G2, and products of two pairings.
//
// A thread has an item, whose fields above F_p are in local memory: these kernels have a stack.
// Between kernels, word w of point i is at w * stride + i, and infinity is x = y = 0.
#include "pairing/encodings.cuh"
#include "pairing/hash_to_curve.cuh"
#include "pairing/pairing.cuh"

template <class F>
DEVICE void read_points(const uint32 *encodings, const uint32 *forms, uint32 *points,
                        uint32 *statuses, uint64 count) {
    constexpr uint64 WORDS = 2 * WORDS_OF<F>;
    uint64 item = global_index();
    if (item >= count) return;
    Affine<F> p;
    statuses[item] = read_point(p, encodings + WORDS * item, forms[item]);
    store_point(points + item, p, count);
}

// Decodes points of G1: 24 words each, of which a compressed one fills the first 12. A `form` is a
// PointForm, a status a PointStatus. An invalid point becomes infinity.
CALLING_KERNEL(64, bls12_381_read_g1, const uint32 *encodings, const uint32 *forms,
               uint32 *points, uint32 *statuses, uint32 count) {
    read_points<Fp>(encodings, forms, points, statuses, count);
}

// The same for points of G2, of 48 words.
CALLING_KERNEL(64, bls12_381_read_g2, const uint32 *encodings, const uint32 *forms,
               uint32 *points, uint32 *statuses, uint32 count) {
    read_points<Fp2>(encodings, forms, points, statuses, count);
}

// Hashes messages to points of G2. `data` is that of expand_message, `tails` has the tail of each
// domain, and `domains` the number of each message's domain.
CALLING_KERNEL(64, bls12_381_hash_to_g2, const uint32 *data, const uint64 *offsets,
               const uint32 *tails, const uint32 *domains, uint32 *points, uint32 count) {
    uint64 item = global_index();
    if (item >= count) return;
    uint32 expanded[EXPANDED_WORDS];
    uint64 place = offsets[item];
    expand_message(expanded, EXPANDED_WORDS, data, place, offsets[item + 1] - place,
                   tails + TAIL_WORDS * domains[item], TAIL_WORDS);
    Affine<Fp2> p;
    set_hashed_point(p, expanded, 2);
    store_point(points + item, p, count);
}

// Lists of check_pairs that have one point for all items.
enum Shared : uint32 { FIRST_P = 1, FIRST_Q = 2, SECOND_P = 4, SECOND_Q = 8 };

template <class F>
DEVICE void load_listed(Affine<F> &p, const uint32 *points, uint64 item, uint64 count,
                        bool is_shared) {
    load_point(p, is_shared ? points : points + item, is_shared ? 1 : count);
}

// Writes 1 if e(first_p, first_q) * e(second_p, second_q) = 1, and else 0. `shared` has bits of
// Shared.
CALLING_KERNEL(64, bls12_381_check_pairs, const uint32 *first_p, const uint32 *first_q,
               const uint32 *second_p, const uint32 *second_q, uint32 shared, uint32 *verdicts,
               uint32 count) {
    uint64 item = global_index();
    if (item >= count) return;
    Pair pairs[2];
    load_listed(pairs[0].p, first_p, item, count, (shared & FIRST_P) != 0);
    load_listed(pairs[0].q, first_q, item, count, (shared & FIRST_Q) != 0);
    load_listed(pairs[1].p, second_p, item, count, (shared & SECOND_P) != 0);
    load_listed(pairs[1].q, second_q, item, count, (shared & SECOND_Q) != 0);
    Fp12 value;
    set_miller_product(value, pairs, 2);
    exponentiate_finally(value);
    verdicts[item] = is_one(value) ? 1 : 0;
}
