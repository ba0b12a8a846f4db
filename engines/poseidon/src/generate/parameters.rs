// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Generated parameters: the permutation they define, in plain rounds, and their JSON.

use num_bigint::BigUint;
use serde::{Deserialize, Serialize};

use super::error::{DocumentError, PermuteError};
use super::field::RuntimeField;
use super::matrix::{is_mds, multiply_vector, rank, Rows};
use super::sbox::Sbox;
use super::specification::{Convention, Margin, PartialRounds, Specification};
use super::trails::find_trail;
use crate::round_numbers::RoundNumbers;

/// The parameters of one permutation over any prime field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GeneratedParameters {
    pub(super) specification: Specification,
    pub(super) field: RuntimeField,
    pub(super) rounds: RoundNumbers,
    pub(super) round_constants: Vec<BigUint>,
    pub(super) mds: Rows,
}

impl GeneratedParameters {
    /// The specification; its `rounds` equal [`Self::rounds`].
    pub fn specification(&self) -> &Specification {
        &self.specification
    }

    /// The field.
    pub fn field(&self) -> &RuntimeField {
        &self.field
    }

    /// The numbers of rounds.
    pub fn rounds(&self) -> RoundNumbers {
        self.rounds
    }

    /// The (R_F + R_P)·t round constants in the order of use, t per round.
    pub fn round_constants(&self) -> &[BigUint] {
        &self.round_constants
    }

    /// The linear layer, row by row.
    pub fn mds(&self) -> &[Vec<BigUint>] {
        &self.mds
    }

    /// Permutes a state in place, as the paper prints it: a round adds t constants, applies the
    /// S-box to all elements (in a partial round to the first) and multiplies by the matrix.
    ///
    /// # Errors
    /// [`PermuteError`]; the state is then unchanged.
    pub fn permute(&self, state: &mut [BigUint]) -> Result<(), PermuteError> {
        let wanted = self.specification.width;
        if state.len() != wanted {
            return Err(PermuteError::Length { got: state.len(), wanted });
        }
        let not_reduced = |element| element >= self.field.modulus();
        if let Some(position) = state.iter().position(not_reduced) {
            return Err(PermuteError::NotReduced { position });
        }
        let half = self.rounds.full / 2;
        let partial = half..half + self.rounds.partial;
        for (round, constants) in self.round_constants.chunks(wanted).enumerate() {
            for (element, constant) in state.iter_mut().zip(constants) {
                *element = self.field.add(element, constant);
            }
            let active = if partial.contains(&round) { 1 } else { wanted };
            for element in &mut state[..active] {
                *element = self.sbox(element);
            }
            let mixed = multiply_vector(&self.field, &self.mds, state);
            for (element, mixed) in state.iter_mut().zip(mixed) {
                *element = mixed;
            }
        }
        Ok(())
    }

    fn sbox(&self, x: &BigUint) -> BigUint {
        match self.specification.sbox {
            Sbox::Power(alpha) => self.field.power(x, &BigUint::from(alpha)),
            Sbox::Inverse => self.field.inverse(x).unwrap_or_default(),
        }
    }

    /// Returns the parameters as indented JSON; field elements are hexadecimal strings, padded to
    /// whole bytes.
    ///
    /// # Errors
    /// [`DocumentError::Json`], which cannot happen with documents of this shape.
    pub fn to_json(&self) -> Result<String, DocumentError> {
        let digits = self.field.bits().div_ceil(8) * 2;
        let text = |element: &BigUint| format!("0x{element:0digits$x}");
        let texts = |list: &[BigUint]| list.iter().map(text).collect::<Vec<_>>();
        let specification = &self.specification;
        let document = Document {
            modulus: text(self.field.modulus()),
            field_bits: self.field.bits(),
            width: specification.width,
            alpha: match specification.sbox {
                Sbox::Power(alpha) => i64::from(alpha),
                Sbox::Inverse => -1,
            },
            security_bits: specification.security_bits,
            convention: match specification.convention {
                Convention::Reference => ConventionName::Reference,
                Convention::Filecoin => ConventionName::Filecoin,
            },
            full_rounds: self.rounds.full,
            partial_rounds: self.rounds.partial,
            partial_sbox_index: 0,
            round_constants: texts(&self.round_constants),
            mds: self.mds.iter().map(|row| texts(row)).collect(),
        };
        serde_json::to_string_pretty(&document).map_err(json_error)
    }

