// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The header to solve, given or generated.

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

/// The number of bytes before the nonce.
const TEMPLATE_BYTES: usize = HEADER_BYTES - 32;
/// The maximum length of the file of a header, in hexadecimal and with white space.
const FILE_LIMIT_BYTES: u64 = 4_096;

/// A header without its nonce.
#[derive(Clone, Copy, Debug)]
pub struct Template {
    bytes: [u8; TEMPLATE_BYTES],
    /// The nonce of the given header, or a random one.
    pub nonce: Nonce,
}

impl Template {
    /// Reads the header of the option --header.
    ///
    /// # Errors
    /// If the file cannot be read, or is not a header.
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
                let reason = format!("not a header: {reason}");
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

    /// Generates a header of random hashes with the easiest target of the network and the current
    /// time.
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

    /// Returns the target in its compact form.
    pub fn bits(&self) -> u32 {
        let [.., a, b, c, d] = self.bytes;
        u32::from_le_bytes([a, b, c, d])
    }

    /// Returns the 108 bytes in hexadecimal.
    pub fn to_hex(self) -> String {
        hex::encode(self.bytes)
    }

    /// Returns the header with this nonce: the input of Equihash.
    pub fn with_nonce(&self, nonce: Nonce) -> [u8; HEADER_BYTES] {
        let mut bytes = [0; HEADER_BYTES];
        bytes[..TEMPLATE_BYTES].copy_from_slice(&self.bytes);
        bytes[TEMPLATE_BYTES..].copy_from_slice(&nonce.0);
        bytes
    }
}

fn wrong_length(bytes: usize) -> String {
    format!(
        "expected {TEMPLATE_BYTES} bytes, or {HEADER_BYTES} with the nonce, without a solution; \
         got {bytes}"
    )
}

fn random_nonce() -> Nonce {
    let mut bytes = [0; 32];
    rand::thread_rng().fill_bytes(&mut bytes);
    Nonce(bytes)
}
