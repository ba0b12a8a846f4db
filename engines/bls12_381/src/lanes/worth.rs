// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The numbers of items from which lanes are faster than the library, which computes items one by
//! one or, for sums, with its own buckets.
//!
//! A kernel takes as long for one item as for all its places: eight, or sixteen in G1. If it is r
//! times as fast as the library with all places occupied, it is worth it from 8/r or 16/r items on.
//! The numbers are measured with `halimede-bench bls12-381`.

use halimede_arith::lanes::available;
use halimede_arith::Backend;

/// Least numbers of items.
#[derive(Debug)]
pub struct Worth {
    /// Miller loops of separate products, one per lane.
    pub miller_loops: usize,
    /// The most pairs of one product for which one number of Fp12 over all lanes is fastest; 0 if
    /// the library is faster at all powers and products of one number.
    pub few_pairs: usize,
    /// Pairs of one product, which are split over the lanes.
    pub pairs: usize,
    /// The last pairs of such a product, which occupy only some of the lanes.
    pub last_pairs: usize,
    /// Pairs of one product, some of them with prepared lines, which only products of few pairs
    /// use.
    pub prepared_pairs: usize,
    /// The largest number of pairs without prepared lines next to pairs with them, for which the
    /// library computes lines.
    pub computed_lines: usize,
    pub final_exponentiations: usize,
    /// Points that are decompressed.
    pub decompressions: usize,
    pub g1: WorthInGroup,
    pub g2: WorthInGroup,
    /// Rows of a group of signatures from which the sum of their multiples is computed apart, with
    /// buckets. The multiples of the points of all smaller groups are computed together, so that
    /// they fill the lanes.
    pub large_group: usize,
    /// `true` if sums of fixed points are faster in lanes.
    pub fixed_points: bool,
}

/// Least numbers of points of a group.
#[derive(Debug)]
pub struct WorthInGroup {
    /// Subgroup checks.
    pub checks: usize,
    /// Multiples of separate points.
    pub multiples: usize,
    /// Messages to hash.
    pub hashes: usize,
    /// Numbers of 128 bits whose sum of multiples is computed one multiple per lane.
    pub sum_of_numbers: usize,
    /// Scalars whose sum of multiples is computed so, each scalar in two parts.
    pub sum_of_scalars: usize,
    /// Factors from which buckets are faster than one multiple per lane. A scalar counts as two
    /// factors.
    pub buckets: usize,
}

const NEVER: usize = usize::MAX;

const NEVER_IN_GROUP: WorthInGroup = WorthInGroup {
    checks: NEVER,
    multiples: NEVER,
    hashes: NEVER,
    sum_of_numbers: NEVER,
    sum_of_scalars: NEVER,
    buckets: NEVER,
};

static WITHOUT_LANES: Worth = Worth {
    miller_loops: NEVER,
    few_pairs: 0,
    pairs: NEVER,
    last_pairs: NEVER,
    prepared_pairs: NEVER,
    computed_lines: NEVER,
    final_exponentiations: NEVER,
    decompressions: NEVER,
    g1: NEVER_IN_GROUP,
    g2: NEVER_IN_GROUP,
    large_group: 2,
    fixed_points: false,
};

/// With AVX-512 IFMA, where full lanes are some six times as fast as the library.
pub static INTEGERS: Worth = Worth {
    miller_loops: 2,
    few_pairs: 7,
    pairs: 2,
    last_pairs: 1,
    prepared_pairs: 8,
    computed_lines: 1,
    final_exponentiations: 3,
    decompressions: 4,
    g1: WorthInGroup {
        checks: 3,
        multiples: 3,
        hashes: 3,
        sum_of_numbers: 2,
        sum_of_scalars: 4,
        buckets: 17,
    },
    g2: WorthInGroup {
        checks: 2,
        multiples: 2,
        hashes: 2,
        sum_of_numbers: 2,
        sum_of_scalars: 2,
        buckets: 12,
    },
    large_group: 16,
    fixed_points: true,
};

/// With AVX-512F and the products of doubles, where full lanes are 1.6 to 2.1 times as fast. Few
/// multiples are slower than the library's sum.
static DOUBLES: Worth = Worth {
    miller_loops: 5,
    few_pairs: 0,
    pairs: 6,
    last_pairs: 4,
    prepared_pairs: 9,
    computed_lines: NEVER,
    final_exponentiations: 5,
    decompressions: 11,
    g1: WorthInGroup {
        checks: 9,
        multiples: 9,
        hashes: 10,
        sum_of_numbers: NEVER,
        sum_of_scalars: NEVER,
        buckets: 24,
    },
    g2: WorthInGroup {
        checks: 5,
        multiples: 5,
        hashes: 5,
        sum_of_numbers: NEVER,
        sum_of_scalars: NEVER,
        buckets: 16,
    },
    large_group: 8,
    fixed_points: true,
};

/// With AVX2, where full lanes are 1.1 to 1.6 times as fast.
static NEAREST: Worth = Worth {
    miller_loops: 7,
    few_pairs: 0,
    pairs: 16,
    last_pairs: 6,
    prepared_pairs: NEVER,
    computed_lines: NEVER,
    final_exponentiations: 7,
    decompressions: 15,
    g1: WorthInGroup {
        checks: 12,
        multiples: 12,
        hashes: 13,
        sum_of_numbers: NEVER,
        sum_of_scalars: NEVER,
        buckets: 32,
    },
    g2: WorthInGroup {
        checks: 7,
        multiples: 7,
        hashes: 8,
        sum_of_numbers: NEVER,
        sum_of_scalars: NEVER,
        buckets: 16,
    },
    large_group: 4,
    fixed_points: true,
};

/// Returns the numbers for this process.
pub fn worth() -> &'static Worth {
    let backend = Backend::active();
    match backend {
        _ if !available(backend) => &WITHOUT_LANES,
        Backend::Avx512Ifma => &INTEGERS,
        Backend::Avx512 => &DOUBLES,
        _ => &NEAREST,
    }
}
