// SPDX-License-Identifier: Apache-2.0 OR MIT
//! BLS signatures over BLS12-381: in bulk, and aggregates.

use halimede_bls12_381::operations::Signatures;
use halimede_bls12_381::signature::{self, Aggregate, Group, Scheme};
use halimede_device::flat::bls;

use crate::device::{resolve, Device};
use crate::memory::{require, Array};
use crate::status::{answer, Failure, Status};
use crate::verdict::{bytes, check_rows, column, write, Bytes};

/// Which group the keys are in.
#[repr(u32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BlsGroup {
    /// Keys in G1, of 48 bytes, and signatures in G2, of 96.
    MinPk = 0,
    /// Keys in G2, of 96 bytes, and signatures in G1, of 48.
    MinSig = 1,
}

impl BlsGroup {
    fn from_number(number: u32) -> Result<Group, Failure> {
        match number {
            _ if number == Self::MinPk as u32 => Ok(Group::MinPk),
            _ if number == Self::MinSig as u32 => Ok(Group::MinSig),
            _ => {
                let message = format!("group is {number}, there are 0 and 1");
                Err(Failure::new(Status::InvalidArgument, message))
            }
        }
    }

    /// Bytes of a compressed signature.
    fn signature_bytes(group: Group) -> usize {
        match group {
            Group::MinPk => 96,
            Group::MinSig => 48,
        }
    }
}

/// How signers are kept from cancelling the keys of others.
#[repr(u32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BlsScheme {
    /// Each key comes with a proof of possession, as in Ethereum.
    ProofOfPossession = 0,
    /// The messages of an aggregate are distinct.
    Basic = 1,
    /// Message augmentation: the signer's key is signed before the message.
    Augmented = 2,
}

impl BlsScheme {
    fn from_number(number: u32) -> Result<Scheme, Failure> {
        match number {
            _ if number == Self::Basic as u32 => Ok(Scheme::Basic),
            _ if number == Self::Augmented as u32 => Ok(Scheme::Augmented),
            _ if number == Self::ProofOfPossession as u32 => Ok(Scheme::ProofOfPossession),
            _ => {
                let message = format!("suite: scheme is {number}, there are 0 to 2");
                Err(Failure::new(Status::InvalidArgument, message))
            }
        }
    }
}

/// A scheme over a group; all zero is Ethereum's: proof of possession with keys in G1.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct BlsSuite {
    /// A halimede_bls_group.
    pub group: u32,
    /// A halimede_bls_scheme.
    pub scheme: u32,
}

/// Checks BLS signatures together: `verdicts`, uint8_t[count], gets a halimede_verdict for each
/// row. `keys`, `messages` and `signatures` have `count` entries; keys and signatures are
/// compressed or uncompressed. A bad row does the others no harm. Equal keys and equal messages cost
/// less.
///
/// `suite` may be NULL, as one that is all zero. All that is given is taken to be public: the time
/// depends on it. A card has no BLS12-381.
///
/// Statuses: HALIMEDE_STATUS_INVALID_ARGUMENT for a member of the suite, those of pointers and
/// lengths, whose message says which row it is, those of devices.
#[no_mangle]
pub unsafe extern "C" fn halimede_bls_verify(
    device: *const Device,
    suite: *const BlsSuite,
    keys: *const Bytes,
    messages: *const Bytes,
    signatures: *const Bytes,
    count: usize,
    verdicts: *mut u8,
) -> Status {
    answer(|| {
        // SAFETY: the header asks for a suite or NULL, and an open device or NULL.
        let (suite, device) = unsafe { (self::suite(suite)?, resolve(device)?) };
        let columns = [("keys", keys), ("messages", messages), ("signatures", signatures)];
        let check = |[keys, messages, signatures]: [Vec<&[u8]>; 3]| {
            bls::verify(device, Signatures::new(suite, &keys[..], &messages[..], &signatures[..]))
        };
        // SAFETY: columns and verdicts, as the header asks.
        unsafe { check_rows(columns, count, verdicts, check) }
    })
}

