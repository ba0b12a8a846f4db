// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Shielded outputs of the coinbase transaction: everyone can decrypt them with the outgoing
//! viewing key of zeros (ZIP 213; Zcash protocol specification, section 7.1.2).

use orchard::keys::OutgoingViewingKey as OrchardKey;
use sapling_crypto::keys::OutgoingViewingKey as SaplingKey;
use sapling_crypto::note_encryption::{try_sapling_output_recovery, Zip212Enforcement};
use zcash_protocol::consensus::BranchId;

use super::fault::ShieldedFault;
use super::Subject;
use crate::network::is_before_canopy;

/// Returns the outputs of a coinbase transaction that do not decrypt.
pub fn faults(subject: &Subject<'_>) -> Vec<ShieldedFault> {
    let (of, Some(branch)) = (subject.of, subject.branch) else { return Vec::new() };
    if !of.is_coinbase() {
        return Vec::new();
    }
    let data = of.transaction();
    let sapling = data.sapling_bundle().map_or(&[][..], |bundle| bundle.shielded_outputs());
    let rules = lead_byte(branch);
    let sapling = sapling.iter().enumerate().filter(|(_, output)| {
        try_sapling_output_recovery(&SaplingKey([0; 32]), output, rules).is_none()
    });
    let sapling = sapling
        .map(|(output, _)| ShieldedFault::CoinbaseNote { pool: "Sapling", output })
        .collect::<Vec<_>>();
    let key = OrchardKey::from([0; 32]);
    let orchard = data.orchard_bundle().into_iter().flat_map(|bundle| {
        let outputs = 0..bundle.actions().len();
        outputs.filter(|output| bundle.recover_output_with_ovk(*output, &key).is_none())
    });
    let orchard = orchard.map(|output| ShieldedFault::CoinbaseNote { pool: "Orchard", output });
    sapling.into_iter().chain(orchard).collect()
}

/// Returns the rule for the lead byte of a plaintext: 1 before Canopy, 2 from Canopy on. The grace
/// period of ZIP 212 does not apply to coinbase transactions.
fn lead_byte(branch: BranchId) -> Zip212Enforcement {
    match is_before_canopy(branch) {
        true => Zip212Enforcement::Off,
        false => Zip212Enforcement::On,
    }
}
