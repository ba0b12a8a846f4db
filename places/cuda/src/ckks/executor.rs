// SPDX-License-Identifier: Apache-2.0 OR MIT
//! GPUs as a place that runs CKKS programs.

use std::sync::{Arc, Mutex};

use halimede_ckks::executor::{
    ExecutorError, ProgramConstants, ProgramExecutor, ProgramPlace, Resident,
};
use halimede_ckks::ring::{lent, Polynomial, Prime, Program, ProgramError, Ring, RingId};
use halimede_ckks::Parameters;

use super::compile::{compile, CompileOptions, CompiledProgram};
use super::member::{locked, Ciphertexts, Copies, Member, Queued};
use super::state::{ENGINE, FACTOR_WORDS};
use crate::error::CudaError;
use crate::gpu::Gpu;
use crate::place::GpuPlace;

/// The most compiled programs of an executor; the least recently used one is forgotten.
const MOST_COMPILED: usize = 256;

/// GPUs whose executors share their memory. The programs of a GPU run sequentially, those of
/// different GPUs at the same time.
pub struct CudaPrograms {
    shared: Arc<Shared>,
}

struct Shared {
    place: Arc<GpuPlace>,
    members: Vec<Arc<Member>>,
    ciphertexts: Arc<Ciphertexts>,
    /// Held while a program chooses its GPU.
    choosing: Mutex<()>,
}

/// An executor of programs with given parameters.
struct CkksExecutor {
    shared: Arc<Shared>,
    parameters: Parameters,
    primes: Vec<Prime>,
    /// Most recently used first.
    compiled: Mutex<Vec<(Arc<Program>, Arc<CompiledProgram>)>>,
}

/// A ciphertext of a place.
struct CkksCiphertext {
    place: Arc<Shared>,
    ring: RingId,
    copies: Arc<Mutex<Copies>>,
}

