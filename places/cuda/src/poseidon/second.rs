// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Poseidon2's permutations, compressions and hashes.

use halimede_arith::field::{Bls12381Scalar, Bn254Scalar, PallasBase, VestaBase};
use halimede_arith::job::Amount;
use halimede_arith::Field;
use halimede_poseidon::operations::RunPoseidon2;
use halimede_poseidon::poseidon2::{
    Elements, Instance, Parameters, Poseidon2Field, PrimeField, Request, Task,
};

use super::{element, number, unfit, upload, Limbs, ENGINE, PIECE, SECOND_TABLES};
use crate::error::CudaError;
use crate::groups::{by_key, starts};
use crate::kernel::Kernel;
use crate::memory::Argument;
use crate::workspace::Workspace;

/// The kernels of [`RunPoseidon2`].
#[derive(Debug)]
pub struct Poseidon2OnGpu;

/// The largest width of the narrow kernels.
const NARROW: usize = 4;

fn kernel(instance: Instance) -> &'static str {
    match (instance.field(), instance.width() <= NARROW) {
        (PrimeField::Bls12381, true) => "poseidon_second_bls12_381_4",
        (PrimeField::Bls12381, false) => "poseidon_second_bls12_381_16",
        (PrimeField::Bn254, true) => "poseidon_second_bn254_4",
        (PrimeField::Bn254, false) => "poseidon_second_bn254_16",
        (PrimeField::Pallas, true) => "poseidon_second_pallas_4",
        (PrimeField::Pallas, false) => "poseidon_second_pallas_16",
        (PrimeField::Vesta, _) => "poseidon_second_vesta_4",
    }
}

/// Runs a function with the modulus of a field.
macro_rules! over {
    ($field:expr, $function:ident($($argument:expr),*)) => {
        match $field {
            PrimeField::Bls12381 => $function::<Bls12381Scalar>($($argument),*),
            PrimeField::Bn254 => $function::<Bn254Scalar>($($argument),*),
            PrimeField::Pallas => $function::<PallasBase>($($argument),*),
            PrimeField::Vesta => $function::<VestaBase>($($argument),*),
        }
    };
}

/// The constants of an instance in the layout of `kernels/poseidon/poseidon2.cuh`.
fn table<M: Poseidon2Field>(instance: Instance) -> Vec<Limbs> {
    let Some(parameters) = Parameters::<M>::new(instance) else { return Vec::new() };
    let Parameters { first, partial, last, diagonal, .. } = &parameters;
    let constants = first.iter().flatten().chain(partial).chain(last.iter().flatten());
    constants.chain(diagonal).map(Field::montgomery_limbs).collect()
}

fn limbs<M: Poseidon2Field>(elements: &Elements) -> Vec<Limbs> {
    elements.of::<M>().map(|element| element.montgomery_limbs()).collect()
}

/// Returns the state that is permuted: the elements, and zeros up to the width.
fn state(request: &Request) -> Vec<Limbs> {
    let elements = request.elements();
    let mut state = over!(elements.field(), limbs(elements));
    state.resize(request.instance().width(), [0; 4]);
    state
}

/// Returns the reply from the permuted state. A compression of width 2 is element 1 plus the right
/// input; one of width 3 is element 0 ([`Task::Compress`]).
fn reply<M: Poseidon2Field>(request: &Request, state: &[Limbs]) -> Result<Elements, CudaError> {
    let elements: Vec<Field<M>> =
        state.iter().map(|limbs| element(*limbs)).collect::<Result<_, _>>()?;
    match request.task() {
        Task::Compress if request.instance().width() == 2 => {
            let right = request.elements().of::<M>().nth(1).ok_or_else(unfit)?;
            Ok(Elements::new(&[*elements.get(1).ok_or_else(unfit)? + right]))
        }
        Task::Compress => Ok(Elements::new(elements.get(..1).ok_or_else(unfit)?)),
        _ => Ok(Elements::new(&elements)),
    }
}

/// A number for an instance, by its place in the list of all.
fn place(instance: Instance) -> u64 {
    Instance::all().position(|other| other == instance).unwrap_or_default() as u64
}

