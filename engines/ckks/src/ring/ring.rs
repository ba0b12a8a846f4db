// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A ring: its primes, the memory of its polynomials, and its kernels over all limbs, on all cores.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, Mutex, PoisonError};

use rayon::prelude::*;

use super::basis::Basis;
use super::buffer::Pool;
use super::conversion::Conversion;
use super::division::Division;
use super::form::Form;
use super::kernels::{self, Kernels};
use super::limits::{LOG_DEGREES, MIN_VALUES};
use super::modulus::{Modulus, ModulusError, Shoup};
use super::permutation::Permutation;
use super::polynomial::{new_name, Polynomial, RingId};
use super::program::Recorder;
use super::twiddles::Twiddles;
use crate::wiping::wipe_after_kernel;
use halimede_arith::LaneBackend;

/// Words of inner products that are processed at a time: with a dozen factors they fit the L2 cache
/// of a core.
pub(super) const PRODUCT_BLOCK: usize = 2048;

/// ℤ\[X\]/(X^N + 1) modulo products of some primes, with the tables for computations.
pub struct Ring {
    log_degree: u32,
    primes: Vec<Twiddles>,
    backend: LaneBackend,
    id: RingId,
    pub(super) kernels: &'static dyn Kernels,
    permutations: Cache<u64, Permutation>,
    /// The factors for polynomials in powers of X, by the position of the prime and log₂ of their
    /// degree.
    subrings: Cache<(u16, u32), Twiddles>,
    /// By source primes, kept primes, and added primes.
    pub(super) conversions: Cache<(Basis, Basis, Basis), Conversion>,
    pub(super) divisions: Cache<(Basis, Basis, Basis), Division>,
    pub(super) pool: Arc<Pool>,
    pub(super) recorder: Recorder,
}

/// Objects that were created for a key, for reuse.
pub(super) type Cache<K, V> = Mutex<HashMap<K, Arc<V>>>;

/// The reason why a ring is rejected.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "messages name the fields")]
pub enum RingError {
    /// N is too small or too large.
    #[error(
        "log2 of the ring's degree must lie from {} to {}; got {got}",
        LOG_DEGREES.start(),
        LOG_DEGREES.end()
    )]
    Degree {
        /// The given log₂ N.
        got: u32,
    },
    /// A modulus cannot be used.
    #[error(transparent)]
    Modulus(#[from] ModulusError),
    /// A modulus occurs twice in the list.
    #[error("the modulus {modulus} occurs twice in the list")]
    Repeated { modulus: u32 },
}

impl Ring {
    /// Creates the ring with N = 2^`log_degree` and these primes, which computes with the
    /// instructions of a backend.
    ///
    /// # Errors
    /// [`RingError`] if N is outside [`LOG_DEGREES`], or if the primes are not distinct or not 1
    /// modulo 2N.
    pub fn new(log_degree: u32, primes: &[u32], backend: LaneBackend) -> Result<Self, RingError> {
        check(log_degree, primes)?;
        let lanes = kernels::of(backend).lanes();
        let twiddles = |prime: &u32| Ok(Twiddles::new(Modulus::new(*prime)?, log_degree, lanes)?);
        let mut tables = primes.par_iter().map(twiddles).collect::<Result<Vec<_>, RingError>>()?;
        Twiddles::gather(&mut tables);
        Ok(Self::of_parts(log_degree, tables, backend, Pool::default()))
    }

    /// An upper bound of the bytes that the tables of a ring with N = 2^`log_degree` and `primes`
    /// primes occupy during its lifetime: the factors of both transforms, those of transforms of
    /// polynomials in a power of X, and the factors of conversions.
    pub fn table_bytes(log_degree: u32, primes: usize) -> usize {
        let of_factors = size_of::<Shoup>() << log_degree;
        let of_conversions = 64 * primes * size_of::<u64>();
        primes * (3 * of_factors + of_conversions)
    }

    /// The peak size of such tables in bytes, when they are collected in one piece of memory while
    /// the ring is created.
    pub fn peak_bytes(log_degree: u32, primes: usize) -> usize {
        primes * ((4 * size_of::<Shoup>()) << log_degree) + Self::table_bytes(0, primes)
    }

