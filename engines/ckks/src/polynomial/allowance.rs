// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Limits on the work of approximations, and their early end.

use std::sync::atomic::{AtomicU64, Ordering};

use super::error::PolynomialError;

/// Returns `true` while a result is still needed.
type IsWanted = Box<dyn Fn() -> bool + Send + Sync>;

/// A limit on the number of terms that approximations add up. A polynomial with n coefficients
/// needs n terms at each of n points, twice, and more to compare it with its function. Several
/// plans may share one allowance, on any thread.
///
/// Untrusted expressions need an allowance: a function of twenty characters can need up to 4·10⁸
/// terms, which is about a second.
#[derive(Default)]
pub struct Allowance {
    limit: Option<Limit>,
    is_wanted: Option<IsWanted>,
}

struct Limit {
    most: u64,
    left: AtomicU64,
}

impl Allowance {
    /// Returns an allowance without a limit, for trusted expressions.
    pub fn unlimited() -> Self {
        Self::default()
    }

    /// Returns an allowance of `most` terms, valid while `is_wanted` returns `true`. It is called
    /// before each value of a polynomial and each step of a plan.
    pub fn new(most: u64, is_wanted: impl Fn() -> bool + Send + Sync + 'static) -> Self {
        let limit = Limit { most, left: AtomicU64::new(most) };
        Self { limit: Some(limit), is_wanted: Some(Box::new(is_wanted)) }
    }

    /// Takes terms from the allowance before they are added up.
    ///
    /// # Errors
    /// [`PolynomialError::TooMuch`] if fewer terms are left, [`PolynomialError::Stopped`] if the
    /// result is no longer needed.
    pub(crate) fn take(&self, terms: usize) -> Result<(), PolynomialError> {
        if self.is_wanted.as_ref().is_some_and(|is_wanted| !is_wanted()) {
            return Err(PolynomialError::Stopped);
        }
        let Some(Limit { most, left }) = &self.limit else { return Ok(()) };
        let less = |left: u64| left.checked_sub(terms as u64);
        match left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, less) {
            Ok(_) => Ok(()),
            Err(_) => Err(PolynomialError::TooMuch { most: *most }),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicBool;
    use std::sync::Arc;

    use super::*;
    use crate::polynomial::{Accuracy, Polynomial};

    #[test]
    fn approximations_end_where_terms_do_and_where_nobody_wants_them() {
        let of = |allowance: &Allowance| {
            let accuracy = Accuracy::Error(1e-4);
            Polynomial::approximation_within(f64::tanh, (-30.0, 30.0), accuracy, allowance)
        };
        let whole = of(&Allowance::unlimited()).unwrap();
        let few = Allowance::new(10_000, || true);
        assert_eq!(of(&few).unwrap_err(), PolynomialError::TooMuch { most: 10_000 });
        // The terms left after one approximation are too few for many more.
        let shared = Allowance::new(1_000_000, || true);
        assert_eq!(of(&shared).unwrap(), whole);
        assert!((0..20).any(|_| of(&shared).is_err()));
        let is_wanted = Arc::new(AtomicBool::new(true));
        let asked = Arc::clone(&is_wanted);
        let watched = Allowance::new(u64::MAX, move || asked.load(Ordering::Relaxed));
        assert_eq!(of(&watched).unwrap(), whole);
        is_wanted.store(false, Ordering::Relaxed);
        assert_eq!(of(&watched).unwrap_err(), PolynomialError::Stopped);
    }
}
