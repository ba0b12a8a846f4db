// SPDX-License-Identifier: Apache-2.0 OR MIT
// Signatures over secp256k1: ECDSA (SEC 1, section 4.1.4), BIP 340, and recovery of keys (SEC 1,
// section 4.1.6).
//
// Each is four kernels: one that checks numbers and writes a term, u * G + v * Q; two that compute
// v * Q and add u * G; and one that compares or converts the sum. Numbers of requests are 32 bytes,
// big-endian. Between kernels word w of item i is at w * count + i: a term is u, v, x and y of Q, a
// sum is X, Y and Z. A term with failed checks is 1 * G + 1 * G.
#include "curve/secp256k1_multiples.cuh"
#include "field/batch_inversion.cuh"
#include "hash/sha256.cuh"

// Failed checks. The bits 0 to 4 and 5 are those of the engine's masks.
enum Failure : uint32 {
    R_RANGE = 1 << 0,
    S_RANGE = 1 << 1,
    INFINITY_SUM = 1 << 2,
    MISMATCH = 1 << 3,
    ODD_Y = 1 << 4,
    NOT_ON_CURVE = 1 << 5,
    X_RANGE = 1 << 6,
    HIGH_S = 1 << 7,
};

// Flags of a recovery: the two bits of the id, and the rule that s is not above n / 2.
constexpr uint32 ODD_R = 1, ABOVE_ORDER = 2, LOW_S = 4;

// Reads a number of 32 bytes, big-endian.
DEVICE Limbs<8> read_number(const uint32 *bytes) {
    Limbs<8> number;
    UNROLL for (uint32 i = 0; i < 8; ++i) number.words[i] = swap_bytes(bytes[7 - i]);
    return number;
}

DEVICE void write_number(uint32 *bytes, const Limbs<8> &number) {
    UNROLL for (uint32 i = 0; i < 8; ++i) bytes[7 - i] = swap_bytes(number.words[i]);
}

DEVICE bool is_below_order(const Limbs<8> &number) { return is_canonical<Scalar>(number); }

DEVICE uint32 range_failures(const Limbs<8> &r, const Limbs<8> &s) {
    uint32 mask = is_zero_limbs(r) || !is_below_order(r) ? uint32{R_RANGE} : 0;
    return mask | (is_zero_limbs(s) || !is_below_order(s) ? uint32{S_RANGE} : 0);
}

// Writes a point of a term.
DEVICE void store_point(uint32 *terms, uint64 item, uint64 count, const AffinePoint &point) {
    store_limbs(terms + 16 * count + item, point.x, count);
    store_limbs(terms + 24 * count + item, point.y, count);
}

// Writes u = a / d and v = b / d modulo n for the items of this thread: u holds a, v holds b, and
// `divisors` d, in Montgomery form and not zero. a and b may be any numbers of 256 bits.
DEVICE void divide_terms(uint32 *terms, uint32 *divisors, uint32 *products, uint64 count,
                         bool is_negative) {
    uint64 first = global_index(), step = global_size();
    if (first >= count) return;
    uint32 items = static_cast<uint32>((count - first - 1) / step + 1);
    invert_batch<Scalar>(divisors + first, products + first, items, step, count);
    NO_UNROLL for (uint64 item = first; item < count; item += step) {
        Limbs<8> inverse = load_limbs<8>(divisors + item, count);
        Limbs<8> u = multiply<Scalar>(load_limbs<8>(terms + item, count), inverse);
        Limbs<8> v = multiply<Scalar>(load_limbs<8>(terms + 8 * count + item, count), inverse);
        store_limbs(terms + item, is_negative ? negate<Scalar>(u) : u, count);
        store_limbs(terms + 8 * count + item, v, count);
    }
}

// ECDSA's numbers: r, s, the digest, x and y. `divisors` and `products` are scratch.
KERNEL(128, secp256k1_ecdsa_terms, const uint32 *requests, uint32 *masks, uint32 *terms,
       uint32 *divisors, uint32 *products, uint32 count) {
    NO_UNROLL for (uint64 item = global_index(); item < count; item += global_size()) {
        const uint32 *request = requests + item * 40;
        Limbs<8> r = read_number(request), s = read_number(request + 8);
        Limbs<8> digest = read_number(request + 16);
        AffinePoint key = {read_number(request + 24), read_number(request + 32)};
        uint32 mask = range_failures(r, s);
        bool is_key = is_canonical<Base>(key.x) && is_canonical<Base>(key.y) &&
                      equal_limbs(square<Base>(key.y), curve_square(key.x));
        if (!is_key) mask |= NOT_ON_CURVE;
        masks[item] = mask;
        if (mask != 0) {
            key = generator_point();
            r = digest = s = one<Base>();
        }
        store_limbs(terms + item, digest, count);
        store_limbs(terms + 8ull * count + item, r, count);
        store_point(terms, item, count, key);
        store_limbs(divisors + item, to_montgomery<Scalar>(s), count);
    }
    divide_terms(terms, divisors, products, count, false);
}

