// SPDX-License-Identifier: Apache-2.0 OR MIT
// Sums of many points, and of multiples of points by buckets (Pippenger, "On the evaluation of
// powers and related problems", 1976): the parts of kernels.
//
// A scalar has signed digits of some bits, from -2^(bits - 1) to 2^(bits - 1). The points with the
// digit d of a window, or with -d after a negation, are in bucket |d|.
//
// Points and buckets are consecutive in memory, since threads read them in any order.
#pragma once

#include "../hash/blocks.cuh"
#include "compress.cuh"

// (x / zz, y / zzz) with zz^3 = zzz^2; infinity has zz = 0. Formulas are those of the
// Explicit-Formulas Database, "XYZZ coordinates".
template <class F> struct Bucket {
    F x, y, zz, zzz;
};

// The key of a carry that has no bucket.
constexpr uint32 NO_KEY = 0xffffffff;
// The sign of an entry; the other bits are the number of a point.
constexpr uint32 NEGATED = 0x80000000;

// Operations with a value, which stays in registers if it is in F_p.
DEVICE Fp product_of(const Fp &a, const Fp &b) { return multiply<Prime>(a, b); }
DEVICE Fp square_of(const Fp &a) { return square<Prime>(a); }
DEVICE Fp sum_of(const Fp &a, const Fp &b) { return add<Prime>(a, b); }
DEVICE Fp difference_of(const Fp &a, const Fp &b) { return subtract<Prime>(a, b); }
DEVICE Fp negative_of(const Fp &a) { return negate<Prime>(a); }
DEVICE Fp2 product_of(const Fp2 &a, const Fp2 &b) {
    Fp2 result;
    set_product(result, a, b);
    return result;
}
DEVICE Fp2 square_of(const Fp2 &a) {
    Fp2 result;
    set_square(result, a);
    return result;
}
DEVICE Fp2 difference_of(const Fp2 &a, const Fp2 &b) {
    Fp2 result;
    set_difference(result, a, b);
    return result;
}
DEVICE Fp2 negative_of(const Fp2 &a) {
    Fp2 result;
    set_negative(result, a);
    return result;
}

// Reads and writes 16 bytes at a time.
DEVICE void read_fours(Fp &a, const uint32 *words) {
    const FourWords *fours = reinterpret_cast<const FourWords *>(words);
    UNROLL for (uint32 i = 0; i < 3; ++i) {
        FourWords four = fours[i];
        UNROLL for (uint32 j = 0; j < 4; ++j) a.words[4 * i + j] = four.words[j];
    }
}
DEVICE void read_fours(Fp2 &a, const uint32 *words) {
    read_fours(a.c0, words);
    read_fours(a.c1, words + 12);
}
DEVICE void write_fours(uint32 *words, const Fp &a) {
    FourWords *fours = reinterpret_cast<FourWords *>(words);
    UNROLL for (uint32 i = 0; i < 3; ++i) {
        FourWords four;
        UNROLL for (uint32 j = 0; j < 4; ++j) four.words[j] = a.words[4 * i + j];
        fours[i] = four;
    }
}
DEVICE void write_fours(uint32 *words, const Fp2 &a) {
    write_fours(words, a.c0);
    write_fours(words + 12, a.c1);
}

template <class F> DEVICE void read_point_at(Affine<F> &p, const uint32 *points, uint64 number) {
    const uint32 *words = points + 2 * WORDS_OF<F> * number;
    read_fours(p.x, words);
    read_fours(p.y, words + WORDS_OF<F>);
}
template <class F> DEVICE void read_bucket(Bucket<F> &p, const uint32 *buckets, uint64 number) {
    const uint32 *words = buckets + 4 * WORDS_OF<F> * number;
    read_fours(p.x, words);
    read_fours(p.y, words + WORDS_OF<F>);
    read_fours(p.zz, words + 2 * WORDS_OF<F>);
    read_fours(p.zzz, words + 3 * WORDS_OF<F>);
}
template <class F> DEVICE void write_bucket(uint32 *buckets, uint64 number, const Bucket<F> &p) {
    uint32 *words = buckets + 4 * WORDS_OF<F> * number;
    write_fours(words, p.x);
    write_fours(words + WORDS_OF<F>, p.y);
    write_fours(words + 2 * WORDS_OF<F>, p.zz);
    write_fours(words + 3 * WORDS_OF<F>, p.zzz);
}

template <class F> DEVICE void set_empty(Bucket<F> &p) {
    set_zero(p.x);
    set_zero(p.y);
    set_zero(p.zz);
    set_zero(p.zzz);
}

// p = 2 * p.
template <class F> CALLED void double_bucket(Bucket<F> &p) {
    F u, v, w, m;
    set_sum(u, p.y, p.y);
    set_square(v, u);
    set_product(w, u, v);
    set_product(u, p.x, v);
    set_square(p.x, p.x);
    set_sum(m, p.x, p.x);
    set_sum(m, m, p.x);
    set_square(p.x, m);
    set_difference(p.x, p.x, u);
    set_difference(p.x, p.x, u);
    set_difference(u, u, p.x);
    set_product(m, m, u);
    set_product(p.y, p.y, w);
    set_difference(p.y, m, p.y);
    set_product(p.zz, p.zz, v);
    set_product(p.zzz, p.zzz, w);
}

