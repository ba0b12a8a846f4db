// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The state of a plan's run between two steps, from which the run can continue, also in another
//! process.

use std::fmt;
use std::io::{Read, Write};

use super::run_id::RunId;
use crate::evaluator::Ciphertext;
use crate::files::{
    read_count, read_whole, write_whole, CheckedWriter, FileError, FileKind, FileReader, Header,
};
use crate::params::Parameters;
use crate::sampling::Seed;

/// The largest number of steps of a plan in a file.
const MOST_STEPS: u32 = 1 << 24;

/// The values that the rest of a run needs after some of its steps.
///
/// A checkpoint belongs to one plan, including all its numbers, and to the inputs of one run. Other
/// runs reject it ([`super::CircuitError::OtherRun`]). A run that continues from a checkpoint gives
/// the same bits as an uninterrupted one. For this, the checkpoint contains the seed of the
/// bootstraps' angles, which [must stay secret from anyone who chooses
/// values](crate::Bootstrapper::with_angles). Its values also reveal intermediate results, which
/// depend on the plan's numbers, to anyone who can decrypt them. A checkpoint is therefore only for
/// the server that made it.
#[derive(Clone)]
pub struct Checkpoint {
    pub(super) run: RunId,
    pub(super) done: usize,
    pub(super) steps: usize,
    /// The seed of the bootstraps' angles, if it was drawn.
    pub(super) angles: Option<Seed>,
    /// The values that later steps need, with the steps that computed them.
    pub(super) values: Vec<(usize, Ciphertext)>,
}

impl Checkpoint {
    /// Returns the run to which the checkpoint belongs.
    pub fn run(&self) -> RunId {
        self.run
    }

    /// Returns the number of steps done.
    pub fn done(&self) -> usize {
        self.done
    }

    /// Returns the number of steps of the plan.
    pub fn steps(&self) -> usize {
        self.steps
    }

    /// Writes the checkpoint, which is [only for this server](Checkpoint).
    ///
    /// # Errors
    /// If writing fails.
    ///
    /// # Panics
    /// For a checkpoint of other parameters.
    pub fn save(&self, output: impl Write, parameters: &Parameters) -> Result<(), FileError> {
        let mut output = CheckedWriter::new(output);
        Header::new(FileKind::Checkpoint, parameters).write(&mut output)?;
        output.write(self.run.as_bytes())?;
        for count in [self.done, self.steps, self.values.len()] {
            output.write(&(count as u32).to_le_bytes())?;
        }
        output.write(&[u8::from(self.angles.is_some())])?;
        output.write(&self.angles.unwrap_or_default())?;
        for (step, value) in &self.values {
            output.write(&(*step as u32).to_le_bytes())?;
            write_whole(&mut output, value, parameters)?;
        }
        output.checksum()?;
        output.finish().map(drop)
    }

    /// Reads a checkpoint.
    ///
    /// Read only your own checkpoints: the values are not verified.
    ///
    /// # Errors
    /// [`FileError`] for an input that is not a checkpoint for these parameters.
    pub fn load(input: impl Read, parameters: &Parameters) -> Result<Self, FileError> {
        Self::read(FileReader::new(input)?, parameters)
    }

    /// Reads the checkpoint of a file.
    ///
    /// # Errors
    /// As [`Self::load`].
    pub fn read<R: Read>(
        mut reader: FileReader<R>,
        parameters: &Parameters,
    ) -> Result<Self, FileError> {
        reader.check(FileKind::Checkpoint, parameters)?;
        let input = &mut reader.input;
        let run = RunId::of_bytes(input.array("the hash of the run")?);
        let done = read_count(input, "the number of steps done", MOST_STEPS)?;
        let steps = read_count(input, "all steps", MOST_STEPS)?;
        let count = read_count(input, "the number of values", MOST_STEPS)?;
        if done > steps || count > steps {
            let what = format!("{done} steps done and {count} values do not fit {steps} steps");
            return Err(input.malformed(12, what));
        }
        let [has_angles] = input.array("the mark of angles")?;
        let seed = input.array("the seed of the angles")?;
        let angles = match has_angles {
            0 => None,
            1 => Some(seed),
            _ => return Err(input.malformed(33, "expected a mark of angles (1) or none (0)")),
        };
        let mut values: Vec<(usize, Ciphertext)> = Vec::new();
        for _ in 0..count {
            let step = read_count(input, "a value's step", MOST_STEPS)?;
            let is_next = values.last().is_none_or(|(before, _)| *before < step);
            if step >= steps || !is_next {
                return Err(input.malformed(4, format!("a value of step {step}, of {steps}")));
            }
            values.push((step, read_whole(input, parameters)?));
        }
        input.checksum()?;
        Ok(Checkpoint { run, done, steps, angles, values })
    }
}

impl fmt::Debug for Checkpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { run, done, steps, values, .. } = self;
        let places: Vec<usize> = values.iter().map(|(place, _)| *place).collect();
        let mut text = f.debug_struct("Checkpoint");
        text.field("run", run).field("done", done).field("steps", steps).field("values", &places);
        text.finish_non_exhaustive()
    }
}
