// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A card as a place that runs programs.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use halimede_arith::job::{DeviceError, Execute};

use super::compiled::CompiledPrograms;
use super::contents::{Content, Contents, MemorySpot, NoRoom, TablesOf, HEADER_BYTES};
use super::link::{CardLink, CardTraffic};
use super::size::CardSize;
use crate::card::isa::Opcode;
use crate::card::{has_seed, job_header, limb_words, padded, region_bytes, CardError, Compiled};
use crate::card::{Content as Region, JobEnd, MemoryPlace, ProgramFault, ReadMemory, RunJob};
use crate::card::{WriteBatch, WriteMemory, MOST_DATA_BYTES};
use crate::executor::executor::{
    ExecutorError, ProgramConstants, ProgramExecutor, ProgramPlace, Resident,
};
use crate::executor::processor::{by_name, Parts};
use crate::params::Parameters;
use crate::ring::{lent, Form, Polynomial, Program, ProgramError, Ring};
use crate::server::in_pairs;

/// The address of a region that no instruction uses.
const ABSENT: u64 = u64::MAX;

/// A card whose executors share its memory. Their jobs run sequentially.
pub struct CardPlace<L> {
    shared: Arc<Shared<L>>,
}

struct Shared<L> {
    link: L,
    size: CardSize,
    state: Mutex<State>,
    /// The names of polynomials that are no longer in use.
    dropped: Arc<Mutex<Vec<u64>>>,
}

struct State {
    contents: Contents,
    /// The value of [`CardLink::resets`] when the contents were written.
    resets: u64,
    traffic: CardTraffic,
}

/// An executor of programs with given parameters.
struct CardExecutor<L> {
    shared: Arc<Shared<L>>,
    parameters: Parameters,
    tables: Arc<TablesOf>,
    compiled: CompiledPrograms,
}

/// Both parts of a ciphertext, and the list to which their names are added on drop.
struct CardCiphertext {
    parts: Parts,
    dropped: Arc<Mutex<Vec<u64>>>,
}

/// A program and the polynomials that its steps use.
struct Job<'a> {
    program: &'a Program,
    compiled: &'a Arc<Compiled>,
    tables: &'a Arc<TablesOf>,
    externals: Vec<Option<&'a Polynomial>>,
}

impl Drop for CardCiphertext {
    fn drop(&mut self) {
        let names = self.parts.iter().map(Polynomial::name);
        locked(&self.dropped).extend(names);
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<L: CardLink> CardPlace<L> {
    /// Creates the place of a card with this link and size. After a failure, the next program is
    /// sent with all its data.
    pub fn new(link: L, size: CardSize) -> Self {
        let resets = link.resets();
        let contents = Contents::new(size.memory_bytes());
        let state = State { contents, resets, traffic: CardTraffic::default() };
        let (state, dropped) = (Mutex::new(state), Arc::default());
        Self { shared: Arc::new(Shared { link, size, state, dropped }) }
    }

    /// The link to the card.
    pub fn link(&self) -> &L {
        &self.shared.link
    }
}

impl<L: CardLink + 'static> ProgramPlace for CardPlace<L> {
    fn executor(&self, parameters: &Parameters) -> Result<Arc<dyn ProgramExecutor>, ExecutorError> {
        let ring = parameters.ring();
        let card = self.shared.size.card(ring.log_degree());
        let card = card.map_err(|error| self.shared.unavailable(error.to_string()))?;
        let tables = TablesOf { degree: ring.degree(), primes: ring.program_primes() };
        Ok(Arc::new(CardExecutor {
            shared: Arc::clone(&self.shared),
            parameters: parameters.clone(),
            tables: Arc::new(tables),
            compiled: CompiledPrograms::new(card),
        }))
    }

    fn takes(&self, log_degree: u32) -> bool {
        self.shared.size.card(log_degree).is_ok()
    }

    fn traffic(&self) -> Option<CardTraffic> {
        Some(locked(&self.shared.state).traffic)
    }
}

impl<L: CardLink + 'static> ProgramExecutor for CardExecutor<L> {
    fn name(&self) -> &str {
        self.shared.link.name()
    }

    /// The residues are sent to the card when a program uses them.
    fn upload(&self, parts: [&Polynomial; 2]) -> Result<Resident, ExecutorError> {
        let name = self.name();
        parts.iter().try_for_each(|part| check_public(part, "a ciphertext", name))?;
        Ok(self.shared.resident(parts.map(Polynomial::clone)))
    }

