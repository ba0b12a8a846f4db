// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The effects of single instructions.

use super::access::{access, Access};
use super::memory::Memory;
use super::{fields, points};
use crate::coprocessor::isa::{Fault, Kind, Opcode};
use crate::coprocessor::{Instruction, Slot};
use crate::library::{G1, G2};

/// How a context continues.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Effect {
    /// At the next instruction.
    Next,
    /// At this instruction.
    Jump(u16),
    /// At the next instruction, after sending these slots with this index.
    Send { index: u16, slots: Vec<Slot> },
}

/// Executes an instruction other than a wait. On an error nothing is written.
pub(super) fn execute(
    memory: &mut Memory,
    instruction: &Instruction,
) -> Result<(Effect, Access), Fault> {
    let access = access(instruction, memory)?;
    let effect = done(memory, instruction, &access)?;
    Ok((effect, access))
}

fn done(memory: &mut Memory, instruction: &Instruction, access: &Access) -> Result<Effect, Fault> {
    let [a, b, c] = access.operands;
    let [target, index, _] = instruction.operands;
    match access.opcode {
        Opcode::NoopWait => {}
        Opcode::Jump => return Ok(Effect::Jump(target)),
        Opcode::JumpIfEq if memory.slots()[b] == memory.slots()[c] => {
            return Ok(Effect::Jump(target));
        }
        Opcode::JumpIfEq => {}
        Opcode::JumpNonzeroSub => {
            let counter = memory.number(b);
            if !counter.is_zero() {
                memory.write_scalar(b, counter.before());
                return Ok(Effect::Jump(target));
            }
        }
        Opcode::SendInterrupt => {
            let slots = memory.slots()[a..a + access.kind(0).slots()].to_vec();
            return Ok(Effect::Send { index, slots });
        }
        Opcode::CopyReg | Opcode::CopyElement => memory.copy(a, b, access.written.len()),
        Opcode::MillerLoop | Opcode::AtePairing | Opcode::MultiMiller => {
            points::execute_pairs(memory, access)?;
        }
        Opcode::PointMult => on_curve_of(access.kind(1), memory, access)?,
        Opcode::IsEqual if points::is_of_first_curve(access.kind(0)).is_none() => {
            let is_equal = fields::are_equal(memory, access)?;
            memory.write_scalar(c, u64::from(is_equal).into());
        }
        _ => on_curve_of(access.kind(0), memory, access)?,
    }
    Ok(Effect::Next)
}

/// Executes an instruction on a curve if the kind is that of points, or on the fields.
fn on_curve_of(kind: Kind, memory: &mut Memory, access: &Access) -> Result<(), Fault> {
    match points::is_of_first_curve(kind) {
        Some(true) => points::execute::<G1>(memory, access),
        Some(false) => points::execute::<G2>(memory, access),
        None => fields::execute(memory, access),
    }
}
