// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A GPU as a place that runs CKKS programs.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use halimede_ckks::executor::{
    ExecutorError, ProgramConstants, ProgramExecutor, ProgramPlace, Resident,
};
use halimede_ckks::ring::{
    lent, Basis, External, Form, Polynomial, Prime, Program, ProgramError, RingId,
};
use halimede_ckks::Parameters;

use super::compile::{compile, CompileOptions, CompiledProgram};
use super::resident::Limbs;
use super::state::{State, ENGINE, FACTOR_WORDS};
use crate::error::CudaError;
use crate::gpu::Holder;
use crate::place::GpuPlace;

/// The most compiled programs of an executor; the least recently used one is forgotten.
const MOST_COMPILED: usize = 256;

/// A GPU whose executors share its memory. Their programs run sequentially.
pub struct CudaPrograms {
    shared: Arc<Shared>,
}

struct Shared {
    place: Arc<GpuPlace>,
    state: Mutex<Option<State>>,
    /// The ciphertexts, some of which may no longer exist.
    ciphertexts: Mutex<Vec<Weak<Mutex<Copies>>>>,
}

/// An executor of programs with given parameters.
struct CkksExecutor {
    shared: Arc<Shared>,
    parameters: Parameters,
    primes: Vec<Prime>,
    /// Most recently used first.
    compiled: Mutex<Vec<(Arc<Program>, Arc<CompiledProgram>)>>,
}

/// Both parts of a ciphertext. A ciphertext that was uploaded or downloaded stays on this machine
/// too, and survives the loss of the GPU.
struct CkksCiphertext {
    place: Arc<Shared>,
    ring: RingId,
    copies: Arc<Mutex<Copies>>,
}

#[derive(Clone, Default)]
struct Copies {
    here: Option<[Polynomial; 2]>,
    there: Option<[Arc<Limbs>; 2]>,
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl CudaPrograms {
    /// Creates the place of programs of a GPU. The kernels are loaded at the first program.
    pub fn new(place: &Arc<GpuPlace>) -> Self {
        let (state, ciphertexts) = Default::default();
        let shared = Arc::new(Shared { place: Arc::clone(place), state, ciphertexts });
        let holder: Arc<dyn Holder> = Arc::<Shared>::clone(&shared);
        place.gpu().add_holder(Arc::downgrade(&holder));
        Self { shared }
    }
}

impl ProgramPlace for CudaPrograms {
    fn executor(&self, parameters: &Parameters) -> Result<Arc<dyn ProgramExecutor>, ExecutorError> {
        self.shared.check_kernels().map_err(|error| self.shared.error(&error))?;
        Ok(Arc::new(CkksExecutor {
            shared: Arc::clone(&self.shared),
            parameters: parameters.clone(),
            primes: parameters.ring().program_primes(),
            compiled: Mutex::default(),
        }))
    }

    fn takes(&self, _log_degree: u32) -> bool {
        self.shared.check_kernels().is_ok()
    }
}

impl Shared {
    /// Checks that the kernels exist.
    fn check_kernels(&self) -> Result<(), CudaError> {
        let gpu = self.place.gpu();
        gpu.kernels().read(ENGINE, gpu.info().capability).map(drop)
    }

    /// Works with the state of the current context. After an error other than a lack of memory, the
    /// state counts as lost: the next call sends everything again.
    fn with_state<T>(
        &self,
        work: impl FnOnce(&mut State) -> Result<T, CudaError>,
    ) -> Result<T, ExecutorError> {
        let mut held = locked(&self.state);
        if held.as_ref().is_some_and(|state| state.context.loss().is_some()) {
            self.give_up_all(&mut held);
        }
        let result = self.place.gpu().context().and_then(|context| {
            if held.as_ref().is_some_and(|state| !Arc::ptr_eq(&state.context, &context)) {
                *held = None;
            }
            let state = match held.take() {
                Some(state) => state,
                None => State::new(&self.place, &context)?,
            };
            work(held.insert(state))
        });
        match result {
            Ok(done) => Ok(done),
            Err(error) => {
                if held.as_ref().is_some_and(|state| state.context.loss().is_some()) {
                    self.give_up_all(&mut held);
                } else if !matches!(error, CudaError::Memory { .. }) {
                    *held = None;
                }
                Err(self.error(&error))
            }
        }
    }

    /// Gives up everything on the GPU. Ciphertexts that are only there are lost.
    fn give_up_all(&self, held: &mut Option<State>) {
        *held = None;
        for copies in locked(&self.ciphertexts).iter().filter_map(Weak::upgrade) {
            locked(&copies).there = None;
        }
        self.place.release_memory();
    }

    fn remember(&self, copies: &Arc<Mutex<Copies>>) {
        let mut all = locked(&self.ciphertexts);
        if all.len() == all.capacity() {
            all.retain(|copies| copies.strong_count() > 0);
        }
        all.push(Arc::downgrade(copies));
    }

