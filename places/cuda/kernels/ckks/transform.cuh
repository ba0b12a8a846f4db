// SPDX-License-Identifier: Apache-2.0 OR MIT
// Number-theoretic transforms of limbs, with the products by powers of psi merged into the stages
// (Longa, Naehrig, "Speeding up the number theoretic transform", CANS 2016).
//
// Stage s has 2^s groups, and multiplies group i by psi^rev(2^s + i). N = 2^n residues are
// transformed in two passes over memory if n exceeds LOG_TILE, and in one otherwise. The pass of
// columns runs the first stages on COLUMNS neighboring columns of a matrix of 2^rows rows; the pass
// of rows runs the others on whole rows. A block keeps its tile of at most 2^LOG_TILE residues in
// shared memory, and a thread runs up to four stages in registers.
#pragma once

#include "limb.cuh"

constexpr uint32 LOG_TILE = 12;
constexpr uint32 LOG_COLUMNS = 4;
constexpr uint32 COLUMNS = 1 << LOG_COLUMNS;
constexpr uint32 LOG_RADIX = 4;

// One limb's transform.
struct TransformJob {
    // The input, the residues between the passes, and the output. The first two may be the same,
    // and all three unless `exponent` is above 1.
    Limb from, middle, to;
    // Limbs of the epilogue of a forward transform.
    Limb subtrahend, added;
    uint32 prime;
    // Writes the output of a forward transform through the automorphism X -> X^e, where `exponent`
    // is the inverse of e modulo 2N.
    uint32 exponent;
    // Forward: that of the difference. Inverse: 1/N, times any factor of the result.
    Shoup factor;
    uint32 flags;
    uint32 reserved;
};

// The epilogue of a forward transform: (x - subtrahend) * factor, then + added.
constexpr uint32 SUBTRACT_AND_SCALE = 1;
constexpr uint32 ADD = 2;

// A tile in shared memory. A word of padding after each 16 keeps strided accesses in different
// banks.
constexpr uint32 TILE_WORDS = (1 << LOG_TILE) + (1 << (LOG_TILE - 4));

DEVICE uint32 padded(uint32 index) { return index + (index >> 4); }

// The first stages of a tile, and how its local indices relate to groups.
struct TileStages {
    // The first stage, and the end of the stages.
    uint32 from, to;
    // log2 of the number of local indices in a group of stage 0, as if the tile had one.
    uint32 log_width;
    // The number of the tile's first residue in its limb; 0 in the pass of columns.
    uint32 start;
    // log2 of the number of residues of the tile.
    uint32 log_tile;
};

// Cooley-Tukey: x + y * factor and x - y * factor in [0, 4q), for x in [0, 4q) and any y.
DEVICE void add_and_subtract(uint32 &x, uint32 &y, Shoup by, uint32 q) {
    uint32 sum = reduce_once(x, 2 * q), product = mul_lazy(y, by, q);
    x = sum + product;
    y = sum + 2 * q - product;
}

// Gentleman-Sande: x + y and (x - y) * factor in [0, 2q), for both in [0, 2q).
DEVICE void sum_and_difference(uint32 &x, uint32 &y, Shoup by, uint32 q) {
    uint32 difference = x + 2 * q - y;
    x = reduce_once(x + y, 2 * q);
    y = mul_lazy(difference, by, q);
}

// Runs LOG stages on 2^LOG residues. `place` is 2^s + i for their group i of the first stage s.
template <uint32 LOG>
DEVICE void forward_stages(uint32 (&x)[1 << LOG], const Shoup *factors, uint32 place, uint32 q) {
    UNROLL
    for (uint32 stage = 0; stage < LOG; ++stage) {
        UNROLL
        for (uint32 pair = 0; pair < (1u << LOG) / 2; ++pair) {
            const uint32 log_half = LOG - 1 - stage, group = pair >> log_half;
            const uint32 low = pair + (group << log_half);
            const Shoup by = factors[(place << stage) + group];
            add_and_subtract(x[low], x[low + (1u << log_half)], by, q);
        }
    }
}

