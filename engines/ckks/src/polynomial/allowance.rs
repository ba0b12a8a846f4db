// SPDX-License-Identifier: Apache-2.0 OR MIT
//! How much the approximation of functions may cost, and whether its result is still wanted.

use std::sync::atomic::{AtomicU64, Ordering};

use super::error::PolynomialError;

/// Whether a result is still wanted.
type IsWanted = Box<dyn Fn() -> bool + Send + Sync>;

/// The terms that approximations may add up: of a polynomial with n coefficients each of n points
/// has n, twice, and more where it is compared with its function. Several plans may share one
/// allowance, on any thread.
///
/// Expressions of strangers need one: a function of twenty characters takes up to 4·10⁸ terms, which
/// are about a second.
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
    /// No limit, for one's own expressions.
    pub fn unlimited() -> Self {
        Self::default()
    }

    /// So many terms, as long as `is_wanted` says so. It is asked before each value of a polynomial
    /// and each step of a plan.
    pub fn new(most: u64, is_wanted: impl Fn() -> bool + Send + Sync + 'static) -> Self {
        let limit = Limit { most, left: AtomicU64::new(most) };
        Self { limit: Some(limit), is_wanted: Some(Box::new(is_wanted)) }
    }

    /// Takes terms before they are added up.
    ///
    /// # Errors
    /// [`PolynomialError::TooMuch`] where there are fewer left, [`PolynomialError::Stopped`] where
    /// nobody wants the result any more.
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
        // What is left after one is too little for many more.
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
