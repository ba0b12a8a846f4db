// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Zcash blocks and headers.

use std::ffi::{c_char, CString};
use std::time::Instant;

use halimede_arith::interface::Outcome;
use halimede_device::in_pool;
use halimede_zcash::{
    parse_branch, proof_verdict, verify_blocks, verify_headers, Block, BranchId, ChainState, Hash,
    Header, Known, Network, Report, SpentOutputs, Submission, Summary, Verdict, VerifyError,
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
    /// A local regression test network.
    Regtest = 2,
}

impl ZcashNetwork {
    fn from_number(name: &str, number: u32) -> Result<Network, Failure> {
        let all = [Self::Main, Self::Test, Self::Regtest];
        let network =
            all.into_iter().find(|network| *network as u32 == number).ok_or_else(|| {
                let last = all.len() - 1;
                let message = format!("{name} is {number}, expected 0 to {last}");
                Failure::new(Status::InvalidArgument, message)
            })?;
        Ok(match network {
            Self::Main => Network::Main,
            Self::Test => Network::Test,
            Self::Regtest => Network::Regtest,
        })
    }
}

/// Known facts about a block besides its bytes. All zeros mean a block of the main network about
/// which nothing else is known.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ZcashKnown {
    /// A halimede_zcash_network.
    pub network: u32,
    /// Unless 0, `height` is the height of the block. If 0, the height that the first transaction
    /// claims is used, and the verdict is incomplete.
    pub has_height: u32,
    /// The height of the block.
    pub height: u32,
    /// The consensus branch, a zero-terminated text in hexadecimal as nodes print it; NULL means
    /// the branch of the height.
    pub branch: *const c_char,
    /// The root of the chain's history before the block (ZIP 221), a zero-terminated text in
    /// hexadecimal as nodes print it. From NU5 on the header commits to it, and the verdict is
    /// incomplete if it is NULL.
    pub history_root: *const c_char,
    /// The outputs of earlier blocks that the block spends, char[spent_length]: one JSON object per
    /// line, with "txid" (as nodes print it), "vout", "value" (zatoshi) and "script" (hexadecimal).
    /// An input whose output is unknown is incomplete.
    pub spent: *const c_char,
    /// The number of bytes of `spent`.
    pub spent_length: usize,
    /// The state of the chain before the block, char[state_length]: JSON, as for the command's
    /// --state. Rules that it does not decide are left out of the verdict. Ignored if
    /// `state_length` is 0.
    pub state: *const c_char,
    /// The number of bytes of `state`.
    pub state_length: usize,
}

/// Verdicts on blocks. No verdict is 0, so that zeroed memory does not look like a verdict.
#[repr(u32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ZcashBlockVerdict {
    /// Every rule that the block and the known facts can decide was checked and holds.
    Valid = 1,
    /// A rule does not hold.
    Invalid = 2,
    /// Nothing failed, but something was not checked.
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
    /// A halimede_verdict on the proof of work: that of the first failed check.
    pub proof_of_work: u32,
    /// The number of transparent inputs whose scripts and signatures are valid.
    pub inputs_valid: usize,
    /// The number of invalid inputs.
    pub inputs_invalid: usize,
    /// The number of inputs that could not be checked for lack of data.
    pub inputs_incomplete: usize,
    /// The total number of skipped checks of all kinds; the JSON names and counts them.
    pub unchecked: usize,
    /// The hash of the block, in the byte order of headers; nodes print it from the last byte to
    /// the first.
    pub hash: [u8; 32],
}

impl ZcashVerdict {
    fn new(block: &Block, report: &Report) -> Self {
        let inputs = report.inputs();
        Self {
            verdict: ZcashBlockVerdict::from(report.verdict()) as u32,
            proof_of_work: Outcome::of(&proof_verdict(report.proof_of_work)) as u32,
            inputs_valid: inputs.valid,
            inputs_invalid: inputs.invalid,
            inputs_incomplete: inputs.incomplete,
            unchecked: report.unchecked.iter().map(|of| of.count).sum(),
            hash: *block.hash().as_bytes(),
        }
    }
}

/// The known facts, read from the structure of the caller.
struct KnownState<'a> {
    network: Network,
    known: Known,
    spent: &'a [u8],
    state: &'a [u8],
}

/// A block, with the facts that the caller gave.
struct GivenBlock {
    block: Block,
    known: Known,
    spent: SpentOutputs,
    state: Option<ChainState>,
}

impl GivenBlock {
    fn submission(&self) -> Submission<'_> {
        let Self { block, known, spent, state } = self;
        Submission { block, spent, known: *known, state: state.as_ref() }
    }
}

