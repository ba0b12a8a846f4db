// SPDX-License-Identifier: Apache-2.0 OR MIT
// Prime fields in Montgomery form: a is stored as a * 2^32N modulo p, below p.
//
// A field is a type P (primes.cuh) with
//   N            the number of words, even
//   BITS         the length of p in bits
//   INVERSE      -1/p modulo 2^32
//   modulus(i)   word i of p
//   square(i)    word i of 2^64N modulo p
//   one(i)       word i of 2^32N modulo p
//   FOLD         0, or c for p = 2^256 - 2^32 - c: then elements are stored as they are, and the
//                upper half of a product is folded onto the lower one
// If p has 32N bits, sums of a reduction need a word more, which `FULL` adds.
//
// Functions of values below p return values below p. `reduce_wide` states its own bound.
#pragma once

#include "limbs.cuh"

template <class P> using Element = Limbs<P::N>;

template <class P> constexpr bool FULL = P::BITS == 32 * P::N;

template <class P> DEVICE Element<P> modulus_limbs() {
    Element<P> result;
    UNROLL for (uint32 i = 0; i < P::N; ++i) result.words[i] = P::modulus(i);
    return result;
}

template <class P> DEVICE Element<P> one() {
    Element<P> result;
    UNROLL for (uint32 i = 0; i < P::N; ++i) result.words[i] = P::one(i);
    return result;
}

template <class P> DEVICE bool is_canonical(const Element<P> &a) {
    return less_limbs(a, modulus_limbs<P>());
}

// Returns a - p if a, whose word N is `top`, is at least p.
template <class P> DEVICE Element<P> subtract_once(const Element<P> &a, uint32 top) {
    Element<P> difference;
    uint32 borrow = sub_limbs(difference, a, modulus_limbs<P>());
    return select_limbs(borrow > top, a, difference);
}

template <class P> DEVICE Element<P> add(const Element<P> &a, const Element<P> &b) {
    Element<P> sum;
    uint32 carry = add_limbs(sum, a, b);
    return subtract_once<P>(sum, FULL<P> ? carry : 0);
}

template <class P> DEVICE Element<P> subtract(const Element<P> &a, const Element<P> &b) {
    Element<P> difference, corrected;
    uint32 borrow = sub_limbs(difference, a, b);
    add_limbs(corrected, difference, modulus_limbs<P>());
    return select_limbs(borrow != 0, corrected, difference);
}

template <class P> DEVICE Element<P> negate(const Element<P> &a) {
    return subtract<P>(zero_limbs<P::N>(), a);
}

template <class P> DEVICE Element<P> twice(const Element<P> &a) { return add<P>(a, a); }

// sum += the words OFFSET, OFFSET + 2, ... of p, each times b, plus the carry of the instruction
// before if CARRY_IN. A word 0 or 1 needs no product.
template <class P, uint32 OFFSET, bool CARRY_IN>
DEVICE void accumulate_modulus(uint32 *sum, uint32 b) {
    UNROLL for (uint32 i = 0; i < P::N; i += 2) {
        uint32 word = P::modulus(i + OFFSET);
        if (word <= 1) {
            uint32 low = word == 1 ? b : 0;
            sum[i] = i == 0 && !CARRY_IN ? add_cc(sum[i], low) : addc_cc(sum[i], low);
            sum[i + 1] = addc_cc(sum[i + 1], 0);
        } else {
            sum[i] = i == 0 && !CARRY_IN ? mad_lo_cc(b, word, sum[i])
                                         : madc_lo_cc(b, word, sum[i]);
            sum[i + 1] = madc_hi_cc(b, word, sum[i + 1]);
        }
    }
}

// The window of a reduction: even + odd * 2^32 + top * 2^(32(N + 1)).
template <class P> struct Window {
    uint32 even[P::N], odd[P::N], top;
};

// Adds the multiple of p, by -word 0 / p, that makes word 0 zero.
template <class P, bool CARRY_IN> DEVICE void clear_lowest(Window<P> &window, uint32 factor) {
    accumulate_modulus<P, 1, CARRY_IN>(window.odd, factor);
    uint32 top = FULL<P> ? addc(window.top, 0) : 0;
    accumulate_modulus<P, 0, false>(window.even, factor);
    if constexpr (FULL<P>) {
        window.odd[P::N - 1] = addc_cc(window.odd[P::N - 1], 0);
        window.top = addc(top, 0);
    } else {
        window.odd[P::N - 1] = addc(window.odd[P::N - 1], 0);
    }
}

