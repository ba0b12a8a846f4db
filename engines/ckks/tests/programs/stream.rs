// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Streams of instructions: changed streams are not accepted as the program, damaged ones are
//! rejected with a clear error, and both models of clocks keep the order that results need.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::collections::HashMap;

use halimede_arith::EngineBackend;
use halimede_ckks::card::isa::{header, Fault, Field, Opcode, Unit};
use halimede_ckks::card::{
    basic, chrome_trace, clocks, compile, core_clocks, listing, report, simulate, svg, verify,
    Basic, Card, CardError, CardMemory, Clocks, Command, CompileOptions, Compiled, Content,
    CoreOptions, Image, Instruction, ProgramFault, StreamFlaw,
};
use halimede_ckks::ring::{
    Basis, LaneBackend, Polynomial, Program, Repeated, Ring, Role, UniformSeed,
};
use halimede_ckks::sampling::uniform;
use proptest::prelude::*;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::replay::{inputs, named, record, ring, Inputs};

/// Returns a card of 8 lanes with few slots for limbs of 64 residues.
fn card() -> Card {
    Card { log_radix: 3, scratchpad_bytes: 4 * 64 * 30, ..Card::small(3) }
}

fn compiled(seed: u64, kinds: usize) -> (Program, Compiled) {
    let ring = ring(LaneBackend::Portable);
    let (_, program) = record(&ring, &inputs(&ring, seed), seed, kinds);
    let compiled = compile(&program, &card(), &CompileOptions::default()).unwrap();
    (program, compiled)
}

/// Returns a command with a field changed.
fn changed(command: &Command, field: Field, number: usize) -> Command {
    Command { head: command.head.with(field, number), terms: command.terms.clone() }
}

/// Returns `true` if two neighbors touch the same slot, table or region, one of them writing.
fn depend(first: &Command, second: &Command) -> bool {
    let meet = |a: Vec<usize>, b: Vec<usize>| a.iter().any(|slot| b.contains(slot));
    let is_table = |command: &Command| command.head.opcode() == Opcode::Factors;
    let is_memory = |command: &Command| command.head.opcode().unit() == Unit::Memory;
    meet(first.writes(), second.reads())
        || meet(first.reads(), second.writes())
        || meet(first.writes(), second.writes())
        || is_table(first)
        || is_table(second)
        || (is_memory(first) && is_memory(second))
}

#[test]
fn changed_streams_do_not_pass() {
    let mut rng = ChaCha8Rng::seed_from_u64(5);
    let mut kinds: HashMap<&str, usize> = HashMap::new();
    for seed in 0..6 {
        let (program, compiled) = compiled(seed, 50);
        verify(&program, &card(), &compiled).unwrap();
        let count = compiled.image.commands.len();
        for _ in 0..60 {
            let mut other = compiled.clone();
            let at = rng.gen_range(0..count);
            let commands = &mut other.image.commands;
            let kind = match rng.gen_range(0..4) {
                // Reads a slot before it is written, or writes one before its last reader.
                0 if at + 1 < count && depend(&commands[at], &commands[at + 1]) => {
                    // Two loads to different slots may be swapped.
                    let both = [&commands[at], &commands[at + 1]];
                    let is_memory = |of: &&Command| of.head.opcode().unit() == Unit::Memory;
                    if both.iter().all(is_memory) {
                        continue;
                    }
                    commands.swap(at, at + 1);
                    "swapped"
                }
                1 => {
                    commands.remove(at);
                    "left out"
                }
                2 if !commands[at].writes().is_empty() => {
                    let slot = commands[at].head.get(Field::X0);
                    let other = (slot + 1) % compiled.image.slots;
                    commands[at] = changed(&commands[at], Field::X0, other);
                    "written elsewhere"
                }
                3 if commands[at].head.opcode().fields().contains(&Field::A) => {
                    let slot = commands[at].head.get(Field::A);
                    let other = (slot + 1) % compiled.image.slots;
                    commands[at] = changed(&commands[at], Field::A, other);
                    "read elsewhere"
                }
                _ => continue,
            };
            *kinds.entry(kind).or_default() += 1;
            let found = verify(&program, &card(), &other);
            // The next slot may hold the same limb, or one without further readers.
            let is_harmless = found.is_ok() && same_results(&program, &compiled, &other, seed);
            assert!(found.is_err() || is_harmless, "{kind} {at} of seed {seed}");
            let is_flaw = matches!(found, Err(CardError::Stream(_)) | Ok(()));
            assert!(is_flaw, "{found:?}");
        }
    }
    assert!(kinds.len() == 4 && kinds.values().all(|count| *count > 8), "{kinds:?}");
}

