// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Signatures as their users have them, bytes of keys, digests and signatures, checked by rules.

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
    /// How it is written.
    pub format: Format,
    /// Whether s must not be above n/2 (BIP 146). Otherwise either of s and n − s is good, as the
    /// standard and consensus have it.
    pub low_s: bool,
}

/// Checks signatures by rules, and keeps the keys that it has parsed. Threads may share it. All it
/// is given is taken to be public: time depends on it.
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

    /// Checks one signature on the calling thread: a key as [`parse_key`] takes it, a digest of any
    /// length (of more than 256 bits the leftmost count), and a signature in the format of the
    /// rules.
    ///
    /// # Errors
    /// [`Rejection`] where it is not valid.
    pub fn verify(&self, key: &[u8], digest: &[u8], signature: &[u8]) -> Result<(), Rejection> {
        verdict(mask(self.candidate(key, digest, signature)?))
    }

    /// The checks of a signature but for its equation.
    pub(crate) fn candidate(
        &self,
        key: &[u8],
        digest: &[u8],
        signature: &[u8],
    ) -> Result<Candidate, Rejection> {
        self.candidate_under(self.parse_key(key)?, digest, signature)
    }

    /// The same under each key of a batch, in order.
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

    /// The numbers to be checked, for whoever keeps a signature.
    ///
    /// # Errors
    /// [`Rejection`] where the signature is not valid whatever its numbers are.
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

    /// r and s by the rules.
    fn numbers(&self, signature: &[u8]) -> Result<Numbers, Rejection> {
        let numbers = self.rules.format.parse(signature)?;
        if self.rules.low_s && numbers.has_high_s() {
            return Err(Rejection::HighS);
        }
        Ok(numbers)
    }
}
