// SPDX-License-Identifier: Apache-2.0 OR MIT
// Poseidon2's permutation (Grassi, Khovratovich, Schofnegger, eprint 2023/323) with x^5.
//
// The table of an instance, in elements, t = width, h = half of the full rounds, P = partial
// rounds: h * t constants, P constants of element 0, h * t constants, and the internal matrix's diagonal
// minus 1. Widths 2 and 3 have the diagonals (1, 2) and (1, 1, 2), which need no products.
#pragma once

#include "slots.cuh"

template <class P, uint32 THREADS> struct Poseidon2 {
    Slots<P, THREADS> slots;
    uint32 width, half_full, partial;

    METHOD Element<P> total() const {
        Element<P> sum = slots.load(0);
        NO_UNROLL for (uint32 i = 1; i < width; ++i) sum = add<P>(sum, slots.load(i));
        return sum;
    }

    // Multiplies four elements by M4 with eight additions (appendix B).
    METHOD void mix_four(uint32 first) const {
        Element<P> x0 = slots.load(first), x1 = slots.load(first + 1);
        Element<P> x2 = slots.load(first + 2), x3 = slots.load(first + 3);
        Element<P> t0 = add<P>(x0, x1), t1 = add<P>(x2, x3);
        Element<P> t2 = add<P>(twice<P>(x1), t1), t3 = add<P>(twice<P>(x3), t0);
        Element<P> t4 = add<P>(twice<P>(twice<P>(t1)), t3);
        Element<P> t5 = add<P>(twice<P>(twice<P>(t0)), t2);
        slots.store(first, add<P>(t3, t5));
        slots.store(first + 1, t5);
        slots.store(first + 2, add<P>(t2, t4));
        slots.store(first + 3, t4);
    }

    // The external matrix: circ(2, 1), circ(2, 1, 1), M4, or circ(2 * M4, M4, ...).
    METHOD void mix_externally() const {
        if (width < 4) {
            Element<P> sum = total();
            for (uint32 i = 0; i < width; ++i) slots.store(i, add<P>(slots.load(i), sum));
            return;
        }
        NO_UNROLL for (uint32 first = 0; first < width; first += 4) mix_four(first);
        if (width == 4) return;
        NO_UNROLL for (uint32 column = 0; column < 4; ++column) {
            Element<P> sum = slots.load(column);
            NO_UNROLL for (uint32 i = column + 4; i < width; i += 4) {
                sum = add<P>(sum, slots.load(i));
            }
            NO_UNROLL for (uint32 i = column; i < width; i += 4) {
                slots.store(i, add<P>(slots.load(i), sum));
            }
        }
    }

    // The internal matrix: all ones plus the diagonal.
    METHOD void mix_internally(const uint32 *diagonal) const {
        Element<P> sum = total();
        NO_UNROLL for (uint32 i = 0; i < width; ++i) {
            Element<P> element = slots.load(i);
            if (width >= 4) {
                element = multiply<P>(element, entry<P>(diagonal, i));
            } else if (i + 1 == width) {
                element = twice<P>(element);
            }
            slots.store(i, add<P>(element, sum));
        }
    }

    METHOD void full_rounds(const uint32 *constants) const {
        NO_UNROLL for (uint32 round = 0; round < half_full; ++round) {
            NO_UNROLL for (uint32 i = 0; i < width; ++i) {
                Element<P> sum = add<P>(slots.load(i), entry<P>(constants, round * width + i));
                slots.store(i, fifth_power<P>(sum));
            }
            mix_externally();
        }
    }

    METHOD void run(const uint32 *table) const {
        const uint32 *partial_constants = table + half_full * width * P::N;
        const uint32 *last = partial_constants + partial * P::N;
        const uint32 *diagonal = last + half_full * width * P::N;
        mix_externally();
        full_rounds(table);
        NO_UNROLL for (uint32 round = 0; round < partial; ++round) {
            Element<P> sum = add<P>(slots.load(0), entry<P>(partial_constants, round));
            slots.store(0, fifth_power<P>(sum));
            mix_internally(diagonal);
        }
        full_rounds(last);
    }

    // Noir's sponge of rate 3 over width 4: element 3 begins with the length times 2^64, the last
    // block is padded with zeros, and the digest is element 0.
    METHOD Element<P> sponge(const uint32 *table, const uint32 *elements, uint64 length) const {
        Element<P> start = zero_limbs<P::N>();
        start.words[2] = static_cast<uint32>(length);
        start.words[3] = static_cast<uint32>(length >> 32);
        for (uint32 i = 0; i < 3; ++i) slots.store(i, zero_limbs<P::N>());
        slots.store(3, to_montgomery<P>(start));
        uint64 place = 0;
        do {
            NO_UNROLL for (uint32 i = 0; i < 3 && place + i < length; ++i) {
                slots.store(i, add<P>(slots.load(i), entry<P>(elements, place + i)));
            }
            run(table);
            place += 3;
        } while (place < length);
        return slots.load(0);
    }

    // gnark-crypto's chain over width 2, which begins with 0: the next digest is element 1 of the
    // permuted digest and element, plus the element.
    METHOD Element<P> chain(const uint32 *table, const uint32 *elements, uint64 length) const {
        Element<P> digest = zero_limbs<P::N>();
        NO_UNROLL for (uint64 place = 0; place < length; ++place) {
            slots.store(0, digest);
            slots.store(1, entry<P>(elements, place));
            run(table);
            digest = add<P>(slots.load(1), entry<P>(elements, place));
        }
        return digest;
    }
};
