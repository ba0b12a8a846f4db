// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The registered seal proofs.

use std::fmt;
use std::str::FromStr;

use crate::geometry::Geometry;

/// A registered seal proof: a sector size and a version of the proof of replication.
///
/// Version and features decide how the labels are derived and how the sector is proved. The files
/// of the second phase depend only on the size.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SealProof(u8);

/// The sizes in the order of the numbers, with their names.
const SIZES: [(u64, &str); 5] = [
    (2 << 10, "2KiB"),
    (8 << 20, "8MiB"),
    (512 << 20, "512MiB"),
    (32 << 30, "32GiB"),
    (64 << 30, "64GiB"),
];
/// The versions in the order of the numbers.
const VERSIONS: [&str; 4] =
    ["V1", "V1_1", "V1_1_Feat_SyntheticPoRep", "V1_2_Feat_NonInteractivePoRep"];

impl SealProof {
    /// Returns the proof with this number, 0 to 19 (`RegisteredSealProof` in the Filecoin
    /// specification and in `go-state-types`); `None` for another number.
    pub fn of_number(number: u64) -> Option<Self> {
        let number = u8::try_from(number).ok()?;
        (usize::from(number) < SIZES.len() * VERSIONS.len()).then_some(Self(number))
    }

    /// All proofs, in the order of their numbers.
    pub fn all() -> impl Iterator<Item = Self> {
        (0..).map_while(Self::of_number)
    }

    /// The number.
    pub fn number(self) -> u64 {
        self.0.into()
    }

    /// The length of the sector in bytes.
    pub fn sector_bytes(self) -> u64 {
        self.size().0
    }

    /// The layers and trees of the sector; `Some` for every proof.
    pub fn geometry(self) -> Option<Geometry> {
        Geometry::of_bytes(self.sector_bytes())
    }

    /// The name of the variant that has the labels in the output of the first phase, which is
    /// shared by all versions of a size, such as `StackedDrg32GiBV1`.
    pub fn labels_name(self) -> String {
        format!("StackedDrg{}V1", self.size().1)
    }

    fn size(self) -> (u64, &'static str) {
        SIZES[usize::from(self.0) % SIZES.len()]
    }
}

impl fmt::Display for SealProof {
    /// Such as `StackedDrg32GiBV1_1`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let version = VERSIONS[usize::from(self.0) / SIZES.len()];
        write!(f, "StackedDrg{}{version}", self.size().1)
    }
}

/// The text is not the name of a registered seal proof.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown seal proof {got:?}; expected a name such as StackedDrg32GiBV1_1")]
pub struct UnknownProof {
    /// The first 80 characters of the text.
    pub got: String,
}

impl FromStr for SealProof {
    type Err = UnknownProof;

    fn from_str(name: &str) -> Result<Self, UnknownProof> {
        let unknown = || UnknownProof { got: name.chars().take(80).collect() };
        Self::all().find(|proof| proof.to_string() == name).ok_or_else(unknown)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_numbers_belong_together() {
        let names: Vec<String> = SealProof::all().map(|proof| proof.to_string()).collect();
        assert_eq!(names.len(), 20);
        assert_eq!(names[3], "StackedDrg32GiBV1");
        assert_eq!(names[5], "StackedDrg2KiBV1_1");
        assert_eq!(names[13], "StackedDrg32GiBV1_1_Feat_SyntheticPoRep");
        assert_eq!(names[19], "StackedDrg64GiBV1_2_Feat_NonInteractivePoRep");
        for (number, name) in names.iter().enumerate() {
            let proof: SealProof = name.parse().unwrap();
            assert_eq!(proof.number(), number as u64);
            assert!(name.starts_with(&proof.labels_name()));
            assert_eq!(proof.geometry().unwrap().sector_bytes(), proof.sector_bytes());
        }
        assert!(SealProof::of_number(20).is_none());
        assert!(SealProof::of_number(256).is_none());
        assert!("StackedDrg2KiBV2".parse::<SealProof>().is_err());
    }
}