/// # Safety
/// `known` is NULL, or a structure whose members are as the header requires, for the lifetime of
/// the returned value.
unsafe fn given<'a>(known: *const ZcashKnown) -> Result<KnownState<'a>, Failure> {
    if known.is_null() {
        let (network, known) = (Network::Main, Known::default());
        return Ok(KnownState { network, known, spent: &[], state: &[] });
    }
    require("known", known)?;
    // SAFETY: not NULL and aligned; the rest is by this function's contract.
    let given = unsafe { known.read() };
    let ZcashKnown { network, has_height, height, branch, history_root, .. } = given;
    let refused =
        |reason: String| Failure::new(Status::InvalidArgument, format!("known: {reason}"));
    let network = ZcashNetwork::from_number("known: network", network)?;
    let branch: Option<BranchId> = match branch.is_null() {
        true => None,
        false => {
            // SAFETY: the header requires a text.
            let text = unsafe { text("known: branch", branch) }?;
            Some(parse_branch(text).map_err(|error| refused(format!("branch: {error}")))?)
        }
    };
    let history_root: Option<Hash> = match history_root.is_null() {
        true => None,
        false => {
            // SAFETY: the header requires a text.
            let text = unsafe { text("known: history_root", history_root) }?;
            Some(text.parse().map_err(|error| refused(format!("history_root: {error}")))?)
        }
    };
    let spent = Array::new("known: spent", given.spent.cast::<u8>(), &[given.spent_length])?;
    let state = Array::new("known: state", given.state.cast::<u8>(), &[given.state_length])?;
    let known = Known { height: (has_height != 0).then_some(height), branch, history_root };
    // SAFETY: the numbers of bytes that the header requires.
    let (spent, state) = unsafe { (spent.into_slice(), state.into_slice()) };
    Ok(KnownState { network, known, spent, state })
}

/// Verifies a block: its proof of work, the root of its transactions, the payments of its first
/// transaction, the scripts and signatures of its transparent inputs, and its shielded proofs and
/// signatures. For an invalid block, the status is HALIMEDE_STATUS_OK, and `verdict` reports it.
/// `verdict` also counts checks that were skipped for lack of data.
///
/// `block` is uint8_t[length], raw or in hexadecimal, as `getblock HASH 0` of a node prints it.
/// `known` may be NULL. Unless `json` is NULL, `*json` receives a zero-terminated JSON text with
/// each check and its reason, as the command `halimede zcash verify-block --json` prints it. Free
/// it with halimede_text_free().
///
/// Statuses: HALIMEDE_STATUS_MALFORMED for a malformed block, malformed lines of spent outputs or a
/// malformed state, whose message gives the place; HALIMEDE_STATUS_INVALID_ARGUMENT for another
/// member of `known`; the statuses of pointers and lengths; the statuses of devices.
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
        // SAFETY: what is known, an open device or NULL, and bytes, as the header requires.
        let (given, device, block) =
            unsafe { (given(known)?, resolve(device)?, block.into_slice()) };
        let (found, report) = in_pool(|| verify(device, block, &given))?;
        // SAFETY: not NULL and aligned; the header requires places to write to.
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
    given: &KnownState<'_>,
) -> Result<(ZcashVerdict, CString), Failure> {
    let start = Instant::now();
    let parsed = parse(bytes, given)?;
    let parsing = start.elapsed();
    let (report, mut times) = parsed.submission().verify(device).map_err(failed)?;
    times.parsing = parsing;
    times.total += parsing;
    let block = &parsed.block;
    let verdict = ZcashVerdict::new(block, &report);
    let internal = |error: &dyn std::fmt::Display| {
        Failure::new(Status::Internal, format!("the report is not a text: {error}"))
    };
    let json = serde_json::to_string(&Summary::new(block, given.known, &report, times));
    let json = CString::new(json.map_err(|error| internal(&error))?);
    Ok((verdict, json.map_err(|error| internal(&error))?))
}

