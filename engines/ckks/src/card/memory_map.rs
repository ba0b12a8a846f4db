// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The regions of a program in the card's memory.

use serde::Serialize;

use super::error::CardError;
use super::image::padded;
use super::isa::{SEGMENTS, TRANSFER_BYTES};
use super::model::Card;
use crate::ring::{External, Program, Role};

/// The indices of the regions that every program has.
pub(super) const TABLES: usize = 0;
pub(super) const SCRATCH: usize = 1;
const FIRST: usize = 2;

/// The content of a region.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Content {
    /// Tables of the transforms' factors.
    Tables,
    /// Limbs that do not fit in the scratchpad.
    Scratch,
    /// An external value of the program, by its index.
    External(usize),
    /// The seed and the index of an external value.
    Seed(usize),
    /// An output, by its index.
    Output(usize),
}

/// A region of the card's memory.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Segment {
    /// The content of the region.
    pub content: Content,
    /// The name of the region in the program.
    pub name: String,
    /// The length of the region in bytes.
    pub bytes: usize,
}

/// The regions of a program, in the order of their numbers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct MemoryMap {
    /// The regions.
    pub segments: Vec<Segment>,
    /// The size of a table of factors in bytes.
    pub table_bytes: usize,
}

/// Returns `true` if an external value is the uniform half of a key, which a seed determines.
pub(crate) fn has_seed(external: &External) -> bool {
    external.role == Role::Key && external.name.ends_with(", a")
}

/// The size in memory of a limb of an external value, in bytes.
pub(super) fn limb_bytes(degree: usize, run: usize) -> usize {
    padded(4 * degree / run)
}

impl MemoryMap {
    /// Creates the map of a program whose outputs have these numbers of limbs. With `expand`, the
    /// card expands the uniform halves of keys from their seeds.
    pub(super) fn new(
        program: &Program,
        outputs: &[usize],
        card: &Card,
        expand: bool,
    ) -> Result<Self, CardError> {
        let degree = program.degree;
        let table_bytes = padded(4 * card.table_words(degree));
        let fixed = |content, name: &str, bytes| Segment { content, name: name.to_owned(), bytes };
        let mut segments = vec![
            fixed(Content::Tables, "factors of transforms", 2 * program.primes.len() * table_bytes),
            fixed(Content::Scratch, "limbs without room", 0),
        ];
        for (index, external) in program.externals.iter().enumerate() {
            let (content, bytes) = match expand && has_seed(external) {
                true => (Content::Seed(index), TRANSFER_BYTES),
                false => {
                    let bytes = external.basis.len() * limb_bytes(degree, external.run);
                    (Content::External(index), bytes)
                }
            };
            segments.push(fixed(content, &external.name, bytes));
        }
        for (index, (output, limbs)) in program.outputs.iter().zip(outputs).enumerate() {
            let bytes = limbs * limb_bytes(degree, 1);
            segments.push(fixed(Content::Output(index), &output.name, bytes));
        }
        match segments.len() {
            0..=SEGMENTS => Ok(Self { segments, table_bytes }),
            got => Err(CardError::Segments { got, limit: SEGMENTS }),
        }
    }

    /// The region of an external value.
    pub(super) fn of_external(index: usize) -> usize {
        FIRST + index
    }

    /// Returns `true` if the card expands an external value from its seed.
    pub(super) fn is_seed(&self, index: usize) -> bool {
        matches!(self.segments[Self::of_external(index)].content, Content::Seed(_))
    }

    /// The region of an output of a program with this many external values.
    pub(super) fn of_output(externals: usize, index: usize) -> usize {
        FIRST + externals + index
    }

    /// The offset in its region of the table of a prime and direction.
    pub fn table_offset(&self, prime: usize, inverse: bool) -> usize {
        (2 * prime + usize::from(inverse)) * self.table_bytes
    }

    /// The size of all regions in bytes.
    pub fn bytes(&self) -> usize {
        self.segments.iter().map(|segment| padded(segment.bytes)).sum()
    }
}
