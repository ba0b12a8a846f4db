// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `halimede poseidon permute`: a state for each line of a state.

use std::io::stdin;

use halimede_arith::field::{Bls12381Scalar, StarkPrime};
use halimede_poseidon::operations::Permute;
use halimede_poseidon::{Family, Instance, State, StateElements, StateError};

use super::{parse_elements, parse_instance};
use crate::arguments::PermuteOptions;
use crate::devices::open;
use crate::error::CommandError;
use crate::lines::{answer_lines, LineSettings};
use crate::output::standard_output;

pub fn run(options: &PermuteOptions, json: bool) -> Result<(), CommandError> {
    let instance = parse_instance(&options.instance, options.strength)?;
    let device = open(&options.batch.device)?;
    let parse = |line: &str| parse_state(instance, line);
    let settings = LineSettings { json, allow_empty: options.batch.allow_empty };
    answer_lines::<Permute, _>(&device, stdin(), standard_output(), parse, format_state, settings)
}

fn parse_state(instance: Instance, line: &str) -> Result<State, String> {
    let width = |got: usize| {
        if got == instance.width() {
            return Ok(());
        }
        Err(StateError::Length { instance, got }.to_string())
    };
    let state = match instance.family() {
        Family::Filecoin(strength) => {
            let elements = parse_elements::<Bls12381Scalar>(line)?;
            width(elements.len())?;
            State::filecoin(strength, &elements)
        }
        Family::Stark => {
            let elements = parse_elements::<StarkPrime>(line)?;
            width(elements.len())?;
            State::stark(&elements)
        }
    };
    state.map_err(|error| error.to_string())
}

fn format_state(state: &State) -> String {
    let texts: Vec<String> = match state.elements() {
        StateElements::Filecoin(elements) => elements.iter().map(ToString::to_string).collect(),
        StateElements::Stark(elements) => elements.iter().map(ToString::to_string).collect(),
    };
    texts.join(" ")
}