    fn download(&self, resident: &Resident) -> Result<Parts, ExecutorError> {
        Ok(resident.kept::<CardCiphertext>(self.name())?.parts.clone())
    }

    fn supports(
        &self,
        program: &Arc<Program>,
        held: &ProgramConstants,
    ) -> Result<(), ExecutorError> {
        self.check_ring(program)?;
        let compiled = self.compiled(program, held)?;
        let uses = program.uses();
        let is_taken = |index: usize| uses.contains_key(&program.externals[index].value);
        let segments = compiled.map.segments.iter();
        let regions = segments.filter(|segment| takes(&compiled, segment.content, is_taken));
        let tables = [compiled.image.byte_count(), 8 * compiled.map.segments.len()];
        let bytes = tables.into_iter().chain(regions.map(|segment| segment.bytes));
        let wanted = HEADER_BYTES + bytes.map(|bytes| padded(bytes) as u64).sum::<u64>();
        let got = self.shared.size.memory_bytes();
        match wanted <= got {
            true => Ok(()),
            false => Err(self.shared.no_room(NoRoom { wanted, got })),
        }
    }

    fn run(
        &self,
        program: &Arc<Program>,
        held: &ProgramConstants,
        inputs: &[&Resident],
    ) -> Result<Vec<Resident>, ExecutorError> {
        self.check_ring(program)?;
        let kept = inputs.iter().map(|input| Ok(&input.kept::<CardCiphertext>(self.name())?.parts));
        let inputs = by_name(program, kept.collect::<Result<Vec<_>, ExecutorError>>()?);
        let uses = program.uses();
        let externals = program.externals.iter().map(|external| {
            if !uses.contains_key(&external.value) {
                return Ok(None);
            }
            let of = |_: &_| inputs.get(external.name.as_str()).copied().or(held.get(external));
            let polynomial = lent(external, program.degree, of)?;
            check_public(polynomial, &external.name, self.name())?;
            Ok(Some(polynomial))
        });
        let externals = externals.collect::<Result<Vec<_>, ExecutorError>>()?;
        let compiled = self.compiled(program, held)?;
        let job = Job { program, compiled: &compiled, tables: &self.tables, externals };
        let outputs = self.shared.run(self.parameters.ring(), &job)?;
        Ok(in_pairs(outputs).into_iter().map(|parts| self.shared.resident(parts)).collect())
    }
}

impl<L: CardLink + 'static> CardExecutor<L> {
    fn check_ring(&self, program: &Program) -> Result<(), ExecutorError> {
        if (program.degree, &program.primes) == (self.tables.degree, &self.tables.primes) {
            return Ok(());
        }
        let (degree, primes) = (program.degree, program.primes.len());
        Err(ProgramError::Ring { degree, primes }.into())
    }

    fn compiled(
        &self,
        program: &Arc<Program>,
        held: &ProgramConstants,
    ) -> Result<Arc<Compiled>, ExecutorError> {
        let halves = program.externals.iter().filter(|external| has_seed(external));
        let is_seeded = halves.filter_map(|half| held.get(half)).all(|half| half.seed().is_some());
        let compiled = self.compiled.of(program, is_seeded);
        compiled.map_err(|error| self.shared.refused(error))
    }
}

/// Returns `true` if a program uses a region. Without transforms it needs no tables, and external
/// values that no step uses are absent.
fn takes(compiled: &Compiled, region: Region, is_taken: impl Fn(usize) -> bool) -> bool {
    match region {
        Region::Tables => {
            let mut commands = compiled.image.commands.iter();
            commands.any(|command| command.head.opcode() == Opcode::Factors)
        }
        Region::External(index) | Region::Seed(index) => is_taken(index),
        Region::Scratch | Region::Output(_) => true,
    }
}

/// Checks that a polynomial may leave this machine.
fn check_public(polynomial: &Polynomial, name: &str, executor: &str) -> Result<(), ExecutorError> {
    match polynomial.is_secret() {
        false => Ok(()),
        true => Err(ExecutorError::Secret { executor: executor.to_owned(), name: name.to_owned() }),
    }
}

