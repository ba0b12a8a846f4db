// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The tables of permutations as flat lists of elements, for kernels of a GPU.

use halimede_arith::field::{Bls12381Scalar, Bn254Scalar, Modulus, StarkPrime};
use halimede_arith::{Felt, Field, Fr};

use super::constants::RoundConstants;
use super::recurrence::{Recurrence, Row};
use crate::instance::{Family, Instance};
use crate::{circom, PoseidonField};

/// Returns the table of an instance of Filecoin: the recurrence of its partial rounds and its other
/// constants, in the layout of `places/cuda/kernels/poseidon/recurrence.cuh`. Returns `None` for
/// another family.
pub fn filecoin_table(instance: Instance) -> Option<Vec<Fr>> {
    let Family::Filecoin(_) = instance.family() else { return None };
    let parameters = Bls12381Scalar::parameters(instance)?;
    Some(flat(&Recurrence::new(&parameters)?))
}

/// Returns the table of circom's instance of a width, in the same layout; `None` if there is no
/// such instance.
pub fn circom_table(width: usize) -> Option<Vec<circom::Element>> {
    let parameters = circom::Parameters::new(width)?;
    let recurrence = Recurrence::<Bn254Scalar>::of(
        parameters.rounds,
        &parameters.round_constants,
        &parameters.mds,
    )?;
    Some(flat(&recurrence))
}

/// Returns the round constants of an instance of StarkWare, with one per partial round, in the
/// order of use; `None` for another family.
pub fn stark_table(instance: Instance) -> Option<Vec<Felt>> {
    let constants = RoundConstants::new(&StarkPrime::parameters(instance)?);
    let first = constants.first_full.into_iter().flatten();
    let last = constants.last_full.into_iter().flatten();
    Some(first.chain(constants.partial).chain(last).collect())
}

/// The recurrence's rows in the order of use.
fn flat<M: Modulus>(recurrence: &Recurrence<M>) -> Vec<Field<M>> {
    let order = recurrence.entry.len();
    let mut table: Vec<Field<M>> = recurrence.first_full.iter().flatten().copied().collect();
    table.extend(recurrence.mds.rows().iter().flatten());
    table.extend(recurrence.entry.iter().flatten());
    table.push(recurrence.entry_constant);
    recurrence.rounds.iter().for_each(|row| push_row(&mut table, row, order));
    push_row(&mut table, &recurrence.exit_first, order + 1);
    recurrence.exit.iter().for_each(|row| push_row(&mut table, row, order));
    table.extend(recurrence.last_full.iter().flatten());
    table
}

/// Appends a row whose outputs are `outputs` coefficients: missing ones, the oldest, are 0.
fn push_row<M: Modulus>(table: &mut Vec<Field<M>>, row: &Row<M>, outputs: usize) {
    table.extend(&row.inputs);
    table.extend(std::iter::repeat_n(Field::ZERO, outputs.saturating_sub(row.outputs.len())));
    table.extend(&row.outputs);
    table.push(row.constant);
}
