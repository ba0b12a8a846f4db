// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Records programs without arithmetic.
//!
//! A dry server runs the code of a [`Server`] in a ring whose polynomials have no words
//! ([`Ring::dry`](crate::ring::Ring::dry)), with keys and plaintexts that are not computed. The
//! program of a bootstrap at N = 2¹⁶ is recorded in a fraction of a second. Levels, scales, bounds
//! and noise of results equal those of a server that computes.

use std::collections::{BTreeMap, HashMap};
use std::ops::ControlFlow;
use std::sync::{Mutex, PoisonError};

use crate::circuit::{CircuitError, Input, Plan};
use crate::encoding::Plaintext;
use crate::estimate::{Bound, Origin};
use crate::evaluator::{Ciphertext, EvaluationKeys, Metadata};
use crate::keys::{KeyId, KeyUse, SwitchingKey};
use crate::linear::LinearTransform;
use crate::operations::Operations;
use crate::params::{fresh_error, Parameters};
use crate::ring::{Form, Polynomial, Program};
use crate::sampling::Seed;
use crate::server::{NamedDraft, Server};

/// The seed of the angles of a bootstrap, which do not affect the steps.
const ANGLES: Seed = *b"angles of slots of a dry server.";

/// A server that records programs without arithmetic.
pub struct DryServer {
    server: Server,
    /// Held during a recording: a ring records one program at a time.
    recording: Mutex<()>,
}

impl DryServer {
    /// Creates a dry server with keys for these uses, each up to a level, as listed by
    /// [`Operations::keys`](crate::Operations::keys).
    pub fn new(parameters: &Parameters, keys: &BTreeMap<KeyUse, usize>) -> Self {
        let ring = parameters.ring();
        let parameters = if ring.is_dry() { parameters.clone() } else { parameters.to_dry() };
        let mut dry = EvaluationKeys::new(&parameters);
        for (of, level) in keys {
            dry.insert(*of, SwitchingKey::dry(&parameters, *of, *level));
        }
        Self { server: Server::new(dry).with_angles(ANGLES), recording: Mutex::new(()) }
    }

    /// Creates a dry server with the keys of `server`.
    pub fn of(server: &Server) -> Self {
        let keys = server.keys().iter().map(|(of, key)| (of, key.level()));
        Self::new(server.parameters(), &keys.collect())
    }

    /// Creates a dry server with the keys that a plan needs. With `few_keys`, its bootstraps use
    /// few keys.
    pub fn for_plan(plan: &Plan, few_keys: bool) -> Self {
        let operations = Operations { few_keys, ..plan.operations() };
        Self::new(plan.parameters(), &operations.keys(plan.parameters()))
    }

    /// The server, in a ring without arithmetic.
    pub fn server(&self) -> &Server {
        &self.server
    }

    /// Returns the server alone, for a [`ProgramServer`](super::ProgramServer) whose executor
    /// examines programs and computes nothing.
    pub fn into_server(self) -> Server {
        self.server
    }

    /// Returns a fresh ciphertext of a vector of this length at a level, with the scale of the
    /// level and the default bound.
    ///
    /// # Panics
    /// Panics for a level above the highest.
    pub fn input(&self, level: usize, length: usize) -> Ciphertext {
        let parameters = self.server.parameters();
        let (slots, scale) = (length.next_power_of_two(), parameters.level(level).scale);
        let parts = self.blank(level);
        let (bound, origin) = (Bound::complex(parameters.default_bound()), Origin::ANY);
        let polynomial = parts[0].clone();
        let plaintext = Plaintext { polynomial, scale, slots, length, bound, origin };
        // The errors of two inputs are independent.
        let (second, error) = (Origin::new(parts[1].name()), fresh_error(scale, slots));
        Ciphertext::fresh(&plaintext, parts, level, KeyId::NOBODY, second, error)
    }

    /// Returns ciphertexts without residues that have the metadata of `others`. Ciphertexts that
    /// share residues still share them.
    pub fn like(&self, others: &[&Ciphertext]) -> Vec<Ciphertext> {
        let mut known: HashMap<[u64; 2], [Polynomial; 2]> = HashMap::new();
        let like = |other: &&Ciphertext| {
            let names = other.parts().map(Polynomial::name);
            let parts = known.entry(names).or_insert_with(|| self.blank(other.level())).clone();
            other.with_residues(parts, KeyId::NOBODY)
        };
        others.iter().map(like).collect()
    }

    /// Like [`Server::record`], without arithmetic. [`Self::input`] and [`Self::like`] create its
    /// inputs. Before you record a bootstrap, call
    /// [`Bootstrapper::prepare_bootstrap_of`](crate::Bootstrapper::prepare_bootstrap_of) on
    /// [`Self::server`].
    ///
    /// # Errors
    /// As [`Server::record`].
    pub fn record(
        &self,
        inputs: &[&Ciphertext],
        matrices: &[&LinearTransform],
        work: impl FnOnce(&Server) -> Result<Vec<Ciphertext>, CircuitError>,
    ) -> Result<(Vec<Ciphertext>, Program), CircuitError> {
        self.record_with_drafts(inputs, matrices, work)
            .map(|(results, program, _)| (results, program))
    }

