// SPDX-License-Identifier: Apache-2.0 OR MIT
// CKKS: the operations of ring programs on residues of 30 bits. Each kernel runs a list of jobs,
// one for a limb (a conversion: for some targets), and each job on the same number of blocks. All
// residues that a kernel reads or writes are in [0, q); only between the passes of a transform they
// are in [0, 4q).
#include "ckks/convert.cuh"
#include "ckks/epilogue.cuh"
#include "ckks/expand.cuh"
#include "ckks/pointwise.cuh"
#include "ckks/sums.cuh"

constexpr uint32 CKKS_THREADS = 256;

// Fills the tables of factors: factor i of a direction is psi^rev(i), or psi^-rev(i), with its
// quotient. One thread for each entry of each prime and direction.
KERNEL(CKKS_THREADS, ckks_tables, const Prime *primes, Shoup *table, uint32 log_degree,
       uint32 count) {
    const uint64 entry = global_index();
    const uint32 prime = static_cast<uint32>(entry >> (log_degree + 1));
    if (prime >= count) return;
    const Prime of = primes[prime];
    const bool is_forward = ((entry >> log_degree) & 1) == 0;
    const uint32 index = static_cast<uint32>(entry) & ((1u << log_degree) - 1);
    uint32 exponent = reverse_bits(index) >> (32 - log_degree);
    uint32 power = is_forward ? of.root : of.inverse_root, result = 1;
    for (; exponent != 0; exponent >>= 1) {
        if (exponent & 1) result = mul_mod(result, power, of);
        power = mul_mod(power, power, of);
    }
    const uint32 quotient = static_cast<uint32>((static_cast<uint64>(result) << 32) / of.modulus);
    table[entry] = Shoup{result, quotient};
}

// The first 2^log_rows stages of forward transforms.
KERNEL(CKKS_THREADS, ckks_forward_columns, Buffers buffers, const Prime *primes,
       const Shoup *table, const TransformJob *jobs, uint32 log_degree, uint32 log_rows) {
    SHARED uint32 tile[TILE_WORDS];
    const uint32 log_columns = log_degree - log_rows;
    const Part part = part_of(1u << (log_columns - LOG_COLUMNS));
    const TransformJob &job = jobs[part.job];
    const uint32 first = part.block * COLUMNS;
    const uint32 *from = words_of(buffers, job.from);
    uint32 *to = words_of(buffers, job.middle);
    run_tile<true>(
        column_stages(log_rows), tile, factors_of(table, job.prime, true, log_degree),
        primes[job.prime].modulus,
        [&](uint32 index) { return from[column_position(index, first, log_columns)]; },
        [&](uint32 index, uint32 value) {
            to[column_position(index, first, log_columns)] = value;
        });
}

// The other stages of forward transforms, and their epilogues.
KERNEL(CKKS_THREADS, ckks_forward_rows, Buffers buffers, const Prime *primes, const Shoup *table,
       const TransformJob *jobs, uint32 log_degree, uint32 log_rows) {
    SHARED uint32 tile[TILE_WORDS];
    const Part part = part_of(1u << (log_degree - smaller(log_degree, LOG_TILE)));
    const TransformJob &job = jobs[part.job];
    const TileStages stages = row_stages(log_degree, log_rows, part.block);
    const uint32 q = primes[job.prime].modulus;
    const uint32 *from = words_of(buffers, log_rows == 0 ? job.from : job.middle) + stages.start;
    run_tile<true>(
        stages, tile, factors_of(table, job.prime, true, log_degree), q,
        [&](uint32 index) { return from[index]; },
        [&](uint32 index, uint32 value) { tile[padded(index)] = value; });
    barrier();
    write_values(buffers, job, stages, tile, q, log_degree);
}

