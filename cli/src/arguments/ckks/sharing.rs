// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The options of decrypted values that others may see.

use clap::Args;

/// A statement of security, for values that others may see.
#[derive(Args, Debug)]
pub struct SharingOptions {
    /// Decrypt for others: add noise that hides the secret key from them.
    #[arg(long, requires_all = ["security", "queries"])]
    pub share: bool,
    /// With --share: the bits of security.
    #[arg(long, value_name = "BITS", requires = "share")]
    pub security: Option<u32>,
    /// With --share: the total number of decryptions under this key that others may see, one per
    /// ciphertext.
    #[arg(long, value_name = "N", requires = "share")]
    pub queries: Option<u32>,
    /// With --share: a known bound of the root mean square error of a value, such as 1e-6 or 2^-20.
    #[arg(long, value_name = "E", requires = "share", value_parser = error_bound)]
    pub error_at_least: Option<f64>,
}

impl SharingOptions {
    /// Returns the bits of security and the number of decryptions, if others may see the values.
    pub fn statement(&self) -> Option<(u32, u32)> {
        self.security.zip(self.queries).filter(|_| self.share)
    }
}

/// Parses a bound of an error: a number, or a power of two.
pub(super) fn error_bound(text: &str) -> Result<f64, String> {
    let number = match text.strip_prefix("2^") {
        Some(bits) => bits.parse().map(f64::exp2),
        None => text.parse(),
    };
    number.map_err(|_| "expected a number such as 1e-6, or a power of two such as 2^-20".to_owned())
}