    /// Like [`Self::record`]. Also returns the plaintexts that the work would have encoded.
    pub(super) fn record_with_drafts(
        &self,
        inputs: &[&Ciphertext],
        matrices: &[&LinearTransform],
        work: impl FnOnce(&Server) -> Result<Vec<Ciphertext>, CircuitError>,
    ) -> Result<(Vec<Ciphertext>, Program, Vec<NamedDraft>), CircuitError> {
        let _one = self.recording.lock().unwrap_or_else(PoisonError::into_inner);
        self.server.record_with_drafts(inputs, matrices, work)
    }

    /// Returns the program of a whole plan, and its result without residues. Input k is the k-th of
    /// [`Plan::inputs`].
    ///
    /// # Errors
    /// As [`Bootstrapper::run_plan`](crate::Bootstrapper::run_plan).
    pub fn record_plan(&self, plan: &Plan) -> Result<(Ciphertext, Program), CircuitError> {
        self.prepare_bootstraps_of(plan)?;
        let inputs = self.inputs_of(plan);
        let inputs = borrowed(&inputs);
        let ciphertexts: Vec<&Ciphertext> = inputs.iter().map(|(_, a)| *a).collect();
        // The first run encodes matrices, which is not part of the program.
        let plan = plan.to_dry(self.server.parameters());
        let run = |server: &Server| Ok(vec![server.run_plan(&plan, &inputs, |_| {})?]);
        self.run(run)?;
        let (mut results, program) = self.record(&ciphertexts, &[], run)?;
        results.pop().map(|result| (result, program)).ok_or(CircuitError::NothingEncrypted)
    }

    /// Returns the results of a plan for these inputs, without residues. Their levels, scales and
    /// errors equal those of a server with the same keys. If the error of an input is a claim, so
    /// are the errors of the results ([`Ciphertext::has_claimed_error`]).
    ///
    /// # Errors
    /// As [`Bootstrapper::run_plan_all`](crate::Bootstrapper::run_plan_all).
    pub fn results_of_plan(
        &self,
        plan: &Plan,
        inputs: &[(&str, &Ciphertext)],
    ) -> Result<Vec<Ciphertext>, CircuitError> {
        self.prepare_bootstraps_of(plan)?;
        let ciphertexts: Vec<&Ciphertext> = inputs.iter().map(|(_, a)| *a).collect();
        let dry = self.like(&ciphertexts);
        let inputs: Vec<(&str, &Ciphertext)> =
            inputs.iter().zip(&dry).map(|((name, _), a)| (*name, a)).collect();
        let plan = plan.to_dry(self.server.parameters());
        self.run(|server| server.run_plan_all(&plan, &inputs, None, |_| ControlFlow::Continue(())))
    }

    fn prepare_bootstraps_of(&self, plan: &Plan) -> Result<(), CircuitError> {
        let operations = plan.operations();
        let full = operations.bootstrap.then_some(plan.parameters().slots());
        for slots in full.into_iter().chain(operations.bootstrap_slots) {
            self.server.prepare_bootstrap_of(slots)?;
        }
        Ok(())
    }

    /// Runs work without recording it, to find the metadata of its results.
    pub(super) fn run<R>(&self, work: impl FnOnce(&Server) -> R) -> R {
        let _one = self.recording.lock().unwrap_or_else(PoisonError::into_inner);
        work(&self.server)
    }

    /// Returns the results of a plan for fresh inputs that match it, without residues. The holder
    /// of a plan thereby knows the levels, scales and errors of results that others compute.
    ///
    /// # Errors
    /// As [`Bootstrapper::run_plan_all`](crate::Bootstrapper::run_plan_all).
    pub fn results_of_fresh(&self, plan: &Plan) -> Result<Vec<Ciphertext>, CircuitError> {
        self.results_of_plan(plan, &borrowed(&self.inputs_of(plan)))
    }

    /// Creates fresh inputs for a plan, without residues.
    pub fn inputs_of<'p>(&self, plan: &'p Plan) -> Vec<(&'p str, Ciphertext)> {
        let input = |(name, input): (&'p String, &Input)| {
            let Input { length, level, estimate } = *input;
            (name.as_str(), self.input(level, length).assuming(estimate.bound))
        };
        plan.inputs().iter().map(input).collect()
    }

    /// Creates a ciphertext without residues that has this metadata.
    pub(super) fn ciphertext(&self, known: Metadata<2>) -> Ciphertext {
        Ciphertext::new(self.blank(known.level()), known)
    }

    fn blank(&self, level: usize) -> [Polynomial; 2] {
        let parameters = self.server.parameters();
        [0, 1].map(|_| parameters.ring().blank(&parameters.level(level).basis, Form::Values))
    }
}

fn borrowed<'i>(inputs: &'i [(&'i str, Ciphertext)]) -> Vec<(&'i str, &'i Ciphertext)> {
    inputs.iter().map(|(name, a)| (*name, a)).collect()
}
