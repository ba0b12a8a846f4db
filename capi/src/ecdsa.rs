// SPDX-License-Identifier: Apache-2.0 OR MIT
//! ECDSA over secp256k1: verifies signatures by selectable rules, in batches.

use std::process;

use halimede_device::call::description;
use halimede_device::flat::ecdsa::{self, Outcome};
use halimede_secp256k1::digest::Hash;
use halimede_secp256k1::operations::Signatures;
use halimede_secp256k1::{interface, KeyCache, Rules, Verifier};

use crate::call::{read_settings, Setting};
use crate::device::{resolve, Device};
use crate::memory::{hand_out, require, Array};
use crate::status::{answer, free, Failure, Status};
use crate::verdict::{column, Bytes};

/// The maximum number of keys of a cache, which takes gigabytes.
const MOST_KEYS: usize = 1 << 24;

/// Rules for signatures, and a cache of parsed keys. Threads may share a verifier, as long as none
/// of them frees it; a forked process caches no keys.
pub struct EcdsaVerifier {
    verifier: Verifier,
    hash: Hash,
    /// The process that created the verifier: in a forked child, a lock of the cache may be held by
    /// a thread that does not exist in the child.
    owner: u32,
}

/// Creates a verifier. Free it with halimede_ecdsa_verifier_free(). `cached_keys` is the maximum
/// number of compressed keys to cache after parsing, at about 100 bytes each; 0 for no cache.
///
/// - The setting "format" ("der", "der-lax", "compact"; "der" by default): "der" is DER by the
///   rules of BIP 66, without the byte of the hash type; "der-lax" is DER as in blocks before BIP
///   66; "compact" is r and s in 64 bytes.
/// - The setting "low-s" ("false", "true"; "false" by default): "true" rejects an s above n/2.
/// - The setting "hash" ("none", "any-length", "sha256", "sha512", "sha3-256", "keccak256"; "none"
///   by default): the function that hashes a message; with "none" and "any-length", digests are
///   given. With "any-length", digests may have a length other than 32 bytes: the leftmost 32 bytes
///   count.
///
/// Statuses: HALIMEDE_STATUS_INVALID_ARGUMENT for a setting or `cached_keys`; the statuses of
/// pointers.
#[no_mangle]
pub unsafe extern "C" fn halimede_ecdsa_verifier_new(
    settings: *const Setting,
    setting_count: usize,
    cached_keys: usize,
    verifier: *mut *mut EcdsaVerifier,
) -> Status {
    let make = || {
        let refused = |message: String| Failure::new(Status::InvalidArgument, message);
        let about = description("secp256k1.verify").map_err(refused)?;
        // SAFETY: the header requires settings.
        let settings = unsafe { read_settings(about, settings, setting_count) }?;
        let settings = settings.complete().map_err(refused)?;
        let (rules, hash) = (interface::rules(&settings), interface::hash(&settings));
        if cached_keys > MOST_KEYS {
            return Err(refused(format!(
                "cached_keys is {cached_keys}, expected at most {MOST_KEYS}"
            )));
        }
        let keys = (cached_keys > 0).then(|| KeyCache::new(cached_keys));
        Ok(EcdsaVerifier {
            verifier: Verifier::with_cache(rules, keys),
            hash,
            owner: process::id(),
        })
    };
    // SAFETY: the header requires a place to write to.
    answer(|| unsafe { hand_out("the place for the verifier", verifier, make) })
}

/// Verifies signatures. `verdicts`, uint8_t[count], receives a halimede_verdict per row. A bad row
/// does not affect the others.
///
/// - `keys`: one per row, uint8_t[33] or [65]; an invalid one gets HALIMEDE_VERDICT_KEY.
/// - `digests`: one per row, 32 bytes; any number of bytes with a "hash" other than "none".
/// - `signatures`: one per row, in the format of the settings.
///
/// `verifier` may be NULL: a verifier with default settings and without a cache. All inputs are
/// treated as public: the time depends on them.
///
/// Statuses: HALIMEDE_STATUS_WRONG_LENGTH for a digest of a wrong length; the statuses of pointers
/// and lengths, whose message names the row; the statuses of devices.
#[no_mangle]
pub unsafe extern "C" fn halimede_ecdsa_verify(
    device: *const Device,
    verifier: *const EcdsaVerifier,
    keys: *const Bytes,
    digests: *const Bytes,
    signatures: *const Bytes,
    count: usize,
    verdicts: *mut u8,
) -> Status {
    answer(|| {
        let verdicts = Array::new("verdicts", verdicts, &[count])?;
        let (mut rules, mut hash, mut kept) = (Rules::default(), Hash::None, None);
        if !verifier.is_null() {
            require("verifier", verifier)?;
            // SAFETY: not NULL and aligned; the header requires a verifier.
            let verifier = unsafe { &*verifier };
            (rules, hash) = (verifier.verifier.rules(), verifier.hash);
            kept = (verifier.owner == process::id()).then_some(&verifier.verifier);
        }
        // SAFETY: rows of bytes, as many as the header requires.
        let read = |name, rows| unsafe { column(name, rows, count, &[verdicts]) };
        let (keys, digests) = (read("keys", keys)?, read("digests", digests)?);
        let signatures = read("signatures", signatures)?;
        let digests = digests.into_iter().enumerate().map(|(row, signed)| {
            hash.digest(signed).map_err(|error| {
                let message = format!("number {row} of the digests: {error}");
                Failure::new(Status::WrongLength, message)
            })
        });
        let digests: Vec<_> = digests.collect::<Result<_, Failure>>()?;
        let digests: Vec<&[u8]> = digests.iter().map(|digest| &**digest).collect();
        // SAFETY: an open device or NULL, and a place for verdicts, as the header requires; apart.
        let (device, verdicts) = unsafe { (resolve(device)?, verdicts.into_mut_slice()) };
        let keeps_none = Verifier::with_cache(rules, None);
        let verifier = kept.unwrap_or(&keeps_none);
        let signatures = Signatures::new(verifier, &keys[..], &digests[..], &signatures[..]);
        let found = ecdsa::verify(device, signatures)?;
        for (place, verdict) in verdicts.iter_mut().zip(&found) {
            *place = Outcome::from(verdict) as u8;
        }
        Ok(())
    })
}

/// Frees a verifier. Does nothing for NULL.
#[no_mangle]
pub unsafe extern "C" fn halimede_ecdsa_verifier_free(verifier: *mut EcdsaVerifier) {
    // SAFETY: made by this library and not freed before, as the header requires.
    free(verifier, |verifier| drop(unsafe { Box::from_raw(verifier) }));
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The header promises that threads may share a verifier.
    #[test]
    fn verifiers_can_be_shared() {
        fn shared<T: Send + Sync>() {}
        shared::<EcdsaVerifier>();
    }
}
