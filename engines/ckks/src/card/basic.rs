// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Basic programs for tables of cards, which are not operations on ciphertexts.

use std::collections::HashMap;

use crate::ring::{Basis, External, Form, Operation, Output, Prime, Program, Role, Step};

/// An operation on whole polynomials.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Basic {
    /// a + b.
    Add,
    /// a·b of values.
    Multiply,
    /// Coefficients to values.
    Forward,
}

/// Returns a program that applies the same operation to several polynomials, each with separate
/// operands, modulo the primes of a basis.
pub fn basic(of: Basic, degree: usize, primes: &[Prime], basis: &Basis, count: usize) -> Program {
    let (operation, operands, from) = match of {
        Basic::Add => (Operation::Add, 2, Form::Values),
        Basic::Multiply => (Operation::Multiply, 2, Form::Values),
        Basic::Forward => (Operation::Forward, 1, Form::Coefficients),
    };
    let mut program = Program {
        degree,
        primes: primes.to_vec(),
        externals: Vec::new(),
        steps: Vec::new(),
        outputs: Vec::new(),
        notes: Vec::new(),
    };
    for number in 0..count {
        let mut inputs = Vec::new();
        for operand in 0..operands {
            let value = (number * (operands + 1) + operand) as u64;
            inputs.push(value);
            program.externals.push(External {
                value,
                name: format!("polynomial {number}, operand {operand}"),
                role: Role::Input,
                basis: basis.clone(),
                form: from,
                run: 1,
            });
        }
        let output = (number * (operands + 1) + operands) as u64;
        let operation = operation.clone();
        let basis = basis.clone();
        program.steps.push(Step { operation, inputs, output, basis, form: Form::Values });
        program.outputs.push(Output { value: output, name: format!("result {number}") });
    }
    program
}

/// Returns the program without its automorphisms: only the key switch of a rotation.
pub fn without_automorphisms(program: &Program) -> Program {
    let mut program = program.clone();
    let mut same: HashMap<u64, u64> = HashMap::new();
    program.steps.retain_mut(|step| {
        for input in &mut step.inputs {
            *input = same.get(input).copied().unwrap_or(*input);
        }
        let is_kept = !matches!(step.operation, Operation::Permute { .. });
        if !is_kept {
            same.insert(step.output, step.inputs[0]);
        }
        is_kept
    });
    for output in &mut program.outputs {
        output.value = same.get(&output.value).copied().unwrap_or(output.value);
    }
    program
}
