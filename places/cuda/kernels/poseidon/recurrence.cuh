// SPDX-License-Identifier: Apache-2.0 OR MIT
// Poseidon's permutation with x^5, its partial rounds as a linear recurrence
// (engines/poseidon/src/optimized/recurrence.rs): 2t - 2 products and one reduction a round.
//
// The table of an instance, in elements, t = width, n = t - 1, h = half of the full rounds, P =
// partial rounds:
//
//   h * t               constants of the first full rounds
//   t * t               rows of the matrix
//   n * t               rows of the entry, then the constant of the last of them
//   (P - 1) * (2n + 1)  per round: n coefficients of inputs, n of outputs, oldest first, and the
//                       constant; coefficients of outputs before the first are 0
//   n + t + 1           the first row of the exit: n inputs, t outputs, the constant
//   n * (2n + 1)        the other rows of the exit: n inputs, n outputs, the constant
//   (h - 1) * t         constants of the last full rounds except the first of them
#pragma once

#include "slots.cuh"

struct QuinticShape {
    uint32 width, half_full, partial;
};

// A permutation of one state by one thread. A state has `width` slots; a second set of as many
// slots receives the next state, or holds the history of the partial rounds.
template <class P, uint32 THREADS> struct Quintic {
    Slots<P, THREADS> slots;
    QuinticShape shape;
    const uint32 *table;
    // The first slot of the state, 0 or `width`, and of the other set.
    uint32 state, other;

    METHOD Quintic(uint32 *shared, QuinticShape shape, const uint32 *table)
        : slots(shared), shape(shape), table(table), state(0), other(shape.width) {}

    // Moves to the next entry of the table.
    METHOD Element<P> next() {
        Element<P> value = entry<P>(table, 0);
        table += P::N;
        return value;
    }

    METHOD Element<P> row_of_state() {
        InnerProduct<P> sum = empty_inner_product<P>();
        NO_UNROLL for (uint32 i = 0; i < shape.width; ++i) {
            accumulate<P>(sum, next(), slots.load(state + i));
        }
        return reduce_inner_product<P>(sum);
    }

    // A row of the history, without its constant: all inputs from the oldest on, and `count`
    // outputs from `first` on. The state's set holds the outputs, the other one the inputs, as rings.
    METHOD Element<P> row_of_history(uint32 oldest, uint32 first, uint32 count) {
        uint32 order = shape.width - 1, place = oldest;
        InnerProduct<P> sum = empty_inner_product<P>();
        NO_UNROLL for (uint32 i = 0; i < order + count; ++i) {
            bool is_input = i < order;
            uint32 size = is_input ? order : shape.width;
            if (i == order) place = first;
            accumulate<P>(sum, next(), slots.load((is_input ? other : state) + place));
            place = place + 1 == size ? 0 : place + 1;
        }
        return reduce_inner_product<P>(sum);
    }

    METHOD void sboxes() {
        NO_UNROLL for (uint32 i = 0; i < shape.width; ++i) {
            slots.store(state + i, fifth_power<P>(slots.load(state + i)));
        }
    }

    // Maps the inputs at the entry, which are in the other set, to the inputs of the next full
    // round. `spare` has room for a state in device memory.
    METHOD void partial_rounds(uint32 *spare) {
        uint32 width = shape.width, order = width - 1;
        slots.store(other + order - 1, add<P>(slots.load(other + order - 1), next()));
        NO_UNROLL for (uint32 i = 1; i < width; ++i) slots.store(state + i, zero_limbs<P::N>());
        // The oldest input; the newest output, which is followed by the oldest.
        uint32 oldest = 0, newest = 0;
        NO_UNROLL for (uint32 round = 0; round < shape.partial; ++round) {
            bool is_last = round + 1 == shape.partial;
            uint32 latest = oldest == 0 ? order - 1 : oldest - 1;
            Element<P> output = fifth_power<P>(slots.load(other + latest));
            newest = newest + 1 == width ? 0 : newest + 1;
            slots.store(state + newest, output);
            // The last row has a coefficient of this output; in the others it is 1.
            uint32 first = newest + 1 == width ? 0 : newest + 1;
            Element<P> input = row_of_history(oldest, first, is_last ? width : order);
            input = add<P>(input, next());
            if (!is_last) input = add<P>(input, output);
            slots.store(other + oldest, input);
            oldest = oldest + 1 == order ? 0 : oldest + 1;
        }
        leave(oldest, newest, spare);
    }

    // Computes the state after the partial rounds from the last inputs and outputs.
    METHOD void leave(uint32 oldest, uint32 newest, uint32 *spare) {
        uint32 width = shape.width, order = width - 1;
        uint32 first = newest + 2 >= width ? newest + 2 - width : newest + 2;
        NO_UNROLL for (uint32 i = 0; i < order; ++i) {
            Element<P> value = row_of_history(oldest, first, order);
            store_limbs(spare + i * P::N, add<P>(value, next()));
        }
        uint32 latest = oldest == 0 ? order - 1 : oldest - 1;
        slots.store(state, slots.load(other + latest));
        NO_UNROLL for (uint32 i = 0; i < order; ++i) {
            slots.store(state + 1 + i, entry<P>(spare, i));
        }
    }

    // Permutes a state in device memory and writes the elements from `first` on, `count` of them.
    // The memory of the state is overwritten.
    //
    // After the S-boxes of each full round come rows over the state: the matrix, the entry of the
    // partial rounds, or, at the end, the wanted rows of the matrix.
    METHOD void run(uint32 *elements, uint32 first, uint32 count, uint32 *results) {
        uint32 width = shape.width, half = shape.half_full, rounds = 2 * half;
        const uint32 *constants = table, *matrix = table + half * width * P::N;
        NO_UNROLL for (uint32 i = 0; i < width; ++i) {
            slots.store(i, add<P>(entry<P>(elements, i), entry<P>(constants, i)));
        }
        NO_UNROLL for (uint32 round = 1; round <= rounds; ++round) {
            bool is_entry = round == half, is_end = round == rounds;
            sboxes();
            table = matrix + (is_entry ? width * width : is_end ? first * width : 0) * P::N;
            uint32 rows = is_entry ? width - 1 : is_end ? count : width;
            if (!is_entry && !is_end) constants += width * P::N;
            NO_UNROLL for (uint32 i = 0; i < rows; ++i) {
                Element<P> value = row_of_state();
                if (!is_entry && !is_end) value = add<P>(value, entry<P>(constants, i));
                slots.store(other + i, value);
            }
            if (is_entry) {
                partial_rounds(elements);
                // The first of the last full rounds has its constants from the exit.
                constants = table - width * P::N;
            } else {
                uint32 before = state;
                state = other;
                other = before;
            }
        }
        NO_UNROLL for (uint32 i = 0; i < count; ++i) {
            store_limbs(results + i * P::N, slots.load(state + i));
        }
    }
};
