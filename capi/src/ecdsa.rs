// SPDX-License-Identifier: Apache-2.0 OR MIT
//! ECDSA over secp256k1: signatures checked by rules, in bulk.

use std::process;

use halimede_device::flat::ecdsa::{self, Outcome};
use halimede_secp256k1::operations::Signatures;
use halimede_secp256k1::{Format, KeyCache, Rules, Verifier};

use crate::device::{resolve, Device};
use crate::memory::{hand_out, require, Array};
use crate::status::{answer, free, Failure, Status};

/// Most keys of a cache: gigabytes.
const MOST_KEYS: usize = 1 << 24;

/// The format of a signature.
#[repr(u32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EcdsaFormat {
    /// DER by the rules of BIP 66, without the byte of the hash type that transactions put behind
    /// it.
    Der = 0,
    /// The signatures allowed in blocks before BIP 66, read as OpenSSL did.
    DerLax = 1,
    /// r and s, each of 32 bytes, big-endian.
    Compact = 2,
}

impl EcdsaFormat {
    fn from_number(number: u32) -> Result<Format, Failure> {
        let all = [Self::Der, Self::DerLax, Self::Compact];
        let format = all.into_iter().find(|format| *format as u32 == number).ok_or_else(|| {
            let message = format!("rules: format is {number}, there are 0 to {}", all.len() - 1);
            Failure::new(Status::InvalidArgument, message)
        })?;
        Ok(match format {
            Self::Der => Format::Der,
            Self::DerLax => Format::DerLax,
            Self::Compact => Format::Compact,
        })
    }
}

/// Rules for signatures beyond the equation. All zero means DER with either of s and n - s.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct EcdsaRules {
    /// A halimede_ecdsa_format.
    pub format: u32,
    /// Unless 0, s must not be above n/2 (BIP 146).
    pub low_s: u32,
    /// Most compressed keys to keep once they are parsed, about 100 bytes each; 0 for none.
    pub cached_keys: usize,
}

/// A signature to be checked: bytes that lie anywhere.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct EcdsaRow {
    /// The public key, uint8_t[key_length]; an invalid one gets HALIMEDE_VERDICT_KEY.
    pub key: *const u8,
    /// Bytes of the key.
    pub key_length: usize,
    /// The message's digest, uint8_t[digest_length]; of more than 32 bytes the leftmost count.
    pub digest: *const u8,
    /// Bytes of the digest: 1 at least.
    pub digest_length: usize,
    /// The signature, uint8_t[signature_length], in the format of the rules.
    pub signature: *const u8,
    /// Bytes of the signature.
    pub signature_length: usize,
}

/// Rules for signatures, and the keys that were parsed by it. Threads may share one that none of
/// them frees; a process that was forked keeps no keys.
pub struct EcdsaVerifier {
    verifier: Verifier,
    /// The process that made it: in a child, a lock of its cache may be held by a thread that the
    /// child does not have.
    owner: u32,
}

/// A verifier; to be freed with halimede_ecdsa_verifier_free(). `rules` may be NULL: DER, with
/// either of s and n - s, and no keys kept.
///
/// Statuses: HALIMEDE_STATUS_INVALID_ARGUMENT for a member of the rules, those of pointers.
#[no_mangle]
pub unsafe extern "C" fn halimede_ecdsa_verifier_new(
    rules: *const EcdsaRules,
    verifier: *mut *mut EcdsaVerifier,
) -> Status {
    let make = || {
        let mut settings = EcdsaRules::default();
        if !rules.is_null() {
            require("rules", rules)?;
            // SAFETY: not NULL and aligned; the header asks for rules there.
            settings = unsafe { rules.read() };
        }
        let EcdsaRules { format, low_s, cached_keys } = settings;
        let rules = Rules { format: EcdsaFormat::from_number(format)?, low_s: low_s != 0 };
        if cached_keys > MOST_KEYS {
            let message = format!("rules: cached_keys is {cached_keys}, at most {MOST_KEYS}");
            return Err(Failure::new(Status::InvalidArgument, message));
        }
        let keys = (cached_keys > 0).then(|| KeyCache::new(cached_keys));
        Ok(EcdsaVerifier { verifier: Verifier::with_cache(rules, keys), owner: process::id() })
    };
    // SAFETY: the header asks for a place to write to.
    answer(|| unsafe { hand_out("the place for the verifier", verifier, make) })
}