impl CudaPrograms {
    /// Creates the place of programs of GPUs. The kernels are loaded at the first program.
    pub fn new(place: &Arc<GpuPlace>) -> Self {
        let (place, ciphertexts) = (Arc::clone(place), Arc::<Ciphertexts>::default());
        let members = (0..place.gpus().count())
            .map(|position| Member::new(&place, position, &ciphertexts))
            .collect();
        Self {
            shared: Arc::new(Shared { place, members, ciphertexts, choosing: Mutex::default() }),
        }
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

    /// Returns the GPU that should run a program which needs this memory, among those that were not
    /// tried; `None` if there is no other one.
    ///
    /// A GPU that has just failed comes last. Then, inputs that are only on other GPUs count, then
    /// the programs that wait, then the inputs that have to be sent.
    fn choose(
        &self,
        inputs: &[&CkksCiphertext],
        needed: usize,
        tried: &[bool],
    ) -> Option<(usize, Queued<'_>)> {
        let _one = locked(&self.choosing);
        let all = self.members.iter().enumerate();
        let untried = all.filter(|(position, member)| {
            !tried[*position] && needed <= member.gpu().memory_limit()
        });
        let rank = |(position, member): &(usize, &Arc<Member>)| {
            let (mut elsewhere, mut missing) = (0, 0);
            for input in inputs {
                let copies = locked(&input.copies);
                let is_missing = !copies.is_on(*position);
                elsewhere += usize::from(is_missing && copies.here.is_none());
                missing += usize::from(is_missing);
            }
            (member.has_just_failed(), elsewhere, member.queued(), missing)
        };
        untried.min_by_key(rank).map(|(position, member)| (position, member.enqueue()))
    }

    /// Copies a ciphertext to this machine, if it is neither here nor on the GPU.
    fn bring(
        &self,
        ciphertext: &CkksCiphertext,
        position: usize,
        ring: &Ring,
    ) -> Result<(), CudaError> {
        let copies = locked(&ciphertext.copies);
        if copies.here.is_some() || copies.is_on(position) {
            return Ok(());
        }
        drop(copies);
        self.fetch(ciphertext, ring).map(drop)
    }

    /// Returns both parts of a ciphertext, from this machine or a GPU, and keeps them here.
    fn fetch(
        &self,
        ciphertext: &CkksCiphertext,
        ring: &Ring,
    ) -> Result<[Polynomial; 2], CudaError> {
        let copies = locked(&ciphertext.copies);
        if let Some(here) = &copies.here {
            return Ok(here.clone());
        }
        let gpus: Vec<usize> = copies.gpus().collect();
        drop(copies);
        let mut failure = CudaError::LostCiphertext;
        for position in gpus {
            let fetched = self.members[position].with_state(|state| {
                let [a, b] = locked(&ciphertext.copies).on(state)?;
                Ok([a.download(&state.stream, ring)?, b.download(&state.stream, ring)?])
            });
            match fetched {
                Ok(here) => return Ok(locked(&ciphertext.copies).here.insert(here).clone()),
                Err(error) => failure = error,
            }
        }
        Err(failure)
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
        let ciphertext = self.ciphertext(Copies::here(parts.map(Polynomial::clone)));
        // With several GPUs, only a program shows which one needs it.
        if let [member] = &self.shared.members[..] {
            let sent = member.with_state(|state| locked(&ciphertext.copies).on(state).map(drop));
            sent.map_err(|error| self.shared.error(&error))?;
        }
        Ok(Resident::new(ciphertext))
    }

    fn download(&self, resident: &Resident) -> Result<[Polynomial; 2], ExecutorError> {
        let (ciphertext, ring) = (self.own(resident)?, self.parameters.ring());
        self.shared.fetch(ciphertext, ring).map_err(|error| self.shared.error(&error))
    }

    fn supports(
        &self,
        program: &Arc<Program>,
        _held: &ProgramConstants,
    ) -> Result<(), ExecutorError> {
        let compiled = self.compiled(program)?;
        let needed = needed(program, &compiled);
        let limits = self.shared.place.gpus().map(Gpu::memory_limit);
        let limit = limits.max().unwrap_or_default();
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
            if let Some(input) = inputs.get(index / 2).filter(|_| compiled.is_used[index]) {
                locked(&input.copies).check(index % 2, external, program.degree)?;
            }
        }
        let constants = self.constants(program, &compiled, held, 2 * inputs.len())?;
        let call = Call { program, compiled: &compiled, inputs: &inputs, constants: &constants };
        let bytes = needed(program, &compiled).sum();
        let mut tried = vec![false; self.shared.members.len()];
        let mut failure = None;
        while let Some((position, queued)) = self.shared.choose(&inputs, bytes, &tried) {
            tried[position] = true;
            let Queued(member) = &queued;
            let error = match self.run_on(position, member, &call) {
                Ok(results) => return Ok(results),
                Err(error) => error,
            };
            let is_passing = !matches!(error, CudaError::Memory { .. });
            if tried.contains(&false) {
                let gpu = member.gpu().info().ordinal;
                tracing::warn!(gpu, %error, "a program failed on a GPU; another one is tried");
            }
            // An error after which a retry helps is preferred.
            if failure.is_none()
                || (is_passing && matches!(failure, Some(CudaError::Memory { .. })))
            {
                failure = Some(error);
            }
        }
        Err(self.shared.error(&failure.unwrap_or(CudaError::OtherContext)))
    }
}

/// A call of a program.
struct Call<'c> {
    program: &'c Arc<Program>,
    compiled: &'c CompiledProgram,
    inputs: &'c [&'c CkksCiphertext],
    constants: &'c [Option<&'c Polynomial>],
}

impl CkksExecutor {
    /// Runs a program on a GPU.
    fn run_on(
        &self,
        position: usize,
        member: &Member,
        Call { program, compiled, inputs, constants }: &Call<'_>,
    ) -> Result<Vec<Resident>, CudaError> {
        for input in *inputs {
            self.shared.bring(input, position, self.parameters.ring())?;
        }
        let outputs = member.with_state(|state| {
            let mut parts = Vec::with_capacity(2 * inputs.len());
            for input in *inputs {
                parts.extend(locked(&input.copies).on(state)?);
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
            state.run(program, compiled, &externals)
        })?;
        member.gpu().count_batch();
        let mut outputs = outputs.into_iter();
        let mut results = Vec::new();
        while let (Some(a), Some(b)) = (outputs.next(), outputs.next()) {
            let copies = Copies::there(position, [a, b]);
            results.push(Resident::new(self.ciphertext(copies)));
        }
        Ok(results)
    }

    fn ciphertext(&self, copies: Copies) -> CkksCiphertext {
        let (place, ring) = (Arc::clone(&self.shared), self.parameters.ring().id());
        let copies = Arc::new(Mutex::new(copies));
        place.ciphertexts.remember(&copies);
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
