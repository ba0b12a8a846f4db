// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The data of CKKS programs on a GPU: tables of rings, keys, plaintexts, compiled programs, and
//! the working memory. All of it belongs to one context, and is lost with it.

use std::collections::HashMap;
use std::sync::Arc;

use halimede_ckks::ring::{External, Modulus, Polynomial, Prime, Program, Role, UniformSeed};

use super::compile::CompiledProgram;
use super::launch::{log_rows, pair, CkksKernel};
use super::resident::{Constants, Limbs};
use crate::context::Context;
use crate::error::CudaError;
use crate::graph::Graph;
use crate::memory::{Argument, Buffer};
use crate::module::Function;
use crate::place::GpuPlace;
use crate::stream::Stream;

/// The name of the kernels' file.
pub(super) const ENGINE: &str = "ckks";
/// The most compiled programs whose tables stay on the GPU.
const MOST_PROGRAMS: usize = 256;
/// Words of 64 bits of a prime, and of a factor of a transform.
const PRIME_WORDS: usize = 4;
pub(super) const FACTOR_WORDS: usize = 1;

/// The primes of a ring, and the factors of their transforms in both directions.
struct RingTables {
    degree: usize,
    primes: Vec<Prime>,
    constants: Buffer<u64>,
    factors: Buffer<u64>,
}

/// A program whose tables are on the GPU. The graph comes first: it is dropped before what it uses.
struct Loaded {
    graph: Graph,
    program: Arc<Program>,
    _code: Buffer<u64>,
    /// The addresses of the working memory, of the external values, and of the outputs.
    addresses: Buffer<u64>,
}

/// The state in one context.
pub(super) struct State {
    /// The place, whose other executors also use the memory, and the position of the GPU.
    place: Arc<GpuPlace>,
    position: usize,
    pub context: Arc<Context>,
    pub stream: Stream,
    pub constants: Constants,
    functions: HashMap<CkksKernel, Function>,
    tables: Function,
    expand: Function,
    rings: Vec<Arc<RingTables>>,
    /// Most recently used first.
    programs: Vec<Loaded>,
    work: Option<Buffer<u32>>,
}

impl State {
    /// Loads the kernels.
    pub fn new(
        place: &Arc<GpuPlace>,
        position: usize,
        context: &Arc<Context>,
    ) -> Result<Self, CudaError> {
        let function = |name| context.function(ENGINE, name);
        let functions = CkksKernel::ALL.into_iter().map(|of| Ok((of, function(of.name())?)));
        Ok(Self {
            place: Arc::clone(place),
            position,
            context: Arc::clone(context),
            stream: Stream::new(context)?,
            constants: Constants::default(),
            functions: functions.collect::<Result<_, CudaError>>()?,
            tables: function("ckks_tables")?,
            expand: function("ckks_expand")?,
            rings: Vec::new(),
            programs: Vec::new(),
            work: None,
        })
    }

    /// The position of the GPU in its place.
    pub fn position(&self) -> usize {
        self.position
    }

    /// Allocates; if the memory is full, first frees the workspaces of other executors, then what
    /// the current program does not use, and tries again.
    fn with_room<T>(
        &mut self,
        mut allocate: impl FnMut(&mut Self) -> Result<T, CudaError>,
    ) -> Result<T, CudaError> {
        let mut have_workspaces = true;
        loop {
            match allocate(self) {
                Err(CudaError::Memory { .. }) if have_workspaces => {
                    self.place.member(self.position).release_memory();
                    have_workspaces = false;
                }
                Err(CudaError::Memory { .. }) if self.free_some() => {}
                result => return result,
            }
        }
    }

    /// Frees a key or a plaintext, or else a program; returns `false` if nothing can be freed.
    fn free_some(&mut self) -> bool {
        self.constants.evict() || self.programs.pop().is_some()
    }

    /// Uploads a polynomial.
    pub fn upload(&mut self, from: &Polynomial) -> Result<Arc<Limbs>, CudaError> {
        self.constants.start();
        let limbs = self.with_room(|state| Limbs::upload(&state.stream, from, from.basis()));
        limbs.map(Arc::new)
    }