// p += q, for any two points that are different variables.
template <class F> CALLED void add_bucket(Bucket<F> &p, const Bucket<F> &q) {
    if (is_zero(q.zz)) return;
    if (is_zero(p.zz)) {
        p = q;
        return;
    }
    F h, r, square;
    set_product(h, q.x, p.zz);
    set_product(r, q.y, p.zzz);
    set_product(p.x, p.x, q.zz);
    set_product(p.y, p.y, q.zzz);
    set_product(p.zz, p.zz, q.zz);
    set_product(p.zzz, p.zzz, q.zzz);
    set_difference(h, h, p.x);
    set_difference(r, r, p.y);
    if (is_zero(h)) {
        // p has the coordinates of q with the product of both factors.
        if (is_zero(r)) {
            double_bucket(p);
        } else {
            set_empty(p);
        }
        return;
    }
    set_square(square, h);
    set_product(h, h, square);
    set_product(p.zz, p.zz, square);
    set_product(p.zzz, p.zzz, h);
    set_product(square, p.x, square);
    set_square(p.x, r);
    set_difference(p.x, p.x, h);
    set_difference(p.x, p.x, square);
    set_difference(p.x, p.x, square);
    set_difference(square, square, p.x);
    set_product(p.y, p.y, h);
    set_product(r, r, square);
    set_difference(p.y, r, p.y);
}

template <class F> CALLED void set_doubled(Bucket<F> &result, const Affine<F> &p) {
    result.x = p.x;
    result.y = p.y;
    set_one(result.zz);
    set_one(result.zzz);
    double_bucket(result);
}

// p += q: eight products and two squares.
template <class F> DEVICE void add_affine(Bucket<F> &p, const Affine<F> &q) {
    if (is_infinity(q)) return;
    if (is_zero(p.zz)) {
        p.x = q.x;
        p.y = q.y;
        set_one(p.zz);
        set_one(p.zzz);
        return;
    }
    F h = difference_of(product_of(q.x, p.zz), p.x);
    F r = difference_of(product_of(q.y, p.zzz), p.y);
    if (is_zero(h)) {
        set_empty(p);
        if (is_zero(r)) {
            // Only copies have an address.
            Affine<F> point = q;
            Bucket<F> doubled;
            set_doubled(doubled, point);
            p = doubled;
        }
        return;
    }
    F square = square_of(h);
    h = product_of(h, square);
    p.zz = product_of(p.zz, square);
    p.zzz = product_of(p.zzz, h);
    square = product_of(p.x, square);
    p.x = difference_of(square_of(r), h);
    p.x = difference_of(difference_of(p.x, square), square);
    h = product_of(p.y, h);
    p.y = difference_of(product_of(r, difference_of(square, p.x)), h);
}

// The same; points of G2 do not fit into registers.
DEVICE void add_to_bucket(Bucket<Fp> &p, const Affine<Fp> &q) { add_affine(p, q); }
CALLED void add_to_bucket(Bucket<Fp2> &p, const Affine<Fp2> &q) { add_affine(p, q); }

template <class F> CALLED void set_affine(Affine<F> &result, const Bucket<F> &p) {
    F inverse, square;
    set_inverse(inverse, p.zzz);
    set_product(result.y, p.y, inverse);
    // 1 / zz = (zz / zzz)^2.
    set_product(square, p.zz, inverse);
    set_square(square, square);
    set_product(result.x, p.x, square);
}

// The bits from `place` on of a scalar of eight words; `count` is below 32.
DEVICE uint32 bits_of(const uint32 *scalar, uint32 place, uint32 count) {
    uint32 word = place / 32, shift = place % 32;
    if (word >= 8) return 0;
    uint32 value = scalar[word] >> shift;
    if (shift + count > 32 && word + 1 < 8) value |= scalar[word + 1] << (32 - shift);
    return value & ((1u << count) - 1);
}

// Reads the digits of a scalar below 2^255, from the lowest window on.
struct Digits {
    const uint32 *scalar;
    uint32 bits, window, carry;

    // Reads the next digit. Returns its absolute value, from 0 to 2^(bits - 1).
    METHOD uint32 next(bool &is_negative) {
        uint32 value = bits_of(scalar, window * bits, bits) + carry;
        window += 1;
        carry = value > 1u << (bits - 1) ? 1 : 0;
        is_negative = carry != 0;
        return is_negative ? (1u << bits) - value : value;
    }
};

