// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Detects the kind of a file from its first bytes, for errors about a file of the wrong kind.

use std::fmt::Display;
use std::io::Read;
use std::path::Path;

use halimede_ckks::files::FileKind;
use halimede_ckks_nn::network_file::MAGIC as NETWORK_MAGIC;
use halimede_poseidon::tree::MAGIC as TREE_MAGIC;

use crate::error::CommandError;
use crate::files::open_file;

/// The number of bytes that the detection looks at.
const PROBE_BYTES: usize = 4_096;
/// The number of hexadecimal digits of a hash: fewer digits may be a decimal number.
const DIGEST_DIGITS: usize = 64;
/// The first bytes of the files of messages of key holders.
pub const MESSAGES_MAGIC: [u8; 8] = *b"\x89CKPF\r\n\x1a";
/// The first bytes of NPY files.
const NPY_MAGIC: &[u8] = b"\x93NUMPY";
/// Version 4 of a Zcash header, and the length of a solution of (200, 9) with its offset.
const HEADER_VERSION: &[u8] = &[4, 0, 0, 0];
const SOLUTION_LENGTH_AT: usize = 140;
const SOLUTION_LENGTH: &[u8] = &[0xfd, 0x40, 0x05];

/// Returns the error of a file that is not `wanted`: it names the detected kind of the file, or
/// else gives the reason.
pub fn not_wanted(path: &Path, wanted: &str, reason: impl Display) -> CommandError {
    named(path, kind_of_file(path), wanted, reason)
}

/// Detects the kind of a regular file; a pipe has been read already.
pub fn kind_of_file(path: &Path) -> Option<&'static str> {
    if !path.is_file() {
        return None; // opening a pipe would wait for its writer
    }
    let (file, _) = open_file(path).ok()?;
    let mut start = Vec::new();
    file.take(PROBE_BYTES as u64).read_to_end(&mut start).ok()?;
    kind_of(&start)
}

/// Returns the error of [`not_wanted`] for bytes that were read.
pub fn not_wanted_bytes(
    path: &Path,
    bytes: &[u8],
    wanted: &str,
    reason: impl Display,
) -> CommandError {
    named(path, kind_of(&bytes[..bytes.len().min(PROBE_BYTES)]), wanted, reason)
}

fn named(path: &Path, kind: Option<&str>, wanted: &str, reason: impl Display) -> CommandError {
    let path = path.display();
    // For JSON of another shape, the reason says what it lacks.
    let may_be = |kind| kind == wanted || kind == JSON && [PROOF, SPENT_OUTPUTS].contains(&wanted);
    CommandError::BadInput(match kind {
        Some(kind) if !may_be(kind) => {
            format!("{path}: expected {wanted}, but this is {kind}")
        }
        _ => format!("{path}: {reason}"),
    })
}

/// Returns the kind of a file that begins with these bytes, if it is known.
pub fn kind_of(start: &[u8]) -> Option<&'static str> {
    if let Some(kind) = FileKind::of_beginning(start) {
        return Some(match kind {
            FileKind::Parameters => "a file of CKKS parameters",
            FileKind::SecretKey => "a secret key of CKKS",
            FileKind::PublicKey => "a public key of CKKS",
            FileKind::EvaluationKeys => "a file of CKKS evaluation keys",
            FileKind::Ciphertext => "a ciphertext of CKKS",
            FileKind::Checkpoint => "a checkpoint of a run with CKKS",
            FileKind::Interface => "the interface of a network for CKKS",
            FileKind::Session => "a session of several key holders of CKKS",
            FileKind::Party => "the state of a key holder of CKKS",
        });
    }
    if start.starts_with(&NETWORK_MAGIC) {
        return Some("a network for `halimede serve`");
    }
    if start.starts_with(&MESSAGES_MAGIC) {
        return Some("messages of a key holder");
    }
    if start.starts_with(&TREE_MAGIC) {
        return Some(STORED_TREE);
    }
    if start.starts_with(NPY_MAGIC) {
        return Some("a NumPy array");
    }
    let behind_hashes = start.get(SOLUTION_LENGTH_AT..).unwrap_or_default();
    if start.starts_with(HEADER_VERSION) && behind_hashes.starts_with(SOLUTION_LENGTH) {
        return Some(RAW_BLOCK);
    }
    // The probe may end in the middle of a character.
    let text = match std::str::from_utf8(start) {
        Ok(text) => text,
        Err(error) if error.error_len().is_none() => {
            std::str::from_utf8(&start[..error.valid_up_to()]).unwrap_or_default()
        }
        Err(_) => return None,
    };
    kind_of_text(text.trim_ascii_start())
}

