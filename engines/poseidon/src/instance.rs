// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The instances: which field, which width, how many rounds.

use std::fmt;
use std::str::FromStr;

/// Largest state of any instance, in elements.
pub const MAX_WIDTH: usize = 12;

/// How many partial rounds a Filecoin instance has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum Strength {
    /// 55 to 57 partial rounds: 128 bits of security with the usual margin.
    #[default]
    Standard,
    /// A quarter more partial rounds (69 to 72).
    Strengthened,
}

/// An instance's family: its field, S-box and linear layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Family {
    /// BLS12-381 scalar field, x⁵, Cauchy matrix, constants from the Grain LFSR.
    Filecoin(Strength),
    /// StarkWare's field, x³, a small matrix, constants from SHA-256.
    Stark,
}

/// One of the twelve instances of Poseidon that there are: Filecoin widths 3, 5, 9, 12 in two
/// strengths and StarkWare widths 3, 4, 5, 9.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Instance {
    family: Family,
    width: usize,
}

/// Why there is no such instance.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InstanceError {
    /// No parameters exist for this width.
    #[error("{family} has no width {width}; there are {supported:?}")]
    Width {
        /// The family's name.
        family: &'static str,
        /// What was asked.
        width: usize,
        /// What there is.
        supported: &'static [usize],
    },
    /// The name is not that of an instance.
    #[error("unknown instance {got:?}; there are {}", names())]
    Name {
        /// What was asked.
        got: String,
    },
}

const FILECOIN_WIDTHS: &[usize] = &[3, 5, 9, 12];
const STARK_WIDTHS: &[usize] = &[3, 4, 5, 9];

fn names() -> String {
    let names: Vec<String> = Instance::all().map(|instance| instance.to_string()).collect();
    names.join(", ")
}

impl Instance {
    /// The instance of this family with `width` state elements.
    ///
    /// # Errors
    /// [`InstanceError::Width`] where there is none.
    pub fn new(family: Family, width: usize) -> Result<Self, InstanceError> {
        let (name, supported) = match family {
            Family::Filecoin(_) => ("Filecoin", FILECOIN_WIDTHS),
            Family::Stark => ("StarkWare", STARK_WIDTHS),
        };
        if supported.contains(&width) {
            return Ok(Self { family, width });
        }
        Err(InstanceError::Width { family: name, width, supported })
    }

    /// All instances: Filecoin standard, Filecoin strengthened, StarkWare, each by width.
    pub fn all() -> impl Iterator<Item = Self> {
        let families = [
            (Family::Filecoin(Strength::Standard), FILECOIN_WIDTHS),
            (Family::Filecoin(Strength::Strengthened), FILECOIN_WIDTHS),
            (Family::Stark, STARK_WIDTHS),
        ];
        families
            .into_iter()
            .flat_map(|(family, widths)| widths.iter().map(move |&width| Self { family, width }))
    }

    /// The family.
    pub fn family(&self) -> Family {
        self.family
    }

    /// Elements in the state, t.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Elements that are hashed at once: the width less the one for the domain tag or capacity.
    pub fn arity(&self) -> usize {
        self.width - 1
    }

    /// Full rounds R_F, half of them before and half after the partial rounds.
    pub fn full_rounds(&self) -> usize {
        8
    }

    /// Partial rounds R_P.
    pub fn partial_rounds(&self) -> usize {
        match (self.family, self.width) {
            (Family::Filecoin(strength), width) => {
                let standard = match width {
                    3 => 55,
                    5 => 56,
                    _ => 57,
                };
                match strength {
                    Strength::Standard => standard,
                    // Filecoin's specification: 25 % more, rounded up.
                    Strength::Strengthened => (standard * 5usize).div_ceil(4),
                }
            }
            (Family::Stark, 3) => 83,
            (Family::Stark, _) => 84,
        }
    }

    /// The S-box's exponent α.
    pub fn alpha(&self) -> u32 {
        match self.family {
            Family::Filecoin(_) => 5,
            Family::Stark => 3,
        }
    }

    /// The element that a partial round's S-box acts on.
    pub fn partial_sbox_index(&self) -> usize {
        match self.family {
            Family::Filecoin(_) => 0,
            Family::Stark => self.width - 1,
        }
    }

    /// The element of the final state that is the digest.
    pub fn digest_index(&self) -> usize {
        match self.family {
            Family::Filecoin(_) => 1,
            Family::Stark => 0,
        }
    }
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
        Self::all()
            .find(|instance| instance.to_string() == name)
            .ok_or_else(|| InstanceError::Name { got: name.chars().take(40).collect() })
    }
}
