// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Headers without their blocks: verification of their proofs of work on a device, and of the rules
//! that depend only on a header.

use halimede_arith::interface::Outcome;
use halimede_arith::job::{in_pieces, DeviceError, Execute, Operation};
use halimede_equihash::interface::verdict;
use halimede_equihash::operations::{Verify, VerifyBatch, VerifyRow};
use halimede_equihash::{Check, Header, Mask, Network, TargetError};

use crate::fault::BlockFault;
use crate::structure::header_faults;

/// The verdict on a header.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HeaderVerdict {
    /// The outcome, which belongs to the first reason.
    pub outcome: Outcome,
    /// The reasons why the header is not valid; empty if it is valid.
    pub reasons: Vec<String>,
}

impl HeaderVerdict {
    /// Returns the verdict on a header of this network, given a device's mask.
    pub fn new(header: &Header, mut mask: Mask, network: Network) -> Self {
        let faults = header_faults(header, network);
        // Without a valid target, a report that the hash does not meet it adds nothing.
        let is_none = |fault: &BlockFault| match fault {
            BlockFault::Target(error) => !matches!(error, TargetError::AboveLimit { .. }),
            _ => false,
        };
        if faults.iter().any(is_none) {
            mask = mask.without(Check::Difficulty);
        }
        let outcome = match faults.is_empty() {
            true => Outcome::of(&verdict(mask)),
            false => Outcome::Header,
        };
        let failed = Check::ALL.into_iter().filter(|check| mask.has(*check));
        let failed = failed.map(|check| check.message().to_owned());
        let reasons = faults.iter().map(ToString::to_string).chain(failed).collect();
        Self { outcome, reasons }
    }
}

/// Verifies headers of a network on the device with this name, in pieces that can be interrupted.
///
/// # Errors
/// [`DeviceError`] if the device lacks the operation, fails or is interrupted.
pub fn verify_headers<D: Execute<Verify>>(
    device: &D,
    name: &str,
    network: Network,
    headers: &[Header],
) -> Result<Vec<HeaderVerdict>, DeviceError> {
    let mut verdicts = Vec::with_capacity(headers.len());
    let rows: Vec<VerifyRow<'_>> = headers.iter().map(|header| header.request().row()).collect();
    let piece = device.limits().piece;
    let units = headers.first().map_or(1, |header| Verify::units(header.request().row()));
    in_pieces(
        name,
        headers.len(),
        |_| piece.requests_of(units),
        |range| {
            let masks = device.execute(VerifyBatch::Rows(&rows[range.clone()]))?.replies;
            let verdict = |(header, mask)| HeaderVerdict::new(header, mask, network);
            verdicts.extend(headers[range].iter().zip(masks).map(verdict));
            Ok::<_, DeviceError>(())
        },
    )?;
    Ok(verdicts)
}