    /// Reads parameters from the JSON of [`Self::to_json`] and checks all of it: the prime, the
    /// S-box, the security of the rounds, the constants, and that the matrix is regular, MDS (if it
    /// is of Cauchy's form or at most 8 wide) and free of infinitely long subspace trails. This
    /// takes as long as generating the parameters. Constants and matrix may come from another
    /// generator.
    ///
    /// # Errors
    /// [`DocumentError`].
    pub fn from_json(text: &str) -> Result<Self, DocumentError> {
        let document: Document = serde_json::from_str(text).map_err(json_error)?;
        let specification = document.specification()?;
        let field = specification.checked_field()?;
        let rounds = specification.round_numbers_over(&field)?;
        let mismatch = |name, got: usize, wanted: usize| DocumentError::Mismatch {
            name,
            got: i64::try_from(got).unwrap_or(i64::MAX),
            wanted: i64::try_from(wanted).unwrap_or(i64::MAX),
        };
        if document.field_bits != field.bits() {
            return Err(mismatch("field_bits", document.field_bits, field.bits()));
        }
        if document.partial_sbox_index != 0 {
            return Err(mismatch("partial_sbox_index", document.partial_sbox_index, 0));
        }
        let width = specification.width;
        let count = (rounds.full + rounds.partial) * width;
        let round_constants =
            elements(&field, &document.round_constants, "round_constants", count)?;
        if document.mds.len() != width {
            let got = document.mds.len();
            return Err(DocumentError::Count { list: "mds".into(), got, wanted: width });
        }
        let row = |(index, row): (usize, &Vec<String>)| {
            elements(&field, row, &format!("mds[{index}]"), width)
        };
        let mds: Rows = document.mds.iter().enumerate().map(row).collect::<Result<_, _>>()?;
        if rank(&field, mds.clone()) < width || is_mds(&field, &mds) == Some(false) {
            return Err(DocumentError::NotMds);
        }
        if let Some(trail) = find_trail(&field, &mds) {
            return Err(DocumentError::Trail { trail });
        }
        Ok(Self { specification, field, rounds, round_constants, mds })
    }
}

/// The JSON document.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Document {
    modulus: String,
    field_bits: usize,
    width: usize,
    /// −1 for the inverse.
    alpha: i64,
    security_bits: usize,
    convention: ConventionName,
    full_rounds: usize,
    partial_rounds: usize,
    partial_sbox_index: usize,
    round_constants: Vec<String>,
    mds: Vec<Vec<String>>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum ConventionName {
    Reference,
    Filecoin,
}

impl Document {
    fn specification(&self) -> Result<Specification, DocumentError> {
        let modulus =
            parse_hex(&self.modulus).ok_or_else(|| element_error("modulus", &self.modulus))?;
        let sbox =
            match self.alpha {
                -1 => Sbox::Inverse,
                alpha => Sbox::Power(u32::try_from(alpha).map_err(|_| {
                    DocumentError::Mismatch { name: "alpha", got: alpha, wanted: -1 }
                })?),
            };
        Ok(Specification {
            prime: modulus,
            width: self.width,
            sbox,
            security_bits: self.security_bits,
            margin: Margin::default(),
            partial_rounds: PartialRounds::default(),
            rounds: Some(RoundNumbers { full: self.full_rounds, partial: self.partial_rounds }),
            convention: match self.convention {
                ConventionName::Reference => Convention::Reference,
                ConventionName::Filecoin => Convention::Filecoin,
            },
        })
    }
}

fn json_error(error: serde_json::Error) -> DocumentError {
    DocumentError::Json { reason: error.to_string() }
}

/// Parses a list of `count` elements.
fn elements(
    field: &RuntimeField,
    texts: &[String],
    list: &str,
    wanted: usize,
) -> Result<Vec<BigUint>, DocumentError> {
    if texts.len() != wanted {
        return Err(DocumentError::Count { list: list.into(), got: texts.len(), wanted });
    }
    let element = |(index, text): (usize, &String)| {
        parse_hex(text)
            .filter(|element| element < field.modulus())
            .ok_or_else(|| element_error(&format!("{list}[{index}]"), text))
    };
    texts.iter().enumerate().map(element).collect()
}

fn element_error(place: &str, text: &str) -> DocumentError {
    DocumentError::Element { place: place.into(), got: text.chars().take(40).collect() }
}

/// Parses the number after `0x`, at most 768 bits long.
pub(super) fn parse_hex(text: &str) -> Option<BigUint> {
    let digits = text.strip_prefix("0x")?;
    let all_digits = digits.bytes().all(|digit| digit.is_ascii_hexdigit());
    let short = (1..=192).contains(&digits.len());
    if all_digits && short {
        BigUint::parse_bytes(digits.as_bytes(), 16)
    } else {
        None
    }
}
