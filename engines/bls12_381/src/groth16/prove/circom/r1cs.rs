// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Constraints: section 1 has the prime and the numbers of variables, section 2 the rows.
//!
//! Variables are called wires. Wire 0 is 1; public outputs, public inputs and the others follow.

use halimede_arith::Fr;

use super::sections::{Reader, Sections};
use super::CircomError;
use crate::groth16::prove::Constraints;

/// The sections of custom gates, which Groth16 does not have.
const CUSTOM_GATES: [u32; 2] = [4, 5];

/// Reads the constraints of a circuit. Its public outputs and inputs are the public inputs of a
/// proof.
///
/// # Errors
/// [`CircomError`].
pub fn read_constraints(bytes: &[u8]) -> Result<Constraints, CircomError> {
    const KIND: &str = "r1cs";
    let sections = Sections::read(bytes, KIND, 1)?;
    let mut header = sections.section(1)?;
    header.scalar_prime()?;
    let variables = header.number()? as usize;
    let (outputs, inputs) = (header.number()? as usize, header.number()? as usize);
    let (_private, _labels) = (header.number()?, header.long_number()?);
    let count = header.number()?;
    header.finish()?;
    // A list of gates that is not empty has more bytes than its number.
    if CUSTOM_GATES.into_iter().any(|section| {
        sections.has(section)
            && sections.section(section).and_then(|mut list| list.number()).unwrap_or(1) > 0
    }) {
        return Err(CircomError::Contents { kind: KIND, what: "custom gates" });
    }
    let mut constraints = Constraints::new(outputs + inputs, variables)?;
    let mut rows = sections.section(2)?;
    let mut sides = [Vec::new(), Vec::new(), Vec::new()];
    for _ in 0..count {
        for side in &mut sides {
            read_row(&mut rows, side)?;
        }
        let [a, b, c] = &sides;
        constraints.push(a, b, c)?;
    }
    rows.finish()?;
    Ok(constraints)
}

/// Reads one side of a constraint.
fn read_row(rows: &mut Reader<'_>, side: &mut Vec<(u32, Fr)>) -> Result<(), CircomError> {
    side.clear();
    for _ in 0..rows.number()? {
        side.push((rows.number()?, rows.scalar()?));
    }
    Ok(())
}