/// Sums up signatures: `sum` gets the compressed sum, in `sum_length` bytes: 96 with
/// HALIMEDE_BLS_GROUP_MIN_PK, 48 with HALIMEDE_BLS_GROUP_MIN_SIG. `signatures` has `count` entries,
/// one at least.
///
/// Statuses: HALIMEDE_STATUS_MALFORMED for a signature that is not a point of its group, whose
/// message says which; HALIMEDE_STATUS_WRONG_LENGTH for no signatures or another `sum_length`;
/// HALIMEDE_STATUS_INVALID_ARGUMENT for the group; those of pointers and lengths.
#[no_mangle]
pub unsafe extern "C" fn halimede_bls_aggregate(
    group: u32,
    signatures: *const Bytes,
    count: usize,
    sum: *mut u8,
    sum_length: usize,
) -> Status {
    answer(|| {
        let group = BlsGroup::from_number(group)?;
        require_length("sum", sum_length, BlsGroup::signature_bytes(group))?;
        let sum = Array::new("sum", sum, &[sum_length])?;
        // SAFETY: so many signatures, as the header asks.
        let signatures = unsafe { column("signatures", signatures, count, &[sum]) }?;
        if signatures.is_empty() {
            return Err(Failure::new(Status::WrongLength, "signatures: got none"));
        }
        let found = bls::aggregate(group, &signatures)?;
        // SAFETY: a place of this length, as the header asks; apart from the signatures.
        unsafe { sum.into_mut_slice() }.copy_from_slice(&found);
        Ok(())
    })
}

/// Checks a sum of signatures of a message each: `*verdict` gets a halimede_verdict. `keys` and
/// `messages` have `count` entries; `signature` is uint8_t[signature_length]. `suite` may be NULL,
/// as one that is all zero.
///
/// Statuses: those of halimede_bls_verify().
#[no_mangle]
pub unsafe extern "C" fn halimede_bls_aggregate_verify(
    suite: *const BlsSuite,
    keys: *const Bytes,
    messages: *const Bytes,
    count: usize,
    signature: *const u8,
    signature_length: usize,
    verdict: *mut u8,
) -> Status {
    answer(|| {
        // SAFETY: the header asks for a suite or NULL.
        let suite = unsafe { self::suite(suite) }?;
        let verdict = Array::new("verdict", verdict, &[1])?;
        let outputs = [verdict];
        // SAFETY: so many keys and messages, and a signature of this length, as the header asks.
        let (keys, messages, signature) = unsafe {
            (
                column("keys", keys, count, &outputs)?,
                column("messages", messages, count, &outputs)?,
                bytes("signature", signature, signature_length, &outputs)?,
            )
        };
        let found = bls::aggregate_verify(suite, &keys, &messages, signature)?;
        // SAFETY: a place for a verdict, as the header asks; apart from all else.
        write(unsafe { verdict.into_mut_slice() }, &[found]);
        Ok(())
    })
}

/// Checks sums of signatures of one message each, under proof of possession (fast aggregates):
/// `verdicts`, uint8_t[count], gets a halimede_verdict for each. `messages` and `signatures` have
/// `count` entries. `keys` has `key_count` entries and `offsets` is uint64_t[count + 1]: the keys
/// of sum i are those from offsets[i] to before offsets[i + 1]; no offset is below the one before
/// it or above `key_count`.
///
/// `group` is a halimede_bls_group. The proofs of the keys have been verified, as by
/// halimede_bls_verify_possessions().
///
/// Statuses: HALIMEDE_STATUS_WRONG_LENGTH for the offsets, those of halimede_bls_verify().
#[no_mangle]
pub unsafe extern "C" fn halimede_bls_verify_aggregates(
    group: u32,
    keys: *const Bytes,
    key_count: usize,
    offsets: *const u64,
    messages: *const Bytes,
    signatures: *const Bytes,
    count: usize,
    verdicts: *mut u8,
) -> Status {
    answer(|| {
        let group = BlsGroup::from_number(group)?;
        // One more than usize::MAX is refused as that many are.
        let offsets = Array::new("offsets", offsets, &[count.saturating_add(1)])?;
        let places = Array::new("verdicts", verdicts, &[count])?;
        offsets.require_apart(&places)?;
        // SAFETY: so many keys and offsets, as the header asks.
        let (keys, offsets) =
            unsafe { (column("keys", keys, key_count, &[places])?, offsets.into_slice()) };
        let lists = lists(&keys, offsets)?;
        let columns = [("messages", messages), ("signatures", signatures)];
        let check = |[messages, signatures]: [Vec<&[u8]>; 2]| {
            let rows = lists.iter().zip(messages).zip(signatures);
            let aggregates = rows
                .map(|((keys, message), signature)| Aggregate { keys, message, signature })
                .collect::<Vec<_>>();
            bls::verify_aggregates(group, &aggregates)
        };
        // SAFETY: columns and verdicts, as the header asks.
        unsafe { check_rows(columns, count, verdicts, check) }
    })
}