impl<L: CardLink> Shared<L> {
    fn resident(&self, parts: Parts) -> Resident {
        Resident::new(CardCiphertext { parts, dropped: Arc::clone(&self.dropped) })
    }

    fn unavailable(&self, reason: String) -> ExecutorError {
        ExecutorError::Unavailable { executor: self.link.name().to_owned(), reason }
    }

    /// The error for a program that the card cannot run.
    fn refused(&self, error: CardError) -> ExecutorError {
        match error {
            CardError::Program(error) => error.into(),
            error => self.unavailable(error.to_string()),
        }
    }

    fn failed(&self, reason: impl ToString) -> ExecutorError {
        let executor = self.link.name().to_owned();
        ExecutorError::Failed { executor, reason: reason.to_string() }
    }

    fn of_device(&self, error: DeviceError) -> ExecutorError {
        match error {
            DeviceError::Failed { reason, .. } => self.failed(reason),
            DeviceError::Unsupported { reason, .. } => self.unavailable(reason),
            error => self.failed(error),
        }
    }

    fn no_room(&self, NoRoom { wanted, got }: NoRoom) -> ExecutorError {
        self.unavailable(format!(
            "the program needs {wanted} bytes of card memory at once, but the card has {got}"
        ))
    }

    /// Runs a job. After a failure, the contents of the card's memory count as lost.
    fn run(&self, ring: &Ring, job: &Job<'_>) -> Result<Vec<Polynomial>, ExecutorError> {
        let mut state = locked(&self.state);
        let dropped = std::mem::take(&mut *locked(&self.dropped));
        dropped.into_iter().for_each(|name| state.contents.free(name));
        let result = self.attempt(&mut state, ring, job);
        if result.is_err() {
            state.contents.clear();
        }
        result
    }

    fn attempt(
        &self,
        state: &mut State,
        ring: &Ring,
        job: &Job<'_>,
    ) -> Result<Vec<Polynomial>, ExecutorError> {
        let resets = self.link.resets();
        if state.resets != resets {
            state.contents.clear();
            state.resets = resets;
        }
        let wanted = job.wanted();
        let places = state.contents.lay_out(&wanted).map_err(|error| self.no_room(error))?;
        let writes = job.writes(&places);
        let writes = writes.map_err(|error| self.refused(error))?;
        let traffic = &mut state.traffic;
        traffic.written_bytes += writes.iter().map(|(_, bytes)| bytes.len() as u64).sum::<u64>();
        Execute::<WriteMemory>::execute(&self.link, WriteBatch::Kept(&writes))
            .map_err(|error| self.of_device(error))?;
        let ended = Execute::<RunJob>::execute(&self.link, &[0]);
        let ended = ended.map_err(|error| self.of_device(error))?.replies;
        let Some(JobEnd { fault, number, clocks }) = ended.first().copied() else {
            return Err(self.failed("the card sent no reply to a job"));
        };
        traffic.jobs += 1;
        traffic.clocks += u64::from(clocks);
        if let Some(fault) = fault {
            return Err(self.failed(ProgramFault { fault, at: number as usize }));
        }
        let asked = job.outputs(&wanted, &places);
        let read = Execute::<ReadMemory>::execute(&self.link, &asked.concat());
        let read = read.map_err(|error| self.of_device(error))?.replies;
        traffic.read_bytes += read.iter().map(|bytes| bytes.len() as u64).sum::<u64>();
        if self.link.resets() != resets {
            return Err(self.failed("the card was reset during a job"));
        }
        let outputs = job.polynomials(ring, &asked, &read);
        let bases: Vec<_> = (0..outputs.len()).map(|index| job.compiled.basis_of(index)).collect();
        state.contents.end_job(outputs.iter().map(Polynomial::name).zip(&bases));
        Ok(outputs)
    }
}

