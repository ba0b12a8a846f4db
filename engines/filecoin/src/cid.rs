// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Commitments as content identifiers, in the form that the chain and lotus print.

/// Version 1, `fil-commitment-unsealed` (0xf101), the multihash `sha2-256-trunc254-padded` (0x1012)
/// of 32 bytes; numbers are varints (multiformats, multicodec table).
const DATA_PREFIX: [u8; 7] = [0x01, 0x81, 0xe2, 0x03, 0x92, 0x20, 0x20];
/// Version 1, `fil-commitment-sealed` (0xf102), the multihash `poseidon-bls12_381-a2-fc1` (0xb401)
/// of 32 bytes.
const REPLICA_PREFIX: [u8; 8] = [0x01, 0x82, 0xe2, 0x03, 0x81, 0xe8, 0x02, 0x20];
/// The alphabet of base32 in lower case (RFC 4648).
const ALPHABET: &[u8; 32] = b"abcdefghijklmnopqrstuvwxyz234567";

/// Returns the identifier of the data (comm_d), `baga6ea4seaq…`.
pub fn data_cid(comm_d: &[u8; 32]) -> String {
    base32(&[&DATA_PREFIX[..], comm_d].concat())
}

/// Returns the identifier of the sealed sector (comm_r), `bagboea4b5abc…`.
pub fn replica_cid(comm_r: &[u8; 32]) -> String {
    base32(&[&REPLICA_PREFIX[..], comm_r].concat())
}

/// Encodes in base32 without padding, with the letter `b` that marks this base.
fn base32(bytes: &[u8]) -> String {
    let mut text = String::from("b");
    for group in bytes.chunks(5) {
        let mut padded = [0; 8];
        padded[3..3 + group.len()].copy_from_slice(group);
        let bits = u64::from_be_bytes(padded);
        let digits = (group.len() * 8).div_ceil(5);
        let digit = |place: usize| ALPHABET[(bits >> (35 - 5 * place)) as usize & 31];
        text.extend((0..digits).map(|place| char::from(digit(place))));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn published_identifiers_are_encoded() {
        // The help of lotus-bench has the identifiers of 2 KiB of zeros; the commitment is
        // published in the Filecoin specification ("zero pieces").
        let zeros = "fc7e928296e516faade986b28f92d44a4f24b935485223376a799027bc18f833";
        let mut comm_d = [0; 32];
        hex::decode_to_slice(zeros, &mut comm_d).unwrap();
        let expected = "baga6ea4seaqpy7usqklokfx2vxuynmupslkeutzexe2uqurdg5vhtebhxqmpqmy";
        assert_eq!(data_cid(&comm_d), expected);
        assert!(replica_cid(&comm_d).starts_with("bagboea4b5abc"));
        assert_eq!(replica_cid(&comm_d).len(), 65);
        // RFC 4648, section 10, in lower case.
        for (bytes, text) in
            [("f", "my"), ("fo", "mzxq"), ("foob", "mzxw6yq"), ("fooba", "mzxw6ytb")]
        {
            assert_eq!(base32(bytes.as_bytes()), format!("b{text}"));
        }
    }
}
