// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Transactions of Sapling whose proofs are made first.

use halimede_zcash::prover::{Description, SaplingProver};
use halimede_zcash::{BlockTransaction, BranchId};
use indicatif::ProgressBar;

use super::signed::Signed;

/// The number of spends, and of outputs, of a transaction.
const NOTES: usize = 20;

/// Makes transactions with together `count` spends and `count` outputs. A proof needs half a second
/// or more.
///
/// # Errors
/// If no proofs can be made.
pub fn transactions(count: usize) -> Result<Vec<Signed>, String> {
    let (spend, output) = wagyu_zcash_parameters::load_sapling_parameters();
    let prover = SaplingProver::new(&spend, &output).map_err(|error| error.to_string())?;
    let note = serde_json::json!({ "value": 1000 });
    let bar = ProgressBar::new(2 * count as u64);
    let mut all = Vec::new();
    for first in (0..count).step_by(NOTES) {
        let notes = vec![note.clone(); NOTES.min(count - first)];
        let text = serde_json::json!({
            "network": "main", "height": 1_687_121, "spends": &notes, "outputs": &notes,
        });
        let description = Description::parse(text.to_string().as_bytes());
        let description = description.map_err(|error| error.to_string())?;
        let mut progress = |done: usize| bar.set_position((2 * first + done) as u64);
        let made = prover.make_transaction(&description, &mut progress);
        let made = made.map_err(|error| error.to_string())?;
        let transaction =
            BlockTransaction::parse(&made.bytes).map_err(|error| error.to_string())?;
        // The signatures sign the identifier (ZIP 244, section S.2).
        all.push(Signed { transaction, branch: BranchId::Nu5, digest: made.id.0 });
    }
    bar.finish_and_clear();
    Ok(all)
}
