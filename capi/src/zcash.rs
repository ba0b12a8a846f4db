// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Zcash blocks and headers.

use std::ffi::{c_char, CString};
use std::time::Instant;

use halimede_arith::interface::Outcome;
use halimede_device::in_pool;
use halimede_zcash::{
    parse_branch, proof_verdict, verify_headers, Block, BranchId, Header, Known, Network,
    SpentOutputs, Summary, Verdict, VerifyError,
};

use crate::device::{resolve, Device};
use crate::memory::{require, text, Array};
use crate::status::{answer, free, Failure, Status};

/// Zcash's networks.
#[repr(u32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ZcashNetwork {
    /// The main network.
    Main = 0,
    /// The public test network.
    Test = 1,
    /// A regression test's own.
    Regtest = 2,
}

impl ZcashNetwork {
    fn from_number(name: &str, number: u32) -> Result<Network, Failure> {
        let all = [Self::Main, Self::Test, Self::Regtest];
        let network =
            all.into_iter().find(|network| *network as u32 == number).ok_or_else(|| {
                let last = all.len() - 1;
                let message = format!("{name} is {number}, there are 0 to {last}");
                Failure::new(Status::InvalidArgument, message)
            })?;
        Ok(match network {
            Self::Main => Network::Main,
            Self::Test => Network::Test,
            Self::Regtest => Network::Regtest,
        })
    }
}

/// Known facts of a block besides its bytes. All zero means none, on the main network.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ZcashKnown {
    /// A halimede_zcash_network.
    pub network: u32,
    /// Unless 0, `height` is the block's. Otherwise what the first transaction claims is taken, and
    /// the verdict is incomplete.
    pub has_height: u32,
    /// The block's height.
    pub height: u32,
    /// The consensus branch, in hexadecimal as nodes print it, a text that ends with a zero; where
    /// NULL, that of the height.
    pub branch: *const c_char,
    /// Outputs of earlier blocks that the block spends: a JSON object a line, with "txid" (as
    /// nodes print it), "vout", "value" (zatoshi) and "script" (hexadecimal). It is
    /// char[spent_length]. An input whose output is not known is incomplete.
    pub spent: *const c_char,
    /// Bytes of `spent`.
    pub spent_length: usize,
}

/// Verdicts on blocks. None is 0: memory that nobody wrote to has no verdict.
#[repr(u32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ZcashBlockVerdict {
    /// Each rule that the block and what is given can decide was checked and holds.
    Valid = 1,
    /// A rule does not hold.
    Invalid = 2,
    /// Nothing failed, and something was not checked.
    Incomplete = 3,
}

impl From<Verdict> for ZcashBlockVerdict {
    fn from(verdict: Verdict) -> Self {
        match verdict {
            Verdict::Valid => Self::Valid,
            Verdict::Invalid => Self::Invalid,
            Verdict::Incomplete => Self::Incomplete,
        }
    }
}

/// The verdict on a block.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ZcashVerdict {
    /// A halimede_zcash_block_verdict.
    pub verdict: u32,
    /// A halimede_verdict on the proof of work: the first check that failed.
    pub proof_of_work: u32,
    /// Transparent inputs whose scripts and signatures hold.
    pub inputs_valid: usize,
    /// Inputs that do not verify.
    pub inputs_invalid: usize,
    /// Inputs that could not be checked, since too little is known.
    pub inputs_incomplete: usize,
    /// Things that were not checked, all kinds together; the JSON names and counts them.
    pub unchecked: usize,
    /// The block's hash, in the order that headers have it, which nodes print from the last byte
    /// to the first.
    pub hash: [u8; 32],
}

/// What is known, read from the caller's structure.
struct Given<'a> {
    network: Network,
    known: Known,
    spent: &'a [u8],
}