    /// Creates the same ring without arithmetic: polynomials have no words, and operations are only
    /// recorded. It needs almost no memory and time for any N, and records the same steps as a ring
    /// with arithmetic. Accessing a limb of its polynomials panics, since residues do not exist.
    ///
    /// # Errors
    /// As [`Self::new`].
    pub fn dry(log_degree: u32, primes: &[u32]) -> Result<Self, RingError> {
        check(log_degree, primes)?;
        let twiddles =
            |prime: &u32| Ok(Twiddles::without_tables(Modulus::new(*prime)?, log_degree)?);
        let tables = primes.iter().map(twiddles).collect::<Result<Vec<_>, RingError>>()?;
        Ok(Self::of_parts(log_degree, tables, LaneBackend::Portable, Pool::dry()))
    }

    /// Returns this ring without arithmetic.
    pub fn to_dry(&self) -> Self {
        let roots = self.primes.iter().map(Twiddles::to_root);
        Self::of_parts(self.log_degree, roots.collect(), LaneBackend::Portable, Pool::dry())
    }

    fn of_parts(log_degree: u32, primes: Vec<Twiddles>, backend: LaneBackend, pool: Pool) -> Self {
        Self {
            log_degree,
            id: id_of(log_degree, primes.iter().map(|prime| prime.modulus().value())),
            primes,
            backend,
            kernels: kernels::of(backend),
            permutations: Mutex::default(),
            subrings: Mutex::default(),
            conversions: Mutex::default(),
            divisions: Mutex::default(),
            pool: Arc::new(pool),
            recorder: Recorder::default(),
        }
    }

    /// Returns `true` if polynomials have no words and nothing is computed.
    pub fn is_dry(&self) -> bool {
        self.pool.is_dry()
    }

    /// Returns a polynomial without words.
    ///
    /// # Panics
    /// Panics if the ring has arithmetic, since its polynomials need residues.
    pub(crate) fn blank(&self, basis: &Basis, form: Form) -> Polynomial {
        assert!(self.is_dry(), "a polynomial without residues needs a ring without arithmetic");
        self.fresh(basis, form)
    }

    /// The degree N.
    pub fn degree(&self) -> usize {
        1 << self.log_degree
    }

    /// log₂ N.
    pub fn log_degree(&self) -> u32 {
        self.log_degree
    }

    /// The identifier of the ring, which its polynomials carry. Rings with the same N and primes
    /// have the same identifier.
    pub fn id(&self) -> RingId {
        self.id
    }

    /// The backend of the ring.
    pub fn backend(&self) -> LaneBackend {
        self.backend
    }

    /// The prime at a position.
    ///
    /// # Panics
    /// Panics if the position is out of range.
    pub fn modulus(&self, place: u16) -> Modulus {
        self.primes[usize::from(place)].modulus()
    }

    /// The primes of a basis.
    pub fn moduli(&self, basis: &Basis) -> Vec<Modulus> {
        basis.places().iter().map(|place| self.modulus(*place)).collect()
    }

    /// All primes.
    pub fn all(&self) -> Basis {
        Basis::new(0..self.primes.len() as u16)
    }

    /// Frees the memory that no polynomial uses.
    pub fn release_memory(&self) {
        self.pool.clear();
    }

    /// The factors of the transforms for the prime at a position.
    pub(super) fn twiddles(&self, place: u16) -> &Twiddles {
        &self.primes[usize::from(place)]
    }

    /// The factors of the forward transform of polynomials in a power of X, of degree
    /// 2^`log_degree`.
    pub(super) fn subring_twiddles(&self, place: u16, log_degree: u32) -> Arc<Twiddles> {
        cached(&self.subrings, (place, log_degree), || {
            self.twiddles(place).of_subring(log_degree, self.kernels.lanes())
        })
    }

