// SPDX-License-Identifier: Apache-2.0 OR MIT
// BLS12-381: sums of points and of their multiples, maps and hashes to both groups, and products of
// pairings.
//
// Points from and to the host are consecutive; infinity is x = y = 0.
#include "pairing/buckets.cuh"
#include "pairing/encodings.cuh"
#include "pairing/hash_to_curve.cuh"
#include "pairing/products.cuh"

// Counts the entries of buckets. A term has a scalar of eight words and the number of its sum; each
// sum has `windows` windows of 2^(bits - 1) buckets.
KERNEL(128, bls12_381_evaluate_count_digits, const uint32 *scalars, const uint32 *sums,
       uint32 bits, uint32 windows, uint32 *counts, uint32 count) {
    uint64 item = global_index();
    if (item >= count) return;
    Digits digits{scalars + 8 * item, bits, 0, 0};
    uint64 first = static_cast<uint64>(sums[item]) * windows;
    NO_UNROLL for (uint32 window = 0; window < windows; ++window) {
        bool is_negative;
        uint32 digit = digits.next(is_negative);
        if (digit != 0) atomic_add(counts + ((first + window) << (bits - 1)) + digit - 1, 1);
    }
}

constexpr uint32 ALLOT_THREADS = 128, ALLOT_EACH = 8;

// Gives each bucket the places of its entries: replaces counts by the first place of each. Buckets
// of a block follow each other, and blocks are in any order. `total` begins at 0.
KERNEL(ALLOT_THREADS, bls12_381_evaluate_allot, uint32 *counts, uint32 *total, uint32 count) {
    SHARED uint32 ends[ALLOT_THREADS], begin;
    uint32 thread = thread_index();
    uint64 first = global_index() * ALLOT_EACH;
    uint32 own = 0;
    NO_UNROLL for (uint32 i = 0; i < ALLOT_EACH; ++i) {
        if (first + i < count) own += counts[first + i];
    }
    ends[thread] = own;
    barrier();
    NO_UNROLL for (uint32 step = 1; step < ALLOT_THREADS; step *= 2) {
        uint32 below = thread >= step ? ends[thread - step] : 0;
        barrier();
        ends[thread] += below;
        barrier();
    }
    if (thread == ALLOT_THREADS - 1) begin = atomic_add(total, ends[thread]);
    barrier();
    uint32 place = begin + ends[thread] - own;
    NO_UNROLL for (uint32 i = 0; i < ALLOT_EACH && first + i < count; ++i) {
        uint32 entries = counts[first + i];
        counts[first + i] = place;
        place += entries;
    }
}

// Writes the entries of buckets with their keys, the numbers of the buckets. `places` are those of
// `allot`, which move to the ends.
KERNEL(128, bls12_381_evaluate_place_digits, const uint32 *scalars, const uint32 *sums,
       uint32 bits, uint32 windows, uint32 *places, uint32 *entries, uint32 *keys, uint32 count) {
    uint64 item = global_index();
    if (item >= count) return;
    Digits digits{scalars + 8 * item, bits, 0, 0};
    uint64 first = static_cast<uint64>(sums[item]) * windows;
    NO_UNROLL for (uint32 window = 0; window < windows; ++window) {
        bool is_negative;
        uint32 digit = digits.next(is_negative);
        if (digit == 0) continue;
        uint64 bucket = ((first + window) << (bits - 1)) + digit - 1;
        uint32 place = atomic_add(places + bucket, 1);
        entries[place] = static_cast<uint32>(item) | (is_negative ? NEGATED : 0);
        keys[place] = static_cast<uint32>(bucket);
    }
}

// Adds the points of entries to their buckets, `length` entries each thread. Without `total`, there
// are `most` entries; without `entries`, entry i is point i.
KERNEL(64, bls12_381_evaluate_add_entries_g1, const uint32 *points, const uint32 *entries,
       const uint32 *keys, const uint32 *total, uint32 most, uint32 length, uint32 *buckets,
       uint32 *carries, uint32 *carry_keys, uint32 count) {
    uint64 item = global_index();
    if (item >= count) return;
    add_entries<Fp>(points, entries, keys, total == nullptr ? most : *total, length, item, buckets,
                    carries, carry_keys);
}

CALLING_KERNEL(64, bls12_381_evaluate_add_entries_g2, const uint32 *points, const uint32 *entries,
               const uint32 *keys, const uint32 *total, uint32 most, uint32 length,
               uint32 *buckets, uint32 *carries, uint32 *carry_keys, uint32 count) {
    uint64 item = global_index();
    if (item >= count) return;
    add_entries<Fp2>(points, entries, keys, total == nullptr ? most : *total, length, item,
                     buckets, carries, carry_keys);
}

