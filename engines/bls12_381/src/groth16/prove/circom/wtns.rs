// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Witnesses: section 1 has the prime and the number of values, section 2 the values.

use super::sections::Sections;
use super::CircomError;
use crate::groth16::prove::Secrets;

/// Reads a witness: the values of all variables, the first of them 1.
///
/// # Errors
/// [`CircomError`].
pub fn read_witness(bytes: &[u8]) -> Result<Secrets, CircomError> {
    let sections = Sections::read(bytes, "wtns", 2)?;
    let mut header = sections.section(1)?;
    header.scalar_prime()?;
    let count = header.number()? as usize;
    header.finish()?;
    let mut values = sections.section(2)?;
    let mut witness = Secrets::with_capacity(count.min(values.len() / 32));
    for _ in 0..count {
        witness.push(values.scalar()?);
    }
    values.finish()?;
    Ok(witness)
}
