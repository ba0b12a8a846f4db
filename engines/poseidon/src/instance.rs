// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The instances: field, width and numbers of rounds.

use std::fmt;
use std::ops::RangeInclusive;
use std::str::FromStr;
use std::sync::LazyLock;

use crate::round_numbers::{self, RoundNumbers};

/// The width of the widest instance, in elements.
pub const MAX_WIDTH: usize = 37;

/// The security level of a Filecoin instance, which sets its number of partial rounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum Strength {
    /// 55 to 60 partial rounds: 128 bits of security with the usual margin.
    #[default]
    Standard,
    /// A quarter more partial rounds (69 to 75).
    Strengthened,
}

impl Strength {
    /// Returns the round numbers of this strength.
    fn rounds(self, standard: RoundNumbers) -> RoundNumbers {
        match self {
            Self::Standard => standard,
            Self::Strengthened => standard.strengthened(),
        }
    }
}

/// The family of an instance: its field, S-box and linear layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Family {
    /// BLS12-381 scalar field, x⁵, Cauchy matrix, constants from the Grain LFSR.
    Filecoin(Strength),
    /// StarkWare's field, x³, a small matrix, constants from SHA-256.
    Stark,
}

/// An instance of Poseidon: a Filecoin width from 3 to 37 in one of two strengths, or a StarkWare
/// width 3, 4, 5, 9.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Instance {
    family: Family,
    width: usize,
    rounds: RoundNumbers,
}

/// Why an instance is rejected.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InstanceError {
    /// No parameters exist for this width.
    #[error("{family} has no width {width}; supported: {supported}")]
    Width {
        /// The family's name.
        family: &'static str,
        /// The given value.
        width: usize,
        /// The available values, in words.
        supported: &'static str,
    },
    /// The name does not denote an instance.
    #[error(
        "unknown instance {got:?}; expected filecoin-ARITY or filecoin-ARITY-strengthened with \
         an arity from 2 to 36, stark-3, stark-4, stark-5 or stark-9"
    )]
    Name {
        /// The given value.
        got: String,
    },
}

const FILECOIN_WIDTHS: RangeInclusive<usize> = 3..=MAX_WIDTH;
/// The widths that Filecoin uses and publishes answers for.
const FILECOIN_PUBLISHED_WIDTHS: [usize; 4] = [3, 5, 9, 12];
const STARK_WIDTHS: [usize; 4] = [3, 4, 5, 9];

impl Instance {
    /// Returns the instance of this family with `width` state elements.
    ///
    /// # Errors
    /// [`InstanceError::Width`] if no instance has that width.
    pub fn new(family: Family, width: usize) -> Result<Self, InstanceError> {
        let (rounds, name, supported) = match family {
            Family::Filecoin(strength) => (filecoin_rounds(strength, width), "Filecoin", "3 to 37"),
            Family::Stark => (stark_rounds(width), "StarkWare", "3, 4, 5 and 9"),
        };
        match rounds {
            Some(rounds) => Ok(Self { family, width, rounds }),
            None => Err(InstanceError::Width { family: name, width, supported }),
        }
    }

    /// All instances: Filecoin standard, Filecoin strengthened and StarkWare, each in order of
    /// width.
    pub fn all() -> impl Iterator<Item = Self> {
        Self::by_width(FILECOIN_WIDTHS)
    }

    /// The twelve instances whose parameters and answers are published, in the order of
    /// [`Self::all`]: Filecoin widths 3, 5, 9, 12 and StarkWare's.
    pub fn published() -> impl Iterator<Item = Self> {
        Self::by_width(FILECOIN_PUBLISHED_WIDTHS)
    }

    fn by_width(
        filecoin_widths: impl IntoIterator<Item = usize> + Clone,
    ) -> impl Iterator<Item = Self> {
        let filecoin =
            [Strength::Standard, Strength::Strengthened].into_iter().flat_map(move |strength| {
                let widths = filecoin_widths.clone().into_iter();
                widths.map(move |width| (Family::Filecoin(strength), width))
            });
        let stark = STARK_WIDTHS.into_iter().map(|width| (Family::Stark, width));
        filecoin.chain(stark).filter_map(|(family, width)| Self::new(family, width).ok())
    }