// The last stages, in the order of the forward transform, of inverse transforms.
KERNEL(CKKS_THREADS, ckks_inverse_rows, Buffers buffers, const Prime *primes, const Shoup *table,
       const TransformJob *jobs, uint32 log_degree, uint32 log_rows) {
    SHARED uint32 tile[TILE_WORDS];
    const Part part = part_of(1u << (log_degree - smaller(log_degree, LOG_TILE)));
    const TransformJob &job = jobs[part.job];
    const TileStages stages = row_stages(log_degree, log_rows, part.block);
    const uint32 q = primes[job.prime].modulus;
    const uint32 *from = words_of(buffers, job.from) + stages.start;
    for (uint32 local = thread_index(); local < 1u << stages.log_tile; local += block_size()) {
        tile[padded(local)] = from[local];
    }
    barrier();
    run_tile<false>(
        stages, tile, factors_of(table, job.prime, false, log_degree), q,
        [&](uint32 index) { return tile[padded(index)]; },
        [&](uint32 index, uint32 value) { tile[padded(index)] = value; });
    barrier();
    const bool is_all = log_rows == 0;
    uint32 *to = words_of(buffers, is_all ? job.to : job.middle) + stages.start;
    for (uint32 local = thread_index(); local < 1u << stages.log_tile; local += block_size()) {
        const uint32 value = tile[padded(local)];
        to[local] = is_all ? mul_shoup(value, job.factor, q) : value;
    }
}

// The first stages, in the order of the forward transform, of inverse transforms, and their
// factors.
KERNEL(CKKS_THREADS, ckks_inverse_columns, Buffers buffers, const Prime *primes,
       const Shoup *table, const TransformJob *jobs, uint32 log_degree, uint32 log_rows) {
    SHARED uint32 tile[TILE_WORDS];
    const uint32 log_columns = log_degree - log_rows;
    const Part part = part_of(1u << (log_columns - LOG_COLUMNS));
    const TransformJob &job = jobs[part.job];
    const uint32 first = part.block * COLUMNS, q = primes[job.prime].modulus;
    const uint32 *from = words_of(buffers, job.middle);
    uint32 *to = words_of(buffers, job.to);
    run_tile<false>(
        column_stages(log_rows), tile, factors_of(table, job.prime, false, log_degree), q,
        [&](uint32 index) { return from[column_position(index, first, log_columns)]; },
        [&](uint32 index, uint32 value) {
            to[column_position(index, first, log_columns)] = mul_shoup(value, job.factor, q);
        });
}

// The block of four residues of a thread in a job of N residues.
DEVICE uint32 four_of(uint32 block) { return 4 * (block * CKKS_THREADS + thread_index()); }

// Blocks of a job in which a thread runs four residues.
DEVICE uint32 blocks_of_fours(uint32 log_degree) {
    return ((1u << log_degree) + 4 * CKKS_THREADS - 1) / (4 * CKKS_THREADS);
}

// Sums, products and others, for each residue.
KERNEL(CKKS_THREADS, ckks_pointwise, Buffers buffers, const Prime *primes,
       const PointwiseJob *jobs, uint32 log_degree) {
    const Part part = part_of(blocks_of_fours(log_degree));
    const uint32 index = four_of(part.block);
    if (index >= 1u << log_degree) return;
    run_pointwise(buffers, primes, jobs[part.job], index, log_degree);
}

// Sums of products of limbs.
KERNEL(CKKS_THREADS, ckks_products, Buffers buffers, const Prime *primes, const SumJob *jobs,
       const ProductTerm *terms, uint32 log_degree) {
    const Part part = part_of(blocks_of_fours(log_degree));
    const uint32 index = four_of(part.block);
    if (index >= 1u << log_degree) return;
    const SumJob &job = jobs[part.job];
    const Prime prime = primes[job.prime];
    FourSums sums = products_at(buffers, prime, job, terms, index);
    write_sums(buffers, job, sums, prime.modulus, index, log_degree);
}

