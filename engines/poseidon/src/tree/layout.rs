// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The layout of a stored tree: a header of 128 bytes, then the rows.

use sha2::{Digest, Sha256};

use super::leaf::{LeafRule, LEAF_BYTES};
use super::shape::Shape;
use super::{TreeError, MAX_LEVELS};
use crate::filecoin::{HashType, Hasher, PreimageError};
use crate::instance::Strength;

/// The length of the header in bytes.
pub const HEADER_BYTES: usize = 128;
/// The first bytes of every stored tree.
pub const MAGIC: [u8; 8] = *b"HALITREE";
const VERSION: u32 = 1;
/// Offsets of parts of the header.
const ARITIES: usize = 32;
const CHECKSUM: usize = 96;

/// The kind of the leaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LeafKind {
    /// The leaves are the elements of the input.
    Elements,
    /// The leaves are Filecoin's hashes of columns with the given number of labels.
    Columns(usize),
}

impl LeafKind {
    /// Returns the hasher of the columns; `None` if the leaves are not hashes of columns.
    ///
    /// # Errors
    /// [`PreimageError::Length`] if columns of this number of labels are not supported; 2, 4, 8 and
    /// 11 are.
    pub fn hasher(self, strength: Strength) -> Result<Option<Hasher>, PreimageError> {
        match self {
            Self::Elements => Ok(None),
            Self::Columns(labels @ (2 | 4 | 8 | 11)) => {
                Hasher::new(labels, strength, HashType::MerkleTree).map(Some)
            }
            Self::Columns(labels) => Err(PreimageError::Length {
                expected: "a column of 2, 4, 8 or 11".into(),
                got: labels,
            }),
        }
    }
}

/// The contents and layout of a stored tree: a header of 128 bytes, then the rows.
///
/// | bytes | what |
/// |---|---|
/// | 0..8 | `HALITREE` |
/// | 8..12 | version of this layout: 1 |
/// | 12 | strength: 0 standard, 1 strengthened |
/// | 13 | leaves: 1 the elements of the input; 2, 4, 8, 11 hashes of columns of that length |
/// | 14 | input elements: 0 below 2²⁵⁴, 1 below r |
/// | 15 | levels of hashes, L: 1 to 64 |
/// | 16 | lowest row that is stored, F: 0 to L |
/// | 17..24 | 0 |
/// | 24..32 | number of leaves |
/// | 32..96 | arities from the leaves up, one byte each, L of them, then 0 |
/// | 96..128 | SHA-256 of bytes 0..96 |
/// | 128.. | rows F, F + 1, … L (the root), each node 32 bytes |
///
/// Numbers and nodes are little-endian. Row 0 is the leaves; Filecoin's `rows_to_discard` = n
/// corresponds to F = n + 1. The header is written last, so an unfinished file is not a valid tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    shape: Shape,
    strength: Strength,
    leaf_kind: LeafKind,
    leaf_rule: LeafRule,
    first_row: usize,
}

impl Layout {
    /// The layout that stores all rows above the leaves, for a tree over elements below 2²⁵⁴.
    pub fn new(shape: Shape, strength: Strength) -> Self {
        let (leaf_kind, leaf_rule) = (LeafKind::Elements, LeafRule::default());
        Self { shape, strength, leaf_kind, leaf_rule, first_row: 1 }
    }

    /// Sets the lowest row that is stored: 0 stores the leaves as well; 1 + n omits the n rows
    /// above them, which a proof then recomputes.
    ///
    /// # Errors
    /// [`TreeError::Row`] if the row is above the root.
    pub fn first_row(mut self, first_row: usize) -> Result<Self, TreeError> {
        let root_row = self.shape.root_row();
        if first_row > root_row {
            return Err(TreeError::Row { row: first_row, first_row: 0, root_row });
        }
        self.first_row = first_row;
        Ok(self)
    }

    /// Sets the kind of the leaves.
    ///
    /// # Errors
    /// [`TreeError::Arity`] for an unsupported number of labels.
    pub fn leaf_kind(mut self, leaf_kind: LeafKind) -> Result<Self, TreeError> {
        leaf_kind.hasher(self.strength)?;
        self.leaf_kind = leaf_kind;
        Ok(self)
    }