// The same stages backward.
template <uint32 LOG>
DEVICE void inverse_stages(uint32 (&x)[1 << LOG], const Shoup *factors, uint32 place, uint32 q) {
    UNROLL
    for (uint32 log_half = 0; log_half < LOG; ++log_half) {
        UNROLL
        for (uint32 pair = 0; pair < (1u << LOG) / 2; ++pair) {
            const uint32 group = pair >> log_half, low = pair + (group << log_half);
            const Shoup by = factors[(place << (LOG - 1 - log_half)) + group];
            sum_and_difference(x[low], x[low + (1u << log_half)], by, q);
        }
    }
}

// Runs LOG stages from `stage` on over a tile.
template <uint32 LOG, bool FORWARD, typename Load, typename Store>
DEVICE void run_stages(const TileStages &stages, uint32 stage, const Shoup *factors, uint32 q,
                       Load load, Store store) {
    const uint32 log_group = stages.log_width - stage, log_step = log_group - LOG;
    const uint32 first = (1u << stage) + (stages.start >> log_group);
    for (uint32 index = thread_index(); index < (1u << stages.log_tile) >> LOG;
         index += block_size()) {
        const uint32 group = index >> log_step, low = index & ((1u << log_step) - 1);
        const uint32 base = (group << log_group) + low;
        uint32 x[1 << LOG];
        UNROLL
        for (uint32 part = 0; part < 1u << LOG; ++part) x[part] = load(base + (part << log_step));
        if (FORWARD) {
            forward_stages<LOG>(x, factors, first + group, q);
        } else {
            inverse_stages<LOG>(x, factors, first + group, q);
        }
        UNROLL
        for (uint32 part = 0; part < 1u << LOG; ++part) store(base + (part << log_step), x[part]);
    }
}

template <bool FORWARD, typename Load, typename Store>
DEVICE void run_some_stages(uint32 count, const TileStages &stages, uint32 stage,
                            const Shoup *factors, uint32 q, Load load, Store store) {
    switch (count) {
        case 1: return run_stages<1, FORWARD>(stages, stage, factors, q, load, store);
        case 2: return run_stages<2, FORWARD>(stages, stage, factors, q, load, store);
        case 3: return run_stages<3, FORWARD>(stages, stage, factors, q, load, store);
        default: return run_stages<4, FORWARD>(stages, stage, factors, q, load, store);
    }
}

// Runs all stages of a tile. The first step reads its residues by `read`, and the last writes them
// by `write`; the steps between go through shared memory.
template <bool FORWARD, typename Read, typename Write>
DEVICE void run_tile(const TileStages &stages, uint32 *tile, const Shoup *factors, uint32 q,
                     Read read, Write write) {
    // The odd stages come first, so that a group of the others is as short as possible.
    const uint32 count = stages.to - stages.from;
    const uint32 odd = (count - 1) % LOG_RADIX + 1;
    for (uint32 done = 0; done < count;) {
        const bool is_first = done == 0;
        const uint32 some = FORWARD ? (is_first ? odd : LOG_RADIX)
                                    : (done + LOG_RADIX < count ? LOG_RADIX : count - done);
        const bool is_last = done + some == count;
        const uint32 stage = FORWARD ? stages.from + done : stages.to - done - some;
        if (!is_first) barrier();
        run_some_stages<FORWARD>(
            some, stages, stage, factors, q,
            [&](uint32 index) { return is_first ? read(index) : tile[padded(index)]; },
            [&](uint32 index, uint32 value) {
                if (is_last) {
                    write(index, value);
                } else {
                    tile[padded(index)] = value;
                }
            });
        done += some;
    }
}

// The factors of one direction for a prime. The table has those of all primes, forward first.
DEVICE const Shoup *factors_of(const Shoup *table, uint32 prime, bool is_forward,
                               uint32 log_degree) {
    return table + ((static_cast<uint64>(2 * prime) + (is_forward ? 0 : 1)) << log_degree);
}

// The position of local index `index` of a tile of columns.
DEVICE uint32 column_position(uint32 index, uint32 first_column, uint32 log_columns) {
    return ((index >> LOG_COLUMNS) << log_columns) + first_column + (index & (COLUMNS - 1));
}