/// Checks proofs of the possession of secret keys: `verdicts`, uint8_t[count], gets a
/// halimede_verdict for each row. `keys` and `proofs` have `count` entries; `group` is a
/// halimede_bls_group.
///
/// Statuses: those of halimede_bls_verify().
#[no_mangle]
pub unsafe extern "C" fn halimede_bls_verify_possessions(
    group: u32,
    keys: *const Bytes,
    proofs: *const Bytes,
    count: usize,
    verdicts: *mut u8,
) -> Status {
    answer(|| {
        let group = BlsGroup::from_number(group)?;
        let columns = [("keys", keys), ("proofs", proofs)];
        let check =
            |[keys, proofs]: [Vec<&[u8]>; 2]| bls::verify_possessions(group, &keys, &proofs);
        // SAFETY: columns and verdicts, as the header asks.
        unsafe { check_rows(columns, count, verdicts, check) }
    })
}

/// Refuses a place of another length than what is written there.
pub(crate) fn require_length(name: &str, got: usize, wanted: usize) -> Result<(), Failure> {
    match got == wanted {
        true => Ok(()),
        false => {
            let message = format!("{name}: got a length of {got} bytes, wanted {wanted}");
            Err(Failure::new(Status::WrongLength, message))
        }
    }
}

/// The keys that offsets cut into lists.
fn lists<'k>(keys: &'k [&'k [u8]], offsets: &[u64]) -> Result<Vec<&'k [&'k [u8]]>, Failure> {
    let list = |(number, bounds): (usize, &[u64])| {
        let bound = |offset: u64| usize::try_from(offset).unwrap_or(usize::MAX);
        keys.get(bound(bounds[0])..bound(bounds[1])).ok_or_else(|| {
            let (from, to, keys) = (bounds[0], bounds[1], keys.len());
            let message = format!("offsets: list {number} is from {from} to {to} of {keys} keys");
            Failure::new(Status::WrongLength, message)
        })
    };
    offsets.windows(2).enumerate().map(list).collect()
}

/// # Safety
/// What is not NULL leads to a suite.
unsafe fn suite(suite: *const BlsSuite) -> Result<signature::Suite, Failure> {
    let mut settings = BlsSuite::default();
    if !suite.is_null() {
        require("suite", suite)?;
        // SAFETY: not NULL and aligned; the rest is the caller's.
        settings = unsafe { suite.read() };
    }
    let BlsSuite { group, scheme } = settings;
    let (group, scheme) = (BlsGroup::from_number(group)?, BlsScheme::from_number(scheme)?);
    Ok(signature::Suite { group, scheme })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offsets_cut_keys_into_lists() {
        let keys: [&[u8]; 3] = [&[1], &[2], &[3]];
        let cut = |offsets: &[u64]| {
            lists(&keys, offsets)
                .map(|lists| lists.iter().map(|list| list.len()).collect::<Vec<_>>())
        };
        assert_eq!(cut(&[0, 0, 2, 3]).unwrap(), [0, 2, 1]);
        assert!(cut(&[3]).unwrap().is_empty());
        for wrong in [&[0, 4][..], &[2, 1], &[0, u64::MAX], &[4, 4]] {
            assert_eq!(cut(wrong).unwrap_err().status, Status::WrongLength);
        }
    }
}