fn memory(program: &Program, compiled: &Compiled, inputs: &Inputs) -> CardMemory {
    let mut all = named("in", &inputs.polynomials);
    all.extend(named("factor", inputs.factors.iter().map(Repeated::values)));
    let of: HashMap<_, _> = all.into_iter().collect();
    let limb = |external: usize, place: u16| {
        let polynomial = of.get(&program.externals[external].name)?;
        Some(polynomial.limb(polynomial.basis().limb_of(place)?))
    };
    CardMemory::new(program, compiled, limb, |_| None).unwrap()
}

/// Returns `true` if two streams give the same outputs.
fn same_results(program: &Program, one: &Compiled, other: &Compiled, seed: u64) -> bool {
    let ring = ring(LaneBackend::Portable);
    let inputs = inputs(&ring, seed);
    let results = |compiled: &Compiled| {
        let mut memory = memory(program, compiled, &inputs);
        simulate(&mut memory, |_, _, _| {}).unwrap();
        (0..program.outputs.len())
            .map(|index| memory.output(compiled, index).unwrap())
            .collect::<Vec<_>>()
    };
    results(one) == results(other)
}

#[test]
fn flaws_are_named() {
    // A program that transforms.
    let has_transforms = |(_, compiled): &(Program, Compiled)| {
        let mut opcodes = compiled.image.commands.iter().map(|command| command.head.opcode());
        opcodes.any(|opcode| opcode == Opcode::Ntt)
    };
    let (program, compiled) = (0..).map(|seed| compiled(seed, 40)).find(has_transforms).unwrap();
    let flaw = |change: &dyn Fn(&mut Vec<Command>)| {
        let mut other = compiled.clone();
        change(&mut other.image.commands);
        match verify(&program, &card(), &other) {
            Err(CardError::Stream(flaw)) => flaw,
            other => panic!("{other:?}"),
        }
    };
    let first = |opcode: Opcode| {
        let is = |command: &Command| command.head.opcode() == opcode;
        compiled.image.commands.iter().position(is).unwrap()
    };
    let last_store = compiled.image.commands.iter().rposition(|command| {
        command.head.opcode() == Opcode::Store && command.head.get(Field::Segment) > 1
    });
    let missing = flaw(&|commands| drop(commands.remove(last_store.unwrap())));
    assert!(matches!(missing, StreamFlaw::Output { .. }), "{missing}");
    let load = first(Opcode::Load);
    assert!(matches!(
        flaw(&|commands| commands[load] = changed(&commands[load], Field::Segment, 0)),
        StreamFlaw::Region { .. }
    ));
    let transform = first(Opcode::Ntt);
    let buffer = compiled.image.commands[transform].head.get(Field::Buffer);
    assert_eq!(
        flaw(&|commands| {
            commands[transform] = changed(&commands[transform], Field::Buffer, 1 - buffer);
        }),
        StreamFlaw::Factors { command: transform }
    );
    let unwritten = flaw(&|commands| commands.rotate_left(1));
    assert!(matches!(unwritten, StreamFlaw::Unwritten { .. } | StreamFlaw::Factors { .. }));
}

/// Returns the fault of a program with changed bytes and a correct checksum.
fn fault_of(image: &Image, change: impl Fn(&mut Vec<u8>)) -> ProgramFault {
    let mut bytes = image.to_bytes();
    change(&mut bytes);
    Image::from_bytes(&bytes).unwrap_err()
}

fn fault(commands: Vec<Command>) -> Fault {
    let image = Image {
        log_degree: 10,
        log_radix: 4,
        slots: 8,
        segments: 4,
        columns: 2,
        primes: vec![(5 << 17) + 1, (7 << 17) + 1],
        commands,
    };
    match Image::from_bytes(&image.to_bytes()) {
        Ok(read) => {
            assert_eq!(read, image);
            panic!("no fault")
        }
        Err(found) => found.fault,
    }
}