/// Verifies many blocks together, which is faster than one after another. A verdict does not depend
/// on the other blocks. `verdicts`, halimede_zcash_verdict[count], receives a verdict per block.
///
/// `lengths`, size_t[count], are the lengths of the blocks. `blocks` holds the concatenated blocks,
/// each raw or in hexadecimal. `known` is NULL, or halimede_zcash_known[count] with the known facts
/// about each block.
///
/// Statuses: as for halimede_zcash_verify_block(), with the number of the block in the message. If
/// the status is not HALIMEDE_STATUS_OK, no verdict is written.
#[no_mangle]
pub unsafe extern "C" fn halimede_zcash_verify_blocks(
    device: *const Device,
    blocks: *const u8,
    lengths: *const usize,
    count: usize,
    known: *const ZcashKnown,
    verdicts: *mut ZcashVerdict,
) -> Status {
    answer(|| {
        let lengths = Array::new("lengths", lengths, &[count])?;
        let verdicts = Array::new("verdicts", verdicts, &[count])?;
        lengths.require_apart(&verdicts)?;
        // SAFETY: an array of this length, as the header requires.
        let lengths = unsafe { lengths.into_slice() };
        let total = lengths.iter().try_fold(0usize, |sum, length| sum.checked_add(*length));
        let total = total.ok_or_else(|| {
            Failure::new(Status::WrongLength, "lengths: the sum exceeds the address space")
        })?;
        let blocks = Array::new("blocks", blocks, &[total])?;
        blocks.require_apart(&verdicts)?;
        let facts = if known.is_null() { 0 } else { count };
        let known = Array::new("known", known, &[facts])?;
        known.require_apart(&verdicts)?;
        // SAFETY: arrays of these lengths, and an open device or NULL, as the header requires.
        let (known, mut bytes, device) =
            unsafe { (known.into_slice(), blocks.into_slice(), resolve(device)?) };
        let mut given_blocks = Vec::with_capacity(lengths.len());
        for (row, length) in lengths.iter().enumerate() {
            let (own, rest) = bytes.split_at(*length);
            let facts = known.get(row).map_or(std::ptr::null(), std::ptr::from_ref);
            // SAFETY: NULL, or a structure of the array.
            given_blocks.push((own, unsafe { given(facts) }.map_err(of_block(row))?));
            bytes = rest;
        }
        let found = in_pool(|| verify_all(device, &given_blocks))?;
        // SAFETY: an array of this length that nobody else uses.
        unsafe { verdicts.into_mut_slice() }.copy_from_slice(&found);
        Ok(())
    })
}

fn verify_all(
    device: &halimede_device::Device,
    all: &[(&[u8], KnownState<'_>)],
) -> Result<Vec<ZcashVerdict>, Failure> {
    let parse = |(row, (bytes, given)): (usize, &(&[u8], KnownState<'_>))| {
        parse(bytes, given).map_err(of_block(row))
    };
    let blocks = all.iter().enumerate().map(parse).collect::<Result<Vec<_>, _>>()?;
    let submissions: Vec<_> = blocks.iter().map(GivenBlock::submission).collect();
    let (reports, _) = verify_blocks(device, &submissions).map_err(failed)?;
    let verdicts = submissions.iter().zip(&reports);
    Ok(verdicts.map(|(of, report)| ZcashVerdict::new(of.block, report)).collect())
}

/// Reads a block, the outputs that it spends, and the state before it.
fn parse(bytes: &[u8], given: &KnownState<'_>) -> Result<GivenBlock, Failure> {
    let malformed = |message: String| Failure::new(Status::Malformed, message);
    let block = Block::parse(bytes, given.network)
        .map_err(|error| malformed(format!("not a block: {error}")))?;
    let spent =
        SpentOutputs::read(given.spent).map_err(|error| malformed(format!("spent: {error}")))?;
    let state = match given.state {
        [] => Ok(None),
        state => ChainState::read(state).map(Some),
    };
    let state = state.map_err(|error| malformed(format!("state: {error}")))?;
    Ok(GivenBlock { block, known: given.known, spent, state })
}

/// Names the number of the block in a failure.
fn of_block(row: usize) -> impl Fn(Failure) -> Failure {
    move |Failure { status, message }| {
        Failure::new(status, format!("number {row} of the blocks: {message}"))
    }
}

fn failed(error: VerifyError) -> Failure {
    match error {
        VerifyError::Device(error) => error.into(),
        error => Failure::new(Status::DeviceFailed, error.to_string()),
    }
}

/// Verifies headers with their solutions: their versions, targets, hashes and solutions.
/// `verdicts`, uint8_t[count], receives a halimede_verdict per header.
///
/// `network` is a halimede_zcash_network. A header consists of 140 bytes, the length of the
/// solution in the encoding of the network, and the solution: 1487 bytes in total, 177 on a
/// regression test network. `headers` holds `count` concatenated headers, `length` bytes in total.
/// Unless `hashes` is NULL, it is uint8_t[count][32], and receives the hashes of the blocks: double
/// SHA-256, in the byte order of headers; nodes print them from the last byte to the first.
///
/// Statuses: HALIMEDE_STATUS_INVALID_ARGUMENT for an unknown network; HALIMEDE_STATUS_WRONG_LENGTH
/// if `length` does not match `count`; HALIMEDE_STATUS_MALFORMED for a malformed header; the
/// statuses of pointers and lengths; the statuses of devices.
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
            let message = format!("headers: expected {count} x {bytes} bytes, got {length}");
            return Err(Failure::new(Status::WrongLength, message));
        }
        // SAFETY: an open device or NULL, and arrays of these lengths, as the header requires;
        // apart.
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

/// Frees a text that this library returned. Does nothing for NULL.
#[no_mangle]
pub unsafe extern "C" fn halimede_text_free(text: *mut c_char) {
    // SAFETY: made by this library and not freed before, as the header requires.
    free(text, |text| drop(unsafe { CString::from_raw(text) }));
}
