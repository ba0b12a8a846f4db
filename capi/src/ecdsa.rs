// SPDX-License-Identifier: Apache-2.0 OR MIT
//! ECDSA over secp256k1: signatures checked by rules, in bulk.

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

/// Most keys of a cache: gigabytes.
const MOST_KEYS: usize = 1 << 24;

/// Rules for signatures, and the keys that were parsed by it. Threads may share one that none of
/// them frees; a process that was forked keeps no keys.
pub struct EcdsaVerifier {
    verifier: Verifier,
    hash: Hash,
    /// The process that made it: in a child, a lock of its cache may be held by a thread that the
    /// child does not have.
    owner: u32,
}

/// A verifier; to be freed with halimede_ecdsa_verifier_free(). `cached_keys` is the most compressed keys
/// to keep once they are parsed, about 100 bytes each; 0 for none.
///
/// - The setting "format" ("der", "der-lax", "compact"; "der" by default): DER by the rules of BIP 66
///   without the byte of the hash type, as blocks before them have it, or r and s in 64 bytes.
/// - The setting "low-s" ("false", "true"; "false" by default): Whether an s above n/2 is rejected.
/// - The setting "hash" ("none", "any-length", "sha256", "sha512", "sha3-256", "keccak256"; "none" by
///   default): The function that makes the digest of a message; none of a digest. A digest of
///   "any-length" may have other than 32 bytes: the leftmost 32 count.
///
/// Statuses: HALIMEDE_STATUS_INVALID_ARGUMENT for a setting or `cached_keys`, those of pointers.
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
        // SAFETY: the header asks for settings.
        let settings = unsafe { read_settings(about, settings, setting_count) }?;
        let settings = settings.complete().map_err(refused)?;
        let (rules, hash) = (interface::rules(&settings), interface::hash(&settings));
        if cached_keys > MOST_KEYS {
            return Err(refused(format!("cached_keys is {cached_keys}, at most {MOST_KEYS}")));
        }
        let keys = (cached_keys > 0).then(|| KeyCache::new(cached_keys));
        Ok(EcdsaVerifier {
            verifier: Verifier::with_cache(rules, keys),
            hash,
            owner: process::id(),
        })
    };
    // SAFETY: the header asks for a place to write to.
    answer(|| unsafe { hand_out("the place for the verifier", verifier, make) })
}

/// Checks signatures: `verdicts`, uint8_t[count], gets a halimede_verdict for each of the rows. A bad row
/// does the others no harm.
///
/// - `keys`: one for each row, uint8_t[33] or [65]; an invalid one gets HALIMEDE_VERDICT_KEY.
/// - `digests`: one for each row, 32 bytes; any number of bytes with a "hash".
/// - `signatures`: one for each row, in the format of the rules.
///
/// `verifier` may be NULL, which is one without settings and keys. All that is given is
/// taken to be public: the time depends on it.
///
/// Statuses: HALIMEDE_STATUS_WRONG_LENGTH for a digest of another length, those of pointers and
/// lengths, whose message says which row it is, those of devices.
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
            // SAFETY: not NULL and aligned; the header asks for a verifier.
            let verifier = unsafe { &*verifier };
            (rules, hash) = (verifier.verifier.rules(), verifier.hash);
            kept = (verifier.owner == process::id()).then_some(&verifier.verifier);
        }
        // SAFETY: rows of bytes, as many as the header asks for.
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
        // SAFETY: an open device or NULL, and a place for verdicts, as the header asks; apart.
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

/// Frees a verifier. NULL is free already.
#[no_mangle]
pub unsafe extern "C" fn halimede_ecdsa_verifier_free(verifier: *mut EcdsaVerifier) {
    // SAFETY: made by this library and not freed before, as the header asks.
    free(verifier, |verifier| drop(unsafe { Box::from_raw(verifier) }));
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What lets the header say that threads may share a verifier.
    #[test]
    fn verifiers_can_be_shared() {
        fn shared<T: Send + Sync>() {}
        shared::<EcdsaVerifier>();
    }
}