    fn error(&self, error: &CudaError) -> ExecutorError {
        let (executor, reason) = (self.place.device().to_owned(), error.to_string());
        match error {
            CudaError::Memory { .. }
            | CudaError::NoDriver { .. }
            | CudaError::OldDriver { .. }
            | CudaError::NoGpu { .. }
            | CudaError::OldGpu { .. }
            | CudaError::NoKernels { .. }
            | CudaError::NoFunction { .. }
            | CudaError::Refused { .. } => ExecutorError::Unavailable { executor, reason },
            _ => ExecutorError::Failed { executor, reason },
        }
    }
}

impl Holder for Shared {
    fn give_up(&self) {
        // A call that holds the state gives it up when it ends.
        if let Ok(mut held) = self.state.try_lock() {
            if held.is_some() {
                self.give_up_all(&mut held);
            }
        }
    }
}

impl CkksCiphertext {
    /// Checks that a part has the primes and the form of an external value.
    fn check(&self, part: usize, external: &External, degree: usize) -> Result<(), ExecutorError> {
        let is_it = |basis: &Basis, form: Form, own: usize| {
            own * external.run == degree && basis.contains(&external.basis) && form == external.form
        };
        let copies = locked(&self.copies);
        let is_it = match (&copies.here, &copies.there) {
            (Some(here), _) => is_it(here[part].basis(), here[part].form(), here[part].degree()),
            (None, Some(there)) => is_it(&there[part].basis, there[part].form, there[part].degree),
            (None, None) => false,
        };
        match is_it {
            true => Ok(()),
            false => Err(ProgramError::Shape { name: external.name.clone() }.into()),
        }
    }

    /// Returns both parts on the GPU, to which they are sent if they are not in this context.
    fn on(&self, state: &mut State) -> Result<[Arc<Limbs>; 2], CudaError> {
        let mut copies = locked(&self.copies);
        let of_context = |of: &[Arc<Limbs>; 2]| of.iter().all(|of| of.is_of(&state.context));
        if let Some(there) = copies.there.as_ref().filter(|of| of_context(of)) {
            return Ok(there.clone());
        }
        let [a, b] = copies.here.as_ref().ok_or(CudaError::LostCiphertext)?;
        let there = [state.upload(a)?, state.upload(b)?];
        copies.there = Some(there.clone());
        Ok(there)
    }
}

impl ProgramExecutor for CkksExecutor {
    fn name(&self) -> &str {
        self.shared.place.device()
    }

    fn upload(&self, parts: [&Polynomial; 2]) -> Result<Resident, ExecutorError> {
        let ring = self.parameters.ring();
        for part in parts {
            self.check_public(part, "a ciphertext")?;
            if part.ring_id() != ring.id() || part.degree() != ring.degree() {
                return Err(ProgramError::Shape { name: "a ciphertext".into() }.into());
            }
        }
        let copies = Copies { here: Some(parts.map(Polynomial::clone)), there: None };
        let ciphertext = self.ciphertext(copies);
        self.shared.with_state(|state| ciphertext.on(state))?;
        Ok(Resident::new(ciphertext))
    }

    fn download(&self, resident: &Resident) -> Result<[Polynomial; 2], ExecutorError> {
        let ciphertext = self.own(resident)?;
        if let Some(here) = &locked(&ciphertext.copies).here {
            return Ok(here.clone());
        }
        let ring = self.parameters.ring();
        let here = self.shared.with_state(|state| {
            let [a, b] = ciphertext.on(state)?;
            Ok([a.download(&state.stream, ring)?, b.download(&state.stream, ring)?])
        })?;
        Ok(locked(&ciphertext.copies).here.insert(here).clone())
    }

    fn supports(
        &self,
        program: &Arc<Program>,
        _held: &ProgramConstants,
    ) -> Result<(), ExecutorError> {
        let compiled = self.compiled(program)?;
        let (needed, limit) = (needed(program, &compiled), self.shared.place.gpu().memory_limit());
        if needed.sum() <= limit {
            return Ok(());
        }
        let Needed { tables, work, externals, outputs } = needed;
        let executor = self.name().to_owned();
        let reason = format!(
            "the program needs {} bytes of GPU memory at once ({externals} for ciphertexts, keys \
             and plaintexts, {work} for its work, {outputs} for results, {tables} for tables), but \
             at most {limit} may be used",
            needed.sum()
        );
        Err(ExecutorError::Unavailable { executor, reason })
    }

