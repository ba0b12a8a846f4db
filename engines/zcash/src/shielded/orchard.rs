// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Orchard: the proof of all actions, authorization and binding signatures (Zcash protocol
//! specification, sections 4.6, 4.14 and 5.4.7): in lanes, or by the crate `orchard`.
//!
//! - `lanes`: bundles together. `signatures`: RedPallas.

mod lanes;
mod signatures;

use halimede_arith::Backend;
use orchard::bundle::{Authorized, BatchValidator};
use orchard::circuit::OrchardCircuitVersion;
use orchard::Bundle;
use rayon::prelude::*;
use zcash_protocol::value::ZatBalance;

use super::fault::ShieldedFault;
use super::keys::orchard_key;
use super::{is_later, random, Subject};
use crate::pasta::Machine;

type OrchardBundle = Bundle<Authorized, ZatBalance>;

/// The actions of a transaction.
#[derive(Clone, Copy)]
struct Actions<'b> {
    index: usize,
    bundle: &'b OrchardBundle,
    digest: Option<[u8; 32]>,
}

/// Returns the faults of proofs and signatures, with the indices of their transactions.
pub fn faults(subjects: &[Subject<'_>]) -> Vec<(usize, ShieldedFault)> {
    let all = subjects.iter().enumerate().filter(|(_, subject)| !is_later(subject.of));
    let all = all.filter_map(|(index, subject)| {
        let bundle = subject.of.transaction().orchard_bundle()?;
        Some(Actions { index, bundle, digest: subject.digest.as_ref().ok().copied() })
    });
    // Only bundles of one circuit, with a digest, can share a batch.
    let mut batches: Vec<Vec<Actions<'_>>> = Vec::new();
    let mut alone = Vec::new();
    for actions in all {
        let same = |batch: &&mut Vec<Actions<'_>>| batch[0].version() == actions.version();
        match (actions.digest, batches.iter_mut().find(same)) {
            (None, _) => alone.push(actions),
            (Some(_), Some(batch)) => batch.push(actions),
            (Some(_), None) => batches.push(vec![actions]),
        }
    }
    let verified_alone = alone.into_par_iter().flat_map_iter(|actions| actions.faults());
    let mut faults: Vec<_> = verified_alone.collect();
    faults.extend(batches.iter().flat_map(|batch| {
        bisect(batch, &hold_together, &|actions: &Actions<'_>| actions.faults())
    }));
    faults
}

/// Returns the faults of items by bisection. `hold` verifies items together; `faults` verifies one
/// alone, and its answer is exact. One invalid item of n costs at most as much as 2n more items in
/// batches. If the first half of an invalid batch holds, the second half does not, and is divided
/// without a batch.
fn bisect<T, F>(
    items: &[T],
    hold: &impl Fn(&[T]) -> bool,
    faults: &impl Fn(&T) -> Vec<F>,
) -> Vec<F> {
    match items {
        [] => Vec::new(),
        [one] => faults(one),
        _ if hold(items) => Vec::new(),
        _ => bisect_invalid(items, hold, faults),
    }
}

/// Returns the faults of items, at least one of which is invalid, as [`bisect`].
fn bisect_invalid<T, F>(
    items: &[T],
    hold: &impl Fn(&[T]) -> bool,
    faults: &impl Fn(&T) -> Vec<F>,
) -> Vec<F> {
    if let [one] = items {
        return faults(one);
    }
    let (first, second) = items.split_at(items.len() / 2);
    let mut found = bisect(first, hold, faults);
    found.extend(match found.is_empty() {
        true => bisect_invalid(second, hold, faults),
        false => bisect(second, hold, faults),
    });
    found
}

/// Returns the processor's lanes, which verify faster than the crate.
fn machine() -> Option<Machine> {
    Machine::of(Backend::active())
}

/// Returns `true` if bundles of one circuit, each with its digest, were verified and hold.
fn hold_together(all: &[Actions<'_>]) -> bool {
    if let Some(holds) = machine().and_then(|machine| lanes::hold(machine, all)) {
        return holds;
    }
    let Some(version) = all.first().map(Actions::version) else { return true };
    let mut validator = BatchValidator::new(orchard_key(version));
    let are_added = all.iter().all(|actions| {
        actions.digest.is_some_and(|digest| validator.add_bundle(actions.bundle, digest).is_ok())
    });
    are_added && random().is_some_and(|random| validator.validate(random))
}

impl Actions<'_> {
    /// The circuit of the upgrade that the transaction names.
    fn version(&self) -> OrchardCircuitVersion {
        self.bundle.bundle_version().circuit_version()
    }

    fn faults(&self) -> Vec<(usize, ShieldedFault)> {
        let one = std::slice::from_ref(self);
        if machine().and_then(|machine| lanes::hold(machine, one)) == Some(true) {
            return Vec::new();
        }
        let proof = self.bundle.verify_proof(orchard_key(self.version()));
        let mut faults: Vec<_> =
            proof.err().map(|_| ShieldedFault::ActionsProof).into_iter().collect();
        if let Some(digest) = self.digest {
            faults.extend(self.signature_faults(&digest));
        }
        faults.into_iter().map(|fault| (self.index, fault)).collect()
    }

    fn signature_faults(&self, digest: &[u8; 32]) -> Vec<ShieldedFault> {
        let actions = self.bundle.actions().iter().enumerate();
        let actions = actions
            .filter(|(_, action)| action.rk().verify(digest, action.authorization()).is_err());
        let key = self.bundle.binding_validating_key();
        let binding = key.verify(digest, self.bundle.authorization().binding_signature());
        actions
            .map(|(action, _)| ShieldedFault::ActionSignature { action })
            .chain(binding.err().map(|_| ShieldedFault::OrchardBinding))
            .collect()
    }
}

#[cfg(test)]
mod tests;
