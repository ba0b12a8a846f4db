// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Detects secret keys of CKKS, and states of key holders, in uploads.

use halimede_ckks::files::FileKind;

/// The length of the beginning of a CKKS file: eight bytes of magic, two of the format, the kind.
const BEGINNING_BYTES: usize = 11;
/// The number of bytes before a piece in which a beginning may start that ends in the piece.
pub const TAIL_BYTES: usize = BEGINNING_BYTES - 1;
/// The first byte of a file of CKKS.
const FIRST: u8 = 0x89;

/// Returns `true` if the file of a secret key or of a key holder begins in a piece, or in the bytes
/// before it.
pub fn is_in(tail: &[u8], piece: &[u8]) -> bool {
    let border = [tail, &piece[..piece.len().min(TAIL_BYTES)]].concat();
    begins_in(&border) || begins_in(piece)
}

fn begins_in(bytes: &[u8]) -> bool {
    let is_secret = |at: usize| {
        let beginning = &bytes[at..bytes.len().min(at + BEGINNING_BYTES)];
        matches!(FileKind::of_beginning(beginning), Some(FileKind::SecretKey | FileKind::Party))
    };
    let firsts = bytes.iter().enumerate().filter(|(_, byte)| **byte == FIRST);
    firsts.map(|(at, _)| at).any(is_secret)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECRET: &[u8] = b"\x89CKKS\r\n\x1a\x04\x00\x02";

    #[test]
    fn secret_keys_are_found_wherever_they_begin_and_are_cut() {
        for before in 0..30usize {
            let filler: Vec<u8> = (0..before as u8).map(|byte| byte.wrapping_mul(37)).collect();
            let all = [&filler, SECRET, &[7, 8, 9]].concat();
            assert!(is_in(&[], &all), "{before}");
            for cut in 0..all.len() {
                let tail = &all[cut.saturating_sub(TAIL_BYTES)..cut];
                let found = is_in(&[], &all[..cut]) || is_in(tail, &all[cut..]);
                assert!(found, "{before} {cut}");
            }
            let mut other = all;
            for (kind, is_secret) in [(FileKind::Ciphertext, false), (FileKind::Party, true)] {
                other[before + SECRET.len() - 1] = kind as u8;
                assert_eq!(is_in(&[], &other), is_secret);
            }
        }
        assert!(!is_in(&[], SECRET.split_at(10).0) && !is_in(SECRET.split_at(9).0, &[0]));
    }
}
