// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Functions over whole arrays, which libsecp256k1 does not have. They run on all cores.

use std::ffi::c_int;

use engine::operations::RecoverRequest;
use engine::recovery::{recover_batch, Rules as RecoveryRules};
use engine::schnorr::{verify_batch, Signed};
use engine::{Format, Rules, Verifier};

use crate::answer::{answer, array_or_empty, filled, Illegal};
use crate::context::Context;
use crate::keys::{uncompressed, valid, Key, XOnlyKey, INVALID};
use crate::numbers::Number;
use crate::recovery::RecoverableSignature;
use crate::signatures::Signature;

/// Writes results, and returns 1 if every one is 1.
fn write(results: &mut [c_int], found: impl ExactSizeIterator<Item = bool>) -> c_int {
    let mut all = found.len() == results.len();
    for (result, is_good) in results.iter_mut().zip(found) {
        *result = is_good.into();
        all &= is_good;
    }
    all.into()
}

/// `secp256k1_ecdsa_verify_many`
#[no_mangle]
pub unsafe extern "C" fn secp256k1_ecdsa_verify_many(
    context: *const Context,
    results: *mut c_int,
    signatures: *const Signature,
    digests: *const Number,
    keys: *const Key,
    count: usize,
) -> c_int {
    answer(context, |_| {
        // SAFETY: by the contract of the header.
        let results = unsafe { filled(results, count, 0, c"results != NULL") }?;
        // SAFETY: by the contract of the header.
        let signatures = unsafe { array_or_empty(signatures, count, c"sigs != NULL") }?;
        // SAFETY: by the contract of the header.
        let digests = unsafe { array_or_empty(digests, count, c"msghashes32 != NULL") }?;
        // SAFETY: by the contract of the header.
        let keys = unsafe { array_or_empty(keys, count, c"pubkeys != NULL") }?;
        let keys: Vec<_> = keys
            .iter()
            .map(|key| Ok(uncompressed(&valid(*key)?)))
            .collect::<Result<_, Illegal>>()?;
        let verifier = Verifier::with_cache(Rules { format: Format::Compact, low_s: true }, None);
        let verdicts =
            verifier.verify_batch(&rows(&keys)[..], &rows(digests)[..], &rows(signatures)[..]);
        Ok(write(results, verdicts.iter().map(Result::is_ok)))
    })
}

fn rows<const N: usize>(array: &[[u8; N]]) -> Vec<&[u8]> {
    array.iter().map(|row| &row[..]).collect()
}

/// `secp256k1_schnorrsig_verify_many`
#[no_mangle]
pub unsafe extern "C" fn secp256k1_schnorrsig_verify_many(
    context: *const Context,
    results: *mut c_int,
    signatures: *const [u8; 64],
    messages: *const *const u8,
    lengths: *const usize,
    keys: *const XOnlyKey,
    count: usize,
) -> c_int {
    answer(context, |_| {
        // SAFETY: by the contract of the header.
        let results = unsafe { filled(results, count, 0, c"results != NULL") }?;
        // SAFETY: by the contract of the header.
        let signatures = unsafe { array_or_empty(signatures, count, c"sigs64 != NULL") }?;
        // SAFETY: by the contract of the header.
        let messages = unsafe { array_or_empty(messages, count, c"msgs != NULL") }?;
        // SAFETY: by the contract of the header.
        let lengths = unsafe { array_or_empty(lengths, count, c"msglens != NULL") }?;
        // SAFETY: by the contract of the header.
        let keys = unsafe { array_or_empty(keys, count, c"pubkeys != NULL") }?;
        let mut signed = Vec::with_capacity(count);
        for (((signature, message), length), key) in
            signatures.iter().zip(messages).zip(lengths).zip(keys)
        {
            valid(*key)?;
            let condition = c"msgs[i] != NULL || msglens[i] == 0";
            // SAFETY: by the contract of the header.
            let message = unsafe { array_or_empty(*message, *length, condition) }?;
            signed.push(Signed { key: &key[..32], message, signature });
        }
        Ok(write(results, verify_batch(&signed).iter().map(Result::is_ok)))
    })
}

/// `secp256k1_ecdsa_recover_many`
#[no_mangle]
pub unsafe extern "C" fn secp256k1_ecdsa_recover_many(
    context: *const Context,
    results: *mut c_int,
    keys: *mut Key,
    signatures: *const RecoverableSignature,
    digests: *const Number,
    count: usize,
) -> c_int {
    answer(context, |_| {
        // SAFETY: by the contract of the header.
        let results = unsafe { filled(results, count, 0, c"results != NULL") }?;
        // SAFETY: by the contract of the header.
        let keys = unsafe { filled(keys, count, INVALID, c"pubkeys != NULL") }?;
        // SAFETY: by the contract of the header.
        let signatures = unsafe { array_or_empty(signatures, count, c"sigs != NULL") }?;
        // SAFETY: by the contract of the header.
        let digests = unsafe { array_or_empty(digests, count, c"msghashes32 != NULL") }?;
        let request = |(signature, digest): (&RecoverableSignature, &Number)| RecoverRequest {
            rules: RecoveryRules::default(),
            digest: digest.to_vec(),
            signature: signature.to_vec(),
        };
        let requests: Vec<_> = signatures.iter().zip(digests).map(request).collect();
        let recovered = recover_batch(&requests);
        for (key, recovered) in keys.iter_mut().zip(&recovered) {
            *key = recovered.map_or(INVALID, |recovered| recovered.0);
        }
        Ok(write(results, recovered.iter().map(Result::is_ok)))
    })
}