// BIP 340's challenge: the hash of the doubled tag, r, x of the key and the message, modulo n.
DEVICE Limbs<8> challenge(const uint32 *r, const uint32 *key, const uint32 *data, uint64 start,
                          uint64 length) {
    uint32 state[8], block[16];
    UNROLL for (uint32 i = 0; i < 8; ++i) {
        state[i] = challenge_state(i);
        block[i] = swap_bytes(r[i]);
        block[8 + i] = swap_bytes(key[i]);
    }
    sha256_compress(state, block);
    sha256_end(state, data, start, length, 2 * BLOCK_BYTES + length);
    Limbs<8> number;
    UNROLL for (uint32 i = 0; i < 8; ++i) number.words[i] = state[7 - i];
    return subtract_once<Scalar>(number, 0);
}

// BIP 340's signatures: r, s and x of the key; the messages are bytes of `data`.
KERNEL(128, secp256k1_schnorr_terms, const uint32 *requests, const uint32 *data,
       const uint64 *offsets, uint32 *masks, uint32 *terms, uint32 count) {
    uint64 item = global_index();
    if (item >= count) return;
    const uint32 *request = requests + item * 24;
    Limbs<8> r = read_number(request), s = read_number(request + 8);
    AffinePoint key = {read_number(request + 16), zero_limbs<8>()};
    uint32 mask = 0;
    if (!is_canonical<Base>(key.x)) {
        mask = X_RANGE;
    } else if (!lift_x(key.x, 0, key.y)) {
        mask = NOT_ON_CURVE;
    } else {
        if (!is_canonical<Base>(r)) mask |= R_RANGE;
        if (!is_below_order(s)) mask |= S_RANGE;
    }
    masks[item] = mask;
    Limbs<8> factor = one<Base>();
    if (mask != 0) {
        key = generator_point();
        s = factor;
    } else {
        uint64 start = offsets[item];
        factor = challenge(request, request + 16, data, start, offsets[item + 1] - start);
        factor = negate<Scalar>(factor);
    }
    store_limbs(terms + item, s, count);
    store_limbs(terms + 8ull * count + item, factor, count);
    store_point(terms, item, count, key);
}

// Recoveries: r, s and the digest; `flags` has the id and the rules of each.
KERNEL(128, secp256k1_recovery_terms, const uint32 *requests, const uint32 *flags, uint32 *masks,
       uint32 *terms, uint32 *divisors, uint32 *products, uint32 count) {
    NO_UNROLL for (uint64 item = global_index(); item < count; item += global_size()) {
        const uint32 *request = requests + item * 24;
        Limbs<8> r = read_number(request), s = read_number(request + 8), highest, order, rest;
        Limbs<8> digest = read_number(request + 16);
        UNROLL for (uint32 i = 0; i < 8; ++i) {
            highest.words[i] = highest_low_s(i);
            order.words[i] = group_order(i);
            rest.words[i] = field_minus_order(i);
        }
        AffinePoint point = {r, zero_limbs<8>()};
        uint32 mask = range_failures(r, s), flag = flags[item];
        if ((flag & LOW_S) != 0 && less_limbs(highest, s)) mask |= HIGH_S;
        if (mask == 0 && (flag & ABOVE_ORDER) != 0) {
            if (!less_limbs(r, rest)) mask = X_RANGE;
            add_limbs(point.x, r, order);
        }
        if (mask == 0 && !lift_x(point.x, flag & ODD_R, point.y)) mask = NOT_ON_CURVE;
        masks[item] = mask;
        if (mask != 0) {
            point = generator_point();
            r = digest = s = one<Base>();
        }
        store_limbs(terms + item, digest, count);
        store_limbs(terms + 8ull * count + item, s, count);
        store_point(terms, item, count, point);
        store_limbs(divisors + item, to_montgomery<Scalar>(r), count);
    }
    divide_terms(terms, divisors, products, count, true);
}

DEVICE JacobianPoint load_sum(const uint32 *sums, uint64 item, uint64 count) {
    return {load_limbs<8>(sums + item, count), load_limbs<8>(sums + 8 * count + item, count),
            load_limbs<8>(sums + 16 * count + item, count)};
}

DEVICE void store_sum(uint32 *sums, uint64 item, uint64 count, const JacobianPoint &sum) {
    store_limbs(sums + item, sum.x, count);
    store_limbs(sums + 8 * count + item, sum.y, count);
    store_limbs(sums + 16 * count + item, sum.z, count);
}

