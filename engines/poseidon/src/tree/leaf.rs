// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Leaves as bytes: the rule for valid leaves, and parsing many of them on all cores.

use halimede_arith::Fr;
use rayon::prelude::*;

use super::TreeError;

/// The length of a leaf in bytes.
pub const LEAF_BYTES: usize = 32;
/// The fewest leaves that are worth a separate thread.
const LEAVES_A_TASK: usize = 1024;

/// The rule that decides which 32-byte little-endian integers are leaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum LeafRule {
    /// Integers below 2²⁵⁴, such as data padded for a sector and the labels of its layers.
    #[default]
    SectorBytes,
    /// All elements of the field, as in the sealed replica of a sector.
    Elements,
}

impl LeafRule {
    /// Parses the leaf at this byte offset of the input.
    ///
    /// # Errors
    /// [`TreeError::Leaf`] or [`TreeError::Element`], depending on the rule.
    pub fn parse(self, bytes: &[u8; LEAF_BYTES], offset: u64) -> Result<Fr, TreeError> {
        let last_byte = bytes[LEAF_BYTES - 1];
        if self == Self::SectorBytes && last_byte & 0xc0 != 0 {
            return Err(TreeError::Leaf { offset, last_byte });
        }
        Fr::from_le_bytes(bytes).map_err(|source| TreeError::Element { offset, source })
    }

    /// Appends the leaves of `bytes`, which must be whole leaves; the first is at `offset`.
    ///
    /// # Errors
    /// The error of the first invalid leaf; the appended leaves are then unusable.
    pub(super) fn parse_into(
        self,
        bytes: &[u8],
        offset: u64,
        leaves: &mut Vec<Fr>,
    ) -> Result<(), TreeError> {
        let (chunks, rest) = bytes.as_chunks::<LEAF_BYTES>();
        if !rest.is_empty() {
            return Err(TreeError::PartialLeaf { bytes: offset + bytes.len() as u64 });
        }
        let start = leaves.len();
        leaves.resize(start + chunks.len(), Fr::ZERO);
        let at = |index: usize| offset + (index * LEAF_BYTES) as u64;
        let parsed = leaves[start..]
            .par_iter_mut()
            .zip(chunks)
            .enumerate()
            .with_min_len(LEAVES_A_TASK)
            .try_for_each(|(index, (leaf, bytes))| {
                *leaf = self.parse(bytes, at(index))?;
                Ok(())
            });
        let Err(error) = parsed else { return Ok(()) };
        // The threads found an invalid leaf; the error must name the first one.
        let first =
            chunks.iter().enumerate().find_map(|(index, bytes)| self.parse(bytes, at(index)).err());
        Err(first.unwrap_or(error))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MODULUS: [u8; 32] = [
        1, 0, 0, 0, 255, 255, 255, 255, 254, 91, 254, 255, 2, 164, 189, 83, 5, 216, 161, 9, 8, 216,
        57, 51, 72, 125, 157, 41, 83, 167, 237, 115,
    ];

    #[test]
    fn the_rules_end_at_two_to_the_254_and_at_the_modulus() {
        let mut last = MODULUS;
        last[0] = 0;
        assert_eq!(LeafRule::Elements.parse(&last, 0).unwrap(), Fr::ZERO - Fr::ONE);
        assert!(matches!(
            LeafRule::Elements.parse(&MODULUS, 96),
            Err(TreeError::Element { offset: 96, .. })
        ));
        assert!(matches!(
            LeafRule::SectorBytes.parse(&last, 64),
            Err(TreeError::Leaf { offset: 64, last_byte: 115 })
        ));
        let mut largest = [255u8; 32];
        largest[31] = 0x3f;
        let power = Fr::from(2).pow(&[254]);
        assert_eq!(LeafRule::SectorBytes.parse(&largest, 0).unwrap(), power - Fr::ONE);
    }

    #[test]
    fn the_first_bad_leaf_of_many_is_named() {
        let count = 20_000;
        let mut bytes: Vec<u8> =
            (0..count as u64).flat_map(|leaf| Fr::from(leaf * leaf + 3).to_le_bytes()).collect();
        let mut leaves = vec![Fr::ONE];
        LeafRule::SectorBytes.parse_into(&bytes, 0, &mut leaves).unwrap();
        assert_eq!(leaves.len(), count + 1);
        assert!(leaves[1..]
            .iter()
            .enumerate()
            .all(|(index, leaf)| { *leaf == Fr::from((index * index + 3) as u64) }));
        for bad in [19_999, 12_345, 77] {
            bytes[bad * 32 + 31] = 0x80;
            let error = LeafRule::SectorBytes.parse_into(&bytes, 640, &mut leaves).unwrap_err();
            let expected = 640 + bad as u64 * 32;
            assert!(matches!(error, TreeError::Leaf { offset, .. } if offset == expected));
        }
        assert!(matches!(
            LeafRule::SectorBytes.parse_into(&bytes[..33], 64, &mut leaves),
            Err(TreeError::PartialLeaf { bytes: 97 })
        ));
    }
}
