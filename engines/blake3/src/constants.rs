// SPDX-License-Identifier: Apache-2.0 OR MIT
//! BLAKE3's constants (paper, section 2.2 and tables 1 to 3).

/// The initial value, SHA-256's: the key of the mode `hash`, and the third row of every state.
pub const IV: [u32; 8] = [
    0x6a09_e667,
    0xbb67_ae85,
    0x3c6e_f372,
    0xa54f_f53a,
    0x510e_527f,
    0x9b05_688c,
    0x1f83_d9ab,
    0x5be0_cd19,
];

/// The number of rounds of a compression.
pub(crate) const ROUNDS: usize = 7;

/// Word `i` of a round is word `PERMUTATION[i]` of the round before.
pub(crate) const PERMUTATION: [usize; 16] = [2, 6, 3, 10, 7, 0, 4, 13, 1, 11, 12, 5, 9, 14, 15, 8];

/// The word of the block at each position of each round: the permutation, applied once per
/// preceding round.
pub(crate) const SCHEDULE: [[usize; 16]; ROUNDS] = {
    let mut schedule = [[0; 16]; ROUNDS];
    let mut place = 0;
    while place < 16 {
        schedule[0][place] = place;
        place += 1;
    }
    let mut round = 1;
    while round < ROUNDS {
        let mut place = 0;
        while place < 16 {
            schedule[round][place] = schedule[round - 1][PERMUTATION[place]];
            place += 1;
        }
        round += 1;
    }
    schedule
};

/// The flag of the first block of a chunk.
pub(crate) const CHUNK_START: u32 = 1 << 0;
/// The flag of the last block of a chunk.
pub(crate) const CHUNK_END: u32 = 1 << 1;
/// The flag of a node with two children.
pub(crate) const PARENT: u32 = 1 << 2;
/// The flag of the root, whose compression makes the output.
pub(crate) const ROOT: u32 = 1 << 3;
/// The flag of every compression in the mode `keyed_hash`.
pub(crate) const KEYED_HASH: u32 = 1 << 4;
/// The flag of every compression of the context string of `derive_key`.
pub(crate) const DERIVE_KEY_CONTEXT: u32 = 1 << 5;
/// The flag of every compression of the key material of `derive_key`.
pub(crate) const DERIVE_KEY_MATERIAL: u32 = 1 << 6;