// Adds carries to their buckets.
CALLING_KERNEL(64, bls12_381_evaluate_add_carries_g1, const uint32 *carries, const uint32 *keys,
               uint32 most, uint32 length, uint32 *buckets, uint32 *next_carries,
               uint32 *next_keys, uint32 count) {
    uint64 item = global_index();
    if (item >= count) return;
    add_carries<Fp>(carries, keys, most, length, item, buckets, next_carries, next_keys);
}

CALLING_KERNEL(64, bls12_381_evaluate_add_carries_g2, const uint32 *carries, const uint32 *keys,
               uint32 most, uint32 length, uint32 *buckets, uint32 *next_carries,
               uint32 *next_keys, uint32 count) {
    uint64 item = global_index();
    if (item >= count) return;
    add_carries<Fp2>(carries, keys, most, length, item, buckets, next_carries, next_keys);
}

// Adds the buckets of segments of windows with their weights.
CALLING_KERNEL(64, bls12_381_evaluate_reduce_g1, const uint32 *buckets, uint32 length,
               uint32 segments, uint32 *sums, uint32 count) {
    uint64 item = global_index();
    if (item < count) reduce_segment<Fp>(buckets, length, segments, item, sums);
}

CALLING_KERNEL(64, bls12_381_evaluate_reduce_g2, const uint32 *buckets, uint32 length,
               uint32 segments, uint32 *sums, uint32 count) {
    uint64 item = global_index();
    if (item < count) reduce_segment<Fp2>(buckets, length, segments, item, sums);
}

// Adds groups of consecutive points.
CALLING_KERNEL(64, bls12_381_evaluate_add_groups_g1, const uint32 *points, uint32 length,
               uint32 *sums, uint32 count) {
    uint64 item = global_index();
    if (item < count) add_group<Fp>(points, length, item, sums);
}

CALLING_KERNEL(64, bls12_381_evaluate_add_groups_g2, const uint32 *points, uint32 length,
               uint32 *sums, uint32 count) {
    uint64 item = global_index();
    if (item < count) add_group<Fp2>(points, length, item, sums);
}

// Writes points in Jacobian coordinates, for the host.
CALLING_KERNEL(64, bls12_381_evaluate_write_jacobian_g1, const uint32 *points, uint32 *results,
               uint32 count) {
    uint64 item = global_index();
    if (item < count) write_jacobian<Fp>(points, item, results);
}

CALLING_KERNEL(64, bls12_381_evaluate_write_jacobian_g2, const uint32 *points, uint32 *results,
               uint32 count) {
    uint64 item = global_index();
    if (item < count) write_jacobian<Fp2>(points, item, results);
}

// Adds the windows of sums, and compresses the sums.
CALLING_KERNEL(64, bls12_381_evaluate_join_windows_g1, const uint32 *sums, uint32 windows,
               uint32 bits, uint32 *encodings, uint32 count) {
    uint64 item = global_index();
    if (item < count) join_windows<Fp>(sums, windows, bits, item, encodings);
}

CALLING_KERNEL(64, bls12_381_evaluate_join_windows_g2, const uint32 *sums, uint32 windows,
               uint32 bits, uint32 *encodings, uint32 count) {
    uint64 item = global_index();
    if (item < count) join_windows<Fp2>(sums, windows, bits, item, encodings);
}

// The domain of a hash: its number, and this bit for encode_to_curve.
constexpr uint32 ENCODE = 0x80000000;

// Hashes messages. `data` is that of expand_message. Domain d has the words of `tails` from
// tail_starts[d] to tail_starts[d + 1].
template <class F>
DEVICE void hash_message(const uint32 *data, const uint64 *offsets, const uint32 *tails,
                         const uint32 *tail_starts, const uint32 *domains, uint64 item,
                         uint32 *encodings) {
    uint32 expanded[EXPANDED_WORDS], domain = domains[item] & ~ENCODE;
    uint32 elements = (domains[item] & ENCODE) != 0 ? 1 : 2;
    uint64 place = offsets[item];
    uint32 begin = tail_starts[domain];
    expand_message(expanded, REDUCED_WORDS_OF<F> * elements, data, place,
                   offsets[item + 1] - place, tails + begin, tail_starts[domain + 1] - begin);
    Affine<F> p;
    set_hashed_point(p, expanded, elements);
    write_compressed(encodings + WORDS_OF<F> * item, p);
}

