// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Orchard: the proof of all actions, authorization and binding signatures (Zcash protocol
//! specification, sections 4.6, 4.14 and 5.4.7), by the crate `orchard`.

use orchard::bundle::{Authorized, BatchValidator};
use orchard::circuit::OrchardCircuitVersion;
use orchard::Bundle;
use rayon::prelude::*;
use zcash_protocol::value::ZatBalance;

use super::fault::ShieldedFault;
use super::keys::orchard_key;
use super::{is_later, random, Subject};

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
    let all: Vec<_> = all.collect();
    match hold_together(&all) {
        true => Vec::new(),
        false => all.into_par_iter().flat_map_iter(Actions::faults).collect(),
    }
}

/// Returns `true` if everything was verified and holds.
fn hold_together(all: &[Actions<'_>]) -> bool {
    let Some(version) = all.first().map(Actions::version) else { return true };
    let mut validator = BatchValidator::new(orchard_key(version));
    let are_added = all.iter().all(|actions| match actions.digest {
        Some(digest) if actions.version() == version => {
            validator.add_bundle(actions.bundle, digest).is_ok()
        }
        _ => false,
    });
    are_added && random().is_some_and(|random| validator.validate(random))
}

impl Actions<'_> {
    /// The circuit of the upgrade that the transaction names.
    fn version(&self) -> OrchardCircuitVersion {
        self.bundle.bundle_version().circuit_version()
    }

    fn faults(self) -> Vec<(usize, ShieldedFault)> {
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
