// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Signatures as their users have them, bytes of keys, digests and signatures, checked by rules.

use rayon::prelude::*;
use secp256k1::PublicKey;

use crate::cache::{CacheCounts, KeyCache};
use crate::check::check_under;
use crate::digest::leftmost_bits;
use crate::key::{parse_key, KeyError};
use crate::operations::VerifyRequest;
use crate::signature::{Format, Numbers, SignatureError};
use crate::Mask;

/// A signature to be checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Row<'b> {
    /// The public key, as [`parse_key`] takes it.
    pub key: &'b [u8],
    /// The message's digest, of any length: of a longer one than 256 bits the leftmost count, a
    /// shorter one is a number as it stands.
    pub digest: &'b [u8],
    /// The signature, in the format of the rules.
    pub signature: &'b [u8],
}

/// Rules for signatures beyond the equation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Rules {
    /// How it is written.
    pub format: Format,
    /// Whether s must not be above n/2 (BIP 146). Otherwise either of s and n − s is good, as the
    /// standard and consensus have it.
    pub low_s: bool,
}

/// Why a signature is not valid; the first of these that applies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, thiserror::Error)]
pub enum Rejection {
    /// Not a valid public key.
    #[error(transparent)]
    Key(#[from] KeyError),
    /// The signature is not of its format.
    #[error(transparent)]
    Signature(#[from] SignatureError),
    /// s is above n/2, and the rules ask for the lower of s and n − s.
    #[error("s is above n/2")]
    HighS,
    /// Checks of the numbers failed.
    #[error("{0}")]
    Check(Mask),
}

/// Checks signatures by rules, and keeps the keys that it has parsed. Threads may share it. All it
/// is given is taken to be public: time depends on it.
///
/// ```
/// use halimede_secp256k1::{Format, Rejection, Row, Rules, Verifier};
///
/// let verifier = Verifier::new(Rules { format: Format::Compact, low_s: true });
/// let rows = [Row { key: &[2; 33], digest: &[7; 32], signature: &[9; 64] }];
/// let verdicts = verifier.verify_batch(&rows);
/// assert!(matches!(verdicts[0], Err(Rejection::Check(_))));
/// ```
#[derive(Debug)]
pub struct Verifier {
    rules: Rules,
    keys: Option<KeyCache>,
}

/// A row whose parts were read.
struct Parsed {
    key: PublicKey,
    numbers: Numbers,
    digest: [u8; 32],
}

impl Verifier {
    /// A verifier with a cache of [`KeyCache::DEFAULT_CAPACITY`] keys.
    pub fn new(rules: Rules) -> Self {
        Self { rules, keys: Some(KeyCache::default()) }
    }

    /// A verifier with this cache, or none: then every key is parsed anew.
    pub fn with_cache(rules: Rules, keys: Option<KeyCache>) -> Self {
        Self { rules, keys }
    }

    /// The rules for signatures.
    pub fn rules(&self) -> Rules {
        self.rules
    }

    /// How often keys were found in the cache so far; none without a cache.
    pub fn cache_counts(&self) -> Option<CacheCounts> {
        self.keys.as_ref().map(KeyCache::counts)
    }

    /// Checks one signature on the calling thread.
    ///
    /// # Errors
    /// [`Rejection`] where it is not valid.
    pub fn verify(&self, row: Row<'_>) -> Result<(), Rejection> {
        let Parsed { key, numbers: Numbers { r, s }, digest } = self.parse(row)?;
        verdict(check_under(&key, &r, &s, &digest))
    }

    /// Checks signatures over all cores of the current thread pool; verdicts stand in the order of
    /// the rows.
    pub fn verify_batch(&self, rows: &[Row<'_>]) -> Vec<Result<(), Rejection>> {
        rows.par_iter().map(|row| self.verify(*row)).collect()
    }

    /// What a device is to be asked about the row; [`verdict`] makes a verdict of its reply.
    ///
    /// # Errors
    /// [`Rejection`] where the row is not valid whatever the reply would be.
    pub fn request(&self, row: Row<'_>) -> Result<VerifyRequest, Rejection> {
        let Parsed { key, numbers: Numbers { r, s }, digest } = self.parse(row)?;
        let bytes = key.serialize_uncompressed();
        let (mut x, mut y) = ([0; 32], [0; 32]);
        x.copy_from_slice(&bytes[1..33]);
        y.copy_from_slice(&bytes[33..]);
        Ok(VerifyRequest { r, s, digest, x, y })
    }

    fn parse(&self, row: Row<'_>) -> Result<Parsed, Rejection> {
        let key = match &self.keys {
            Some(keys) => keys.parse_key(row.key)?,
            None => parse_key(row.key)?,
        };
        let numbers = self.rules.format.parse(row.signature)?;
        if self.rules.low_s && numbers.has_high_s() {
            return Err(Rejection::HighS);
        }
        Ok(Parsed { key, numbers, digest: leftmost_bits(row.digest) })
    }
}

/// The verdict that a device's reply is.
///
/// # Errors
/// [`Rejection::Check`] where checks failed.
pub fn verdict(mask: Mask) -> Result<(), Rejection> {
    if mask.is_valid() {
        Ok(())
    } else {
        Err(Rejection::Check(mask))
    }
}
