// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The assembler and the disassembler.

use halimede_bls12_381::coprocessor::isa::{Kind, Opcode, ALIASES};
use halimede_bls12_381::coprocessor::{
    assemble, disassemble, kind_of, opcode_of, Instruction, Number, Word, SOURCE_LIMIT_BYTES,
};
use proptest::prelude::*;

fn words(text: &str) -> Vec<Word> {
    assemble(text).unwrap_or_else(|error| panic!("{error}\n{text}")).program.instructions
}

#[test]
fn instructions_have_the_published_bytes() {
    let expected = [
        (0x12, [1, 13, 1], "MUL_ELEMENT 1, 13, 1"),
        (0x10, [3, 2, 1], "SUB 3 2 1"),
        (0x06, [1, 456, 0], "send_interrupt 1, 0x1c8"),
        (0x21, [26, 28, 1], "Miller_Loop 26, 28, 1"),
        (0x00, [0, 0, 0], "NOOP"),
    ];
    for (code, operands, text) in expected {
        let instruction = Instruction::decode(words(text)[0]).unwrap();
        assert_eq!((instruction.opcode as u8, instruction.operands), (code, operands), "{text}");
    }
    // The eighth byte has no meaning.
    let word = [0x12, 1, 0, 13, 0, 1, 0, 0xa5];
    let instruction = Instruction::decode(word).unwrap();
    assert_eq!(instruction, Instruction::new(Opcode::MulElement, [1, 13, 1]));
}

#[test]
fn names_labels_and_directives() {
    let text = "
        .equ BASE 0x10        // a name
        .equ NEXT, BASE
        .data BASE+2 FE2 7, BASE
        .data 0 SCALAR 0x1fffffffff
        .org 3
        .start first
        first: second: ADD BASE, NEXT-1, BASE+4   # both labels are here
               JUMP third
        third:
               jump second+1 ; behind it";
    let assembly = assemble(text).unwrap();
    let program = assembly.program;
    assert_eq!((program.start, program.instructions.len()), (3, 6));
    let operands: Vec<[u16; 3]> = program.instructions[3..]
        .iter()
        .map(|word| Instruction::decode(*word).unwrap().operands)
        .collect();
    assert_eq!(operands, [[16, 15, 20], [5, 0, 0], [4, 0, 0]]);
    let places: Vec<usize> = program.slots.iter().map(|(place, _)| *place).collect();
    assert_eq!(places, [0, 18, 19]);
    assert_eq!(program.slots[2].1.number, Number::from(16));
    assert_eq!(assembly.lines.into_iter().collect::<Vec<_>>(), [(3, 8), (4, 9), (5, 11)]);
}

