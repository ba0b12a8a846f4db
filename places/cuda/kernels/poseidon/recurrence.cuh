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

    // sum += the next `count` entries times the slots from `first` on. The slots are a ring of
    // `size` slots at `base`.
    METHOD void combine(InnerProduct<P> &sum, uint32 base, uint32 first, uint32 size,
                               uint32 count) {
        NO_UNROLL for (uint32 i = 0; i < count; ++i) {
            accumulate<P>(sum, next(), slots.load(base + first));
            first = first + 1 == size ? 0 : first + 1;
        }
    }

    METHOD Element<P> row_of_state() {
        InnerProduct<P> sum = empty_inner_product<P>();
        combine(sum, state, 0, shape.width, shape.width);
        return reduce_inner_product<P>(sum);
    }

    METHOD void sboxes() {
        NO_UNROLL for (uint32 i = 0; i < shape.width; ++i) {
            slots.store(state + i, fifth_power<P>(slots.load(state + i)));
        }
    }

    METHOD void swap() {
        uint32 before = state;
        state = other;
        other = before;
    }

    // Applies the S-boxes and the matrix, then adds constants.
    METHOD void full_round(const uint32 *matrix, const uint32 *constants) {
        sboxes();
        table = matrix;
        NO_UNROLL for (uint32 i = 0; i < shape.width; ++i) {
            slots.store(other + i, add<P>(row_of_state(), entry<P>(constants, i)));
        }
        swap();
    }

    // Maps the S-boxes' outputs of the last of the first full rounds to the inputs of the next full
    // round. `spare` has room for a state in device memory.
    METHOD void partial_rounds(uint32 *spare) {
        uint32 width = shape.width, order = width - 1, inputs = other, outputs = state;
        NO_UNROLL for (uint32 i = 0; i < order; ++i) slots.store(inputs + i, row_of_state());
        slots.store(inputs + order - 1, add<P>(slots.load(inputs + order - 1), next()));
        NO_UNROLL for (uint32 i = 1; i < width; ++i) {
            slots.store(outputs + i, zero_limbs<P::N>());
        }
        // The oldest input; the newest output is followed by the oldest, since it is a ring.
        uint32 oldest = 0, newest = 0;
        NO_UNROLL for (uint32 round = 0; round < shape.partial; ++round) {
            bool is_last = round + 1 == shape.partial;
            uint32 latest = oldest == 0 ? order - 1 : oldest - 1;
            Element<P> output = fifth_power<P>(slots.load(inputs + latest));
            uint32 place = newest + 1 == width ? 0 : newest + 1;
            slots.store(outputs + place, output);
            InnerProduct<P> sum = empty_inner_product<P>();
            combine(sum, inputs, oldest, order, order);
            // The last row has a coefficient of this output; in the others it is 1.
            uint32 first = place + 1 == width ? 0 : place + 1;
            combine(sum, outputs, first, width, is_last ? width : order);
            Element<P> input = add<P>(reduce_inner_product<P>(sum), next());
            if (!is_last) input = add<P>(input, output);
            slots.store(inputs + oldest, input);
            oldest = oldest + 1 == order ? 0 : oldest + 1;
            newest = place;
        }
        leave(inputs, oldest, outputs, newest, spare);
    }

    // Computes the state after the partial rounds from the last inputs and outputs.
    METHOD void leave(uint32 inputs, uint32 oldest, uint32 outputs, uint32 newest,
                             uint32 *spare) {
        uint32 width = shape.width, order = width - 1;
        uint32 first = newest + 2 >= width ? newest + 2 - width : newest + 2;
        NO_UNROLL for (uint32 i = 0; i < order; ++i) {
            InnerProduct<P> sum = empty_inner_product<P>();
            combine(sum, inputs, oldest, order, order);
            combine(sum, outputs, first, width, order);
            store_limbs(spare + i * P::N, add<P>(reduce_inner_product<P>(sum), next()));
        }
        uint32 latest = oldest == 0 ? order - 1 : oldest - 1;
        Element<P> zeroth = slots.load(inputs + latest);
        slots.store(state, zeroth);
        NO_UNROLL for (uint32 i = 0; i < order; ++i) {
            slots.store(state + 1 + i, entry<P>(spare, i));
        }
    }

    // Permutes a state in device memory and writes the elements from `first` on, `count` of them.
    // The memory of the state is overwritten.
    METHOD void run(uint32 *elements, uint32 first, uint32 count, uint32 *results) {
        uint32 width = shape.width;
        const uint32 *constants = table, *matrix = table + shape.half_full * width * P::N;
        NO_UNROLL for (uint32 i = 0; i < width; ++i) {
            slots.store(i, add<P>(entry<P>(elements, i), entry<P>(constants, i)));
        }
        NO_UNROLL for (uint32 round = 1; round < shape.half_full; ++round) {
            full_round(matrix, constants + round * width * P::N);
        }
        sboxes();
        table = matrix + width * width * P::N;
        partial_rounds(elements);
        constants = table;
        NO_UNROLL for (uint32 round = 1; round < shape.half_full; ++round) {
            full_round(matrix, constants + (round - 1) * width * P::N);
        }
        sboxes();
        table = matrix + first * width * P::N;
        NO_UNROLL for (uint32 i = 0; i < count; ++i) store_limbs(results + i * P::N, row_of_state());
    }
};