impl Job<'_> {
    /// Returns `true` if the program uses a region.
    fn takes(&self, region: Region) -> bool {
        takes(self.compiled, region, |index| self.externals[index].is_some())
    }

    /// Returns the required contents of the card's memory, with their lengths: the program, the
    /// table of regions, and the regions that are used.
    fn wanted(&self) -> Vec<(Content, usize)> {
        let segments = &self.compiled.map.segments;
        let image = Content::Image(Arc::clone(self.compiled));
        let image = (image, self.compiled.image.byte_count());
        let taken = segments.iter().filter(|segment| self.takes(segment.content));
        let regions = taken.filter_map(|segment| {
            let content = match segment.content {
                Region::Tables => Content::Tables(Arc::clone(self.tables)),
                Region::Scratch => Content::Scratch,
                Region::Output(index) => Content::Output(index),
                Region::Seed(index) => Content::Seed(self.externals[index]?.seed()?),
                Region::External(index) => {
                    let basis = self.program.externals[index].basis.clone();
                    Content::Limbs(self.externals[index]?.name(), basis)
                }
            };
            Some((content, segment.bytes))
        });
        [image, (Content::Regions, 8 * segments.len())].into_iter().chain(regions).collect()
    }

    /// Returns the requests that write the missing contents and the job's header.
    fn writes(&self, places: &[MemorySpot]) -> Result<Vec<(u64, Vec<u8>)>, CardError> {
        let of = |external: usize, place: u16| {
            let polynomial = self.externals[external]?;
            Some(polynomial.limb(polynomial.basis().limb_of(place)?))
        };
        let seed = |external: usize| self.externals[external]?.seed();
        // Present regions follow the program and the table of regions, in their order.
        let mut present = places[2..].iter();
        let mut addresses = Vec::new();
        let mut writes = Vec::new();
        for segment in &self.compiled.map.segments {
            let placed = if self.takes(segment.content) { present.next() } else { None };
            let Some(placed) = placed else {
                addresses.extend(ABSENT.to_le_bytes());
                continue;
            };
            addresses.extend(placed.address.to_le_bytes());
            if placed.is_new {
                let (program, content) = (self.program, segment.content);
                let bytes = region_bytes(program, self.compiled, content, &of, &seed)?;
                bytes.into_iter().for_each(|bytes| put(&mut writes, placed.address, bytes));
            }
        }
        if places[0].is_new {
            put(&mut writes, places[0].address, self.compiled.image.to_bytes());
        }
        put(&mut writes, places[1].address, addresses);
        let count = self.compiled.map.segments.len();
        put(&mut writes, 0, job_header(places[0].address, places[1].address, count).to_vec());
        Ok(writes)
    }

    /// The locations of the outputs, in pieces of at most the length of a request.
    fn outputs(&self, wanted: &[(Content, usize)], places: &[MemorySpot]) -> Vec<Vec<MemoryPlace>> {
        let outputs = wanted.iter().zip(places).filter_map(|((content, bytes), placed)| {
            let is_output = matches!(content, Content::Output(_));
            is_output.then(|| MemoryPlace::of_region(placed.address, padded(*bytes)))
        });
        outputs.collect()
    }

    /// Builds the outputs from the bytes of the requested pieces.
    fn polynomials(
        &self,
        ring: &Ring,
        asked: &[Vec<MemoryPlace>],
        read: &[Vec<u8>],
    ) -> Vec<Polynomial> {
        let mut read = read.iter();
        let outputs = self.program.outputs.iter().zip(asked).enumerate();
        let outputs = outputs.map(|(index, (output, pieces))| {
            let bytes: Vec<u8> = read.by_ref().take(pieces.len()).flatten().copied().collect();
            let (words, basis) = (limb_words(&bytes), self.compiled.basis_of(index));
            ring.from_places(&basis, form_of(self.program, output.value), |place, _, limb| {
                if let Some(index) = basis.limb_of(place) {
                    limb.copy_from_slice(&words[index * limb.len()..][..limb.len()]);
                }
            })
        });
        outputs.collect()
    }
}

/// Returns the form of a value of a program.
fn form_of(program: &Program, value: u64) -> Form {
    let externals = program.externals.iter().map(|external| (external.value, external.form));
    let steps = program.steps.iter().map(|step| (step.output, step.form));
    let found = externals.chain(steps).find(|(of, _)| *of == value);
    found.map_or(Form::Values, |(_, form)| form)
}

/// Adds the requests that write these bytes, padded to whole transfers.
fn put(writes: &mut Vec<(u64, Vec<u8>)>, address: u64, mut bytes: Vec<u8>) {
    bytes.resize(padded(bytes.len()), 0);
    let pieces = bytes.chunks(MOST_DATA_BYTES).enumerate();
    writes
        .extend(pieces.map(|(k, piece)| (address + (k * MOST_DATA_BYTES) as u64, piece.to_vec())));
}