    /// All primes with their ψ.
    pub(super) fn roots(&self) -> impl Iterator<Item = (Modulus, u32)> + '_ {
        self.primes.iter().map(|prime| (prime.modulus(), prime.root()))
    }

    /// Returns a polynomial with arbitrary residues.
    pub(super) fn fresh(&self, basis: &Basis, form: Form) -> Polynomial {
        self.fresh_of(self.degree(), basis, form)
    }

    /// Returns a polynomial with arbitrary residues for a result that is computed from others. It
    /// is secret if one of them is.
    pub(super) fn fresh_from(&self, from: &[&Polynomial], basis: &Basis, form: Form) -> Polynomial {
        let mut fresh = self.fresh(basis, form);
        fresh.taint(from.iter().any(|from| from.is_secret()));
        fresh
    }

    /// Returns a polynomial with `degree` arbitrary residues for each prime.
    pub(super) fn fresh_of(&self, degree: usize, basis: &Basis, form: Form) -> Polynomial {
        let buffer = self.pool.take(basis.len() * degree);
        Polynomial {
            buffer: Arc::new(buffer),
            degree,
            basis: basis.clone(),
            form,
            ring: self.id,
            name: new_name(),
            seed: None,
        }
    }

    /// Creates a polynomial from a function that writes one limb at a time, on any thread.
    pub fn from_limbs(
        &self,
        basis: &Basis,
        form: Form,
        write: impl Fn(Modulus, &mut [u32]) + Sync,
    ) -> Polynomial {
        self.from_places(basis, form, |_, modulus, limb| write(modulus, limb))
    }

    /// Like [`Self::from_limbs`]. The function also gets the position of the prime.
    pub fn from_places(
        &self,
        basis: &Basis,
        form: Form,
        write: impl Fn(u16, Modulus, &mut [u32]) + Sync,
    ) -> Polynomial {
        self.written(basis, form, false, write)
    }

    /// Creates the stored values of a factor in which each value is repeated `run` times: N/`run`
    /// residues for each prime, such as executors receive them.
    ///
    /// # Panics
    /// Panics if `run` is not a power of two, or leaves fewer residues than a factor needs.
    pub fn factor_from_places(
        &self,
        run: usize,
        basis: &Basis,
        write: impl Fn(u16, &mut [u32]) + Sync,
    ) -> Polynomial {
        let is_run = run.is_power_of_two() && run <= self.degree() / MIN_VALUES;
        assert!(is_run, "{run} is not a valid run");
        let mut values = self.fresh_of(self.degree() / run, basis, Form::Values);
        self.each_limb(&mut values, |place, _, limb| write(place, limb));
        values
    }

    /// Like [`Self::from_places`]. The polynomial is marked secret before it is written if
    /// `is_secret`.
    pub(super) fn written(
        &self,
        basis: &Basis,
        form: Form,
        is_secret: bool,
        write: impl Fn(u16, Modulus, &mut [u32]) + Sync,
    ) -> Polynomial {
        let mut polynomial = self.fresh(basis, form);
        self.each_limb_with(&mut polynomial, is_secret, |place, twiddles, limb| {
            write(place, twiddles.modulus(), limb);
        });
        polynomial
    }

    /// Reduces an exponent of X modulo 2N.
    pub(super) fn reduced(&self, exponent: u64) -> u64 {
        exponent % (2 << self.log_degree)
    }

    pub(super) fn permutation(&self, exponent: u64) -> Arc<Permutation> {
        let exponent = self.reduced(exponent);
        cached(&self.permutations, exponent, || {
            // A dry ring only checks the exponent.
            let log_degree = if self.is_dry() { 1 } else { self.log_degree };
            let permutation = Permutation::automorphism(log_degree, exponent, self.kernels.lanes());
            assert!(permutation.is_some(), "X to X^{exponent} is not an automorphism");
            permutation.unwrap_or_default()
        })
    }

    /// Calls `work` for each limb with the position and factors of its prime, on all cores. Shared
    /// limbs are copied first.
    pub(super) fn each_limb(
        &self,
        a: &mut Polynomial,
        work: impl Fn(u16, &Twiddles, &mut [u32]) + Sync,
    ) {
        self.each_limb_with(a, false, work);
    }

    /// Like [`Self::each_limb`], where `work` also reads secret data if `is_secret`. Then its
    /// result is secret too.
    pub(super) fn each_limb_with(
        &self,
        a: &mut Polynomial,
        is_secret: bool,
        work: impl Fn(u16, &Twiddles, &mut [u32]) + Sync,
    ) {
        self.each_limb_by(a, is_secret, &work);
    }

    /// Like [`Self::each_limb_with`], compiled once for all closures.
    fn each_limb_by(
        &self,
        a: &mut Polynomial,
        is_secret: bool,
        work: &(dyn Fn(u16, &Twiddles, &mut [u32]) + Sync),
    ) {
        let is_secret = is_secret || a.is_secret();
        let (basis, degree) = (a.basis.clone(), a.degree);
        let is_shared = Arc::get_mut(&mut a.buffer).is_none();
        let shared = is_shared.then(|| {
            let own = self.pool.take(a.buffer.words().len());
            std::mem::replace(&mut a.buffer, Arc::new(own))
        });
        a.taint(is_secret);
        let limbs = a.words_mut().par_chunks_exact_mut(degree);
        limbs.zip(basis.places()).enumerate().for_each(|(index, (limb, place))| {
            if let Some(shared) = &shared {
                limb.copy_from_slice(&shared.words()[index * degree..][..degree]);
            }
            work(*place, self.twiddles(*place), limb);
            if is_secret {
                wipe_after_kernel();
            }
        });
    }

    /// Like [`Self::each_limb`], for several polynomials with the same primes: the limbs of a prime
    /// are processed in sequence, since they share its factors.
    pub(super) fn each_limb_of(
        &self,
        all: &mut [Polynomial],
        work: impl Fn(usize, u16, &Twiddles, &mut [u32]) + Sync,
    ) {
        let Some(basis) = all.first().map(|first| first.basis.clone()) else { return };
        limbs_by_prime(all).into_par_iter().zip(basis.places()).for_each(|(limbs, place)| {
            for (index, limb) in limbs.into_iter().enumerate() {
                work(index, *place, self.twiddles(*place), limb);
            }
        });
    }
}