/// The requests of an instance: those of hashes, and the others.
fn groups(batch: &[Request]) -> Vec<((Instance, bool), Vec<usize>)> {
    by_key(batch.iter().map(|request| (request.instance(), request.task() == Task::Hash)))
}

/// Permutes the states of the requests of a group.
fn start_states(
    workspace: &mut Workspace,
    group: usize,
    instance: Instance,
    requests: &[&Request],
) -> Result<(), CudaError> {
    let (width, length) = (instance.width(), requests.len() * instance.width());
    let states = workspace.input(2 * group, length, |memory: &mut [Limbs]| {
        for (place, request) in memory.chunks_exact_mut(width).zip(requests) {
            place.copy_from_slice(&state(request));
        }
    })?;
    let results = workspace.output::<Limbs>(group, length)?;
    let [width, full, partial, table] = constants(workspace, instance)?;
    let arguments = [states, results, number(requests.len()), width, full, partial, table];
    workspace.launch(kernel(instance), requests.len() as u64, &arguments)?;
    workspace.fetch::<Limbs>(group, length)
}

/// Hashes the lists of the requests of a group.
fn start_hashes(
    workspace: &mut Workspace,
    group: usize,
    instance: Instance,
    requests: &[&Request],
) -> Result<(), CudaError> {
    let offsets = starts(requests.iter().map(|request| request.elements().len()));
    let total = requests.iter().map(|request| request.elements().len()).sum();
    let lists = requests.iter().map(|request| request.elements());
    let elements = lists.flat_map(|list| over!(list.field(), limbs(list)));
    let elements = upload(workspace, 2 * group, total, elements)?;
    let offsets = workspace.input(2 * group + 1, offsets.len(), |memory: &mut [u64]| {
        memory.copy_from_slice(&offsets);
    })?;
    let digests = workspace.output::<Limbs>(group, requests.len())?;
    let [width, full, partial, table] = constants(workspace, instance)?;
    let count = number(requests.len());
    let arguments = [elements, offsets, digests, count, width, full, partial, table];
    let kernel = match instance.field() {
        PrimeField::Bls12381 => "poseidon_second_hash_bls12_381",
        _ => "poseidon_second_hash_bn254",
    };
    workspace.launch(kernel, requests.len() as u64, &arguments)?;
    workspace.fetch::<Limbs>(group, requests.len())
}

/// The width, half of the full rounds, the partial rounds, and the table of an instance.
fn constants(workspace: &Workspace, instance: Instance) -> Result<[Argument; 4], CudaError> {
    let make = || over!(instance.field(), table(instance));
    let table = workspace.table(SECOND_TABLES + place(instance), make)?;
    let rounds = instance.rounds();
    Ok([number(instance.width()), number(rounds.full / 2), number(rounds.partial), table])
}

impl Kernel for Poseidon2OnGpu {
    type Operation = RunPoseidon2;
    const ENGINE: &'static str = ENGINE;
    const PIECE: Amount = PIECE;

    fn start(workspace: &mut Workspace, batch: &[Request]) -> Result<(), CudaError> {
        for (group, ((instance, is_hash), rows)) in groups(batch).iter().enumerate() {
            let requests: Vec<&Request> = rows.iter().map(|row| &batch[*row]).collect();
            match is_hash {
                true => start_hashes(workspace, group, *instance, &requests)?,
                false => start_states(workspace, group, *instance, &requests)?,
            }
        }
        Ok(())
    }

    fn finish(workspace: &mut Workspace, batch: &[Request]) -> Result<Vec<Elements>, CudaError> {
        let mut replies: Vec<Option<Elements>> = vec![None; batch.len()];
        for (group, ((instance, is_hash), rows)) in groups(batch).iter().enumerate() {
            let elements = workspace.fetched::<Limbs>(group)?;
            let of_request = if *is_hash { 1 } else { instance.width() };
            for (row, elements) in rows.iter().zip(elements.chunks(of_request)) {
                replies[*row] = Some(over!(instance.field(), reply(&batch[*row], elements))?);
            }
        }
        replies.into_iter().map(|reply| reply.ok_or_else(unfit)).collect()
    }
}