    /// The family.
    pub fn family(&self) -> Family {
        self.family
    }

    /// The width t of the state, in elements.
    pub fn width(&self) -> usize {
        self.width
    }

    /// The number of elements per hash: the width minus one element for the domain tag or capacity.
    pub fn arity(&self) -> usize {
        self.width - 1
    }

    /// The number R_F of full rounds, half of them before and half after the partial rounds.
    pub fn full_rounds(&self) -> usize {
        self.rounds.full
    }

    /// The number R_P of partial rounds.
    pub fn partial_rounds(&self) -> usize {
        self.rounds.partial
    }

    /// The exponent α of the S-box.
    pub fn alpha(&self) -> u32 {
        match self.family {
            Family::Filecoin(_) => 5,
            Family::Stark => 3,
        }
    }

    /// The index of the element that a partial round's S-box acts on.
    pub fn partial_sbox_index(&self) -> usize {
        match self.family {
            Family::Filecoin(_) => 0,
            Family::Stark => self.width - 1,
        }
    }

    /// The index of the element of the final state that is the digest.
    pub fn digest_index(&self) -> usize {
        match self.family {
            Family::Filecoin(_) => 1,
            Family::Stark => 0,
        }
    }
}

impl RoundNumbers {
    /// Returns the round numbers of Filecoin's instance of this width and strength, for x⁵ over any
    /// field of at most 256 bits; `None` if no round numbers are secure, or if the width is below
    /// 2.
    pub fn filecoin(width: usize, strength: Strength) -> Option<Self> {
        let standard = round_numbers::filecoin(width).filter(|_| width >= 2)?;
        Some(strength.rounds(standard))
    }
}

/// Filecoin's round numbers, computed once for all widths; `None` for an unsupported width.
fn filecoin_rounds(strength: Strength, width: usize) -> Option<RoundNumbers> {
    static STANDARD: LazyLock<Vec<Option<RoundNumbers>>> =
        LazyLock::new(|| FILECOIN_WIDTHS.map(round_numbers::filecoin).collect());
    let place = width.checked_sub(*FILECOIN_WIDTHS.start())?;
    STANDARD.get(place).copied().flatten().map(|standard| strength.rounds(standard))
}

/// StarkWare's round numbers, published with its constants.
fn stark_rounds(width: usize) -> Option<RoundNumbers> {
    let partial = if width == 3 { 83 } else { 84 };
    STARK_WIDTHS.contains(&width).then_some(RoundNumbers { full: 8, partial })
}

impl fmt::Display for Instance {
    /// `filecoin-ARITY`, `filecoin-ARITY-strengthened` or `stark-WIDTH`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.family {
            Family::Filecoin(Strength::Standard) => write!(f, "filecoin-{}", self.arity()),
            Family::Filecoin(Strength::Strengthened) => {
                write!(f, "filecoin-{}-strengthened", self.arity())
            }
            Family::Stark => write!(f, "stark-{}", self.width),
        }
    }
}

impl FromStr for Instance {
    type Err = InstanceError;

    fn from_str(name: &str) -> Result<Self, InstanceError> {
        let unknown = || InstanceError::Name { got: name.chars().take(40).collect() };
        let (family, number) = if let Some(rest) = name.strip_prefix("filecoin-") {
            match rest.strip_suffix("-strengthened") {
                Some(arity) => (Family::Filecoin(Strength::Strengthened), arity),
                None => (Family::Filecoin(Strength::Standard), rest),
            }
        } else {
            (Family::Stark, name.strip_prefix("stark-").ok_or_else(unknown)?)
        };
        let number: usize = number.parse().map_err(|_| unknown())?;
        let width = if family == Family::Stark { number } else { number.saturating_add(1) };
        let instance = Self::new(family, width).map_err(|_| unknown())?;
        // Numbers have several spellings; only the canonical one is a name.
        (instance.to_string() == name).then_some(instance).ok_or_else(unknown)
    }
}