// The multiples v * Q of terms. Each thread has a table in `tables`.
KERNEL(128, secp256k1_multiples, const uint32 *terms, uint32 *sums, uint32 *tables,
       uint32 count) {
    uint32 *table = tables + global_index() * ENTRIES * ENTRY_WORDS;
    NO_UNROLL for (uint64 item = global_index(); item < count; item += global_size()) {
        AffinePoint q = {load_limbs<8>(terms + 16ull * count + item, count),
                         load_limbs<8>(terms + 24ull * count + item, count)};
        Limbs<8> factor = load_limbs<8>(terms + 8ull * count + item, count);
        store_sum(sums, item, count, multiply_point(factor, q, table));
    }
}

// Adds the multiples u * G of terms; `generator` is the table of add_generator_multiple.
KERNEL(128, secp256k1_add_generator, const uint32 *terms, uint32 *sums, const uint32 *generator,
       uint32 bits, uint32 count) {
    uint64 item = global_index();
    if (item >= count) return;
    JacobianPoint multiple = infinity_point();
    add_generator_multiple(multiple, load_limbs<8>(terms + item, count), generator, bits);
    add_jacobian(multiple, load_sum(sums, item, count));
    store_sum(sums, item, count, multiple);
}

// Completes the masks of ECDSA: x of the sum, modulo n, is r.
KERNEL(128, secp256k1_ecdsa_verdicts, const uint32 *requests, const uint32 *sums, uint32 *masks,
       uint32 count) {
    uint64 item = global_index();
    if (item >= count || masks[item] != 0) return;
    Limbs<8> z = load_limbs<8>(sums + 16ull * count + item, count), order, rest;
    if (is_zero_limbs(z)) {
        masks[item] = INFINITY_SUM;
        return;
    }
    UNROLL for (uint32 i = 0; i < 8; ++i) {
        order.words[i] = group_order(i);
        rest.words[i] = field_minus_order(i);
    }
    Limbs<8> x = load_limbs<8>(sums + item, count), zz = square<Base>(z);
    Limbs<8> r = read_number(requests + item * 40), above;
    add_limbs(above, r, order);
    bool matches = equal_limbs(multiply<Base>(r, zz), x) ||
                   (less_limbs(r, rest) && equal_limbs(multiply<Base>(above, zz), x));
    if (!matches) masks[item] = MISMATCH;
}

// Inverts the Z of the sums of this thread in place; a Z of 0 stays.
DEVICE void invert_sums(uint32 *sums, uint32 *products, uint64 count) {
    uint64 first = global_index(), step = global_size();
    if (first >= count) return;
    uint32 items = static_cast<uint32>((count - first - 1) / step + 1);
    invert_batch<Base>(sums + 16 * count + first, products + first, items, step, count);
}

DEVICE AffinePoint affine_sum(const uint32 *sums, uint64 item, uint64 count,
                              const Limbs<8> &inverse) {
    Limbs<8> squared = square<Base>(inverse);
    return {multiply<Base>(load_limbs<8>(sums + item, count), squared),
            multiply<Base>(load_limbs<8>(sums + 8 * count + item, count),
                           multiply<Base>(squared, inverse))};
}

// Completes the masks of BIP 340: x of the sum is r, and y is even.
KERNEL(128, secp256k1_schnorr_verdicts, const uint32 *requests, uint32 *sums, uint32 *products,
       uint32 *masks, uint32 count) {
    invert_sums(sums, products, count);
    NO_UNROLL for (uint64 item = global_index(); item < count; item += global_size()) {
        if (masks[item] != 0) continue;
        Limbs<8> inverse = load_limbs<8>(sums + 16ull * count + item, count);
        if (is_zero_limbs(inverse)) {
            masks[item] = INFINITY_SUM;
            continue;
        }
        AffinePoint sum = affine_sum(sums, item, count, inverse);
        if (!equal_limbs(sum.x, read_number(requests + item * 24))) {
            masks[item] = MISMATCH;
        } else if ((sum.y.words[0] & 1) != 0) {
            masks[item] = ODD_Y;
        }
    }
}

// Writes recovered keys, x and y, and completes the masks.
KERNEL(128, secp256k1_recovered_keys, uint32 *sums, uint32 *products, uint32 *masks, uint32 *keys,
       uint32 count) {
    invert_sums(sums, products, count);
    NO_UNROLL for (uint64 item = global_index(); item < count; item += global_size()) {
        Limbs<8> inverse = load_limbs<8>(sums + 16ull * count + item, count);
        if (masks[item] == 0 && is_zero_limbs(inverse)) masks[item] = INFINITY_SUM;
        AffinePoint key = {zero_limbs<8>(), zero_limbs<8>()};
        if (masks[item] == 0) key = affine_sum(sums, item, count, inverse);
        write_number(keys + item * 16, key.x);
        write_number(keys + item * 16 + 8, key.y);
    }
}