#[test]
fn wrong_programs_are_refused() {
    let one = |opcode: Opcode| Instruction::new(opcode);
    let (_, compiled) = compiled(1, 30);
    let image = &compiled.image;
    assert_eq!(Image::from_bytes(&image.to_bytes()).unwrap(), *image);
    assert_eq!(fault_of(image, |bytes| bytes[0] ^= 1).fault, Fault::Magic);
    assert_eq!(fault_of(image, |bytes| bytes[header::VERSION.0] += 1).fault, Fault::Magic);
    assert_eq!(fault_of(image, |bytes| bytes[header::LOG_RADIX.0] = 9).fault, Fault::Shape);
    assert_eq!(fault_of(image, |bytes| bytes[64] ^= 1).fault, Fault::Checksum);
    assert_eq!(fault_of(image, |bytes| bytes.truncate(bytes.len() - 64)).fault, Fault::Truncated);
    assert_eq!(fault_of(image, |bytes| bytes.truncate(10)).fault, Fault::Magic);
    let text = fault_of(image, |bytes| bytes[64] ^= 1).to_string();
    assert!(text.contains("checksum"), "{text}");

    let add = one(Opcode::Add);
    assert_eq!(fault(vec![add.with(Field::A, 8).into()]), Fault::Slot);
    assert_eq!(fault(vec![add.with(Field::X0, 9).into()]), Fault::Slot);
    assert_eq!(fault(vec![add.with(Field::P0, 2).into()]), Fault::Prime);
    assert_eq!(fault(vec![one(Opcode::Load).with(Field::Segment, 4).into()]), Fault::Segment);
    assert_eq!(fault(vec![one(Opcode::Load).with(Field::Run, 11).into()]), Fault::Operands);
    let perm = one(Opcode::Perm).with(Field::X0, 1);
    for exponent in [2, 2049] {
        assert_eq!(fault(vec![perm.with(Field::Exponent, exponent).into()]), Fault::Operands);
    }
    let in_place = one(Opcode::Perm).with(Field::Exponent, 5);
    assert_eq!(fault(vec![in_place.into()]), Fault::Operands);
    assert_eq!(fault(vec![one(Opcode::Term).into()]), Fault::Order);
    assert_eq!(fault(vec![one(Opcode::End).into()]), Fault::Truncated);
    let conv = one(Opcode::Conv).with(Field::Columns, 1);
    let terms = |count: usize, term: Instruction| vec![term; count];
    let sum = |head: Instruction, terms: Vec<Instruction>| vec![Command { head, terms }];
    let term = one(Opcode::Term);
    assert_eq!(fault(sum(conv.with(Field::Terms, 2), terms(1, term))), Fault::Order);
    assert_eq!(fault(sum(conv, Vec::new())), Fault::Operands);
    let too_many = conv.with(Field::Terms, 26);
    assert_eq!(fault(sum(too_many, terms(26, term))), Fault::Operands);
    let three = conv.with(Field::Terms, 1).with(Field::Columns, 3);
    assert_eq!(fault(sum(three, terms(1, term))), Fault::Operands);
    // A conversion by limbs, and the number of a column that does not exist.
    let head = conv.with(Field::Terms, 1);
    assert_eq!(fault(sum(head, terms(1, term.with(Field::Limb, 1)))), Fault::Operands);
    assert_eq!(fault(sum(head, terms(1, term.with(Field::N1, 1)))), Fault::Operands);
}

#[test]
fn bits_of_no_field_and_unknown_instructions_are_refused() {
    let mut word = Instruction::new(Opcode::Add).to_bytes();
    assert!(Instruction::from_bytes(&word).is_ok());
    word[31] = 1;
    assert_eq!(Instruction::from_bytes(&word), Err(Fault::Opcode));
    for code in 0..64u8 {
        let mut word = [0; 32];
        word[0] = code;
        let is_known = Opcode::ALL.iter().any(|opcode| *opcode as u8 == code);
        assert_eq!(Instruction::from_bytes(&word).is_ok(), is_known, "{code}");
    }
}

#[test]
fn absent_keys_and_wrong_memories_stop_the_program() {
    let ring = ring(LaneBackend::Portable);
    let inputs = inputs(&ring, 2);
    let (_, program) = record(&ring, &inputs, 2, 40);
    let compiled = compile(&program, &card(), &CompileOptions::default()).unwrap();
    let mut absent = CardMemory::new(&program, &compiled, |_, _| None, |_| None).unwrap();
    let stopped = simulate(&mut absent, |_, _, _| {}).unwrap_err();
    assert!(
        matches!(stopped, CardError::Fault(ProgramFault { fault: Fault::Absent, .. })),
        "{stopped}"
    );
    assert!(stopped.to_string().contains("absent"), "{stopped}");
    let short = CardMemory::new(&program, &compiled, |_, _| Some(&[1, 2]), |_| None);
    assert!(matches!(short, Err(CardError::Limb { .. })));
    // Each command is reported with its writes.
    let mut whole = memory(&program, &compiled, &inputs);
    let mut told = 0;
    simulate(&mut whole, |number, command, slots| {
        assert_eq!(compiled.image.commands[number], *command);
        assert_eq!(slots.len(), compiled.image.slots);
        told += 1;
    })
    .unwrap();
    assert_eq!(told, compiled.image.commands.len());
    // More lanes than a limb has residues; too few slots.
    let lanes = compile(&program, &Card::small(6), &CompileOptions::default());
    assert!(matches!(lanes, Err(CardError::Lanes { lanes: 64, degree: 64 })));
    let few = Card { scratchpad_bytes: 4 * 64 * 2, ..card() };
    let few = compile(&program, &few, &CompileOptions::default());
    assert!(matches!(few, Err(CardError::Slots { got: 2, .. })), "{few:?}");
}

