// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The published sets of parameters.

use std::fmt;
use std::str::FromStr;

use super::field::PrimeField;
use crate::RoundNumbers;

/// The largest width.
pub const MAX_WIDTH: usize = 16;

/// The rule that generates an instance's constants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// The script of the authors: the Grain LFSR. From width 4 it also draws the diagonals of the
    /// internal matrix, and rejects those whose powers have a minimal polynomial of lower degree.
    Script {
        /// The number of diagonals that the script rejects before it takes one.
        rejected: usize,
    },
    /// gnark-crypto: a chain of Keccak-256 digests.
    Gnark {
        /// gnark-crypto's name of the curve, which begins the chain.
        curve: &'static str,
    },
}

/// One row of the table of instances.
struct Row {
    name: &'static str,
    field: PrimeField,
    width: usize,
    rounds: RoundNumbers,
    origin: Origin,
}

const fn script(
    name: &'static str,
    field: PrimeField,
    width: usize,
    partial: usize,
    rejected: usize,
) -> Row {
    let rounds = RoundNumbers { full: 8, partial };
    Row { name, field, width, rounds, origin: Origin::Script { rejected } }
}

const fn gnark(
    name: &'static str,
    field: PrimeField,
    width: usize,
    rounds: RoundNumbers,
    curve: &'static str,
) -> Row {
    Row { name, field, width, rounds, origin: Origin::Gnark { curve } }
}

/// The numbers of rounds of gnark-crypto's default, and of the authors.
const GNARK: RoundNumbers = RoundNumbers { full: 6, partial: 50 };
const AUTHORS: RoundNumbers = RoundNumbers { full: 8, partial: 56 };

/// The number of instances.
pub(super) const INSTANCES: usize = 17;

/// Published by Horizen Labs (`zkhash`): BLS12-381, Pallas, Vesta, and width 3 of BN254, which is
/// also Plonky3's. By TACEO (`taceo-poseidon2`): all of BN254. Width 4 of BN254 is also Noir's and
/// Barretenberg's. gnark-crypto's width 2 is its default; width 3 is its generator's answer for the
/// authors' numbers of rounds, as sponges in gnark circuits use it.
const TABLE: [Row; INSTANCES] = [
    script("bls12-381-2", PrimeField::Bls12381, 2, 56, 0),
    script("bls12-381-3", PrimeField::Bls12381, 3, 56, 0),
    script("bls12-381-4", PrimeField::Bls12381, 4, 56, 0),
    script("bls12-381-8", PrimeField::Bls12381, 8, 57, 8),
    script("bn254-2", PrimeField::Bn254, 2, 56, 0),
    script("bn254-3", PrimeField::Bn254, 3, 56, 0),
    script("bn254-4", PrimeField::Bn254, 4, 56, 4),
    script("bn254-8", PrimeField::Bn254, 8, 57, 30),
    script("bn254-12", PrimeField::Bn254, 12, 57, 6),
    script("bn254-16", PrimeField::Bn254, 16, 57, 6),
    script("pallas-3", PrimeField::Pallas, 3, 56, 0),
    script("pallas-4", PrimeField::Pallas, 4, 56, 0),
    script("pallas-8", PrimeField::Pallas, 8, 57, 6),
    script("vesta-3", PrimeField::Vesta, 3, 56, 0),
    gnark("gnark-bn254-2", PrimeField::Bn254, 2, GNARK, "BN254"),
    gnark("gnark-bn254-3", PrimeField::Bn254, 3, AUTHORS, "BN254"),
    gnark("gnark-bls12-381-2", PrimeField::Bls12381, 2, GNARK, "BLS12_381"),
];

/// The names of all instances.
pub(crate) const NAMES: [&str; INSTANCES] = {
    let mut names = [""; INSTANCES];
    let mut index = 0;
    while index < INSTANCES {
        names[index] = TABLE[index].name;
        index += 1;
    }
    names
};

/// No instance has this name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no Poseidon2 instance is called {got:?}; the instances are {}", NAMES.join(", "))]
pub struct InstanceError {
    /// The name, cut off if it is long.
    pub got: String,
}

/// A published set of parameters.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Instance(usize);

impl Instance {
    /// Noir's and Barretenberg's instance.
    pub const NOIR: Self = Self(6);

    /// Returns all instances.
    pub fn all() -> impl Iterator<Item = Self> {
        (0..INSTANCES).map(Self)
    }

    /// The index in the table.
    pub(super) fn index(self) -> usize {
        self.0
    }

    /// The name: the field and the width, after the origin if it is gnark-crypto.
    pub fn name(self) -> &'static str {
        TABLE[self.0].name
    }

    /// The field.
    pub fn field(self) -> PrimeField {
        TABLE[self.0].field
    }

    /// The number of elements of a state.
    pub fn width(self) -> usize {
        TABLE[self.0].width
    }

    /// The numbers of rounds.
    pub fn rounds(self) -> RoundNumbers {
        TABLE[self.0].rounds
    }

    /// The origin of the constants.
    pub fn origin(self) -> Origin {
        TABLE[self.0].origin
    }
}

impl FromStr for Instance {
    type Err = InstanceError;

    fn from_str(name: &str) -> Result<Self, InstanceError> {
        Self::all()
            .find(|instance| instance.name() == name)
            .ok_or_else(|| InstanceError { got: name.chars().take(40).collect() })
    }
}

impl fmt::Display for Instance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl fmt::Debug for Instance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
