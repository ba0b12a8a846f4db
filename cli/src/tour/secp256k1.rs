// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Signatures at every edge of the check, as a job of the tour.

use halimede_secp256k1::known_answers::known_answers;
use halimede_secp256k1::operations::Verify;
use halimede_secp256k1::verdict;

use super::Tour;
use crate::error::CommandError;

pub fn visit(tour: &mut Tour<'_>) -> Result<(), CommandError> {
    let answers = known_answers().map_err(|error| CommandError::BadInput(error.to_string()))?;
    let (requests, verdicts): (Vec<_>, Vec<_>) =
        answers.into_iter().map(|answer| (Ok(answer.request), verdict(answer.mask))).unzip();
    tour.job::<Verify>("secp256k1: signatures at every edge".into(), &requests, &verdicts)
}