/// # Safety
/// `known` is NULL or a structure whose members are as the header asks, for as long as what is
/// returned is used.
unsafe fn given<'a>(known: *const ZcashKnown) -> Result<Given<'a>, Failure> {
    if known.is_null() {
        return Ok(Given { network: Network::Main, known: Known::default(), spent: &[] });
    }
    require("known", known)?;
    // SAFETY: not NULL and aligned; the rest is by this function's contract.
    let ZcashKnown { network, has_height, height, branch, spent, spent_length } =
        unsafe { known.read() };
    let refused =
        |reason: String| Failure::new(Status::InvalidArgument, format!("known: {reason}"));
    let network = ZcashNetwork::from_number("known: network", network)?;
    let branch: Option<BranchId> = match branch.is_null() {
        true => None,
        false => {
            // SAFETY: the header asks for a text.
            let text = unsafe { text("known: branch", branch) }?;
            Some(parse_branch(text).map_err(|error| refused(format!("branch: {error}")))?)
        }
    };
    let spent = Array::new("known: spent", spent.cast::<u8>(), &[spent_length])?;
    let known = Known { height: (has_height != 0).then_some(height), branch };
    // SAFETY: as many bytes as the header asks for.
    Ok(Given { network, known, spent: unsafe { spent.into_slice() } })
}

/// Verifies a block: its proof of work, the root of its transactions, and the scripts and
/// signatures of its transparent inputs. An invalid block is no error: `verdict` says so, and says
/// as well where something was not checked, such as shielded proofs.
///
/// `block` is uint8_t[length], raw, or in hexadecimal as `getblock HASH 0` of a node prints it.
/// `known` may be NULL. Where `json` is not NULL, `*json` gets a text, JSON that ends with a zero,
/// of each check with its reason, as the command `halimede zcash verify-block --json` prints it; to
/// be freed with halimede_text_free().
///
/// Statuses: HALIMEDE_STATUS_MALFORMED for bytes that are no block, or lines of spent outputs that
/// are none, whose message says where; HALIMEDE_STATUS_INVALID_ARGUMENT for another member of
/// `known`; those of pointers and lengths, those of devices.
#[no_mangle]
pub unsafe extern "C" fn halimede_zcash_verify_block(
    device: *const Device,
    block: *const u8,
    length: usize,
    known: *const ZcashKnown,
    verdict: *mut ZcashVerdict,
    json: *mut *mut c_char,
) -> Status {
    answer(|| {
        let block = Array::new("block", block, &[length])?;
        require("verdict", verdict)?;
        if !json.is_null() {
            require("json", json)?;
        }
        block.require_apart(&Array::new("verdict", verdict, &[1])?)?;
        // SAFETY: what is known, an open device or NULL, and bytes, as the header asks.
        let (given, device, block) =
            unsafe { (given(known)?, resolve(device)?, block.into_slice()) };
        let (found, report) = in_pool(|| verify(device, block, &given))?;
        // SAFETY: not NULL and aligned; the header asks for places to write to.
        unsafe {
            if !json.is_null() {
                json.write(report.into_raw());
            }
            verdict.write(found);
        }
        Ok(())
    })
}

fn verify(
    device: &halimede_device::Device,
    bytes: &[u8],
    given: &Given<'_>,
) -> Result<(ZcashVerdict, CString), Failure> {
    let malformed = |message: String| Failure::new(Status::Malformed, message);
    let start = Instant::now();
    let block = Block::parse(bytes, given.network)
        .map_err(|error| malformed(format!("not a block: {error}")))?;
    let parsing = start.elapsed();
    let spent =
        SpentOutputs::read(given.spent).map_err(|error| malformed(format!("spent: {error}")))?;
    let (report, mut times) =
        block.verify(device, &spent, given.known).map_err(|error| match error {
            VerifyError::Device(error) => error.into(),
            error => Failure::new(Status::DeviceFailed, error.to_string()),
        })?;
    times.parsing = parsing;
    times.total += parsing;
    let inputs = report.inputs();
    let verdict = ZcashVerdict {
        verdict: ZcashBlockVerdict::from(report.verdict()) as u32,
        proof_of_work: Outcome::of(&proof_verdict(report.proof_of_work)) as u32,
        inputs_valid: inputs.valid,
        inputs_invalid: inputs.invalid,
        inputs_incomplete: inputs.incomplete,
        unchecked: report.unchecked.iter().map(|of| of.count).sum(),
        hash: *block.hash().as_bytes(),
    };
    let internal = |error: &dyn std::fmt::Display| {
        Failure::new(Status::Internal, format!("a report that is no text: {error}"))
    };
    let json = serde_json::to_string(&Summary::new(&block, given.known, &report, times));
    let json = CString::new(json.map_err(|error| internal(&error))?);
    Ok((verdict, json.map_err(|error| internal(&error))?))
}