/// Checks N, and that no prime occurs twice in the list.
fn check(log_degree: u32, primes: &[u32]) -> Result<(), RingError> {
    if !LOG_DEGREES.contains(&log_degree) {
        return Err(RingError::Degree { got: log_degree });
    }
    let mut sorted = primes.to_vec();
    sorted.sort_unstable();
    match sorted.windows(2).find(|pair| pair[0] == pair[1]) {
        Some(pair) => Err(RingError::Repeated { modulus: pair[0] }),
        None => Ok(()),
    }
}

/// A hash of N and the primes in order, since bases refer to them by position.
fn id_of(log_degree: u32, primes: impl Iterator<Item = u32>) -> RingId {
    let mut hasher = blake3::Hasher::new();
    hasher.update(&log_degree.to_le_bytes());
    primes.for_each(|prime| {
        hasher.update(&prime.to_le_bytes());
    });
    let mut id = [0; 8];
    hasher.finalize_xof().fill(&mut id);
    RingId(u64::from_le_bytes(id))
}

/// Returns the limbs of all polynomials for each of their common primes. Empty in a dry ring.
pub(super) fn limbs_by_prime(all: &mut [Polynomial]) -> Vec<Vec<&mut [u32]>> {
    let mut limbs: Vec<Vec<&mut [u32]>> = Vec::new();
    limbs.resize_with(all.first().map_or(0, |first| first.limbs().len()), Vec::new);
    for a in all {
        limbs.iter_mut().zip(a.limbs_mut()).for_each(|(limbs, limb)| limbs.push(limb));
    }
    limbs
}

/// The limb of the prime at `place`.
///
/// # Panics
/// Panics if the polynomial lacks this prime.
pub(super) fn limb_at(a: &Polynomial, place: u16) -> &[u32] {
    let limb = a.basis.limb_of(place);
    assert!(limb.is_some(), "the polynomial has no residues of prime {place}");
    a.limb(limb.unwrap_or_default())
}

/// Returns the value of a key in a cache. It is created on first use.
pub(super) fn cached<K: Eq + Hash, V>(
    cache: &Cache<K, V>,
    key: K,
    make: impl FnOnce() -> V,
) -> Arc<V> {
    let mut cache = cache.lock().unwrap_or_else(PoisonError::into_inner);
    Arc::clone(cache.entry(key).or_insert_with(|| Arc::new(make())))
}