// Divides the window by 2^32; word 0 is zero. The accumulators change roles. Word 1 of the old
// even one is added to the new one, and leaves its carry for the new odd one.
template <class P> DEVICE void shift_window(Window<P> &window) {
    constexpr uint32 N = P::N;
    uint32 even[N];
    UNROLL for (uint32 i = 0; i < N; ++i) {
        even[i] = window.even[i];
        window.even[i] = window.odd[i];
    }
    UNROLL for (uint32 i = 0; i + 2 < N; ++i) window.odd[i] = even[i + 2];
    window.odd[N - 2] = 0;
    window.odd[N - 1] = window.top;
    window.top = 0;
    window.even[0] = add_cc(window.even[0], even[1]);
}

// Returns the window divided by 2^32 as one integer, which is below 2^32N.
template <class P> DEVICE Element<P> close_window(const Window<P> &window) {
    constexpr uint32 N = P::N;
    Element<P> result;
    result.words[0] = add_cc(window.odd[0], window.even[1]);
    UNROLL for (uint32 i = 1; i + 1 < N; ++i) {
        result.words[i] = addc_cc(window.odd[i], window.even[i + 1]);
    }
    result.words[N - 1] = addc(window.odd[N - 1], 0);
    return result;
}

// Returns (low + f * p) / 2^32N with f below 2^32N: at most p.
template <class P> DEVICE Element<P> reduce_low(const uint32 *low) {
    constexpr uint32 N = P::N;
    Window<P> window;
    UNROLL for (uint32 i = 0; i < N; ++i) {
        window.even[i] = low[i];
        window.odd[i] = 0;
    }
    window.top = 0;
    clear_lowest<P, false>(window, window.even[0] * P::INVERSE);
    UNROLL for (uint32 i = 1; i < N; ++i) {
        uint32 factor = (window.odd[0] + window.even[1]) * P::INVERSE;
        shift_window(window);
        clear_lowest<P, true>(window, factor);
    }
    return close_window<P>(window);
}

// Returns a modulo p = 2^256 - 2^32 - FOLD. The first fold leaves less than 2^34 above 2^256, the
// second at most 1.
template <class P> DEVICE Element<P> fold_wide(const Limbs<2 * P::N> &a) {
    constexpr uint32 N = P::N;
    uint32 even[N], odd[N];
    UNROLL for (uint32 i = 0; i < N; ++i) {
        even[i] = a.words[i];
        odd[i] = a.words[N + i];
    }
    accumulate_alternate<N, false>(even, a.words + N, P::FOLD);
    uint32 carry_even = addc(0, 0);
    accumulate_alternate<N, false>(odd, a.words + N + 1, P::FOLD);
    uint32 carry_odd = addc(0, 0);
    even[1] = add_cc(even[1], odd[0]);
    UNROLL for (uint32 i = 2; i < N; ++i) even[i] = addc_cc(even[i], odd[i - 1]);
    uint32 upper = addc_cc(odd[N - 1], carry_even);
    uint32 uppermost = addc(carry_odd, 0);
    Element<P> multiple = zero_limbs<N>(), low, sum;
    multiple.words[0] = upper * P::FOLD;
    multiple.words[1] = add_cc(mul_hi(upper, P::FOLD) + uppermost * P::FOLD, upper);
    multiple.words[2] = addc(uppermost, 0);
    UNROLL for (uint32 i = 0; i < N; ++i) low.words[i] = even[i];
    uint32 carry = add_limbs(sum, low, multiple);
    return subtract_once<P>(sum, carry);
}

// Returns a / 2^32N modulo p, for a below p * 2^32N.
template <class P> DEVICE Element<P> reduce_wide(const Limbs<2 * P::N> &a) {
    constexpr uint32 N = P::N;
    if constexpr (P::FOLD != 0) {
        return fold_wide<P>(a);
    } else {
        Element<P> low = reduce_low<P>(a.words), high, sum;
        UNROLL for (uint32 i = 0; i < N; ++i) high.words[i] = a.words[N + i];
        uint32 carry = add_limbs(sum, low, high);
        return subtract_once<P>(sum, FULL<P> ? carry : 0);
    }
}