CALLING_KERNEL(64, bls12_381_evaluate_hash_g1, const uint32 *data, const uint64 *offsets,
               const uint32 *tails, const uint32 *tail_starts, const uint32 *domains,
               uint32 *encodings, uint32 count) {
    uint64 item = global_index();
    if (item < count) {
        hash_message<Fp>(data, offsets, tails, tail_starts, domains, item, encodings);
    }
}

CALLING_KERNEL(64, bls12_381_evaluate_hash_g2, const uint32 *data, const uint64 *offsets,
               const uint32 *tails, const uint32 *tail_starts, const uint32 *domains,
               uint32 *encodings, uint32 count) {
    uint64 item = global_index();
    if (item < count) {
        hash_message<Fp2>(data, offsets, tails, tail_starts, domains, item, encodings);
    }
}

DEVICE bool read_number(Fp &u, const uint32 *bytes) { return read_element(u, bytes, false); }
// The constant term is first.
DEVICE bool read_number(Fp2 &u, const uint32 *bytes) {
    return read_element(u.c0, bytes, false) && read_element(u.c1, bytes + 12, false);
}

// Maps elements of fields. `valid` is 0 for one that is not below p.
template <class F>
DEVICE void map_element(const uint32 *elements, uint64 item, uint32 *encodings, uint32 *valid) {
    F u;
    Jacobian<F> mapped;
    Affine<F> p;
    valid[item] = read_number(u, elements + WORDS_OF<F> * item) ? 1 : 0;
    if (valid[item] == 0) return;
    map_to_curve(mapped, u);
    clear_cofactor(mapped);
    set_affine(p, mapped);
    write_compressed(encodings + WORDS_OF<F> * item, p);
}

CALLING_KERNEL(64, bls12_381_evaluate_map_g1, const uint32 *elements, uint32 *encodings,
               uint32 *valid, uint32 count) {
    uint64 item = global_index();
    if (item < count) map_element<Fp>(elements, item, encodings, valid);
}

CALLING_KERNEL(64, bls12_381_evaluate_map_g2, const uint32 *elements, uint32 *encodings,
               uint32 *valid, uint32 count) {
    uint64 item = global_index();
    if (item < count) map_element<Fp2>(elements, item, encodings, valid);
}

// The number of pairs whose Miller loops share their squares.
constexpr uint32 SHARED_PAIRS = 2;
// Words of a pair: a point of G1, and one of G2.
constexpr uint32 PAIR_WORDS = 72;

// Computes the product of the Miller loops of SHARED_PAIRS pairs.
CALLING_KERNEL(64, bls12_381_evaluate_miller_loops, const uint32 *pairs, uint32 *products,
               uint32 count) {
    uint64 item = global_index();
    if (item >= count) return;
    Pair both[SHARED_PAIRS];
    NO_UNROLL for (uint32 i = 0; i < SHARED_PAIRS; ++i) {
        const uint32 *words = pairs + PAIR_WORDS * (SHARED_PAIRS * item + i);
        read_point_at(both[i].p, words, 0);
        read_point_at(both[i].q, words + 24, 0);
    }
    Fp12 value;
    set_miller_product(value, both, SHARED_PAIRS);
    write_fp12(products + FP12_WORDS * item, value);
}

// Multiplies the elements from starts[i] to starts[i + 1].
CALLING_KERNEL(64, bls12_381_evaluate_multiply, const uint32 *elements, const uint32 *starts,
               uint32 *products, uint32 count) {
    uint64 item = global_index();
    if (item >= count) return;
    Fp12 value;
    set_product_of_range(value, elements, starts[item], starts[item + 1]);
    write_fp12(products + FP12_WORDS * item, value);
}

// Multiplies the elements from starts[i] to starts[i + 1], and writes the final exponentiation as
// twelve elements of 48 bytes.
CALLING_KERNEL(64, bls12_381_evaluate_exponentiate, const uint32 *elements, const uint32 *starts,
               uint32 *bytes, uint32 count) {
    uint64 item = global_index();
    if (item >= count) return;
    Fp12 value;
    set_product_of_range(value, elements, starts[item], starts[item + 1]);
    exponentiate_finally(value);
    NO_UNROLL for (uint32 i = 0; i < 6; ++i) {
        const Fp2 &part = value.c[i / 3].c[i % 3];
        write_element(bytes + FP12_WORDS * item + 24 * i, part.c0);
        write_element(bytes + FP12_WORDS * item + 24 * i + 12, part.c1);
    }
}
