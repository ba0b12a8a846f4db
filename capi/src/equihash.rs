// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Equihash solutions and block headers.

use halimede_arith::job::{Bytes, Execute, Operation};
use halimede_device::flat::equihash;
use halimede_equihash::operations::{Verify, VerifyRequest};
use halimede_equihash::{Check, Header, Mask, Params};

use crate::device::{resolve, Device};
use crate::memory::{require, Array};
use crate::status::{answer, Failure, Status};

/// The bits of an Equihash mask: each stands for a check that failed, and the highest one for a
/// solution that holds. A mask of 0 means that nothing was checked, as memory of zeros reads.
#[repr(u32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EquihashCheck {
    /// The header's hash does not meet its target, or the target is invalid.
    Difficulty = 1,
    /// The leaves do not XOR to zero.
    Xor = 2,
    /// Of two subtrees that meet, the right one's first index is not the larger.
    IndexOrder = 4,
    /// Leaves do not collide where subtrees meet.
    Collision = 8,
    /// An index stands twice.
    Duplicate = 16,
    /// The solution is valid: no check failed. This bit stands alone.
    Valid = 128,
}

/// The header's bits are those of the engine's table.
const _: () = {
    assert!(EquihashCheck::Difficulty as u32 == 1 << Check::Difficulty.bit());
    assert!(EquihashCheck::Xor as u32 == 1 << Check::Xor.bit());
    assert!(EquihashCheck::IndexOrder as u32 == 1 << Check::IndexOrder.bit());
    assert!(EquihashCheck::Collision as u32 == 1 << Check::Collision.bit());
    assert!(EquihashCheck::Duplicate as u32 == 1 << Check::Duplicate.bit());
    assert!(Check::ALL.len() == 5);
    // No check has the bit that says that none failed.
    assert!(EquihashCheck::Valid as u32 >> Check::ALL.len() != 0);
};

/// The numbers that a puzzle is made of; wherever they are taken, NULL is 200 and 9, those of
/// Zcash's main network.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct EquihashParams {
    /// Bits of a leaf's hash.
    pub n: u32,
    /// Levels of the tree: a solution has 2^k indices.
    pub k: u32,
}

/// # Safety
/// What is not NULL are parameters.
unsafe fn params(params: *const EquihashParams) -> Result<Params, Failure> {
    if params.is_null() {
        return Ok(Params::ZCASH);
    }
    require("params", params)?;
    // SAFETY: not NULL and aligned; the rest is by this function's contract.
    let EquihashParams { n, k } = unsafe { params.read() };
    Params::new(n, k).map_err(|error| Failure::new(Status::UnknownInstance, error.to_string()))
}

/// The bytes of a solution with these n and k, in its minimal form: 1344 with 200 and 9, which
/// Zcash has, 36 with 48 and 5.
///
/// Statuses: HALIMEDE_STATUS_UNKNOWN_INSTANCE for numbers that make no puzzle, those of pointers.
#[no_mangle]
pub unsafe extern "C" fn halimede_equihash_solution_bytes(
    params: *const EquihashParams,
    bytes: *mut usize,
) -> Status {
    answer(|| {
        require("bytes", bytes)?;
        // SAFETY: the header asks for parameters or NULL.
        let params = unsafe { self::params(params) }?;
        // SAFETY: not NULL and aligned; the header asks for a place to write to.
        unsafe { bytes.write(params.solution_bytes()) };
        Ok(())
    })
}

/// Checks solutions: `masks`, uint8_t[count], gets HALIMEDE_EQUIHASH_CHECK_VALID for each that
/// holds, and for another every check that failed, as halimede_equihash_check has the bits. The
/// difficulty is a header's matter and is not among them.
///
/// `inputs` is uint8_t[count][input_length], what is hashed before an index's number: in Zcash the
/// header's first 140 bytes, which a card takes alone. `solutions` is uint8_t[count][bytes], in
/// their minimal form, whose bytes halimede_equihash_solution_bytes() tells.
///
/// Statuses: HALIMEDE_STATUS_UNKNOWN_INSTANCE for numbers that make no puzzle,
/// HALIMEDE_STATUS_WRONG_LENGTH for inputs that the card does not take; those of pointers and
/// lengths, those of devices.
#[no_mangle]
pub unsafe extern "C" fn halimede_equihash_verify(
    device: *const Device,
    params: *const EquihashParams,
    inputs: *const u8,
    input_length: usize,
    solutions: *const u8,
    count: usize,
    masks: *mut u8,
) -> Status {
    answer(|| {
        // SAFETY: the header asks for parameters or NULL.
        let params = unsafe { self::params(params) }?;
        let bytes = params.solution_bytes();
        let inputs = Array::new("inputs", inputs, &[count, input_length])?;
        let solutions = Array::new("solutions", solutions, &[count, bytes])?;
        let masks = Array::new("masks", masks, &[count])?;
        inputs.require_apart(&masks)?;
        solutions.require_apart(&masks)?;
        // SAFETY: an open device or NULL, and arrays of these lengths, as the header asks; apart.
        let (device, inputs, solutions, masks) = unsafe {
            let (inputs, solutions) = (inputs.into_slice(), solutions.into_slice());
            (resolve(device)?, inputs, solutions, masks.into_mut_slice())
        };
        let inputs = Bytes::Equal { data: inputs, length: input_length, count };
        let solutions = Bytes::Equal { data: solutions, length: bytes, count };
        write(&equihash::verify(device, params, inputs, solutions)?, masks);
        Ok(())
    })
}