#[test]
fn errors_name_the_line_and_the_fault() {
    let p =
        "0x1a0111ea397fe69a4b1ba7b6434bacd764774b84f38512bf6730d2a0f6b0f6241eabfffeb153ffffb9fe\
             ffffffffaaab";
    let cases = [
        ("ADD 1 2", "line 1: ADD_ELEMENT has 3 operands, not 2"),
        ("\nADD 1 2 3 4", "line 2: ADD_ELEMENT has 3 operands, not 4"),
        ("MULL 1 2 3", "no instruction is called \"MULL\""),
        (".word 5", "no directive is called .word"),
        ("ADD 1 2 256", "slot 256 is beyond the last one, 255"),
        ("JUMP 512", "place 512 is beyond the last one, 511"),
        ("JUMP nowhere", "\"nowhere\" is neither a label nor an .equ"),
        ("ADD 1 2 0x10000", "\"0x10000\" is not below 65536"),
        ("ADD 1 2 3x", "\"3x\": 'x' is not a digit"),
        ("ADD 1 2 -3", "\"\" is neither a label"),
        (".equ A 1\nADD A-2 1 1", "line 2: \"A-2\" is not below 65536"),
        ("a: NOOP\na: NOOP", "line 2: a is already set in line 1"),
        ("1a: NOOP", "\"1a\" is not a name"),
        ("add: NOOP", "choose another name"),
        (".equ one 1", "choose another name"),
        (".equ A", "expected .equ NAME NUMBER"),
        (".org 512", "\"512\" is not below 512"),
        (".org 511\nNOOP\nNOOP", "line 3: a program has at most 512 instructions"),
        ("NOOP\n.org 0\nNOOP", "line 3: place 0 is already set in line 1"),
        (".start 1\n.start 2", "line 2: .start is already set in line 1"),
        (".start x", "line 1: \"x\" is neither a label"),
        (".inst 12", "expected .inst 0x and 16"),
        (".inst 0x12345678901234567", "expected .inst 0x and 16"),
        (".data 0 FE", "expected .data"),
        (".data 0 FE3 1", "no kind is called \"FE3\""),
        (".data 0 FE2 1", "FE2 has 2 values, not 1"),
        (".data 255 FE2 1 2", "slot 256 is beyond"),
        (".data 256 FE 1", "\"256\" is not below 256"),
        (".data 3 FE2 1 2\n.data 4 FE 1", "line 2: slot 4 is already set in line 1"),
        (".data 0 FE generator", "generator is not a value of FE"),
        (".data 0 FP_AF one", "one is not a value of FP_AF"),
        ("INV_BATCH 0 0 4", "the count 0 is"),
        ("MULTI_MILLER 0 41 4", "the count 41 is"),
        ("FROBENIUS 0 12 4", "the power 12 is"),
    ];
    for (text, expected) in cases {
        let error = assemble(text).unwrap_err().to_string();
        assert!(error.contains(expected), "{text:?}: {error}");
    }
    let error = assemble(&format!(".data 0 FE2 1 {p}")).unwrap_err().to_string();
    assert_eq!(error, "line 1: value 2 is not below the modulus");
    let error = assemble(&" ".repeat(SOURCE_LIMIT_BYTES + 1)).unwrap_err().to_string();
    assert_eq!(error, "line 1: the program has 1048577 bytes; the limit is 1048576");
    assert_eq!(assemble(&"NOOP\n".repeat(513)).unwrap_err().line, 513);
}

#[test]
fn names_in_any_case_are_known() {
    for opcode in Opcode::ALL {
        assert_eq!(opcode_of(&opcode.name().to_lowercase()), Some(opcode));
        assert_eq!(Opcode::of_code(opcode as u8), Some(opcode));
    }
    for (alias, opcode, text_code) in ALIASES {
        assert_eq!(opcode_of(alias), Some(opcode));
        assert_ne!(text_code, Some(opcode as u8));
    }
    for kind in Kind::ALL {
        assert_eq!(kind_of(&kind.name().to_lowercase()), Some(kind));
    }
}

#[test]
fn a_disassembled_program_has_labels() {
    let program = assemble("JUMP 2\nNOOP\nADD 1 2 3\nJUMP 400\n.inst 0xff00000000000001").unwrap();
    let expected = "    JUMP at_2                                ; 0\n    \
                        NOOP_WAIT                                ; 1\nat_2:\n    \
                        ADD_ELEMENT 1, 2, 3                      ; 2\n    \
                        JUMP 400                                 ; 3\n    \
                        .inst 0xff00000000000001                 ; 4\n";
    assert_eq!(disassemble(&program.program.instructions), expected);
}

/// Arbitrary words, and words with the code of an instruction.
fn word() -> impl Strategy<Value = Word> {
    let codes: Vec<u8> = Opcode::ALL.iter().map(|opcode| *opcode as u8).collect();
    let known = (prop::sample::select(codes), prop::array::uniform3(0u16..520), 0u8..2);
    let known = known.prop_map(|(code, [a, b, c], last)| {
        let [[a0, a1], [b0, b1], [c0, c1]] = [a, b, c].map(u16::to_le_bytes);
        [code, a0, a1, b0, b1, c0, c1, last]
    });
    prop_oneof![any::<Word>(), known]
}

proptest! {
    #[test]
    fn disassembled_words_come_back(expected in prop::collection::vec(word(), 0..60)) {
        prop_assert_eq!(words(&disassemble(&expected)), expected);
    }

    #[test]
    fn instructions_come_back(code in any::<Word>()) {
        if let Some(instruction) = Instruction::decode(code) {
            prop_assert_eq!(&instruction.encode()[..7], &code[..7]);
        }
    }

    #[test]
    fn no_text_panics(text in "([a-zA-Z_.:;,#/0-9+ \\-\n]|ADD|JUMP|\\.data|\\.org|FE|0x){0,60}") {
        let _ = assemble(&text);
    }

    #[test]
    fn no_characters_panic(text in any::<String>()) {
        let _ = assemble(&text);
    }
}
