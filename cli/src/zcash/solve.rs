// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `halimede zcash solve`: finds Equihash solutions of a header, nonce after nonce.

use halimede_equihash::{
    meets_target, minimal_from_indices, Header, Params, Solver, Target, Watch,
};
use indicatif::ProgressBar;
use rayon::prelude::*;

use super::solution_output::SolutionOutput;
use super::template::Template;
use crate::arguments::{Nonce, SolveOptions};
use crate::error::CommandError;
use crate::output::note;
use crate::progress::{spinner, steps_bar};

/// Puzzles that need at least this memory are slow: the command says so, and shows a progress bar.
const LARGE_BYTES: u64 = 100_000_000;
/// Puzzles that need less memory are solved by one thread each.
const SMALL_BYTES: u64 = 1_000_000;
/// The maximum number of nonces that are tried at once.
const MOST_AT_ONCE: u64 = 64;
/// The number of steps of the progress bar.
const STEPS: u64 = 1_000;
/// The minimum average number of solutions per nonce for a search over unlimited nonces, which
/// would otherwise not end.
const LEAST_MEAN: f64 = 1e-4;

pub fn run(options: &SolveOptions, json: bool) -> Result<(), CommandError> {
    let params = params(options)?;
    let mut solver = Solver::new(params);
    if let Some(limit) = options.memory {
        solver = solver.with_memory_limit(limit);
    }
    let template = match &options.header {
        Some(header) => Template::given(header)?,
        None => Template::random(options.network),
    };
    let search = Search::new(options, solver, template)?;
    if options.header.is_none() && !options.as_header && !json {
        note(format_args!("generated a header: {}", template.to_hex()));
    }
    if search.is_large() {
        let gigabytes = solver.memory_bytes() as f64 / 1e9;
        note(format_args!("{params} needs up to {gigabytes:.2} GB of memory"));
    }
    let mut output = SolutionOutput::new(options, json)?;
    let outcome = search.run(&mut output);
    match outcome {
        // Solutions found so far are kept.
        Ok(()) | Err(CommandError::TooFewSolutions { found: 1.., .. }) => output.complete()?,
        Err(_) => {}
    }
    outcome
}

fn params(options: &SolveOptions) -> Result<Params, CommandError> {
    match (options.n, options.k) {
        (Some(n), Some(k)) => {
            Params::new(n, k).map_err(|error| CommandError::BadInput(error.to_string()))
        }
        _ => Ok(options.network.params()),
    }
}

/// A search: the nonces to try, and when to stop.
struct Search {
    solver: Solver,
    template: Template,
    first: Nonce,
    /// The maximum number of nonces to try.
    nonces: Option<u64>,
    /// The number of solutions to find.
    count: Option<u64>,
    until_target: bool,
    bar: ProgressBar,
}

impl Search {
    fn new(
        options: &SolveOptions,
        solver: Solver,
        template: Template,
    ) -> Result<Self, CommandError> {
        let (first, nonces) = match (options.nonce, options.nonces) {
            (Some(nonce), _) => (nonce, Some(1)),
            (None, Some(range)) => {
                (range.from.into(), range.to.map(|to| to.saturating_sub(range.from)))
            }
            (None, None) => (template.nonce, None),
        };
        let (params, mean) = (solver.params(), solver.mean_solutions());
        if nonces.is_none() && mean < LEAST_MEAN {
            return Err(CommandError::BadInput(format!(
                "{params} has {mean:.1e} solutions per nonce on average; give the nonces to try \
                 with --nonces FROM..TO"
            )));
        }
        if options.until_target {
            Target::from_compact(template.bits())
                .map_err(|error| CommandError::BadInput(format!("--until-target: {error}")))?;
        }
        let count = options.count.or(if nonces.is_none() { Some(1) } else { None });
        let bar = if solver.memory_bytes() < LARGE_BYTES { spinner() } else { steps_bar(STEPS) };
        let until_target = options.until_target;
        Ok(Self { solver, template, first, nonces, count, until_target, bar })
    }

    fn is_large(&self) -> bool {
        self.solver.memory_bytes() >= LARGE_BYTES
    }

    /// Tries nonces until the search is complete. A small puzzle leaves most threads idle: several
    /// nonces are tried at once, in growing numbers.
    fn run(&self, output: &mut SolutionOutput) -> Result<(), CommandError> {
        let most_at_once = if self.solver.memory_bytes() < SMALL_BYTES { MOST_AT_ONCE } else { 1 };
        let (mut nonce, mut tried, mut found, mut at_once) = (self.first, 0, 0, 1);
        while self.nonces.is_none_or(|nonces| tried < nonces) {
            self.bar.set_message(format!("{tried} nonces, {found} solutions"));
            let count = self.nonces.map_or(at_once, |nonces| at_once.min(nonces - tried));
            let nonces = std::iter::successors(Some(nonce), |nonce| Some(nonce.next()));
            let nonces: Vec<Nonce> = nonces.take(count as usize + 1).collect();
            nonce = nonces[count as usize];
            let solved = nonces[..count as usize].par_iter().map(|nonce| self.solve(*nonce));
            let solved: Result<Vec<_>, CommandError> = solved.collect();
            for (header, indices) in solved?.into_iter().flatten() {
                output.write(&header, &indices)?;
                found += 1;
                if self.count == Some(found) {
                    self.bar.finish_and_clear();
                    return Ok(());
                }
            }
            tried += count;
            at_once = (2 * at_once).min(most_at_once);
        }
        self.bar.finish_and_clear();
        // Without --count, all solutions of the nonces are requested, and at least one must exist.
        match self.count.unwrap_or(1) {
            wanted if found < wanted => {
                Err(CommandError::TooFewSolutions { found, wanted, nonces: tried })
            }
            _ => Ok(()),
        }
    }

    /// Returns the solutions of a nonce, with --until-target only those that meet the target.
    fn solve(&self, nonce: Nonce) -> Result<Vec<(Header, Vec<u32>)>, CommandError> {
        let fields = self.template.with_nonce(nonce);
        let solutions = match self.is_large() {
            true => self.solver.solve_watched(&fields, &Bar(&self.bar)),
            false => self.solver.solve(&fields),
        };
        let params = self.solver.params();
        let mut headers = Vec::new();
        for indices in solutions.map_err(bad_input)? {
            let minimal = minimal_from_indices(params, &indices).map_err(bad_input)?;
            let header = Header::new(params, fields, minimal).map_err(bad_input)?;
            if !self.until_target || meets_target(&header.to_bytes()) {
                headers.push((header, indices));
            }
        }
        Ok(headers)
    }
}

fn bad_input(error: impl std::fmt::Display) -> CommandError {
    CommandError::BadInput(error.to_string())
}

/// Advances the progress bar.
struct Bar<'b>(&'b ProgressBar);

impl Watch for Bar<'_> {
    fn progress(&self, done: f64) {
        self.0.set_position((done * STEPS as f64) as u64);
    }
}