/// Checks block headers with their solutions, one after another in `headers`, difficulty included:
/// `masks`, uint8_t[count], gets HALIMEDE_EQUIHASH_CHECK_VALID for each that holds, and for another
/// every check that failed, as halimede_equihash_check has the bits. A network's limit of targets is
/// not looked at.
///
/// A header is 140 bytes, the solution's length as the network writes it, and the solution: 1487
/// bytes with 200 and 9. `headers` is `length` bytes, `count` headers. Where `hashes` is not NULL,
/// it is uint8_t[count][32] and gets the blocks' hashes: double SHA-256, in the order that headers
/// have them, which nodes print from the last byte to the first.
///
/// Statuses: HALIMEDE_STATUS_UNKNOWN_INSTANCE for numbers that make no puzzle,
/// HALIMEDE_STATUS_WRONG_LENGTH for another number of `headers`, HALIMEDE_STATUS_MALFORMED for a
/// malformed header, those of pointers and lengths, those of devices.
#[no_mangle]
pub unsafe extern "C" fn halimede_equihash_verify_headers(
    device: *const Device,
    params: *const EquihashParams,
    headers: *const u8,
    length: usize,
    count: usize,
    masks: *mut u8,
    hashes: *mut u8,
) -> Status {
    answer(|| {
        // SAFETY: the header asks for parameters or NULL.
        let params = unsafe { self::params(params) }?;
        let headers = Array::new("headers", headers, &[length])?;
        let masks = Array::new("masks", masks, &[count])?;
        let wants_hashes = !hashes.is_null();
        let hashes =
            Array::new("hashes", hashes.cast::<[u8; 32]>(), &[count * usize::from(wants_hashes)])?;
        headers.require_apart(&masks)?;
        headers.require_apart(&hashes)?;
        masks.require_apart(&hashes)?;
        let bytes = Header::bytes(params);
        if Some(length) != count.checked_mul(bytes) {
            let message = format!("headers: got {length} bytes, wanted {count} x {bytes}");
            return Err(Failure::new(Status::WrongLength, message));
        }
        // SAFETY: an open device or NULL, and arrays of these lengths, as the header asks; apart.
        let (device, headers, masks, hashes) = unsafe {
            let (masks, hashes) = (masks.into_mut_slice(), hashes.into_mut_slice());
            (resolve(device)?, headers.into_slice(), masks, hashes)
        };
        let parse = |(row, bytes): (usize, &[u8])| {
            Header::parse(bytes, Some(params)).map_err(|error| {
                let message = format!("number {row} of the headers: {error}");
                Failure::new(Status::Malformed, message)
            })
        };
        let headers = headers.chunks_exact(bytes).enumerate().map(parse);
        let headers = headers.collect::<Result<Vec<Header>, Failure>>()?;
        let found: Vec<_> = match wants_hashes {
            true => headers.iter().map(Header::hash).collect(),
            false => vec![],
        };
        let requests: Vec<VerifyRequest> = headers.into_iter().map(Header::into_request).collect();
        write(&Execute::<Verify>::execute(device, Verify::batch(&requests))?.replies, masks);
        for (place, hash) in hashes.iter_mut().zip(found) {
            *place = *hash.as_bytes();
        }
        Ok(())
    })
}

fn write(found: &[Mask], masks: &mut [u8]) {
    for (place, mask) in masks.iter_mut().zip(found) {
        *place = if mask.is_valid() { EquihashCheck::Valid as u8 } else { mask.bits() };
    }
}
