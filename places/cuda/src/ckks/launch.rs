// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Launches of kernels, and the words of their jobs, as `kernels/ckks.cu` reads them.

/// log₂ of the residues of a tile of a transform, and of the columns of one.
const LOG_TILE: u32 = 12;
const LOG_COLUMNS: u32 = 4;
/// log₂ of the most rows of a tile of columns.
const MOST_LOG_ROWS: u32 = LOG_TILE - LOG_COLUMNS;
/// Residues that a block of a pointwise kernel works on.
const POINTWISE_BLOCK: usize = 1024;
/// Coefficients that a block of a conversion works on.
const CONVERT_BLOCK: usize = 256;
/// Targets of which the factors of a conversion are next to each other.
pub(super) const TARGETS: usize = 4;
/// Words of 32 bits in which positions of limbs are counted.
pub(super) const LIMB_UNIT: usize = 16;

/// A kernel of `kernels/ckks.cu`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CkksKernel {
    /// The first stages of forward transforms.
    ForwardColumns,
    /// The other stages of forward transforms.
    ForwardRows,
    /// The first stages of inverse transforms.
    InverseRows,
    /// The other stages of inverse transforms.
    InverseColumns,
    /// Operations on each residue.
    Pointwise,
    /// Sums of products of limbs.
    Products,
    /// Sums of products with numbers.
    Combine,
    /// Conversions.
    Convert,
    /// Automorphisms.
    Permute,
}

impl CkksKernel {
    /// All kernels, by their numbers.
    pub const ALL: [Self; 9] = [
        Self::ForwardColumns,
        Self::ForwardRows,
        Self::InverseRows,
        Self::InverseColumns,
        Self::Pointwise,
        Self::Products,
        Self::Combine,
        Self::Convert,
        Self::Permute,
    ];

    /// The name of the function.
    pub fn name(self) -> &'static str {
        match self {
            Self::ForwardColumns => "ckks_forward_columns",
            Self::ForwardRows => "ckks_forward_rows",
            Self::InverseRows => "ckks_inverse_rows",
            Self::InverseColumns => "ckks_inverse_columns",
            Self::Pointwise => "ckks_pointwise",
            Self::Products => "ckks_products",
            Self::Combine => "ckks_combine",
            Self::Convert => "ckks_convert",
            Self::Permute => "ckks_permute",
        }
    }

    /// Returns `true` if the kernel is a pass of transforms.
    pub fn is_transform(self) -> bool {
        self.is_of_columns() || matches!(self, Self::ForwardRows | Self::InverseRows)
    }

    fn is_of_columns(self) -> bool {
        matches!(self, Self::ForwardColumns | Self::InverseColumns)
    }

    /// The number of blocks of a job.
    pub(super) fn blocks(self, degree: usize) -> u64 {
        let log_degree = degree.trailing_zeros();
        match self {
            Self::ForwardColumns | Self::InverseColumns => {
                1 << (log_degree - log_rows(log_degree)).saturating_sub(LOG_COLUMNS)
            }
            Self::ForwardRows | Self::InverseRows => 1 << log_degree.saturating_sub(LOG_TILE),
            Self::Convert => degree.div_ceil(CONVERT_BLOCK) as u64,
            _ => degree.div_ceil(POINTWISE_BLOCK) as u64,
        }
    }
}

/// log₂ of the rows of the pass of columns; 0 if the pass of rows does all stages.
pub(super) fn log_rows(log_degree: u32) -> u32 {
    match log_degree <= LOG_TILE {
        true => 0,
        false => (log_degree - MOST_LOG_ROWS).min(MOST_LOG_ROWS),
    }
}

/// A launch of a kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Launch {
    /// The kernel.
    pub kernel: CkksKernel,
    /// The number of jobs.
    pub jobs: usize,
    /// The number of blocks.
    pub blocks: u64,
    /// The positions of its tables in the code, in words of 64 bits.
    pub tables: Vec<usize>,
}

/// Two words of 32 bits.
pub(super) fn pair(low: u32, high: u32) -> u64 {
    u64::from(low) | u64::from(high) << 32
}

/// The tables of all launches of a program.
#[derive(Default)]
pub(super) struct Code {
    pub words: Vec<u64>,
    pub launches: Vec<Launch>,
}

impl Code {
    /// Adds a table, at a multiple of 16 bytes, and returns its position.
    pub fn table(&mut self, words: impl IntoIterator<Item = u64>) -> usize {
        self.words.resize(self.words.len().next_multiple_of(2), 0);
        let position = self.words.len();
        self.words.extend(words);
        position
    }

    /// Adds a launch.
    pub fn launch(&mut self, kernel: CkksKernel, degree: usize, jobs: usize, tables: Vec<usize>) {
        let blocks = kernel.blocks(degree) * jobs as u64;
        self.launches.push(Launch { kernel, jobs, blocks, tables });
    }
}
