// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Poseidon on a GPU: a thread per state. Elements are copied in Montgomery form, which is the same
//! on the processor.

mod hashes;
mod permute;
mod second;
mod starknet;

pub use hashes::{CircomHashOnGpu, FilecoinHashOnGpu};
pub use permute::PermuteOnGpu;
pub use second::Poseidon2OnGpu;
pub use starknet::StarknetHashOnGpu;

use halimede_arith::field::Modulus;
use halimede_arith::job::Amount;
use halimede_arith::Field;
use halimede_poseidon::optimized::{circom_table, filecoin_table, stark_table};
use halimede_poseidon::{circom, Family, Instance, Strength};

use crate::error::CudaError;
use crate::memory::Argument;
use crate::workspace::Workspace;

const ENGINE: &str = "poseidon";
/// An element in Montgomery form, lowest word first.
type Limbs = [u64; 4];
/// Elements of a piece.
const PIECE: Amount = Amount { requests: 1 << 19, units: 1 << 21 };

/// The largest width of the kernels with x⁵.
const MOST_WIDTH: usize = 24;
/// Names of tables begin at these numbers.
const FILECOIN_TABLES: u64 = 0;
const STRENGTHENED_TABLES: u64 = 100;
const STARK_TABLES: u64 = 200;
const CIRCOM_TABLES: u64 = 300;
const SECOND_TABLES: u64 = 400;

/// The constants of a permutation with x⁵, and its kernel.
struct Quintic {
    kernel: &'static str,
    width: usize,
    half_full: usize,
    partial: usize,
    table: Argument,
}

/// The states of a group, and the elements of the permuted states to fetch.
struct States {
    count: usize,
    first: usize,
    outputs: usize,
}

fn number(value: usize) -> Argument {
    u32::try_from(value).unwrap_or(u32::MAX).into()
}

fn limbs<M: Modulus>(table: Option<Vec<Field<M>>>) -> Vec<Limbs> {
    table.unwrap_or_default().iter().map(Field::montgomery_limbs).collect()
}

impl Quintic {
    fn filecoin(workspace: &Workspace, instance: Instance) -> Result<Self, CudaError> {
        let (width, half_full) = (instance.width(), instance.full_rounds() / 2);
        let kernel = match width {
            ..=3 => "poseidon_bls12_381_3",
            4..=5 => "poseidon_bls12_381_5",
            6..=9 => "poseidon_bls12_381_9",
            10..=12 => "poseidon_bls12_381_12",
            _ => "poseidon_bls12_381_24",
        };
        let first = match instance.family() {
            Family::Filecoin(Strength::Strengthened) => STRENGTHENED_TABLES,
            _ => FILECOIN_TABLES,
        };
        let table = workspace.table(first + width as u64, || limbs(filecoin_table(instance)))?;
        Ok(Self { kernel, width, half_full, partial: instance.partial_rounds(), table })
    }

    fn circom(workspace: &Workspace, width: usize) -> Result<Self, CudaError> {
        let kernel = match width {
            ..=3 => "poseidon_bn254_3",
            4..=5 => "poseidon_bn254_5",
            6..=9 => "poseidon_bn254_9",
            _ => "poseidon_bn254_24",
        };
        let Some(rounds) = circom::round_numbers(width) else {
            let reason = format!("circom's Poseidon has no width {width}");
            return Err(CudaError::Launch { function: kernel, reason });
        };
        let table = workspace.table(CIRCOM_TABLES + width as u64, || limbs(circom_table(width)))?;
        let (half_full, partial) = (rounds.full / 2, rounds.partial);
        Ok(Self { kernel, width, half_full, partial, table })
    }

    /// Permutes the states of the input of a group, and fetches the wanted elements of all.
    fn launch(
        &self,
        workspace: &mut Workspace,
        group: usize,
        input: Argument,
        states: &States,
    ) -> Result<(), CudaError> {
        let results = workspace.output::<Limbs>(group, states.count * states.outputs)?;
        let arguments = [
            input,
            results,
            number(states.count),
            number(self.width),
            number(self.half_full),
            number(self.partial),
            self.table,
            number(states.first),
            number(states.outputs),
        ];
        workspace.launch(self.kernel, states.count as u64, &arguments)?;
        workspace.fetch::<Limbs>(group, states.count * states.outputs)
    }
}

/// The table of an instance of StarkWare.
fn stark(workspace: &Workspace, instance: Instance) -> Result<Argument, CudaError> {
    workspace.table(STARK_TABLES + instance.width() as u64, || limbs(stark_table(instance)))
}

/// Copies elements to the input of a group.
fn upload(
    workspace: &mut Workspace,
    group: usize,
    count: usize,
    elements: impl Iterator<Item = Limbs>,
) -> Result<Argument, CudaError> {
    workspace.input(group, count, |memory: &mut [Limbs]| {
        memory.iter_mut().zip(elements).for_each(|(place, element)| *place = element);
    })
}

/// Reads an element that a kernel wrote.
fn element<M: Modulus>(limbs: Limbs) -> Result<Field<M>, CudaError> {
    Field::from_montgomery_limbs(limbs)
        .map_err(|error| CudaError::Reply { engine: ENGINE, reason: error.to_string() })
}

/// The error of a reply that does not fit its request.
fn unfit() -> CudaError {
    CudaError::Reply { engine: ENGINE, reason: "it does not fit its request".into() }
}

/// Returns why the kernels have no instance of this width.
fn too_wide(width: usize) -> Option<String> {
    (width > MOST_WIDTH)
        .then(|| format!("width {width}: the kernels have widths up to {MOST_WIDTH}"))
}
