// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Tests every reason for which a context stops.

use halimede_bls12_381::coprocessor::isa::{Fault, Kind, Opcode};
use halimede_bls12_381::coprocessor::{
    ErrorWord, Instruction, Machine, Message, Number, Slot, State,
};

use super::{loaded, run, LIMIT};

/// Runs an instruction that stops, after its data.
fn stop_of(data: &str, opcode: Opcode, operands: [u16; 3]) -> (Machine, ErrorWord) {
    let mut machine = loaded(data);
    let context = machine.context_mut(0).unwrap();
    context.write_instruction(0, Instruction::new(opcode, operands).encode());
    let before = *context.slots();
    let interrupts = machine.run(LIMIT, &mut |_, _, _| ());
    let is_same = machine.contexts()[0].slots() == &before;
    assert!(is_same, "{opcode:?} {operands:?}: a slot was written");
    let [interrupt] = &interrupts[..] else { panic!("{opcode:?} {operands:?}: {interrupts:?}") };
    let Message::Stopped(error) = interrupt.message else { panic!("{opcode:?}: {interrupt:?}") };
    assert_eq!(machine.contexts()[0].state(), State::Stopped(error));
    assert_eq!((error.opcode, error.pointer), (opcode as u8, 0));
    (machine, error)
}

const DATA: &str = "
    .data 0  FE 5
    .data 1  FE 0
    .data 2  FE2 1 2
    .data 4  SCALAR 3
    .data 10 FP_AF  generator
    .data 12 FP2_AF generator
    .data 16 FP_AF  1 2
    .data 18 FP2_AF 1 2 3 4
    .data 22 FP_JB  1 2 3
    .data 30 FE12 one
    .data 42 FE12 zero
    .data 54 FE 7
    .data 255 FE 1";

#[test]
fn every_fault_is_reported() {
    let cases = [
        (Opcode::Jump, [512, 0, 0], Fault::Pointer),
        (Opcode::JumpIfEq, [600, 0, 1], Fault::Pointer),
        (Opcode::JumpNonzeroSub, [u16::MAX, 4, 0], Fault::Pointer),
        (Opcode::InvBatch, [0, 0, 100], Fault::Operand),
        (Opcode::InvBatch, [0, 257, 100], Fault::Operand),
        (Opcode::MultiMiller, [10, 0, 30], Fault::Operand),
        (Opcode::MultiMiller, [10, 41, 30], Fault::Operand),
        (Opcode::Frobenius, [0, 12, 100], Fault::Operand),
        (Opcode::AddElement, [256, 0, 1], Fault::Slot),
        (Opcode::AddElement, [0, 1, 256], Fault::Slot),
        (Opcode::AddElement, [0, u16::MAX, 1], Fault::Slot),
        (Opcode::SendInterrupt, [999, 0, 0], Fault::Slot),
        (Opcode::CopyReg, [0, 256, 0], Fault::Slot),
        (Opcode::MillerLoop, [10, 12, 245], Fault::Slot),
        (Opcode::SqrElement, [2, 255, 0], Fault::Slot),
        (Opcode::InvBatch, [0, 2, 255], Fault::Slot),
        (Opcode::MultiMiller, [10, 40, 30], Fault::Kind),
        (Opcode::AddElement, [0, 2, 100], Fault::Kind),
        (Opcode::MulElement, [4, 4, 100], Fault::Kind),
        (Opcode::JumpNonzeroSub, [0, 0, 0], Fault::Kind),
        (Opcode::FinalExp, [0, 100, 0], Fault::Kind),
        (Opcode::PointAdd, [10, 12, 100], Fault::Kind),
        (Opcode::MillerLoop, [12, 10, 100], Fault::Kind),
        (Opcode::SqrElement, [43, 100, 0], Fault::Kind),
        (Opcode::SendInterrupt, [43, 1, 0], Fault::Kind),
        (Opcode::PointMult, [4, 0, 100], Fault::Kind),
        (Opcode::PointMult, [4, 16, 100], Fault::Curve),
        (Opcode::MillerLoop, [16, 12, 100], Fault::Curve),
        (Opcode::AtePairing, [10, 18, 100], Fault::Curve),
        (Opcode::PointDouble, [22, 100, 0], Fault::Curve),
        (Opcode::IsEqual, [10, 16, 100], Fault::Curve),
        (Opcode::NegElement, [16, 100, 0], Fault::Curve),
        (Opcode::InvElement, [1, 100, 0], Fault::Inverse),
        (Opcode::FinalExp, [42, 100, 0], Fault::Inverse),
        (Opcode::InvBatch, [0, 2, 100], Fault::Inverse),
    ];
    for (opcode, operands, fault) in cases {
        let (_, error) = stop_of(DATA, opcode, operands);
        assert_eq!(error.fault, fault, "{opcode:?} {operands:?}");
    }
}

