// SPDX-License-Identifier: Apache-2.0 OR MIT
//! P2SH addresses (Zcash protocol specification, section 5.6.1.1), decoded during compilation.

const DIGITS: &[u8; 58] = b"123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";
/// The first bytes of a P2SH address of the main network, `t3…`, and of the test network, `t2…`.
const PREFIXES: [[u8; 2]; 2] = [[0x1c, 0xbd], [0x1c, 0xba]];
const HASH_BYTES: usize = 20;
/// Prefix, hash and checksum.
const ADDRESS_BYTES: usize = 2 + HASH_BYTES + 4;
const OP_HASH160: u8 = 0xa9;
const OP_EQUAL: u8 = 0x87;
/// The length of a P2SH script in bytes.
const SCRIPT_BYTES: usize = 3 + HASH_BYTES;

/// A P2SH address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Address {
    /// The address in Base58Check.
    pub text: &'static str,
    /// The hash of the redeem script.
    hash: [u8; HASH_BYTES],
}

impl Address {
    /// Decodes addresses. A wrong digit, length or prefix ends the compilation; a test checks the
    /// checksums.
    pub const fn list<const N: usize>(texts: [&'static str; N]) -> [Self; N] {
        let mut all = [Self { text: "", hash: [0; HASH_BYTES] }; N];
        let mut index = 0;
        while index < N {
            let bytes = decode(texts[index].as_bytes());
            let is_main = bytes[1] == PREFIXES[0][1];
            assert!(bytes[0] == PREFIXES[0][0] && (is_main || bytes[1] == PREFIXES[1][1]));
            all[index].text = texts[index];
            let mut at = 0;
            while at < HASH_BYTES {
                all[index].hash[at] = bytes[2 + at];
                at += 1;
            }
            index += 1;
        }
        all
    }

    /// The standard P2SH script that pays this address: `OP_HASH160 hash OP_EQUAL`.
    pub fn script(&self) -> [u8; SCRIPT_BYTES] {
        let mut script = [0; SCRIPT_BYTES];
        script[..2].copy_from_slice(&[OP_HASH160, HASH_BYTES as u8]);
        script[2..2 + HASH_BYTES].copy_from_slice(&self.hash);
        script[SCRIPT_BYTES - 1] = OP_EQUAL;
        script
    }
}

/// Decodes a number in Base58 to bytes, the highest first.
const fn decode(text: &[u8]) -> [u8; ADDRESS_BYTES] {
    let mut bytes = [0; ADDRESS_BYTES];
    let mut at = 0;
    while at < text.len() {
        let mut digit = 0;
        while DIGITS[digit] != text[at] {
            digit += 1;
        }
        let mut carry = digit as u32;
        let mut place = ADDRESS_BYTES;
        while place > 0 {
            place -= 1;
            carry += bytes[place] as u32 * 58;
            bytes[place] = carry as u8; // the low byte
            carry >>= 8;
        }
        assert!(carry == 0);
        at += 1;
    }
    bytes
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::super::recipients;
    use super::*;
    use crate::hash::double_sha256;

    #[test]
    fn all_addresses_have_their_checksum() {
        let main = [
            &recipients::FOUNDERS_MAIN[..],
            &recipients::BP_MAIN,
            &recipients::ZF_MAIN,
            &recipients::MG_MAIN,
            &recipients::ZCG_MAIN,
            &recipients::LOCKBOX_MAIN,
        ];
        let test = [
            &recipients::FOUNDERS_TEST[..],
            &recipients::BP_TEST,
            &recipients::ZF_TEST,
            &recipients::MG_TEST,
            &recipients::ZCG_TEST,
            &recipients::LOCKBOX_TEST,
        ];
        for (all, prefix) in [(main, PREFIXES[0]), (test, PREFIXES[1])] {
            for address in all.into_iter().flatten() {
                let bytes = decode(address.text.as_bytes());
                let (payload, checksum) = bytes.split_at(2 + HASH_BYTES);
                assert_eq!(payload, [&prefix[..], &address.hash].concat(), "{}", address.text);
                assert_eq!(checksum, &double_sha256(payload).0[..4], "{}", address.text);
                assert_eq!(address.script()[2..22], address.hash);
            }
        }
    }

    #[test]
    fn the_script_of_an_address_is_that_of_a_real_block() {
        // The founders' reward of block 1 of the main network.
        let script = hex::encode(recipients::FOUNDERS_MAIN[0].script());
        assert_eq!(script, "a9147d46a730d31f97b1930d3368a967c309bd4d136a87");
    }
}
