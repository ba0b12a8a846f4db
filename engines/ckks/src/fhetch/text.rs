// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Writes traces as text.

use std::fmt::Write as _;

use super::trace::{Operation, Port, Trace};
use crate::ring::Form;

/// The beginning of lines with the content of a manifest. For other readers they are comments.
pub(super) const MARK: &str = "# halimede ";

impl Trace {
    /// Returns the text of the trace.
    pub fn to_text(&self) -> String {
        let mut text = String::new();
        // Writing to a string never fails.
        let _ = self.write(&mut text);
        text
    }

    fn write(&self, text: &mut String) -> std::fmt::Result {
        writeln!(text, "# FHETCH Trace\n# Instruction Count: {}", self.instructions.len())?;
        writeln!(text, "# Modulus Count: {}\n{MARK}degree {}", self.moduli.len(), self.degree)?;
        writeln!(text, "\nmodulus_count {}", self.moduli.len())?;
        for (index, modulus) in self.moduli.iter().enumerate() {
            writeln!(text, "m[{index}] 0x{modulus:X}")?;
        }
        text.push('\n');
        for (what, ports) in [("input", &self.inputs), ("output", &self.outputs)] {
            for Port { address, modulus, form, name } in ports {
                let form = match form {
                    Form::Coefficients => "coefficients",
                    Form::Values => "values",
                };
                writeln!(text, "{MARK}{what} %{address} m={modulus} {form} {name}")?;
            }
        }
        text.push('\n');
        for instruction in &self.instructions {
            let (to, m) = (instruction.to, instruction.modulus);
            let (name, a, b) = instruction.operation.parts();
            write!(text, "{name} %{to}, %{a}, ")?;
            match instruction.operation {
                Operation::Add(..) | Operation::Subtract(..) | Operation::Multiply(..) => {
                    writeln!(text, "%{b}, m={m}")
                }
                Operation::AddNumber(..)
                | Operation::SubtractNumber(..)
                | Operation::MultiplyNumber(..) => writeln!(text, "{b}, m={m}"),
                Operation::Negate(_) => writeln!(text, "m={m}"),
                Operation::Forward(..) | Operation::Inverse(..) => {
                    writeln!(text, "m={m}, omega={b}")
                }
                Operation::Automorphism(..) => writeln!(text, "k={b}, m={m}"),
                Operation::Shift(..) => writeln!(text, "offset={b}, m={m}"),
            }?;
        }
        writeln!(text, "halt")
    }
}
