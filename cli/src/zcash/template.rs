// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The header whose puzzle is solved: given, or made.

use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use halimede_equihash::{Network, LEAST_VERSION};
use halimede_zcash::HEADER_BYTES;
use rand::RngCore;

use super::header_source::decode;
use crate::arguments::Nonce;
use crate::error::CommandError;
use crate::file_kind::not_wanted_bytes;
use crate::files::read_limited;

/// Bytes before the nonce.
const TEMPLATE_BYTES: usize = HEADER_BYTES - 32;
/// What is read at most of a file that should have a header, in hexadecimal and with white space.
const FILE_LIMIT_BYTES: u64 = 4_096;

/// A header without its nonce.
#[derive(Clone, Copy, Debug)]
pub struct Template {
    bytes: [u8; TEMPLATE_BYTES],
    /// The nonce that it came with, or a random one.
    pub nonce: Nonce,
}

impl Template {
    /// The header of this option.
    ///
    /// # Errors
    /// A file that cannot be read, or what is not a header.
    pub fn given(option: &str) -> Result<Self, CommandError> {
        let wrong = |reason: String| CommandError::BadInput(format!("--header: {reason}"));
        let text = option.as_bytes();
        let is_digits = [TEMPLATE_BYTES, HEADER_BYTES].contains(&(text.len() / 2))
            && text.iter().all(u8::is_ascii_hexdigit);
        let bytes = if is_digits {
            text.to_vec()
        } else {
            read_limited(Path::new(option), FILE_LIMIT_BYTES)?
        };
        let digits = bytes.trim_ascii();
        let bytes = match digits.iter().all(u8::is_ascii_hexdigit) {
            true => decode(digits).map_err(wrong)?,
            false => bytes,
        };
        let wrong_length = || match (is_digits, wrong_length(bytes.len())) {
            (true, reason) => wrong(reason),
            (false, reason) => {
                let reason = format!("no header: {reason}");
                not_wanted_bytes(Path::new(option), &bytes, "a header", reason)
            }
        };
        let (fields, nonce) = bytes.split_first_chunk().ok_or_else(wrong_length)?;
        let nonce = match nonce.len() {
            0 => random_nonce(),
            _ => Nonce(nonce.try_into().map_err(|_| wrong_length())?),
        };
        Ok(Self { bytes: *fields, nonce })
    }

    /// A header of random hashes with the network's easiest target, made now.
    pub fn random(network: Network) -> Self {
        let mut bytes = [0; TEMPLATE_BYTES];
        rand::thread_rng().fill_bytes(&mut bytes);
        let since_1970 = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let time = u32::try_from(since_1970.as_secs()).unwrap_or(u32::MAX);
        bytes[..4].copy_from_slice(&LEAST_VERSION.to_le_bytes());
        bytes[100..104].copy_from_slice(&time.to_le_bytes());
        bytes[104..].copy_from_slice(&network.limit().to_compact().to_le_bytes());
        Self { bytes, nonce: random_nonce() }
    }

    /// The target in its compact form.
    pub fn bits(&self) -> u32 {
        let [.., a, b, c, d] = self.bytes;
        u32::from_le_bytes([a, b, c, d])
    }

    /// The 108 bytes in hexadecimal.
    pub fn to_hex(self) -> String {
        hex::encode(self.bytes)
    }

    /// The header with this nonce: what Equihash takes.
    pub fn with_nonce(&self, nonce: Nonce) -> [u8; HEADER_BYTES] {
        let mut bytes = [0; HEADER_BYTES];
        bytes[..TEMPLATE_BYTES].copy_from_slice(&self.bytes);
        bytes[TEMPLATE_BYTES..].copy_from_slice(&nonce.0);
        bytes
    }
}

fn wrong_length(bytes: usize) -> String {
    format!(
        "{bytes} bytes, where a header has {TEMPLATE_BYTES}, or {HEADER_BYTES} with its nonce; no \
         solution follows"
    )
}

fn random_nonce() -> Nonce {
    let mut bytes = [0; 32];
    rand::thread_rng().fill_bytes(&mut bytes);
    Nonce(bytes)
}
