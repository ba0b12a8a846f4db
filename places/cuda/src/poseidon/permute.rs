// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The permutations of Filecoin's and StarkWare's instances.

use halimede_arith::job::Amount;
use halimede_arith::{Felt, Fr};
use halimede_poseidon::operations::Permute;
use halimede_poseidon::{Family, Instance, State, StateElements};

use super::{
    element, number, stark, too_wide, unfit, upload, Limbs, Quintic, States, ENGINE, PIECE,
};
use crate::error::CudaError;
use crate::groups::by_key;
use crate::kernel::Kernel;
use crate::workspace::Workspace;

/// The kernels of [`Permute`].
#[derive(Debug)]
pub struct PermuteOnGpu;

fn limbs(state: &State) -> Vec<Limbs> {
    match state.elements() {
        StateElements::Filecoin(elements) => elements.iter().map(Fr::montgomery_limbs).collect(),
        StateElements::Stark(elements) => elements.iter().map(Felt::montgomery_limbs).collect(),
    }
}

/// Permutes the states of an instance of StarkWare.
fn start_stark(
    workspace: &mut Workspace,
    group: usize,
    input: crate::Argument,
    (instance, count): (Instance, usize),
) -> Result<(), CudaError> {
    let kernel = match instance.width() {
        3 => "poseidon_stark_3",
        4 => "poseidon_stark_4",
        5 => "poseidon_stark_5",
        _ => "poseidon_stark_9",
    };
    let table = stark(workspace, instance)?;
    let results = workspace.output::<Limbs>(group, count * instance.width())?;
    let arguments = [input, results, number(count), number(instance.partial_rounds()), table];
    workspace.launch(kernel, count as u64, &arguments)?;
    workspace.fetch::<Limbs>(group, count * instance.width())
}

/// Makes the permuted state of an instance.
fn state(instance: Instance, elements: &[Limbs]) -> Result<State, CudaError> {
    let made = match instance.family() {
        Family::Filecoin(strength) => {
            let elements: Vec<Fr> =
                elements.iter().map(|limbs| element(*limbs)).collect::<Result<_, _>>()?;
            State::filecoin(strength, &elements)
        }
        Family::Stark => {
            let elements: Vec<Felt> =
                elements.iter().map(|limbs| element(*limbs)).collect::<Result<_, _>>()?;
            State::stark(&elements)
        }
    };
    made.map_err(|error| CudaError::Reply { engine: ENGINE, reason: error.to_string() })
}

impl Kernel for PermuteOnGpu {
    type Operation = Permute;
    const ENGINE: &'static str = ENGINE;
    const PIECE: Amount = PIECE;

    fn instances() -> Vec<String> {
        let fits = |instance: &Instance| too_wide(instance.width()).is_none();
        Instance::all().filter(fits).map(|instance| instance.to_string()).collect()
    }

    fn unsupported(row: &State) -> Option<String> {
        too_wide(row.instance().width())
    }

    fn start(workspace: &mut Workspace, batch: &[State]) -> Result<(), CudaError> {
        for (group, (instance, rows)) in
            by_key(batch.iter().map(State::instance)).iter().enumerate()
        {
            let (width, count) = (instance.width(), rows.len());
            let elements = rows.iter().flat_map(|row| limbs(&batch[*row]));
            let input = upload(workspace, group, count * width, elements)?;
            match instance.family() {
                Family::Filecoin(_) => {
                    let states = States { count, first: 0, outputs: width };
                    Quintic::filecoin(workspace, *instance)?
                        .launch(workspace, group, input, &states)?;
                }
                Family::Stark => start_stark(workspace, group, input, (*instance, count))?,
            }
        }
        Ok(())
    }

    fn finish(workspace: &mut Workspace, batch: &[State]) -> Result<Vec<State>, CudaError> {
        let mut replies: Vec<Option<State>> = vec![None; batch.len()];
        for (group, (instance, rows)) in
            by_key(batch.iter().map(State::instance)).iter().enumerate()
        {
            let elements = workspace.fetched::<Limbs>(group)?;
            for (row, elements) in rows.iter().zip(elements.chunks(instance.width())) {
                replies[*row] = Some(state(*instance, elements)?);
            }
        }
        replies.into_iter().map(|reply| reply.ok_or_else(unfit)).collect()
    }
}