/// Numbers that only the window can write.
#[test]
fn numbers_at_or_above_the_modulus_are_out_of_range() {
    let p =
        "0x1a0111ea397fe69a4b1ba7b6434bacd764774b84f38512bf6730d2a0f6b0f6241eabfffeb153ffffb9fe\
             ffffffffaaab";
    let p = Number::parse(p).unwrap();
    for (kind, opcode, operands) in [
        (Kind::Fe, Opcode::AddElement, [0, 0, 100]),
        (Kind::FpAf, Opcode::CheckCurve, [0, 100, 0]),
        (Kind::Fe2, Opcode::IsEqual, [0, 0, 100]),
    ] {
        let mut machine = loaded("");
        let context = machine.context_mut(0).unwrap();
        let slots = [p, Number::from(1)].map(|number| Slot { kind, number });
        context.write_slot(0, slots[0]);
        context.write_slot(1, slots[1]);
        context.write_instruction(0, Instruction::new(opcode, operands).encode());
        context.write_instruction(1, Instruction::new(Opcode::SendInterrupt, [0, 9, 0]).encode());
        machine.run(LIMIT, &mut |_, _, _| ());
        let State::Stopped(error) = machine.contexts()[0].state() else { panic!("{opcode:?}") };
        assert_eq!(error.fault, Fault::Range);
        // Instructions that only move slots do not check them.
        machine.context_mut(0).unwrap().start(1);
        assert_eq!(machine.run(LIMIT, &mut |_, _, _| ()).len(), 1);
        assert_eq!(machine.contexts()[0].state(), State::Waiting);
    }
}

#[test]
fn unknown_codes_stop_and_so_do_extensions_that_are_absent() {
    let (machine, interrupts) = run(".inst 0x0300000000000000");
    let expected = ErrorWord { fault: Fault::Opcode, opcode: 3, pointer: 0 };
    assert_eq!(machine.contexts()[0].state(), State::Stopped(expected));
    assert_eq!(interrupts[0].message, Message::Stopped(expected));
    let mut machine = Machine::published();
    let context = machine.context_mut(0).unwrap();
    context.write_instruction(0, Instruction::new(Opcode::SqrElement, [0, 1, 0]).encode());
    machine.run(LIMIT, &mut |_, _, _| ());
    let expected = ErrorWord { fault: Fault::Opcode, opcode: 0x15, pointer: 0 };
    assert_eq!(machine.contexts()[0].state(), State::Stopped(expected));
}

#[test]
fn a_program_that_never_ends_is_stopped_and_says_so() {
    let mut machine = loaded("again: JUMP again");
    let interrupts = machine.run(1_000, &mut |_, _, _| ());
    let expected = ErrorWord { fault: Fault::Limit, opcode: 0, pointer: 0 };
    assert_eq!(interrupts[0].message, Message::Stopped(expected));
    assert_eq!(machine.contexts()[0].retired().0, 1_000);
    assert_eq!(expected.to_word(), 0x8000_0001);
    let frame = interrupts[0].to_bytes();
    assert_eq!(frame, [16, 0, 0, 0, 0, 2, 0, 0x80, 1, 0, 0, 0x80, 0, 1, 0, 0]);
}

#[test]
fn a_program_that_leaves_the_memory_stops() {
    let (machine, _) = run(".org 511\n.start 511\nCOPY_REG 0, 1");
    let expected = ErrorWord { fault: Fault::Pointer, opcode: 0, pointer: 512 };
    assert_eq!(machine.contexts()[0].state(), State::Stopped(expected));
}
