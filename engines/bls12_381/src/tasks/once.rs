// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A program that the caller provides.

use super::{OnCoprocessor, Plan, Task};
use crate::operations::{Outcome, ProgramError, ProgramRequest, RunProgram};

/// One program, whose outcome is the reply.
pub(crate) struct Once(ProgramRequest);

impl Task<Result<Outcome, ProgramError>> for Once {
    fn next(&self) -> ProgramRequest {
        self.0.clone()
    }

    fn accept(
        &mut self,
        outcome: Outcome,
    ) -> Result<Option<Result<Outcome, ProgramError>>, String> {
        Ok(Some(Ok(outcome)))
    }

    fn overflows(&self) -> Option<Result<Outcome, ProgramError>> {
        Some(Err(ProgramError::Results))
    }
}

impl OnCoprocessor for RunProgram {
    fn plan(row: &ProgramRequest) -> Plan<Result<Outcome, ProgramError>> {
        match row.check() {
            Ok(()) => Plan::Task(Box::new(Once(row.clone()))),
            Err(error) => Plan::Known(Err(error)),
        }
    }
}