    /// Returns a key or a plaintext on the GPU. It is sent there or expanded if necessary.
    pub fn constant(
        &mut self,
        program: &Program,
        external: &External,
        polynomial: &Polynomial,
    ) -> Result<Arc<Limbs>, CudaError> {
        let name = polynomial.name();
        if let Some(limbs) = self.constants.get(name, &external.basis) {
            return Ok(limbs);
        }
        let seed = polynomial.seed().filter(|_| external.role == Role::Key && external.run == 1);
        let limbs = match seed {
            Some(seed) => {
                let ring = self.ring(program)?;
                self.with_room(|state| state.expanded(&ring, external, seed))?
            }
            None => {
                self.with_room(|state| Limbs::upload(&state.stream, polynomial, &external.basis))?
            }
        };
        let limbs = Arc::new(limbs);
        self.constants.insert(name, &limbs);
        Ok(limbs)
    }

    /// Returns an input with exactly the primes of its external value.
    pub fn input(
        &mut self,
        external: &External,
        limbs: &Arc<Limbs>,
    ) -> Result<Arc<Limbs>, CudaError> {
        if limbs.basis == external.basis {
            return Ok(Arc::clone(limbs));
        }
        let part = self.with_room(|state| limbs.restrict(&state.stream, &external.basis))?;
        Ok(Arc::new(part))
    }

    /// Expands the limbs of a seed.
    fn expanded(
        &self,
        ring: &RingTables,
        external: &External,
        UniformSeed { seed, index }: UniformSeed,
    ) -> Result<Limbs, CudaError> {
        let limbs = Limbs::new(&self.context, &external.basis, external.form, ring.degree)?;
        let (words, _) = seed.as_chunks::<8>();
        let seed: Vec<u64> = words.iter().map(|word| u64::from_le_bytes(*word)).collect();
        let mut jobs = Vec::with_capacity(6 * limbs.basis.len());
        for (limb, place) in limbs.basis.places().iter().enumerate() {
            let position = (limb * ring.degree / super::launch::LIMB_UNIT) as u32;
            jobs.extend([pair(position, 0), pair(u32::from(*place), index)]);
            jobs.extend(&seed);
        }
        let addresses = self.words(&[limbs.address()])?;
        let jobs = self.words(&jobs)?;
        let arguments = [
            (&addresses).into(),
            (&ring.constants).into(),
            (&jobs).into(),
            ring.degree.trailing_zeros().into(),
        ];
        self.stream.launch_blocks(&self.expand, limbs.basis.len() as u32, &arguments)?;
        self.stream.synchronize()?;
        Ok(limbs)
    }

    /// Allocates a buffer with these words.
    fn words(&self, words: &[u64]) -> Result<Buffer<u64>, CudaError> {
        let buffer = Buffer::new(&self.context, words.len())?;
        self.stream.upload(words, &buffer, 0)?;
        Ok(buffer)
    }

    /// Returns the tables of a program's ring.
    fn ring(&mut self, program: &Program) -> Result<Arc<RingTables>, CudaError> {
        let Program { degree, primes, .. } = program;
        let known = self.rings.iter().find(|of| (of.degree, &of.primes) == (*degree, primes));
        if let Some(known) = known {
            return Ok(Arc::clone(known));
        }
        let constants: Vec<u64> = primes.iter().flat_map(prime_words).collect();
        let count = 2 * degree * primes.len() * FACTOR_WORDS;
        let (constants, factors) = self.with_room(|state| {
            Ok((state.words(&constants)?, Buffer::new(&state.context, count)?))
        })?;
        let arguments = [
            (&constants).into(),
            (&factors).into(),
            degree.trailing_zeros().into(),
            (primes.len() as u32).into(),
        ];
        self.stream.launch(&self.tables, count as u64, &arguments)?;
        self.stream.synchronize()?;
        let ring = RingTables { degree: *degree, primes: primes.clone(), constants, factors };
        let ring = Arc::new(ring);
        self.rings.push(Arc::clone(&ring));
        Ok(ring)
    }