/// A tree that `poseidon tree --out` stores.
pub const STORED_TREE: &str = "a stored tree of Poseidon";
/// A proof that `poseidon prove` prints.
pub const PROOF: &str = "a proof of Poseidon";
/// Lines that `batch secp256k1.verify` reads.
const SIGNATURES: &str = "signatures as JSON";
/// Lines that `zcash verify-block --spent` reads.
pub const SPENT_OUTPUTS: &str = "spent outputs as JSON";

/// A raw block, or headers.
pub const RAW_BLOCK: &str = "a raw Zcash block or header";
/// Hexadecimal digits.
pub const HEXADECIMAL: &str = "hexadecimal digits";

const JSON: &str = "JSON";

fn kind_of_text(text: &str) -> Option<&'static str> {
    let is_hex = |text: &str| text.bytes().all(|byte| byte.is_ascii_hexdigit());
    let member = |name: &str| text.contains(&format!("\"{name}\""));
    match text.as_bytes() {
        [b'{', ..] if member("leaf_index") => Some(PROOF),
        [b'{', ..] if member("sig") => Some(SIGNATURES),
        [b'{', ..] if member("vout") => Some(SPENT_OUTPUTS),
        [b'{' | b'[', ..] => Some(JSON),
        [b'"' | b'\'', ..] => Some("text in quotes"),
        [b'0', b'x' | b'X', ..] => Some("a number with 0x"),
        _ => match text.split_at_checked(DIGEST_DIGITS) {
            Some((digest, rest)) if is_hex(digest) && rest.starts_with("  ") => {
                Some("a check file of BLAKE3")
            }
            Some((digits, _)) if is_hex(digits) => Some(HEXADECIMAL),
            _ => None,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_known_by_their_beginnings() {
        for (start, kind) in [
            (&b"\x89CKKS\r\n\x1a\x03\x00\x03"[..], Some("a public key of CKKS")),
            (b"\x89CKKS\r\n\x1a\x03\x00\x05and more", Some("a ciphertext of CKKS")),
            (b"\x89CKKS\r\n\x1a\x03\x00\x0a", None),
            (b"HALITREE\x01", Some(STORED_TREE)),
            (b"\x93NUMPY\x01\x00", Some("a NumPy array")),
            (b" \n{\"leaf_index\": 1", Some(PROOF)),
            (b"{\"key\":\"\",\"sig\":", Some(SIGNATURES)),
            (b"[1, 2]", Some("JSON")),
            (b"\"0400\"", Some("text in quotes")),
            (b"0x0400", Some("a number with 0x")),
            (b"1.5,2\n", None),
            (b"\xff\xfe", None),
            (b"", None),
        ] {
            assert_eq!(kind_of(start), kind, "{start:?}");
        }
        let digits = "0123456789abcdef".repeat(4);
        assert_eq!(kind_of(digits.as_bytes()), Some("hexadecimal digits"));
        let line = format!("{digits}  name\n");
        assert_eq!(kind_of(line.as_bytes()), Some("a check file of BLAKE3"));
        // Text is recognized even if the probe ends in the middle of a character.
        let cut = [b"{\"a\": \"\xc3".as_slice()].concat();
        assert_eq!(kind_of(&cut), Some("JSON"));
    }
}