    /// Sets the rule for the elements of the input.
    #[must_use]
    pub fn with_leaf_rule(mut self, leaf_rule: LeafRule) -> Self {
        self.leaf_rule = leaf_rule;
        self
    }

    /// The shape of the tree.
    pub fn shape(&self) -> &Shape {
        &self.shape
    }

    /// The strength of the hash.
    pub fn strength(&self) -> Strength {
        self.strength
    }

    /// The kind of the leaves.
    pub fn kind(&self) -> LeafKind {
        self.leaf_kind
    }

    /// The rule for the elements of the input.
    pub fn leaf_rule(&self) -> LeafRule {
        self.leaf_rule
    }

    /// The lowest row that is stored.
    pub fn lowest_row(&self) -> usize {
        self.first_row
    }

    /// The length of the stored tree in bytes. The limit on shapes rules out an overflow.
    pub fn bytes(&self) -> u64 {
        self.row_offset(self.shape.root_row()).unwrap_or_default() + LEAF_BYTES as u64
    }

    /// Returns the byte offset of a row.
    ///
    /// # Errors
    /// [`TreeError::Row`] for a row that is not stored.
    pub fn row_offset(&self, row: usize) -> Result<u64, TreeError> {
        let (first_row, root_row) = (self.first_row, self.shape.root_row());
        if !(first_row..=root_row).contains(&row) {
            return Err(TreeError::Row { row, first_row, root_row });
        }
        let nodes: u64 = (first_row..row).map(|row| self.shape.row_nodes(row)).sum();
        Ok(HEADER_BYTES as u64 + nodes * LEAF_BYTES as u64)
    }

    /// Encodes the header.
    pub fn encode(&self) -> [u8; HEADER_BYTES] {
        let mut header = [0u8; HEADER_BYTES];
        header[..8].copy_from_slice(&MAGIC);
        header[8..12].copy_from_slice(&VERSION.to_le_bytes());
        header[12] = match self.strength {
            Strength::Standard => 0,
            Strength::Strengthened => 1,
        };
        header[13] = match self.leaf_kind {
            LeafKind::Elements => 1,
            LeafKind::Columns(labels) => labels as u8,
        };
        header[14] = match self.leaf_rule {
            LeafRule::SectorBytes => 0,
            LeafRule::Elements => 1,
        };
        header[15] = self.shape.root_row() as u8;
        header[16] = self.first_row as u8;
        header[24..32].copy_from_slice(&self.shape.leaves().to_le_bytes());
        for (byte, &arity) in header[ARITIES..].iter_mut().zip(self.shape.arities()) {
            *byte = arity as u8;
        }
        let checksum = Sha256::digest(&header[..CHECKSUM]);
        header[CHECKSUM..].copy_from_slice(&checksum);
        header
    }

    /// Decodes a header.
    ///
    /// # Errors
    /// [`TreeError::Header`] with the reason, if the header is invalid.
    pub fn decode(header: &[u8; HEADER_BYTES]) -> Result<Self, TreeError> {
        if header[..8] != MAGIC {
            let reason = "it does not begin with HALITREE, or writing it was interrupted";
            return Err(refused(reason));
        }
        let version = number(&header[8..12]);
        if version != u64::from(VERSION) {
            return Err(refused(format!("version {version}; expected version {VERSION}")));
        }
        if header[CHECKSUM..] != Sha256::digest(&header[..CHECKSUM])[..] {
            return Err(refused("the checksum of its header does not match"));
        }
        let layout = Self::decode_fields(header)?;
        // Bytes that were not read above must have the values that this version writes.
        if layout.encode() != *header {
            return Err(refused("its header has unknown bytes for this version"));
        }
        Ok(layout)
    }

