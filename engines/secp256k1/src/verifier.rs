// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Verifies signatures given as bytes of keys, digests and signatures, by configurable rules.

use halimede_arith::job::{Bytes, Columns};
use halimede_arith::Backend;
use secp256k1::PublicKey;

use crate::cache::{CacheCounts, KeyCache};
use crate::candidate::{Candidate, VerifyRequest};
use crate::check::mask;
use crate::digest::leftmost_bits;
use crate::key::{coordinates, parse_key, KeyError};
use crate::keys::parse_keys;
use crate::rejection::{verdict, Rejection};
use crate::signature::{Format, Numbers};

/// Rules for signatures beyond the equation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Rules {
    /// The encoding.
    pub format: Format,
    /// `true` if s must not be above n/2 (BIP 146). Otherwise both s and n − s are accepted, as in
    /// the standard and in consensus.
    pub low_s: bool,
}

/// Verifies signatures by rules, and caches the keys that it has parsed. Threads may share it. All
/// inputs are assumed to be public: the running time depends on them.
///
/// ```
/// use halimede_secp256k1::{Format, Rejection, Rules, Verifier};
///
/// let verifier = Verifier::new(Rules { format: Format::Compact, low_s: true });
/// let verdict = verifier.verify(&[2; 33], &[7; 32], &[9; 64]);
/// assert!(matches!(verdict, Err(Rejection::Check(_))));
/// ```
#[derive(Debug)]
pub struct Verifier {
    rules: Rules,
    keys: Option<KeyCache>,
}

impl Verifier {
    /// Creates a verifier with a cache of [`KeyCache::DEFAULT_CAPACITY`] keys.
    pub fn new(rules: Rules) -> Self {
        Self { rules, keys: Some(KeyCache::default()) }
    }

    /// Creates a verifier with this cache. Without one, every key is parsed anew.
    pub fn with_cache(rules: Rules, keys: Option<KeyCache>) -> Self {
        Self { rules, keys }
    }

    /// The rules for signatures.
    pub fn rules(&self) -> Rules {
        self.rules
    }

    /// The cache lookups so far, or `None` without a cache.
    pub fn cache_counts(&self) -> Option<CacheCounts> {
        self.keys.as_ref().map(KeyCache::counts)
    }

    /// Verifies one signature on the calling thread: a key that [`parse_key`] accepts, a digest of
    /// any length (only the leftmost 256 bits of a longer one count), and a signature in the format
    /// of the rules.
    ///
    /// # Errors
    /// [`Rejection`] if the signature is not valid.
    pub fn verify(&self, key: &[u8], digest: &[u8], signature: &[u8]) -> Result<(), Rejection> {
        verdict(mask(self.candidate(key, digest, signature)?))
    }

    /// Performs the checks of a signature except the equation.
    pub(crate) fn candidate(
        &self,
        key: &[u8],
        digest: &[u8],
        signature: &[u8],
    ) -> Result<Candidate, Rejection> {
        self.candidate_under(self.parse_key(key)?, digest, signature)
    }

    /// As [`Self::candidate`], under each key of a batch, in order.
    pub(crate) fn candidates(
        &self,
        backend: Backend,
        keys: Bytes<'_>,
        digests: Bytes<'_>,
        signatures: Bytes<'_>,
    ) -> Vec<Result<Candidate, Rejection>> {
        let keys = parse_keys(backend, keys, self.keys.as_ref()).into_iter().enumerate();
        let candidate = |(number, key): (usize, Result<PublicKey, KeyError>)| {
            self.candidate_under(key?, digests.row(number), signatures.row(number))
        };
        keys.map(candidate).collect()
    }

    fn candidate_under(
        &self,
        key: PublicKey,
        digest: &[u8],
        signature: &[u8],
    ) -> Result<Candidate, Rejection> {
        let Numbers { r, s } = self.numbers(signature)?;
        Candidate::under(key, &r, &s, &leftmost_bits(digest)).map_err(Rejection::Check)
    }

    /// Returns the numbers to check, for callers that keep a signature.
    ///
    /// # Errors
    /// [`Rejection`] if the signature is invalid whatever its numbers are.
    pub fn request(
        &self,
        key: &[u8],
        digest: &[u8],
        signature: &[u8],
    ) -> Result<VerifyRequest, Rejection> {
        let [x, y] = coordinates(&self.parse_key(key)?);
        let Numbers { r, s } = self.numbers(signature)?;
        Ok(VerifyRequest { r, s, digest: leftmost_bits(digest), x, y })
    }

    fn parse_key(&self, key: &[u8]) -> Result<PublicKey, KeyError> {
        match &self.keys {
            Some(keys) => keys.parse_key(key),
            None => parse_key(key),
        }
    }

    /// Parses r and s by the rules.
    fn numbers(&self, signature: &[u8]) -> Result<Numbers, Rejection> {
        let numbers = self.rules.format.parse(signature)?;
        if self.rules.low_s && numbers.has_high_s() {
            return Err(Rejection::HighS);
        }
        Ok(numbers)
    }
}