    fn run(
        &self,
        program: &Arc<Program>,
        held: &ProgramConstants,
        inputs: &[&Resident],
    ) -> Result<Vec<Resident>, ExecutorError> {
        self.supports(program, held)?;
        let compiled = self.compiled(program)?;
        let inputs = inputs.iter().map(|input| self.own(input));
        let inputs = inputs.collect::<Result<Vec<_>, _>>()?;
        for (index, external) in program.externals.iter().enumerate() {
            let input = inputs.get(index / 2).filter(|_| compiled.is_used[index]);
            input.map_or(Ok(()), |input| input.check(index % 2, external, program.degree))?;
        }
        let constants = self.constants(program, &compiled, held, 2 * inputs.len())?;
        let outputs = self.shared.with_state(|state| {
            let mut parts = Vec::with_capacity(2 * inputs.len());
            for input in &inputs {
                parts.extend(input.on(state)?);
            }
            state.constants.start();
            let mut externals = Vec::with_capacity(program.externals.len());
            for (index, external) in program.externals.iter().enumerate() {
                let part = parts.get(index).filter(|_| compiled.is_used[index]);
                externals.push(match (part, constants.get(index).copied().flatten()) {
                    (Some(part), _) => Some(state.input(external, part)?),
                    (None, Some(of)) => Some(state.constant(program, external, of)?),
                    (None, None) => None,
                });
            }
            state.run(program, &compiled, &externals)
        })?;
        let mut outputs = outputs.into_iter();
        let mut results = Vec::new();
        while let (Some(a), Some(b)) = (outputs.next(), outputs.next()) {
            let copies = Copies { here: None, there: Some([a, b]) };
            results.push(Resident::new(self.ciphertext(copies)));
        }
        Ok(results)
    }
}

impl CkksExecutor {
    fn ciphertext(&self, copies: Copies) -> CkksCiphertext {
        let (place, ring) = (Arc::clone(&self.shared), self.parameters.ring().id());
        let copies = Arc::new(Mutex::new(copies));
        place.remember(&copies);
        CkksCiphertext { place, ring, copies }
    }

    /// Returns the handle of a ciphertext of this place and ring.
    fn own<'r>(&self, resident: &'r Resident) -> Result<&'r CkksCiphertext, ExecutorError> {
        let ciphertext: &CkksCiphertext = resident.kept(self.name())?;
        if !Arc::ptr_eq(&ciphertext.place, &self.shared) {
            return Err(ExecutorError::Foreign { executor: self.name().to_owned() });
        }
        if ciphertext.ring != self.parameters.ring().id() {
            return Err(ProgramError::Shape { name: "a ciphertext".into() }.into());
        }
        Ok(ciphertext)
    }

    /// Checks that a polynomial may leave this machine.
    fn check_public(&self, polynomial: &Polynomial, name: &str) -> Result<(), ExecutorError> {
        match polynomial.is_secret() {
            false => Ok(()),
            true => {
                let (executor, name) = (self.name().to_owned(), name.to_owned());
                Err(ExecutorError::Secret { executor, name })
            }
        }
    }

    /// Returns the polynomials of the external values after the inputs that the program uses.
    fn constants<'a>(
        &self,
        program: &'a Program,
        compiled: &CompiledProgram,
        held: &'a ProgramConstants,
        inputs: usize,
    ) -> Result<Vec<Option<&'a Polynomial>>, ExecutorError> {
        let externals = program.externals.iter().enumerate().map(|(index, external)| {
            if index < inputs || !compiled.is_used[index] {
                return Ok(None);
            }
            let polynomial = lent(external, program.degree, |of| held.get(of))?;
            self.check_public(polynomial, &external.name)?;
            Ok(Some(polynomial))
        });
        externals.collect()
    }

    /// Returns the compiled program, if it is of this ring.
    fn compiled(&self, program: &Arc<Program>) -> Result<Arc<CompiledProgram>, ExecutorError> {
        if program.degree != self.parameters.ring().degree() || program.primes != self.primes {
            let (degree, primes) = (program.degree, program.primes.len());
            return Err(ProgramError::Ring { degree, primes }.into());
        }
        let mut all = locked(&self.compiled);
        if let Some(index) = all.iter().position(|(of, _)| Arc::ptr_eq(of, program)) {
            all[..=index].rotate_right(1);
            return Ok(Arc::clone(&all[0].1));
        }
        let compiled = Arc::new(compile(program, &CompileOptions::default())?);
        all.truncate(MOST_COMPILED - 1);
        all.insert(0, (Arc::clone(program), Arc::clone(&compiled)));
        Ok(compiled)
    }
}

/// Bytes that a program needs on a GPU at once.
#[derive(Clone, Copy)]
struct Needed {
    tables: usize,
    work: usize,
    externals: usize,
    outputs: usize,
}

impl Needed {
    fn sum(self) -> usize {
        self.tables + self.work + self.externals + self.outputs
    }
}

fn needed(program: &Program, compiled: &CompiledProgram) -> Needed {
    let limb_bytes = size_of::<u32>() * program.degree;
    let used = program.externals.iter().zip(&compiled.is_used).filter(|(_, is_used)| **is_used);
    let factors = 2 * program.degree * program.primes.len() * FACTOR_WORDS;
    Needed {
        tables: size_of::<u64>() * (factors + compiled.code.len()),
        work: compiled.work_limbs * limb_bytes,
        externals: used.map(|(of, _)| of.basis.len() * limb_bytes / of.run).sum(),
        outputs: compiled.outputs.iter().map(|(basis, _)| basis.len() * limb_bytes).sum(),
    }
}