#[test]
fn keys_are_expanded_from_their_seeds() {
    let ring = ring(LaneBackend::active());
    let (a, b) = (uniform(&ring, &ring.all(), &[9; 32], 3), &inputs(&ring, 1).polynomials[0]);
    let work = |ring: &Ring| {
        let mut product: Polynomial = b.clone();
        ring.mul(&mut product, &a);
        product
    };
    let recording = ring.start_recording();
    let expected = work(&ring);
    let trace = recording.end();
    let names = [("in 0".to_owned(), b), ("key for products, digit 3, a".to_owned(), &a)];
    let mut program = trace.identified(&names, [], &[("out".to_owned(), &expected)]).unwrap();
    program.externals[1].role = Role::Key;
    let options = CompileOptions { expand: true, ..CompileOptions::default() };
    let compiled = compile(&program, &card(), &options).unwrap();
    assert_eq!(compiled.map.segments[3].content, Content::Seed(1));
    let limb = |external: usize, place: u16| {
        assert_eq!(external, 0);
        Some(b.limb(b.basis().limb_of(place)?))
    };
    for (seed, is_right) in [([9; 32], true), ([8; 32], false)] {
        let memory =
            CardMemory::new(&program, &compiled, limb, |_| Some(UniformSeed { seed, index: 3 }));
        let mut memory = memory.unwrap();
        simulate(&mut memory, |_, _, _| {}).unwrap();
        let limbs = memory.output(&compiled, 0).unwrap();
        assert_eq!(limbs.iter().map(Vec::as_slice).eq(expected.limbs()), is_right);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn clocks_keep_the_order_that_results_need(
        seed in any::<u64>(), queue in 1usize..12, lanes in 2u32..5,
    ) {
        let ring = ring(LaneBackend::Portable);
        let (_, program) = record(&ring, &inputs(&ring, seed), seed, 40);
        let card = Card { log_lanes: lanes, log_radix: 2, queue, ..card() };
        let compiled = compile(&program, &card, &CompileOptions::default()).unwrap();
        let planned = clocks(&compiled.image, &card);
        keeps_order(&compiled.image, &planned)?;
        let last = planned.spans.iter().map(|span| span.end).max().unwrap_or(0);
        prop_assert_eq!(planned.total, last);
        let core = |log_partitions| {
            let card = Card { log_partitions, ..card };
            core_clocks(&compiled.image, &card, &CoreOptions::of(&card, &compiled.image))
        };
        let [one, many] = [0, 6].map(core);
        for found in [&planned, &one.clocks, &many.clocks] {
            keeps_order(&compiled.image, found)?;
            let told = report(&program, &compiled, &card, found);
            prop_assert!(told.units.iter().all(|unit| unit.clocks <= found.total));
        }
        // In one partition, every row conflicts with the others.
        prop_assert!(many.conflicts <= one.conflicts, "{} {}", many.conflicts, one.conflicts);
        // Whatever the planner ignores, a core is at most faster by the memory's beats.
        prop_assert!(many.clocks.total as f64 > 0.9 * planned.total as f64);
    }
}

/// No instruction begins before its operands are ready, and queues are in order.
fn keeps_order(image: &Image, found: &Clocks) -> Result<(), TestCaseError> {
    let mut slots: HashMap<usize, (u64, u64)> = HashMap::new();
    let mut queues: HashMap<(Unit, bool), u64> = HashMap::new();
    for (command, span) in image.commands.iter().zip(&found.spans) {
        prop_assert!(span.start < span.end && span.free <= span.end && span.end <= found.total);
        // For each slot: the end of its last writer, and of its last reader.
        for slot in command.reads() {
            let (written, read) = slots.entry(slot).or_default();
            prop_assert!(span.start >= *written);
            *read = (*read).max(span.end);
        }
        for slot in command.writes() {
            let (written, read) = slots.entry(slot).or_default();
            let own = command.reads().contains(&slot);
            prop_assert!(span.start >= *written && (own || span.start >= *read));
            (*written, *read) = (span.end, span.end);
        }
        let unit = command.head.opcode().unit();
        if unit != Unit::Transform {
            // Loads and stores have separate queues.
            let is_store = command.head.opcode() == Opcode::Store;
            let free = queues.entry((unit, is_store)).or_default();
            prop_assert!(span.start >= *free, "in order");
            *free = span.free;
        }
    }
    Ok(())
}

#[test]
fn streams_are_listed_and_drawn() {
    let (program, compiled) = compiled(4, 40);
    let found = clocks(&compiled.image, &card());
    let text = listing(&compiled.image);
    let lines: Vec<&str> = text.lines().filter(|line| !line.starts_with(';')).collect();
    assert_eq!(lines.len(), compiled.image.words());
    assert!(lines.last().unwrap().ends_with("end") && text.contains("ntt"));
    let trace = chrome_trace(&compiled.image, &found, &card());
    let events = trace["traceEvents"].as_array().unwrap();
    assert_eq!(events.len(), 5 + compiled.image.commands.len());
    let drawing = svg(&compiled.image, &found, &card());
    assert!(drawing.starts_with("<svg") && drawing.trim_end().ends_with("</svg>"));
    assert_eq!(drawing.matches("<rect").count(), 1 + drawing.matches("</rect>").count());
    let told = report(&program, &compiled, &card(), &found);
    assert!(told.text().contains(told.binds) && told.traffic.inputs > 0);
    assert!(told.traffic.total() > told.traffic.instructions);
}

/// Returns a polynomial's products with another, limb by limb, on a card with this many slots.
fn products_on(slots: usize, log_partitions: u32) -> (Program, Card, Compiled) {
    let ring = ring(LaneBackend::Portable);
    let program = record(&ring, &inputs(&ring, 1), 1, 4).1;
    let (degree, primes) = (program.degree, program.primes.clone());
    let all = Basis::new(0..primes.len() as u16);
    let program = basic(Basic::Multiply, degree, &primes, &all, 6);
    let card = Card { scratchpad_bytes: 4 * degree * slots, log_partitions, ..card() };
    let compiled = compile(&program, &card, &CompileOptions::default()).unwrap();
    (program, card, compiled)
}

/// Returns the number of products whose factors lie in one partition, and of all products.
fn meeting(compiled: &Compiled, log_partitions: u32) -> (usize, usize) {
    let products = compiled.image.commands.iter().map(|command| &command.head);
    let products = products.filter(|head| head.opcode() == Opcode::Mul);
    let partition = |slot: usize| slot & ((1 << log_partitions) - 1);
    let meets =
        |head: &&Instruction| partition(head.get(Field::A)) == partition(head.get(Field::B));
    (products.clone().filter(meets).count(), products.count())
}

#[test]
fn factors_of_a_product_lie_apart_where_slots_allow() {
    // Slots that are assigned without regard to partitions conflict in 26 and 16 of 60 products.
    for slots in [32, 64] {
        let (program, card, compiled) = products_on(slots, 1);
        verify(&program, &card, &compiled).unwrap();
        let (meet, all) = meeting(&compiled, 1);
        assert!(all >= 60 && meet == 0, "{meet} of {all} with {slots} slots");
    }
    // A single partition leaves no choice.
    let (meet, all) = meeting(&products_on(32, 0).2, 0);
    assert_eq!(meet, all);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(8))]

    #[test]
    fn any_number_of_partitions_gives_the_same_results(
        seed in 0u64..1000,
        kinds in 10usize..40,
        log_partitions in 0u32..=6,
        slots in 30usize..90,
    ) {
        let ring = ring(LaneBackend::Portable);
        let (_, program) = record(&ring, &inputs(&ring, seed), seed, kinds);
        let of = |log_partitions| {
            let card = Card { scratchpad_bytes: 4 * 64 * slots, log_partitions, ..card() };
            let compiled = compile(&program, &card, &CompileOptions::default()).unwrap();
            verify(&program, &card, &compiled).unwrap();
            compiled
        };
        let (plain, spread) = (of(0), of(log_partitions));
        prop_assert!(spread.image.slots <= slots);
        prop_assert!(same_results(&program, &plain, &spread, seed));
    }
}