    /// Runs a program on its external values, and returns its outputs when they are computed. An
    /// external value that the program does not use is absent.
    pub fn run(
        &mut self,
        program: &Arc<Program>,
        compiled: &CompiledProgram,
        externals: &[Option<Arc<Limbs>>],
    ) -> Result<Vec<Arc<Limbs>>, CudaError> {
        let degree = program.degree;
        self.load(program, compiled)?;
        let words = compiled.work_limbs * degree;
        if self.work.as_ref().is_none_or(|work| work.len() < words) {
            self.work = None;
            self.work = Some(self.with_room(|state| Buffer::new(&state.context, words))?);
        }
        let mut outputs = Vec::with_capacity(compiled.outputs.len());
        for (basis, form) in &compiled.outputs {
            let limbs = self.with_room(|state| Limbs::new(&state.context, basis, *form, degree))?;
            outputs.push(Arc::new(limbs));
        }
        // Room for these may have been made by freeing the program's own tables.
        self.load(program, compiled)?;
        let work = self.work.as_ref().map_or(0, |work| Argument::from(work).value());
        let mut addresses = vec![work];
        addresses.extend(externals.iter().map(|of| of.as_ref().map_or(0, |of| of.address())));
        addresses.extend(outputs.iter().map(|output| output.address()));
        let loaded = self.programs.first().ok_or(CudaError::OtherContext)?;
        self.stream.upload(&addresses, &loaded.addresses, 0)?;
        loaded.graph.launch(&self.stream)?;
        self.stream.synchronize()?;
        Ok(outputs)
    }

    /// Moves a program to the front of the loaded ones. Its tables are sent if necessary.
    fn load(
        &mut self,
        program: &Arc<Program>,
        compiled: &CompiledProgram,
    ) -> Result<(), CudaError> {
        let known = self.programs.iter().position(|of| Arc::ptr_eq(&of.program, program));
        if let Some(index) = known {
            self.programs[..=index].rotate_right(1);
            return Ok(());
        }
        let ring = self.ring(program)?;
        let count = 1 + program.externals.len() + program.outputs.len();
        let (code, addresses) = self.with_room(|state| {
            Ok((state.words(&compiled.code)?, Buffer::new(&state.context, count)?))
        })?;
        let graph = Graph::record(&self.stream, |stream| {
            compiled.launches.iter().try_for_each(|launch| {
                let mut arguments: Vec<Argument> = vec![(&addresses).into()];
                if launch.kernel != CkksKernel::Permute {
                    arguments.push((&ring.constants).into());
                }
                if launch.kernel.is_transform() {
                    arguments.push((&ring.factors).into());
                }
                for table in &launch.tables {
                    arguments.push(code.at(*table)?);
                }
                let log_degree = program.degree.trailing_zeros();
                arguments.push(log_degree.into());
                if launch.kernel.is_transform() {
                    arguments.push(log_rows(log_degree).into());
                }
                let name = launch.kernel.name();
                let blocks = u32::try_from(launch.blocks).map_err(|_| CudaError::Launch {
                    function: name,
                    reason: format!("{} blocks are too many", launch.blocks),
                })?;
                let missing = || CudaError::NoFunction { file: ENGINE.into(), function: name };
                let function = self.functions.get(&launch.kernel).ok_or_else(missing)?;
                stream.launch_blocks(function, blocks, &arguments)
            })
        })?;
        self.programs.truncate(MOST_PROGRAMS - 1);
        let program = Arc::clone(program);
        self.programs.insert(0, Loaded { graph, program, _code: code, addresses });
        Ok(())
    }
}

/// The words of a prime, as `kernels/ckks/modular.cuh` declares them.
fn prime_words(prime: &Prime) -> [u64; PRIME_WORDS] {
    let Prime { modulus, root } = *prime;
    match Modulus::new(modulus) {
        Ok(of) => {
            let (bits, barrett) = of.barrett();
            let roots = pair(root, of.inverse(root));
            [pair(modulus, of.negated_inverse()), pair(bits, barrett), roots, 0]
        }
        // The program was checked before.
        Err(_) => [0; PRIME_WORDS],
    }
}
