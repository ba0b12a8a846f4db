// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The official vectors of BLAKE3, as jobs of the tour.

use halimede_blake3::known_answers::KnownAnswers;
use halimede_blake3::operations::Hash;

use super::Tour;
use crate::error::CommandError;

pub fn visit(tour: &mut Tour<'_>) -> Result<(), CommandError> {
    let answers =
        KnownAnswers::official().map_err(|error| CommandError::BadInput(error.to_string()))?;
    let modes = [
        ("hash", answers.hash),
        ("keyed_hash", answers.keyed_hash),
        ("derive_key", answers.derive_key),
    ];
    for (mode, answers) in modes {
        let (requests, outputs): (Vec<_>, Vec<_>) = answers.into_iter().unzip();
        let name = format!("blake3 {mode}: official vectors");
        tour.job::<Hash>(name, &requests, &outputs)?;
    }
    Ok(())
}
