// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Poseidon2's permutations and compressions. Hashes of lists stay on the processor.

use halimede_arith::field::{Bls12381Scalar, Bn254Scalar, PallasBase, VestaBase};
use halimede_arith::job::{Amount, Compute};
use halimede_arith::Field;
use halimede_poseidon::operations::RunPoseidon2;
use halimede_poseidon::poseidon2::{
    Elements, Instance, Parameters, Poseidon2Field, PrimeField, Request, Task,
};

use super::{element, number, unfit, Limbs, ENGINE, PIECE, SECOND_TABLES};
use crate::error::CudaError;
use crate::executor::Kernel;
use crate::groups::by_key;
use crate::lane::Lane;

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

impl Kernel for Poseidon2OnGpu {
    type Operation = RunPoseidon2;
    const ENGINE: &'static str = ENGINE;
    const PIECE: Amount = PIECE;

    fn instances() -> Vec<String> {
        RunPoseidon2::instances()
    }

    fn unsupported(row: &Request) -> Option<String> {
        (row.task() == Task::Hash).then(|| "there is no kernel of Poseidon2's hashes".into())
    }

    fn start(lane: &mut Lane, batch: &[Request]) -> Result<(), CudaError> {
        for (group, (instance, rows)) in
            by_key(batch.iter().map(Request::instance)).iter().enumerate()
        {
            let (width, rounds, length) =
                (instance.width(), instance.rounds(), rows.len() * instance.width());
            let states = lane.input(group, length, |memory: &mut [Limbs]| {
                for (place, row) in memory.chunks_exact_mut(width).zip(rows) {
                    place.copy_from_slice(&state(&batch[*row]));
                }
            })?;
            let make = || over!(instance.field(), table(*instance));
            let table = lane.table(SECOND_TABLES + place(*instance), make)?;
            let results = lane.output::<Limbs>(group, length)?;
            let [full, partial] = [rounds.full / 2, rounds.partial].map(number);
            let arguments =
                [states, results, number(rows.len()), number(width), full, partial, table];
            lane.launch(kernel(*instance), rows.len() as u64, &arguments)?;
            lane.fetch::<Limbs>(group, length)?;
        }
        Ok(())
    }

    fn finish(lane: &mut Lane, batch: &[Request]) -> Result<Vec<Elements>, CudaError> {
        let mut replies: Vec<Option<Elements>> = vec![None; batch.len()];
        for (group, (instance, rows)) in
            by_key(batch.iter().map(Request::instance)).iter().enumerate()
        {
            let states = lane.fetched::<Limbs>(group)?;
            for (row, state) in rows.iter().zip(states.chunks(instance.width())) {
                replies[*row] = Some(over!(instance.field(), reply(&batch[*row], state))?);
            }
        }
        replies.into_iter().map(|reply| reply.ok_or_else(unfit)).collect()
    }
}