    fn decode_fields(header: &[u8; HEADER_BYTES]) -> Result<Self, TreeError> {
        let strength = match header[12] {
            0 => Strength::Standard,
            1 => Strength::Strengthened,
            other => return Err(refused(format!("unknown strength {other}"))),
        };
        let leaf_kind = match header[13] {
            1 => LeafKind::Elements,
            labels => LeafKind::Columns(labels.into()),
        };
        let leaf_rule = match header[14] {
            0 => LeafRule::SectorBytes,
            1 => LeafRule::Elements,
            other => return Err(refused(format!("unknown kind of elements {other}"))),
        };
        let levels = usize::from(header[15]).min(MAX_LEVELS);
        let arities = header[ARITIES..ARITIES + levels].iter().map(|&arity| arity.into());
        let shape = Shape::new(arities.collect()).map_err(refused)?;
        let leaves = number(&header[24..32]);
        if shape.leaves() != leaves {
            let expected = shape.leaves();
            return Err(refused(format!("{leaves} leaves, but its arities give {expected}")));
        }
        Self::new(shape, strength)
            .leaf_kind(leaf_kind)
            .and_then(|layout| layout.first_row(header[16].into()))
            .map(|layout| layout.with_leaf_rule(leaf_rule))
            .map_err(refused)
    }
}

fn refused(reason: impl ToString) -> TreeError {
    TreeError::Header { reason: reason.to_string() }
}

/// A little-endian number of at most eight bytes.
fn number(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |value, &byte| value << 8 | u64::from(byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn layouts() -> Vec<Layout> {
        let plain = Layout::new(Shape::uniform(8, 512).unwrap(), Strength::Standard);
        let joined = Shape::joined(8, 64, &[4, 2]).unwrap();
        let joined = Layout::new(joined, Strength::Strengthened).with_leaf_rule(LeafRule::Elements);
        let columns = Layout::new(Shape::uniform(2, 4).unwrap(), Strength::Standard);
        vec![
            plain.clone().first_row(3).unwrap(),
            plain,
            joined.first_row(0).unwrap(),
            columns.leaf_kind(LeafKind::Columns(11)).unwrap(),
        ]
    }

    /// The header with a recomputed checksum, as a careful forger would leave it.
    fn with_checksum(mut header: [u8; HEADER_BYTES]) -> [u8; HEADER_BYTES] {
        let checksum = Sha256::digest(&header[..CHECKSUM]);
        header[CHECKSUM..].copy_from_slice(&checksum);
        header
    }

    #[test]
    fn headers_round_trip_and_rows_follow_each_other() {
        for layout in layouts() {
            assert_eq!(Layout::decode(&layout.encode()).unwrap(), layout);
            let mut offset = HEADER_BYTES as u64;
            for row in layout.lowest_row()..=layout.shape().root_row() {
                assert_eq!(layout.row_offset(row).unwrap(), offset);
                offset += 32 * layout.shape().row_nodes(row);
            }
            assert_eq!(layout.bytes(), offset);
        }
    }

    #[test]
    fn a_changed_bit_of_a_header_is_seen() {
        for layout in layouts() {
            for bit in 0..HEADER_BYTES * 8 {
                let mut header = layout.encode();
                header[bit / 8] ^= 1 << (bit % 8);
                assert!(matches!(Layout::decode(&header), Err(TreeError::Header { .. })));
                // With a recomputed checksum, it is rejected or describes another tree.
                if let Ok(other) = Layout::decode(&with_checksum(header)) {
                    assert!(other != layout || bit / 8 >= CHECKSUM);
                }
            }
        }
    }

    #[test]
    fn forged_headers_are_refused_with_a_reason() {
        let cases: [(usize, u8, &str); 9] = [
            (0, b'X', "HALITREE"),
            (8, 2, "version 2"),
            (12, 2, "strength 2"),
            (13, 3, "2, 4, 8 or 11"),
            (14, 7, "kind of elements 7"),
            (15, 0, "1 to 64 levels"),
            (16, 4, "row 4 is not stored"),
            (24, 1, "leaves, but its arities give 512"),
            (40, 8, "unknown bytes for this version"),
        ];
        for (place, value, reason) in cases {
            let mut header = layouts()[1].encode();
            header[place] = value;
            let error = Layout::decode(&with_checksum(header)).unwrap_err();
            assert!(error.to_string().contains(reason), "{error}");
        }
        let mut header = layouts()[1].encode();
        header[15] = 64;
        header[ARITIES..CHECKSUM].fill(11);
        let error = Layout::decode(&with_checksum(header)).unwrap_err();
        assert!(error.to_string().contains("2^64 bytes"), "{error}");
    }
}
