// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The state of a plan's run between two steps, from which it can go on, in another process too.

use std::fmt;
use std::io::{Read, Write};

use super::run_id::RunId;
use crate::evaluator::Ciphertext;
use crate::files::{
    read_count, read_whole, write_whole, CheckedWriter, FileError, FileKind, FileReader, Header,
};
use crate::params::Parameters;
use crate::sampling::Seed;

/// The most steps that are read of a plan.
const MOST_STEPS: u32 = 1 << 24;

/// The values that the rest of a run needs, after some of its steps.
///
/// It belongs to one plan, with all numbers in it, and to the very inputs of the run, and is refused
/// with others ([`super::CircuitError::OtherRun`]). A run that goes on from it has the bits that it
/// would have had. For that it has the seed of the angles of bootstraps, which [nobody who chooses
/// values may know](crate::Bootstrapper::with_angles), and its values tell who can decrypt them what
/// the plan's numbers make of the inputs on the way: it is for the server that made it alone.
#[derive(Clone)]
pub struct Checkpoint {
    pub(super) run: RunId,
    pub(super) done: usize,
    pub(super) steps: usize,
    /// The seed of bootstraps' angles, where there was one.
    pub(super) angles: Option<Seed>,
    /// Those that later steps take, by the step that made them.
    pub(super) values: Vec<(usize, Ciphertext)>,
}

impl Checkpoint {
    /// The run that it is of.
    pub fn run(&self) -> RunId {
        self.run
    }

    /// How many steps are done.
    pub fn done(&self) -> usize {
        self.done
    }

    /// How many steps the plan has.
    pub fn steps(&self) -> usize {
        self.steps
    }

    /// Writes the checkpoint, which is [for the server alone](Checkpoint).
    ///
    /// # Errors
    /// Where writing fails.
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
    /// Only one's own should be read: what its values are is what the file says.
    ///
    /// # Errors
    /// [`FileError`] for what is no checkpoint for these parameters.
    pub fn load(input: impl Read, parameters: &Parameters) -> Result<Self, FileError> {
        Self::read(FileReader::new(input)?, parameters)
    }

    /// Reads the checkpoint that a file holds.
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
        let done = read_count(input, "the steps that are done", MOST_STEPS)?;
        let steps = read_count(input, "all steps", MOST_STEPS)?;
        let count = read_count(input, "the number of values", MOST_STEPS)?;
        if done > steps || count > steps {
            let what = format!("{done} steps done and {count} values, of {steps} steps");
            return Err(input.malformed(12, what));
        }
        let [has_angles] = input.array("whether there are angles")?;
        let seed = input.array("the seed of the angles")?;
        let angles = match has_angles {
            0 => None,
            1 => Some(seed),
            _ => return Err(input.malformed(33, "there are neither angles nor none")),
        };
        let mut values: Vec<(usize, Ciphertext)> = Vec::new();
        for _ in 0..count {
            let step = read_count(input, "a value's step", MOST_STEPS)?;
            let is_next = values.last().is_none_or(|(before, _)| *before < step);
            if step >= steps || !is_next {
                return Err(input.malformed(4, format!("a value of step {step} of {steps}")));
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