/// Checks signatures: `verdicts`, uint8_t[count], gets a halimede_verdict for each of the
/// rows. A bad row does the others no harm.
///
/// `verifier` may be NULL, as the rules of halimede_ecdsa_verifier_new(). All that is given is
/// taken to be public: the time depends on it.
///
/// Statuses: HALIMEDE_STATUS_WRONG_LENGTH for a digest of no bytes, those of pointers and lengths,
/// whose message says which row it is, those of devices.
#[no_mangle]
pub unsafe extern "C" fn halimede_ecdsa_verify(
    device: *const Device,
    verifier: *const EcdsaVerifier,
    rows: *const EcdsaRow,
    count: usize,
    verdicts: *mut u8,
) -> Status {
    answer(|| {
        let rows = Array::new("rows", rows, &[count])?;
        let verdicts = Array::new("verdicts", verdicts, &[count])?;
        rows.require_apart(&verdicts)?;
        let mut rules = Rules::default();
        let mut kept = None;
        if !verifier.is_null() {
            require("verifier", verifier)?;
            // SAFETY: not NULL and aligned; the header asks for a verifier.
            let verifier = unsafe { &*verifier };
            rules = verifier.verifier.rules();
            kept = (verifier.owner == process::id()).then_some(&verifier.verifier);
        }
        // SAFETY: rows, as many as the header asks for.
        let rows = unsafe { rows.into_slice() };
        let row = |(number, row): (usize, &EcdsaRow)| {
            // SAFETY: the members are as the header asks.
            let row = unsafe { parts(row, &verdicts) };
            row.map_err(|Failure { status, message }| {
                Failure::new(status, format!("number {number} of the rows: {message}"))
            })
        };
        let mut columns = [(); 3].map(|()| Vec::with_capacity(rows.len()));
        for parts in rows.iter().enumerate().map(row) {
            for (column, part) in columns.iter_mut().zip(parts?) {
                column.push(part);
            }
        }
        // SAFETY: an open device or NULL, and a place for verdicts, as the header asks; apart.
        let (device, verdicts) = unsafe { (resolve(device)?, verdicts.into_mut_slice()) };
        let keeps_none = Verifier::with_cache(rules, None);
        let [keys, digests, signatures] = columns.each_ref().map(Vec::as_slice);
        let verifier = kept.unwrap_or(&keeps_none);
        let signatures = Signatures::new(verifier, keys, digests, signatures);
        let found = ecdsa::verify(device, signatures)?;
        for (place, verdict) in verdicts.iter_mut().zip(&found) {
            *place = Outcome::from(verdict) as u8;
        }
        Ok(())
    })
}

/// A row's key, digest and signature, apart from the verdicts.
///
/// # Safety
/// The row's pointers lead to as many bytes as it says, for as long as what is returned is used.
unsafe fn parts<'r>(row: &EcdsaRow, verdicts: &Array<u8>) -> Result<[&'r [u8]; 3], Failure> {
    let bytes = |name, pointer, length| {
        let array = Array::<u8>::new(name, pointer, &[length])?;
        array.require_apart(verdicts)?;
        // SAFETY: by this function's contract.
        Ok::<&'r [u8], Failure>(unsafe { array.into_slice() })
    };
    let digest = bytes("digest", row.digest, row.digest_length)?;
    if digest.is_empty() {
        return Err(Failure::new(Status::WrongLength, "digest: got no bytes"));
    }
    let key = bytes("key", row.key, row.key_length)?;
    Ok([key, digest, bytes("signature", row.signature, row.signature_length)?])
}

/// Frees a verifier. NULL is free already.
#[no_mangle]
pub unsafe extern "C" fn halimede_ecdsa_verifier_free(verifier: *mut EcdsaVerifier) {
    // SAFETY: made by this library and not freed before, as the header asks.
    free("verifier", verifier, |verifier| drop(unsafe { Box::from_raw(verifier) }));
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