// Sums of products of limbs with Gaussian integers.
KERNEL(CKKS_THREADS, ckks_combine, Buffers buffers, const Prime *primes, const SumJob *jobs,
       const NumberTerm *terms, uint32 log_degree) {
    const Part part = part_of(blocks_of_fours(log_degree));
    const uint32 index = four_of(part.block);
    if (index >= 1u << log_degree) return;
    const SumJob &job = jobs[part.job];
    const Prime prime = primes[job.prime];
    const bool is_upper = (index >> (log_degree - 1)) != 0;
    FourSums sums = combination_at(buffers, prime, job, terms, index, is_upper);
    write_sums(buffers, job, sums, prime.modulus, index, log_degree);
}

// Conversions of coefficients.
KERNEL(CONVERT_THREADS, ckks_convert, Buffers buffers, const Prime *primes,
       const ConvertJob *jobs, const ConvertSource *sources, const ConvertTarget *targets,
       const Four *factors, uint32 log_degree) {
    SHARED uint32 y[MAX_SOURCES][CONVERT_BLOCK];
    const uint32 degree = 1u << log_degree;
    const Part part = part_of((degree + CONVERT_BLOCK - 1) / CONVERT_BLOCK);
    const ConvertJob job = jobs[part.job];
    const uint32 first = part.block * CONVERT_BLOCK;
    uint32 overflow[CONVERT_EACH];
    // A thread reads only what it wrote, so that the block need not wait.
    load_sources(buffers, primes, job, sources, first, degree, y, overflow);
    for (uint32 target = 0; target < job.targets; target += TARGETS) {
        const Four *some = factors + job.first_factor + (target / TARGETS) * job.sources;
        convert_targets(buffers, primes, job, targets + job.first_target + target,
                        smaller(job.targets - target, TARGETS), some, y, overflow, first, degree);
    }
}

// Automorphisms of values: `factor.factor` of a job is the exponent.
KERNEL(CKKS_THREADS, ckks_permute, Buffers buffers, const PointwiseJob *jobs,
       uint32 log_degree) {
    const Part part = part_of(blocks_of_fours(log_degree));
    const uint32 start = 4 * CKKS_THREADS * part.block + thread_index();
    const PointwiseJob &job = jobs[part.job];
    const uint32 *from = words_of(buffers, job.a);
    uint32 *to = words_of(buffers, job.to);
    UNROLL
    for (uint32 each = 0; each < 4; ++each) {
        const uint32 index = start + each * CKKS_THREADS;
        if (index < 1u << log_degree) {
            to[index] = from[image_index(index, job.factor.factor, log_degree)];
        }
    }
}

// Expands uniform limbs, one in a block.
KERNEL(EXPAND_THREADS, ckks_expand, Buffers buffers, const Prime *primes, const ExpandJob *jobs,
       uint32 log_degree) {
    SHARED uint32 sums[2][EXPAND_THREADS];
    const ExpandJob &job = jobs[block_index()];
    const uint32 degree = 1u << log_degree, q = primes[job.prime].modulus;
    const uint32 mask = ~0u >> count_leading_zeros(q);
    const uint64 stream = static_cast<uint64>(job.index) << 16 | job.prime;
    uint32 *to = words_of(buffers, job.to);
    uint64 counter = thread_index();
    for (uint32 filled = 0; filled < degree; counter += EXPAND_THREADS) {
        uint32 words[BLOCK_WORDS];
        chacha_block(job, counter, stream, words);
        uint32 count = 0;
        UNROLL
        for (uint32 word = 0; word < BLOCK_WORDS; ++word) {
            words[word] &= mask;
            count += words[word] < q ? 1 : 0;
        }
        uint32 all;
        uint32 place = filled + sum_before(count, sums, all);
        UNROLL
        for (uint32 word = 0; word < BLOCK_WORDS; ++word) {
            if (words[word] < q) {
                if (place < degree) to[place] = words[word];
                ++place;
            }
        }
        filled += all;
    }
}
