// SPDX-License-Identifier: Apache-2.0 OR MIT
// The inputs, the outputs and the epilogues of a transform's passes.
#pragma once

#include "transform.cuh"

// The tile of a block of the pass of columns.
DEVICE TileStages column_stages(uint32 log_rows) {
    return TileStages{0, log_rows, LOG_COLUMNS + log_rows, 0, LOG_COLUMNS + log_rows};
}

// The tile of a block of the pass of rows.
DEVICE TileStages row_stages(uint32 log_degree, uint32 log_rows, uint32 block) {
    const uint32 log_tile = smaller(log_degree, LOG_TILE);
    return TileStages{log_rows, log_degree, log_degree, block << log_tile, log_tile};
}

// Reduces residues in [0, 4q) of a tile, applies the epilogue and writes the output.
DEVICE void write_values(Buffers buffers, const TransformJob &job, const TileStages &stages,
                         const uint32 *tile, uint32 q, uint32 log_degree) {
    uint32 *to = words_of(buffers, job.to);
    const uint32 *subtrahend = words_of(buffers, job.subtrahend);
    const uint32 *added = words_of(buffers, job.added);
    for (uint32 local = thread_index(); local < 1u << stages.log_tile; local += block_size()) {
        const uint32 index = stages.start + local;
        uint32 value = tile[padded(local)];
        value = reduce_once(reduce_once(value, 2 * q), q);
        if (job.flags & SUBTRACT_AND_SCALE) {
            value = mul_shoup(value + q - subtrahend[index], job.factor, q);
        }
        if (job.flags & ADD) value = add_mod(value, added[index], q);
        const bool is_moved = job.exponent != 1;
        to[is_moved ? image_index(index, job.exponent, log_degree) : index] = value;
    }
}