// Returns a * b / 2^32N modulo p: 2 * N^2 multiply-adds for the rows, N more for the multiples of
// p. A row of the product and a multiple of p alternate, so that the sum stays within N + 1 words:
// below 2^32 * 2p.
template <class P> DEVICE Element<P> multiply_rows(const Element<P> &a, const Element<P> &b) {
    constexpr uint32 N = P::N;
    Window<P> window;
    window.top = 0;
    multiply_alternate<N>(window.even, a.words, b.words[0]);
    multiply_alternate<N>(window.odd, a.words + 1, b.words[0]);
    clear_lowest<P, false>(window, window.even[0] * P::INVERSE);
    UNROLL for (uint32 i = 1; i < N; ++i) {
        shift_window(window);
        accumulate_alternate<N, true>(window.odd, a.words + 1, b.words[i]);
        accumulate_alternate<N, false>(window.even, a.words, b.words[i]);
        window.odd[N - 1] = addc(window.odd[N - 1], 0);
        clear_lowest<P, false>(window, window.even[0] * P::INVERSE);
    }
    return subtract_once<P>(close_window<P>(window), 0);
}

template <class P> DEVICE Element<P> multiply(const Element<P> &a, const Element<P> &b) {
    if constexpr (FULL<P>) {
        return reduce_wide<P>(multiply_wide<P::N>(a, b));
    } else {
        return multiply_rows<P>(a, b);
    }
}

template <class P> DEVICE Element<P> square(const Element<P> &a) {
    return reduce_wide<P>(square_wide<P::N>(a));
}

// Returns an integer below 2^32N modulo p in Montgomery form.
template <class P> DEVICE Element<P> to_montgomery(const Element<P> &integer) {
    if constexpr (P::FOLD != 0) {
        return subtract_once<P>(integer, 0);
    } else {
        Element<P> factor;
        UNROLL for (uint32 i = 0; i < P::N; ++i) factor.words[i] = P::square(i);
        // The factor is below p, so the product is below p * 2^32N.
        return reduce_wide<P>(multiply_wide<P::N>(integer, factor));
    }
}

// Returns the canonical integer.
template <class P> DEVICE Element<P> from_montgomery(const Element<P> &a) {
    if constexpr (P::FOLD != 0) {
        return a;
    } else {
        return subtract_once<P>(reduce_low<P>(a.words), 0);
    }
}

// Returns a^exponent. All threads of a warp should have the same exponent.
template <class P> DEVICE Element<P> power(const Element<P> &a, Element<P> exponent) {
    Element<P> result = one<P>();
    NO_UNROLL for (uint32 place = 0; place < 32 * P::N; ++place) {
        result = square<P>(result);
        if (shift_left_once(exponent) != 0) result = multiply<P>(result, a);
    }
    return result;
}

// Returns 1/a, or 0 for 0, by Fermat's little theorem.
template <class P> DEVICE Element<P> invert(const Element<P> &a) {
    Element<P> exponent = modulus_limbs<P>(), two = zero_limbs<P::N>();
    two.words[0] = 2;
    sub_limbs(exponent, exponent, two);
    return power<P>(a, exponent);
}

// A sum of products that is reduced once.
template <class P> struct InnerProduct {
    Limbs<2 * P::N> words;
    uint32 top;
};

template <class P> DEVICE InnerProduct<P> empty_inner_product() {
    return InnerProduct<P>{zero_limbs<2 * P::N>(), 0};
}

// sum += a * b.
template <class P>
DEVICE void accumulate(InnerProduct<P> &sum, const Element<P> &a, const Element<P> &b) {
    sum.top += add_limbs(sum.words, sum.words, multiply_wide<P::N>(a, b));
}

// Returns the sum of at most 64 products, divided by 2^32N, modulo p.
//
// The reduction leaves at most 65p. The quotient by p is estimated from the bits above
// 2^(BITS - 16), fewer than 24, and RECIPROCAL = floor(2^(BITS + 16) / p): the estimate is at most
// one too small.
template <class P> DEVICE Element<P> reduce_inner_product(const InnerProduct<P> &sum) {
    constexpr uint32 N = P::N, BIT = P::BITS - 16 - 32 * (N - 1);
    static_assert(P::FOLD == 0, "folded fields have no reduction of sums");
    static_assert(BIT > 8 && BIT < 32, "the leading bits begin in the top word");
    Element<P> low = reduce_low<P>(sum.words.words), high, total, multiple, rest;
    UNROLL for (uint32 i = 0; i < N; ++i) high.words[i] = sum.words.words[N + i];
    uint32 top = add_limbs(total, low, high) + sum.top;
    uint32 leading = total.words[N - 1] >> BIT | top << (32 - BIT);
    uint32 quotient = mul_hi(leading, P::RECIPROCAL);
    uint32 carried = 0;
    UNROLL for (uint32 i = 0; i < N; ++i) {
        multiple.words[i] = mad_lo_cc(P::modulus(i), quotient, carried);
        carried = madc_hi(P::modulus(i), quotient, 0);
    }
    uint32 borrow = sub_limbs(rest, total, multiple);
    return subtract_once<P>(rest, top - carried - borrow);
}
