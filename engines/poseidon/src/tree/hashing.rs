// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Hashes the nodes of a tree in batches on a device.

use std::collections::VecDeque;

use halimede_arith::job::{DeviceError, Execute, Session, Timing};
use halimede_arith::Fr;
use rayon::prelude::*;

use super::error::Progress;
use super::{TreeError, BATCH_NODES};
use crate::filecoin::{Preimage, PreimageError};
use crate::operations::FilecoinHash;

/// The fewest preimages that are worth a separate thread.
const PREIMAGES_A_TASK: usize = 256;

/// A session on a device, with the row of each batch in it.
pub(super) struct Hashing<'d, D> {
    device: &'d D,
    /// Opened with the first batch, so that invalid leaves never reach the device.
    session: Option<Box<dyn Session<FilecoinHash> + 'd>>,
    /// The buffer of requests, reused for the next batch.
    preimages: Vec<Preimage>,
    /// The row and the number of nodes of each pending batch, oldest first.
    pending: VecDeque<(usize, usize)>,
    /// The number of nodes received.
    hashed: u64,
    /// Set if row 0 consists of hashes too.
    has_hashed_leaves: bool,
}

/// An error of the device (inner) or of the tree (outer).
type HashingResult<T> = Result<Result<T, DeviceError>, TreeError>;

impl<'d, D: Execute<FilecoinHash>> Hashing<'d, D> {
    pub fn new(device: &'d D) -> Self {
        Self {
            device,
            session: None,
            preimages: Vec::new(),
            pending: VecDeque::new(),
            hashed: 0,
            has_hashed_leaves: false,
        }
    }

    fn session(&mut self) -> &mut (dyn Session<FilecoinHash> + 'd) {
        &mut **self.session.get_or_insert_with(|| self.device.session())
    }

    /// The number of nodes per batch on the device.
    pub fn batch_nodes(&self) -> usize {
        self.device.limits().batch.map_or(BATCH_NODES, |most| most.clamp(1, BATCH_NODES))
    }

    /// Returns `true` while the device is ready for another batch.
    pub fn wants_more(&mut self) -> bool {
        self.session().wants_more()
    }

    /// The number of nodes received.
    pub fn hashed(&self) -> u64 {
        self.hashed
    }

    /// Returns `true` if the leaves are hashes too.
    pub fn has_hashed_leaves(&self) -> bool {
        self.has_hashed_leaves
    }

    /// Returns `true` while nodes of this row or a lower one are pending.
    pub fn has_pending_up_to(&self, row: usize) -> bool {
        self.pending.iter().any(|(pending, _)| *pending <= row)
    }

    /// Submits `count` preimages, whose hashes are the next nodes of `row`.
    pub fn submit(
        &mut self,
        row: usize,
        count: usize,
        preimage: impl Fn(usize) -> Result<Preimage, PreimageError> + Sync,
    ) -> HashingResult<()> {
        fill_preimages(&mut self.preimages, count, preimage)?;
        self.has_hashed_leaves |= row == 0;
        self.pending.push_back((row, count));
        let session = self.session.get_or_insert_with(|| self.device.session());
        Ok(session.submit(&self.preimages[..count]))
    }

    /// Returns the nodes of the oldest batch, with their row.
    pub fn collect(&mut self) -> HashingResult<Option<(usize, Vec<Fr>)>> {
        let Some(&(row, expected)) = self.pending.front() else { return Ok(Ok(None)) };
        let nodes = match self.session().collect() {
            Ok(nodes) => nodes.unwrap_or_default(),
            Err(error) => return Ok(Err(error)),
        };
        self.pending.pop_front();
        self.hashed += nodes.len() as u64;
        if nodes.len() == expected {
            return Ok(Ok(Some((row, nodes))));
        }
        Err(TreeError::Replies { got: nodes.len(), expected })
    }

    /// Returns how the time has been spent so far.
    pub fn timing(&mut self) -> Result<Timing, DeviceError> {
        self.session.as_mut().map_or(Ok(Timing::default()), |session| session.timing())
    }
}

/// Overwrites the first `count` preimages, on all cores; a longer list keeps its memory.
pub(super) fn fill_preimages(
    preimages: &mut Vec<Preimage>,
    count: usize,
    fill: impl Fn(usize) -> Result<Preimage, PreimageError> + Sync,
) -> Result<(), TreeError> {
    if preimages.len() < count {
        preimages.resize(count, fill(0)?);
    }
    preimages[..count].par_iter_mut().enumerate().with_min_len(PREIMAGES_A_TASK).try_for_each(
        |(index, preimage)| {
            *preimage = fill(index)?;
            Ok(())
        },
    )
}

/// Hashes on the device, which must answer every request.
pub(super) fn execute<D: Execute<FilecoinHash>>(
    device: &D,
    preimages: &[Preimage],
    leaves_read: u64,
) -> Result<Vec<Fr>, TreeError> {
    let replies = device
        .execute(preimages)
        .map_err(|source| {
            let progress = Progress { leaves_read, hashed: 0, hashes: None };
            TreeError::Device { progress: Box::new(progress), source }
        })?
        .replies;
    if replies.len() == preimages.len() {
        return Ok(replies);
    }
    Err(TreeError::Replies { got: replies.len(), expected: preimages.len() })
}
