// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Loads programs through the registers and memories of the window, as a host does.

use halimede_bls12_381::coprocessor::isa::{register, window, Kind, VALUE_BYTES};
use halimede_bls12_381::coprocessor::{assemble, Machine, Program, State};
use proptest::prelude::*;

use super::LIMIT;

const SAMPLE: &str = include_str!("../../../coprocessor/examples/two_pairings.s");

/// Writes a program word by word, in the order of addresses, with its start last.
fn write(machine: &mut Machine, context: u32, program: &Program) {
    let base = context * window::BYTES;
    for (place, slot) in &program.slots {
        let (bytes, is_high) = slot.to_window();
        let address = base + window::DATA + 64 * *place as u32;
        if is_high {
            machine.write_word(address + 48, 1);
        }
        for (offset, word) in bytes.as_chunks::<4>().0.iter().enumerate() {
            machine.write_word(address + 4 * offset as u32, u32::from_le_bytes(*word));
        }
    }
    for (place, word) in program.instructions.iter().enumerate() {
        let address = base + window::INSTRUCTIONS + 8 * place as u32;
        for (half, word) in word.as_chunks::<4>().0.iter().enumerate() {
            machine.write_word(address + 4 * half as u32, u32::from_le_bytes(*word));
        }
    }
    machine.write_word(base + register::INSTRUCTION_POINTER, program.start.into());
}

#[test]
fn a_program_by_the_window_is_the_loaded_one() {
    let program = assemble(SAMPLE).unwrap().program;
    let mut loaded = Machine::published();
    loaded.context_mut(0).unwrap().load(&program);
    let mut written = Machine::published();
    write(&mut written, 0, &program);
    let run = |machine: &mut Machine| machine.run(LIMIT, &mut |_, _, _| ());
    assert_eq!(run(&mut loaded), run(&mut written));
    assert_eq!(written.read_word(register::INSTRUCTION_POINTER), 6);
    assert_eq!(written.read_word(register::CAPABILITY), 0);
    assert_eq!(written.read_word(register::RETIRED), 5);
}

#[test]
fn words_commit_with_the_last_one() {
    let mut machine = Machine::new(1);
    let data = window::DATA;
    for offset in (0..44).step_by(4) {
        machine.write_word(data + offset, 7);
    }
    assert_eq!(machine.read_word(data), 0);
    machine.write_word(data + 44, 1 << 29 | 5);
    assert_eq!(machine.read_word(data), 7);
    assert_eq!(machine.read_word(data + 44), 1 << 29 | 5);
    assert_eq!(machine.contexts()[0].slots()[0].kind, Kind::Fe);
    machine.write_word(window::INSTRUCTIONS + 8, 0x0002_0002);
    assert_eq!(machine.read_word(window::INSTRUCTIONS + 8), 0);
    machine.write_word(window::INSTRUCTIONS + 12, 0xff00_0000);
    assert_eq!(machine.read_word(window::INSTRUCTIONS + 8), 0x0002_0002);
    assert_eq!(machine.read_word(window::INSTRUCTIONS + 12), 0xff00_0000);
    machine.write_word(register::INSTRUCTION_OFFSET, 1);
    assert_eq!(machine.read_word(window::INSTRUCTIONS + 8), 0);
    assert_eq!(machine.read_word(data), 7);
    machine.write_word(register::INSTRUCTION_OFFSET, 2);
    assert_eq!(machine.read_word(data + 44), 0);
}

#[test]
fn the_fourth_bit_of_the_kind_lasts_for_one_slot() {
    let mut machine = Machine::new(1);
    let data = window::DATA;
    machine.write_word(data + 48, 1);
    machine.write_word(data + 44, 0);
    machine.write_word(data + 64 + 44, 0);
    let kinds = |machine: &Machine| {
        let slots = machine.contexts()[0].slots();
        [slots[0].kind, slots[1].kind]
    };
    assert_eq!(kinds(&machine), [Kind::Fe6, Kind::Scalar]);
    assert_eq!((machine.read_word(data + 48), machine.read_word(data + 112)), (1, 0));
    // A slot of an unknown kind is not written.
    machine.write_word(data + 48, 1);
    machine.write_word(data + 44, 7 << 29);
    assert_eq!(kinds(&machine), [Kind::Fe6, Kind::Scalar]);
}

#[test]
fn contexts_have_windows_and_registers_of_their_own() {
    let mut machine = Machine::new(3);
    let program = assemble("again: JUMP again").unwrap().program;
    write(&mut machine, 1, &program);
    let base = window::BYTES;
    machine.write_word(base + register::INSTRUCTION_LIMIT, 20);
    machine.run(LIMIT, &mut |_, _, _| ());
    assert_eq!(machine.read_word(base + register::ERROR), 0x8000_0001);
    assert_eq!(machine.read_word(base + register::RETIRED), 20);
    assert_eq!(machine.read_word(register::ERROR), 0);
    assert_eq!(machine.read_word(2 * base + register::RETIRED), 0);
    assert_eq!(machine.read_word(register::CAPABILITY), 0x0100_0301);
    assert_eq!(machine.read_word(register::INSTRUCTION_OFFSET), 0x1000);
    assert_eq!(machine.read_word(register::DATA_OFFSET), 0x2000);
    assert_eq!(machine.read_word(register::INSTRUCTION_SIZE), 4096);
    assert_eq!(machine.read_word(register::DATA_SIZE), 16384);
    // A start clears the error.
    machine.write_word(base + register::INSTRUCTION_POINTER, 5);
    assert_eq!(machine.contexts()[1].state(), State::Waiting);
    assert_eq!(machine.read_word(base + register::ERROR), 0);
}

proptest! {
    #[test]
    fn no_access_panics(accesses in prop::collection::vec((0u32..0x2_0000, any::<u32>()), 0..200)) {
        let mut machine = Machine::new(3);
        for (address, value) in accesses {
            machine.write_word(address, value);
            machine.read_word(address);
        }
        machine.run(20, &mut |_, _, _| ());
    }

    #[test]
    fn slots_come_back(bytes: [u8; VALUE_BYTES], is_high: bool) {
        let mut machine = Machine::new(1);
        machine.write_word(window::DATA + 48, is_high.into());
        for (offset, word) in bytes.as_chunks::<4>().0.iter().enumerate() {
            machine.write_word(window::DATA + 4 * offset as u32, u32::from_le_bytes(*word));
        }
        let is_known = Kind::of_code(bytes[47] >> 5 | u8::from(is_high) << 3).is_some();
        for (offset, word) in bytes.as_chunks::<4>().0.iter().enumerate() {
            let expected = if is_known { u32::from_le_bytes(*word) } else { 0 };
            prop_assert_eq!(machine.read_word(window::DATA + 4 * offset as u32), expected);
        }
    }
}
