// SPDX-License-Identifier: Apache-2.0 OR MIT
// BLS12-381: proofs of Groth16. With A, B and C of a proof, and X the sum of the key's terms
// weighted by 1 and the inputs, e(A, B) * e(-X, gamma) * e(-C, delta) * e(-alpha, beta) = 1.
//
// Points are consecutive in memory; infinity is x = y = 0.
#include "pairing/encodings.cuh"
#include "pairing/prepared.cuh"

// Words of a proof: A, B and C, compressed.
constexpr uint32 PROOF_WORDS = 48, PLACE_OF_B = 12, PLACE_OF_C = 36;

// What a proof belongs to, in four words.
struct Row {
    // The number of its key, and the number of the key's first term.
    uint32 key, term;
    // The number of its first input, and how many it has.
    uint32 input, inputs;
};

DEVICE Row read_row(const uint32 *rows, uint64 item) {
    const uint32 *row = rows + 4 * item;
    return {row[0], row[1], row[2], row[3]};
}

template <class F>
DEVICE void read_compressed(const uint32 *encoding, uint64 item, uint32 *points,
                            uint32 *statuses) {
    Affine<F> p;
    statuses[item] = read_point(p, encoding, COMPRESSED_FORM);
    write_fours(points + 2 * WORDS_OF<F> * item, p.x);
    write_fours(points + 2 * WORDS_OF<F> * item + WORDS_OF<F>, p.y);
}

// Decodes A and C of each proof. A status is a PointStatus; an invalid point becomes infinity.
CALLING_KERNEL(64, bls12_381_proofs_read_g1, const uint32 *proofs, uint32 *points,
               uint32 *statuses, uint32 count) {
    uint64 item = global_index();
    if (item >= count) return;
    const uint32 *proof = proofs + PROOF_WORDS * (item / 2);
    read_compressed<Fp>(proof + (item % 2 == 0 ? 0 : PLACE_OF_C), item, points, statuses);
}

// Decodes B of each proof.
CALLING_KERNEL(64, bls12_381_proofs_read_g2, const uint32 *proofs, uint32 *points,
               uint32 *statuses, uint32 count) {
    uint64 item = global_index();
    if (item >= count) return;
    read_compressed<Fp2>(proofs + PROOF_WORDS * item + PLACE_OF_B, item, points, statuses);
}

// Computes the lines of points of G2.
CALLING_KERNEL(64, bls12_381_proofs_prepare_lines, const uint32 *points, uint32 *lines,
               uint32 count) {
    uint64 item = global_index();
    if (item >= count) return;
    Affine<Fp2> q;
    read_point_at(q, points, item);
    write_lines(lines + static_cast<uint64>(LINES) * LINE_WORDS * item, q);
}

// Computes the Miller loops of pairs: a point of G1, and one of G2.
CALLING_KERNEL(64, bls12_381_proofs_prepare_pairs, const uint32 *pairs, uint32 *values,
               uint32 count) {
    uint64 item = global_index();
    if (item >= count) return;
    Pair pair;
    read_point_at(pair.p, pairs + 72 * item, 0);
    read_point_at(pair.q, pairs + 72 * item + 24, 0);
    Fp12 value;
    set_miller_product(value, &pair, 1);
    write_fp12(values + FP12_WORDS * item, value);
}

// Computes the multiples of terms: each has TABLE_WINDOWS threads.
CALLING_KERNEL(64, bls12_381_proofs_prepare_multiples, const uint32 *terms, uint32 *tables,
               uint32 count) {
    uint64 item = global_index();
    if (item >= count) return;
    Affine<Fp> p;
    read_point_at(p, terms, item / TABLE_WINDOWS);
    write_multiples(tables + 24 * TABLE_MULTIPLES * item, p, item % TABLE_WINDOWS);
}

// Computes -X of each proof. Inputs have eight words.
CALLING_KERNEL(64, bls12_381_proofs_sum_inputs, const uint32 *tables, const uint32 *rows,
               const uint32 *inputs, uint32 *points, uint32 count) {
    uint64 item = global_index();
    if (item >= count) return;
    Row row = read_row(rows, item);
    const uint64 WINDOW = TABLE_MULTIPLES, TERM = WINDOW * TABLE_WINDOWS;
    Bucket<Fp> sum;
    set_empty(sum);
    // The term of 1 has the digit 1 in its first window.
    NO_UNROLL for (uint32 i = 0; i <= row.inputs; ++i) {
        const uint32 *input = inputs + 8 * (static_cast<uint64>(row.input) + i - 1);
        NO_UNROLL for (uint32 window = 0; window < (i == 0 ? 1 : TABLE_WINDOWS); ++window) {
            uint32 digit = i == 0 ? 1 : bits_of(input, TABLE_BITS * window, TABLE_BITS);
            if (digit == 0) continue;
            Affine<Fp> p;
            read_point_at(p, tables, TERM * (row.term + i) + WINDOW * window + digit - 1);
            add_affine(sum, p);
        }
    }
    Affine<Fp> p;
    Bucket<Fp> copy = sum;
    set_affine(p, copy);
    set_negative(p.y, p.y);
    write_fours(points + 24 * item, p.x);
    write_fours(points + 24 * item + 12, p.y);
}

// Writes 1 for a proof that holds, and else 0. `lines` has those of gamma and delta of each key,
// and `values` the Miller loops of -alpha and beta.
CALLING_KERNEL(64, bls12_381_proofs_check, const uint32 *g1_points, const uint32 *g2_points,
               const uint32 *sums, const uint32 *rows, const uint32 *lines, const uint32 *values,
               uint32 *verdicts, uint32 count) {
    uint64 item = global_index();
    if (item >= count) return;
    verdicts[item] = 0;
    uint32 key = read_row(rows, item).key;
    Pair pair;
    Affine<Fp> points[2];
    read_point_at(pair.p, g1_points, 2 * item);
    read_point_at(pair.q, g2_points, item);
    read_point_at(points[0], sums, item);
    read_point_at(points[1], g1_points, 2 * item + 1);
    // The host rejects the proof.
    if (is_infinity(pair.p) || is_infinity(pair.q) || is_infinity(points[1])) return;
    set_negative(points[1].y, points[1].y);
    Fp12 value, other;
    set_prepared_product(value, pair, points,
                         lines + 2 * static_cast<uint64>(LINES) * LINE_WORDS * key);
    read_fp12(other, values + FP12_WORDS * key);
    set_product(value, value, other);
    exponentiate_finally(value);
    verdicts[item] = is_one(value) ? 1 : 0;
}
