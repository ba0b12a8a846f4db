// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What is promised of decrypted values that others may see.

use clap::Args;

/// A statement of security, for values that others may see.
#[derive(Args, Debug)]
pub struct SharingOptions {
    /// Decrypt for others: with noise that hides the secret key from them.
    #[arg(long, requires_all = ["security", "queries"])]
    pub share: bool,
    /// With --share: the bits of security.
    #[arg(long, value_name = "BITS", requires = "share")]
    pub security: Option<u32>,
    /// With --share: the number of decryptions under this key that others may see altogether; each
    /// ciphertext is one.
    #[arg(long, value_name = "N", requires = "share")]
    pub queries: Option<u32>,
    /// With --share: a bound of the error of a value, the root of the mean square, that you know, as 1e-6 or
    /// 2^-20.
    #[arg(long, value_name = "E", requires = "share", value_parser = error_bound)]
    pub error_at_least: Option<f64>,
}

impl SharingOptions {
    /// Bits of security and decryptions, where others may see the values.
    pub fn statement(&self) -> Option<(u32, u32)> {
        self.security.zip(self.queries).filter(|_| self.share)
    }
}

/// A bound of an error: a number, or a power of two.
fn error_bound(text: &str) -> Result<f64, String> {
    let number = match text.strip_prefix("2^") {
        Some(bits) => bits.parse().map(f64::exp2),
        None => text.parse(),
    };
    number.map_err(|_| "wanted a number as 1e-6, or a power of two as 2^-20".to_owned())
}
