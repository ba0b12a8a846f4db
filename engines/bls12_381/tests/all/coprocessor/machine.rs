// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Control instructions, several programs in flight, steps and breakpoints.

use halimede_bls12_381::coprocessor::isa::{Fault, Kind};
use halimede_bls12_381::coprocessor::{assemble, Machine, Message, Number, State};

use super::{loaded, run, slots_of, LIMIT};

const LOOP: &str = include_str!("../../../coprocessor/examples/loop.s");

fn number_in(machine: &Machine, context: usize, place: usize) -> Number {
    machine.contexts()[context].slots()[place].number
}

#[test]
fn a_loop_counts_down() {
    let (machine, interrupts) = run(LOOP);
    let slots = slots_of(&interrupts[0]);
    let expected = "515377520732011331036461129765621272702107522001"; // 3^100, below p
    assert_eq!(slots[0].number, Number::parse(expected).unwrap());
    assert_eq!(number_in(&machine, 0, 2), Number::from(0));
    assert_eq!(machine.contexts()[0].state(), State::Waiting);
    assert_eq!(machine.contexts()[0].retired().0, 100 + 100 + 1);
}

#[test]
fn jumps_go_where_they_say() {
    let text = "
        .data 0 SCALAR 1
        .data 1 SCALAR 1
        .data 2 FE 1
            JUMP_IF_EQ wrong, 0, 2     ; another kind
            JUMP_IF_EQ right, 0, 1
        wrong:
            SEND_INTERRUPT 0, 1
            NOOP_WAIT
        right:
            COPY_REG 2, 5
            JUMP end
            SEND_INTERRUPT 0, 2
        end:
            SEND_INTERRUPT 5, 3";
    let (_, interrupts) = run(text);
    let [interrupt] = &interrupts[..] else { panic!("{interrupts:?}") };
    assert!(matches!(interrupt.message, Message::Element { index: 3, .. }));
    assert_eq!(slots_of(interrupt)[0].kind, Kind::Fe);
}

#[test]
fn a_context_goes_on_where_an_instruction_is_written_over_its_wait() {
    let mut machine = loaded("SEND_INTERRUPT 0, 1");
    assert_eq!(machine.run(LIMIT, &mut |_, _, _| ()).len(), 1);
    assert_eq!(machine.step(0), (None, None));
    let word = assemble("SEND_INTERRUPT 0, 2").unwrap().program.instructions[0];
    machine.context_mut(0).unwrap().write_instruction(1, word);
    assert_eq!(machine.run(LIMIT, &mut |_, _, _| ()).len(), 1);
    assert_eq!(machine.contexts()[0].pointer(), 2);
}

#[test]
fn a_context_that_stops_stops_no_other() {
    let programs = [
        "again: JUMP again",
        ".data 0 FE 0\nINV_ELEMENT 0, 1",
        LOOP,
        ".data 0 FP_AF 1 2\n.data 2 SCALAR 3\nSEND_INTERRUPT 2, 5\nPOINT_MULT 2, 0, 5",
    ];
    let mut machine = Machine::new(programs.len());
    for (number, text) in programs.iter().enumerate() {
        machine.context_mut(number).unwrap().load(&assemble(text).unwrap().program);
    }
    let interrupts = machine.run(LIMIT, &mut |_, _, _| ());
    let of = |context: usize| {
        let sent = interrupts.iter().filter(move |interrupt| interrupt.context == context);
        sent.map(|interrupt| &interrupt.message).collect::<Vec<_>>()
    };
    let stopped = |message: &Message| match message {
        Message::Stopped(error) => Some(error.fault),
        Message::Element { .. } => None,
    };
    assert_eq!(of(0).into_iter().map(stopped).collect::<Vec<_>>(), [Some(Fault::Limit)]);
    assert_eq!(of(1).into_iter().map(stopped).collect::<Vec<_>>(), [Some(Fault::Inverse)]);
    assert!(matches!(of(2)[..], [Message::Element { index: 100, .. }]));
    assert_eq!(of(3).into_iter().map(stopped).collect::<Vec<_>>(), [None, Some(Fault::Curve)]);
    // The limit of a run does not change that of the context.
    assert_eq!(machine.contexts()[0].limit(), 0);
    // A single context sends the same.
    let (_, alone) = run(LOOP);
    assert_eq!(of(2)[0], &alone[0].message);
}

#[test]
fn breakpoints_stop_before_their_instruction() {
    let mut machine = loaded(".data 0 SCALAR 3\nagain: COPY_REG 1, 2\nJUMP_NONZERO_SUB again, 0");
    machine.context_mut(0).unwrap().set_breakpoint(1, true);
    let mut seen = Vec::new();
    let mut stops = 0;
    while machine.contexts()[0].state() == State::Running {
        machine.run(LIMIT, &mut |_, retired, _| seen.push(retired.pointer));
        stops += 1;
    }
    assert_eq!(seen, [0, 1, 0, 1, 0, 1, 0, 1]);
    assert_eq!(stops, 5);
    machine.context_mut(0).unwrap().set_breakpoint(1, false);
    machine.context_mut(0).unwrap().start(0);
    machine.run(LIMIT, &mut |_, _, _| ());
    assert_eq!(machine.contexts()[0].state(), State::Waiting);
}

#[test]
fn a_step_tells_what_it_has_written() {
    let mut machine = loaded(".data 0 FE2 1 2\nSQR_ELEMENT 0, 8");
    let (retired, interrupt) = machine.step(0);
    let retired = retired.unwrap();
    assert_eq!((retired.pointer, retired.written, retired.next, interrupt), (0, 8..10, 1, None));
    assert_eq!(machine.step(0), (None, None));
    assert_eq!(machine.step(1), (None, None));
}
