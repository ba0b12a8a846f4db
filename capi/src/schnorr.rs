// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Schnorr signatures over secp256k1, and keys that are recovered from ECDSA signatures.

use halimede_device::flat::{ecdsa, schnorr, Verdict};
use halimede_secp256k1::recovery::{Numbering, Rules, ADDRESS_BYTES, KEY_BYTES};
use halimede_secp256k1::schnorr::Signed;

use crate::device::{resolve, Device};
use crate::memory::{require, Array};
use crate::status::{answer, Failure, Status};
use crate::verdict::{check_rows, column, write, Bytes};

/// Checks Schnorr signatures (BIP 340): `verdicts`, uint8_t[count], gets a halimede_verdict for
/// each row. Keys have 32 bytes, signatures 64, messages any number; `keys`, `messages` and
/// `signatures` have `count` entries. A bad row does the others no harm.
///
/// All that is given is taken to be public: the time depends on it. A card has no Schnorr
/// signatures.
///
/// Statuses: those of pointers and lengths, whose message says which row it is, those of devices.
#[no_mangle]
pub unsafe extern "C" fn halimede_schnorr_verify(
    device: *const Device,
    keys: *const Bytes,
    messages: *const Bytes,
    signatures: *const Bytes,
    count: usize,
    verdicts: *mut u8,
) -> Status {
    answer(|| {
        // SAFETY: the header asks for an open device or NULL.
        let device = unsafe { resolve(device) }?;
        let columns = [("keys", keys), ("messages", messages), ("signatures", signatures)];
        let check = |[keys, messages, signatures]: [Vec<&[u8]>; 3]| {
            let rows = keys.into_iter().zip(messages).zip(signatures);
            let rows = rows.map(|((key, message), signature)| Signed { key, message, signature });
            schnorr::verify(device, &rows.collect::<Vec<_>>())
        };
        // SAFETY: columns and verdicts, as the header asks.
        unsafe { check_rows(columns, count, verdicts, check) }
    })
}

/// Rules for signatures that keys are recovered from. All zero means recovery ids from 0 to 3, with
/// either of s and n - s.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct RecoveryRules {
    /// Unless 0, recovery ids are 27 and 28, as Ethereum has them.
    pub ethereum: u32,
    /// Unless 0, s must not be above n/2 (EIP-2).
    pub low_s: u32,
}

/// Recovers public keys from ECDSA signatures (SEC 1, section 4.1.6; Ethereum's `ecrecover`).
///
/// `digests` and `signatures` have `count` entries: digests of a byte at least, of more than 32
/// bytes the leftmost count; signatures of 65 bytes, which are r, s and the recovery id. `rules`
/// may be NULL. `keys`, uint8_t[count][64], gets x and y of each key, `addresses`,
/// uint8_t[count][20], its address in Ethereum, and `verdicts`, uint8_t[count], a halimede_verdict;
/// where that is not HALIMEDE_VERDICT_VALID, key and address are 0. `keys` and `addresses` may be
/// NULL.
///
/// Statuses: HALIMEDE_STATUS_WRONG_LENGTH for a digest of no bytes, those of pointers and lengths,
/// whose message says which row it is, those of devices.
#[no_mangle]
pub unsafe extern "C" fn halimede_ecdsa_recover(
    device: *const Device,
    rules: *const RecoveryRules,
    digests: *const Bytes,
    signatures: *const Bytes,
    count: usize,
    keys: *mut u8,
    addresses: *mut u8,
    verdicts: *mut u8,
) -> Status {
    answer(|| {
        // SAFETY: the header asks for rules or NULL.
        let rules = unsafe { self::rules(rules) }?;
        let wanted = |place: *mut u8| if place.is_null() { 0 } else { count };
        let keys = Array::new("keys", keys, &[wanted(keys), KEY_BYTES])?;
        let addresses = Array::new("addresses", addresses, &[wanted(addresses), ADDRESS_BYTES])?;
        let verdicts = Array::new("verdicts", verdicts, &[count])?;
        keys.require_apart(&addresses)?;
        keys.require_apart(&verdicts)?;
        addresses.require_apart(&verdicts)?;
        let outputs = [keys, addresses, verdicts];
        // SAFETY: columns of so many rows, as the header asks.
        let (digests, signatures) = unsafe {
            (
                column("digests", digests, count, &outputs)?,
                column("signatures", signatures, count, &outputs)?,
            )
        };
        if let Some(number) = digests.iter().position(|digest| digest.is_empty()) {
            let message = format!("number {number} of the digests: got no bytes");
            return Err(Failure::new(Status::WrongLength, message));
        }
        // SAFETY: the header asks for an open device or NULL.
        let device = unsafe { resolve(device) }?;
        let recovered = ecdsa::recover(device, rules, &digests, &signatures)?;
        // SAFETY: places for so many rows, as the header asks; apart from all else.
        let [keys, addresses, verdicts] = outputs.map(|output| unsafe { output.into_mut_slice() });
        keys.fill(0);
        addresses.fill(0);
        let places = keys.chunks_exact_mut(KEY_BYTES).zip(&recovered);
        for (place, key) in places.filter_map(|(place, key)| Some((place, key.as_ref().ok()?))) {
            place.copy_from_slice(&key.0);
        }
        let places = addresses.chunks_exact_mut(ADDRESS_BYTES).zip(&recovered);
        for (place, key) in places.filter_map(|(place, key)| Some((place, key.as_ref().ok()?))) {
            place.copy_from_slice(&key.address());
        }
        let found: Vec<Verdict> = recovered.into_iter().map(|key| key.map(drop)).collect();
        write(verdicts, &found);
        Ok(())
    })
}

/// # Safety
/// What is not NULL leads to rules.
unsafe fn rules(rules: *const RecoveryRules) -> Result<Rules, Failure> {
    let mut settings = RecoveryRules::default();
    if !rules.is_null() {
        require("rules", rules)?;
        // SAFETY: not NULL and aligned; the rest is the caller's.
        settings = unsafe { rules.read() };
    }
    let RecoveryRules { ethereum, low_s } = settings;
    let numbering = if ethereum != 0 { Numbering::Ethereum } else { Numbering::Plain };
    Ok(Rules { numbering, low_s: low_s != 0 })
}
