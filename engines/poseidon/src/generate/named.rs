// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Prime fields by name.

use num_bigint::BigUint;

use super::error::SpecificationError;
use super::parameters::parse_hex;
use super::specification::{PartialRounds, Specification};

/// A prime field that proof systems use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct NamedField {
    /// The name of the field, in lower case.
    pub name: &'static str,
    modulus: &'static str,
    /// How the published instances over this field choose the number of partial rounds.
    pub partial_rounds: PartialRounds,
}

/// The fields that have names.
pub const NAMED_FIELDS: [NamedField; 9] = [
    NamedField {
        name: "bn254",
        modulus: "0x30644e72e131a029b85045b68181585d2833e84879b9709143e1f593f0000001",
        partial_rounds: PartialRounds::MultipleOfWidth,
    },
    NamedField {
        name: "bls12-381",
        modulus: "0x73eda753299d7d483339d80809a1d80553bda402fffe5bfeffffffff00000001",
        partial_rounds: PartialRounds::MultipleOfWidth,
    },
    NamedField {
        name: "pallas",
        modulus: "0x40000000000000000000000000000000224698fc094cf91b992d30ed00000001",
        partial_rounds: PartialRounds::Fewest,
    },
    NamedField {
        name: "vesta",
        modulus: "0x40000000000000000000000000000000224698fc0994a8dd8c46eb2100000001",
        partial_rounds: PartialRounds::Fewest,
    },
    NamedField {
        name: "stark",
        modulus: "0x0800000000000011000000000000000000000000000000000000000000000001",
        partial_rounds: PartialRounds::Fewest,
    },
    NamedField {
        name: "goldilocks",
        modulus: "0xffffffff00000001",
        partial_rounds: PartialRounds::Fewest,
    },
    NamedField { name: "babybear", modulus: "0x78000001", partial_rounds: PartialRounds::Fewest },
    NamedField { name: "koalabear", modulus: "0x7f000001", partial_rounds: PartialRounds::Fewest },
    NamedField { name: "mersenne31", modulus: "0x7fffffff", partial_rounds: PartialRounds::Fewest },
];

impl NamedField {
    /// Returns the field of this name.
    pub fn find(name: &str) -> Option<Self> {
        NAMED_FIELDS.into_iter().find(|field| field.name == name)
    }

    /// The prime of the field.
    pub fn prime(&self) -> BigUint {
        // The entries of the table are valid numbers; a test parses them all.
        parse_hex(self.modulus).unwrap_or_default()
    }

    /// Returns a specification for 128 bits of security at this width, with the smallest exponent
    /// and with the number of rounds chosen as in the published instances over this field.
    ///
    /// # Errors
    /// [`SpecificationError::NoAlpha`], which occurs for none of these fields.
    pub fn specification(&self, width: usize) -> Result<Specification, SpecificationError> {
        let prime = self.prime();
        let sbox = Specification::smallest_exponent(&prime)?;
        let specification = Specification::new(prime, width, sbox);
        Ok(Specification { partial_rounds: self.partial_rounds, ..specification })
    }
}

#[cfg(test)]
mod tests {
    use super::super::field::is_prime;
    use super::super::sbox::Sbox;
    use super::*;

    #[test]
    fn every_named_field_is_a_prime_field_with_its_usual_exponent() {
        let exponents = [5, 5, 5, 5, 3, 7, 7, 3, 5];
        for (field, exponent) in NAMED_FIELDS.into_iter().zip(exponents) {
            assert!(is_prime(&field.prime()), "{}", field.name);
            assert_eq!(NamedField::find(field.name), Some(field));
            let specification = field.specification(16).unwrap();
            assert_eq!(specification.sbox, Sbox::Power(exponent), "{}", field.name);
        }
        assert_eq!(NamedField::find("BN254"), None);
    }
}