/// Verifies headers with their solutions, one after another: their versions, targets, hashes and
/// solutions. `verdicts`, uint8_t[count], gets a halimede_verdict for each.
///
/// `network` is a halimede_zcash_network. A header is 140 bytes, the solution's length as the network
/// writes it, and the solution: 1487 bytes, 177 in a regression test. `headers` is `length` bytes,
/// `count` headers. Where `hashes` is not NULL, it is uint8_t[count][32] and gets the blocks' hashes:
/// double SHA-256, in the order that headers have them, which nodes print from the last byte to the
/// first.
///
/// Statuses: HALIMEDE_STATUS_INVALID_ARGUMENT for another network, HALIMEDE_STATUS_WRONG_LENGTH for
/// another number of `headers`, HALIMEDE_STATUS_MALFORMED for a malformed header, those of pointers
/// and lengths, those of devices.
#[no_mangle]
pub unsafe extern "C" fn halimede_zcash_verify_headers(
    device: *const Device,
    network: u32,
    headers: *const u8,
    length: usize,
    count: usize,
    verdicts: *mut u8,
    hashes: *mut u8,
) -> Status {
    answer(|| {
        let network = ZcashNetwork::from_number("network", network)?;
        let headers = Array::new("headers", headers, &[length])?;
        let verdicts = Array::new("verdicts", verdicts, &[count])?;
        let hashed = if hashes.is_null() { 0 } else { count };
        let hashes = Array::new("hashes", hashes.cast::<[u8; 32]>(), &[hashed])?;
        headers.require_apart(&verdicts)?;
        headers.require_apart(&hashes)?;
        verdicts.require_apart(&hashes)?;
        let bytes = Header::bytes(network.params());
        if Some(length) != count.checked_mul(bytes) {
            let message = format!("headers: got {length} bytes, wanted {count} x {bytes}");
            return Err(Failure::new(Status::WrongLength, message));
        }
        // SAFETY: an open device or NULL, and arrays of these lengths, as the header asks; apart.
        let (device, headers, verdicts, hashes) = unsafe {
            let (verdicts, hashes) = (verdicts.into_mut_slice(), hashes.into_mut_slice());
            (resolve(device)?, headers.into_slice(), verdicts, hashes)
        };
        let parse = |(row, bytes): (usize, &[u8])| {
            Header::parse(bytes, Some(network.params())).map_err(|error| {
                let message = format!("number {row} of the headers: {error}");
                Failure::new(Status::Malformed, message)
            })
        };
        let headers = headers.chunks_exact(bytes).enumerate().map(parse);
        let headers = headers.collect::<Result<Vec<Header>, Failure>>()?;
        let found = verify_headers(device, device.name(), network, &headers)?;
        for (place, found) in verdicts.iter_mut().zip(found) {
            *place = found.outcome as u8;
        }
        for (place, header) in hashes.iter_mut().zip(&headers) {
            *place = *header.hash().as_bytes();
        }
        Ok(())
    })
}

/// Frees a text that this library made for the caller. NULL is free already.
#[no_mangle]
pub unsafe extern "C" fn halimede_text_free(text: *mut c_char) {
    // SAFETY: made by this library and not freed before, as the header asks.
    free(text, |text| drop(unsafe { CString::from_raw(text) }));
}
