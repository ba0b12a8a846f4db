// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Proofs of work, as jobs of the tour: Zcash block 346's and solved ones, as they are and damaged.

use halimede_equihash::known_answers::known_answers;
use halimede_equihash::operations::Verify;
use halimede_equihash::Params;

use super::Tour;
use crate::error::CommandError;

const SETS: [Params; 4] = [Params::ZCASH, Params::N144_K5, Params::N96_K5, Params::REGTEST];

pub fn visit(tour: &mut Tour<'_>) -> Result<(), CommandError> {
    for params in SETS {
        let answers =
            known_answers(params).map_err(|error| CommandError::BadInput(error.to_string()))?;
        let (requests, masks): (Vec<_>, Vec<_>) =
            answers.into_iter().map(|answer| (answer.request, answer.mask)).unzip();
        let of_what = match params {
            Params::ZCASH => "proof of work of Zcash block 346, and damaged",
            _ => "made-up solutions",
        };
        tour.job::<Verify>(format!("equihash {params}: {of_what}"), &requests, &masks)?;
    }
    Ok(())
}
