// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The state of a plan's run between two steps, from which it can go on, in another process too.

use std::fmt::{self, Write};

use blake3::Hasher;

use super::graph::Operation;
use super::plan::Plan;
use super::unary::Unary;
use crate::evaluator::Ciphertext;
use crate::files::{FileKind, Header};
use crate::sampling::Seed;

/// The values that the rest of a run needs, after some of its steps.
///
/// It belongs to one plan, with all numbers in it, and to the very inputs of the run, and is refused
/// with others ([`super::CircuitError::OtherRun`]). A run that goes on from it has the bits that it
/// would have had. For that it has the seed of the angles of bootstraps, which [nobody who chooses
/// values may know](crate::Bootstrapper::with_angles), and its values tell who can decrypt them what
/// the plan's numbers make of the inputs on the way: it is for the server that made it alone.
#[derive(Clone)]
pub struct Checkpoint {
    pub(crate) run: RunId,
    pub(crate) done: usize,
    pub(crate) steps: usize,
    /// The seed of bootstraps' angles, where there was one.
    pub(crate) angles: Option<Seed>,
    /// Those that later steps take, by the step that made them.
    pub(crate) values: Vec<(usize, Ciphertext)>,
}

/// What tells a run from others: a hash of its plan and of its inputs.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct RunId([u8; 32]);

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

impl RunId {
    /// The hash of a plan and of its inputs, which are taken by their names.
    pub(super) fn of(plan: &Plan, inputs: &[(&str, &Ciphertext)]) -> Self {
        let mut hasher = Hasher::new_derive_key("Halimede CKKS, a run of a plan");
        hasher.update(&plan.digest());
        for name in plan.inputs().keys() {
            let given = inputs.iter().find(|(given, _)| given == name);
            hasher.update(&(name.len() as u64).to_le_bytes()).update(name.as_bytes());
            hasher.update(&given.map_or([0; 32], |(_, input)| input.digest(plan.parameters())));
        }
        Self(*hasher.finalize().as_bytes())
    }

    /// The identifier that a file says.
    pub(crate) fn of_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// All of it.
    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

/// As 64 digits.
impl fmt::Display for RunId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for RunId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// A hash of the plan: its parameters, and its steps with all their numbers. That of another version
/// of this library is another one, since its operations may have other bits.
pub(super) fn digest_of(plan: &Plan) -> [u8; 32] {
    let mut text = Text(Hasher::new_derive_key("Halimede CKKS, a plan"));
    let version = env!("CARGO_PKG_VERSION");
    text.0.update(version.as_bytes());
    text.0.update(Header::new(FileKind::Checkpoint, plan.parameters()).hash().as_bytes());
    for step in plan.steps() {
        // What is written to a hasher is never refused.
        let _ = match &step.operation {
            Operation::Unary(Unary::Transform(matrix)) => {
                text.0.update(&matrix.digest());
                write!(text, "transform")
            }
            other => write!(text, "{other:?}"),
        };
        let (operands, level, length) = (&step.operands, step.level, step.length);
        let _ = write!(text, "\n{operands:?} {level} {length} {:?}\n", step.estimate);
    }
    *text.0.finalize().as_bytes()
}

/// Hashes text. Debug texts of doubles tell all their bits.
struct Text(Hasher);

impl Write for Text {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.0.update(text.as_bytes());
        Ok(())
    }
}
