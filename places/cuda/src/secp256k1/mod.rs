// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Signatures over secp256k1 on a GPU: ECDSA, BIP 340, and recovery of keys.
//!
//! Every operation ends in a sum u·G + v·Q for each request (`kernels/secp256k1.cu`). The kernels
//! check all numbers; the host checks lengths and encodings.

mod ecdsa;
mod recovery;
mod schnorr;

pub use ecdsa::VerifyOnGpu;
pub use recovery::RecoverOnGpu;
pub use schnorr::VerifySchnorrOnGpu;

use halimede_secp256k1::secp256k1::{PublicKey, SecretKey};

use crate::error::CudaError;
use crate::memory::Argument;
use crate::workspace::Workspace;

const ENGINE: &str = "secp256k1";
/// The failed checks that only kernels name, as bits of their masks.
const NOT_ON_CURVE: u32 = 1 << 5;
const X_RANGE: u32 = 1 << 6;
const HIGH_S: u32 = 1 << 7;

/// The windows of the generator's table.
const WINDOW_BITS: usize = 8;
const DIGITS: usize = 1 << WINDOW_BITS;
/// The name of that table.
const GENERATOR: u64 = 0;
/// Words of a thread's table of odd multiples.
const TABLE_WORDS: usize = 16 * 24;
/// The most threads with such a table, which fill a large GPU.
const MOST_TABLES: usize = 1 << 16;
/// A multiple of the threads of any block.
const BLOCK: usize = 1024;
/// The number of divisions that share one inversion.
const SHARED: usize = 16;

/// Returns the points digit·2^(8·window)·G as words of x and y, lowest first. Entry 0 of a
/// window is not used.
fn generator_table() -> Vec<[u32; 16]> {
    let mut table = Vec::with_capacity(256 / WINDOW_BITS * DIGITS);
    for window in 0..256 / WINDOW_BITS {
        for digit in 0..DIGITS {
            let mut scalar = [0; 32];
            scalar[31 - window] = digit as u8;
            let point = SecretKey::from_secret_bytes(scalar)
                .map(|key| words(&PublicKey::from_secret_key(&key).serialize_uncompressed()[1..]));
            table.push(point.unwrap_or([0; 16]));
        }
    }
    table
}

/// Returns two big-endian numbers as words, lowest first.
fn words(bytes: &[u8]) -> [u32; 16] {
    std::array::from_fn(|place| {
        let first = place / 8 * 32 + 28 - place % 8 * 4;
        bytes[first..first + 4].iter().fold(0, |word, byte| word << 8 | u32::from(*byte))
    })
}

/// The memory of a piece. Kernels that divide use fewer threads than requests.
struct Piece {
    count: usize,
    masks: Argument,
    terms: Argument,
    sums: Argument,
    divisors: Argument,
    products: Argument,
}

impl Piece {
    fn new(workspace: &mut Workspace, count: usize) -> Result<Self, CudaError> {
        Ok(Self {
            count,
            masks: workspace.output::<u32>(0, count)?,
            terms: workspace.scratch::<[u32; 32]>(0, count)?,
            sums: workspace.scratch::<[u32; 24]>(1, count)?,
            divisors: workspace.scratch::<[u32; 8]>(2, count)?,
            products: workspace.scratch::<[u32; 8]>(3, count)?,
        })
    }

    fn count(&self) -> Argument {
        u32::try_from(self.count).unwrap_or(u32::MAX).into()
    }

    /// The threads of kernels that divide.
    fn dividing(&self) -> u64 {
        self.count.div_ceil(SHARED) as u64
    }

    /// Computes the sums of the terms.
    fn sum(&self, workspace: &mut Workspace) -> Result<(), CudaError> {
        let threads = self.count.min(MOST_TABLES);
        let tables = workspace.scratch::<[u32; TABLE_WORDS]>(4, threads.next_multiple_of(BLOCK))?;
        let multiples = [self.terms, self.sums, tables, self.count()];
        workspace.launch("secp256k1_multiples", threads as u64, &multiples)?;
        let generator = workspace.table(GENERATOR, generator_table)?;
        let bits = Argument::from(WINDOW_BITS as u32);
        let all = [self.terms, self.sums, generator, bits, self.count()];
        workspace.launch("secp256k1_add_generator", self.count as u64, &all)
    }
}

/// The error of a mask that no check explains.
fn not_a_mask(mask: u32) -> CudaError {
    CudaError::Reply { engine: ENGINE, reason: format!("the mask {mask:#x}") }
}

/// The lowest byte of a mask, if it has no other.
fn byte(mask: u32) -> Result<u8, CudaError> {
    u8::try_from(mask).map_err(|_| not_a_mask(mask))
}