// Adds consecutive entries, sorted by their keys: `item` has `length` of them. The sum of a key is
// written to its bucket by the thread with its first entry. The other threads of the key write what
// they have to `carries`, at most one each.
template <class F>
DEVICE void add_entries(const uint32 *points, const uint32 *entries, const uint32 *keys,
                        uint64 count, uint32 length, uint64 item, uint32 *buckets,
                        uint32 *carries, uint32 *carry_keys) {
    uint64 place = item * length, end = place + length < count ? place + length : count;
    carry_keys[item] = NO_KEY;
    if (place >= count) return;
    uint32 key = keys[place];
    bool is_carried = place > 0 && keys[place - 1] == key;
    Bucket<F> sum;
    set_empty(sum);
    NO_UNROLL while (place < end) {
        uint32 entry = entries == nullptr ? static_cast<uint32>(place) : entries[place];
        Affine<F> p;
        read_point_at(p, points, entry & ~NEGATED);
        if ((entry & NEGATED) != 0) p.y = negative_of(p.y);
        add_to_bucket(sum, p);
        place += 1;
        uint32 next = place < end ? keys[place] : NO_KEY;
        if (next == key) continue;
        if (is_carried) carry_keys[item] = key;
        write_bucket(is_carried ? carries : buckets, is_carried ? item : key, sum);
        is_carried = false;
        set_empty(sum);
        key = next;
    }
}

// The same for carries, whose sums are added to the buckets.
template <class F>
DEVICE void add_carries(const uint32 *carries, const uint32 *keys, uint64 count, uint32 length,
                        uint64 item, uint32 *buckets, uint32 *next_carries, uint32 *next_keys) {
    uint64 place = item * length, end = place + length < count ? place + length : count;
    next_keys[item] = NO_KEY;
    NO_UNROLL while (place < end) {
        uint32 key = keys[place];
        bool is_carried = key != NO_KEY && place > 0 && keys[place - 1] == key;
        if (key == NO_KEY) {
            place += 1;
            continue;
        }
        Bucket<F> sum, other;
        read_bucket(sum, carries, place);
        place += 1;
        NO_UNROLL while (place < end && keys[place] == key) {
            read_bucket(other, carries, place);
            add_bucket(sum, other);
            place += 1;
        }
        if (is_carried) {
            next_keys[item] = key;
            write_bucket(next_carries, item, sum);
        } else {
            read_bucket(other, buckets, key);
            add_bucket(sum, other);
            write_bucket(buckets, key, sum);
        }
    }
}

// Writes the sum of (number + 1) times bucket `number` for `length` buckets of a window, which has
// `segments` such parts.
template <class F>
DEVICE void reduce_segment(const uint32 *buckets, uint32 length, uint32 segments, uint64 item,
                           uint32 *sums) {
    Bucket<F> running, sum, other;
    set_empty(running);
    set_empty(sum);
    NO_UNROLL for (uint64 place = (item + 1) * length; place > item * length; --place) {
        read_bucket(other, buckets, place - 1);
        add_bucket(running, other);
        add_bucket(sum, running);
    }
    uint32 factor = static_cast<uint32>(item % segments) * length;
    set_empty(other);
    NO_UNROLL for (uint32 bit = 32 - count_leading_zeros(factor); bit > 0; --bit) {
        double_bucket(other);
        if ((factor >> (bit - 1) & 1) != 0) add_bucket(other, running);
    }
    add_bucket(sum, other);
    write_bucket(sums, item, sum);
}

// Writes the sum of `length` consecutive points.
template <class F>
DEVICE void add_group(const uint32 *points, uint32 length, uint64 item, uint32 *sums) {
    Bucket<F> sum, other;
    set_empty(sum);
    NO_UNROLL for (uint64 place = item * length; place < (item + 1) * length; ++place) {
        read_bucket(other, points, place);
        add_bucket(sum, other);
    }
    write_bucket(sums, item, sum);
}

// Writes a point as (X / Z^2, Y / Z^3).
template <class F>
DEVICE void write_jacobian(const uint32 *points, uint64 item, uint32 *results) {
    Bucket<F> p;
    read_bucket(p, points, item);
    set_product(p.x, p.x, p.zz);
    set_product(p.y, p.y, p.zzz);
    uint32 *words = results + 3 * WORDS_OF<F> * item;
    write_fours(words, p.x);
    write_fours(words + WORDS_OF<F>, p.y);
    write_fours(words + 2 * WORDS_OF<F>, p.zz);
}

// Writes the compressed sum of 2^(bits * i) times window i.
template <class F>
DEVICE void join_windows(const uint32 *sums, uint32 windows, uint32 bits, uint64 item,
                         uint32 *encodings) {
    Bucket<F> sum, other;
    set_empty(sum);
    NO_UNROLL for (uint64 window = windows; window > 0; --window) {
        NO_UNROLL for (uint32 i = 0; i < bits; ++i) double_bucket(sum);
        read_bucket(other, sums, item * windows + window - 1);
        add_bucket(sum, other);
    }
    Affine<F> p;
    set_affine(p, sum);
    write_compressed(encodings + WORDS_OF<F> * item, p);
}
