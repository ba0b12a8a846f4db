// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Approximations of activations: a polynomial on [−1, 1], a ReLU or absolute value by a sign, or a
//! declared range without a computation.

use halimede_ckks::polynomial::Cost;
use halimede_ckks::{Expression, Polynomial, Sign};

use super::options::Options;
use crate::calibrate::{fit_activation, Calibration, Fit, Histogram, Range};
use crate::error::NetworkError;
use crate::graph::{Activation, NodeId, Parity};

/// The approximation of an activation. The matrix before it scales arguments to [−1, 1].
#[derive(Clone, Debug)]
pub(super) struct Approximation {
    pub method: Method,
    /// The interval of arguments.
    pub interval: Range,
    /// The factor by which results must be multiplied.
    pub factor: f64,
    /// The largest difference from the activation on the interval.
    pub largest_error: f64,
    /// The root mean square of the difference, weighted by the samples' arguments.
    pub mean_error: f64,
    /// The ends of the interval that the guard must check, of a function of positive numbers.
    pub positive: Option<Positive>,
}

/// The ends of the interval of a function of positive numbers. An argument near the lower end is
/// far from the middle, so that a power of the distance would not distinguish it from one beyond
/// the end.
#[derive(Clone, Copy, Debug)]
pub(super) struct Positive {
    /// `true` if arguments may be below the interval: it begins above their proven bound. Results
    /// are then larger than all others.
    pub checks_low: bool,
}

/// The method of an approximation.
#[derive(Clone, Debug)]
pub(super) enum Method {
    Polynomial(Fit),
    /// x·(1 + sign x)/2.
    Relu(Sign),
    /// x·sign x.
    Absolute(Sign),
    /// x itself.
    Declared,
}

impl Approximation {
    /// Returns the approximation of an activation whose interval around 0 has a radius of at least
    /// `least`.
    ///
    /// # Errors
    /// [`NetworkError::Node`] for an activation that was not calibrated, and for a degree of 0.
    pub fn new(
        name: &str,
        id: NodeId,
        activation: &Activation,
        least: f64,
        calibration: &Calibration,
        options: &Options,
    ) -> Result<Self, NetworkError> {
        let known = calibration.interval(id).zip(calibration.histogram(id));
        let (interval, histogram) = known.ok_or_else(|| {
            NetworkError::node(name, "not calibrated: the calibration belongs to another network")
        })?;
        if *activation == Activation::Declared {
            let interval = calibration.interval_around_zero(id).unwrap_or(interval.around_zero());
            let (method, factor) = (Method::Declared, interval.radius());
            return Ok(Self {
                method,
                interval,
                factor,
                largest_error: 0.0,
                mean_error: 0.0,
                positive: None,
            });
        }
        let is_by_sign = matches!(activation, Activation::Relu | Activation::Absolute);
        if let (true, Some(exact)) = (is_by_sign, options.exact_relu) {
            let interval = interval.around_zero();
            let radius = interval.radius();
            let sign = Sign::new(1.0, exact.threshold, exact.error)?;
            let method = match activation {
                Activation::Relu => Method::Relu(sign),
                _ => Method::Absolute(sign),
            };
            let off = |x: f64| (method.value(x) - activation.value(x)).abs();
            let points = (0..=4096).map(|k| f64::from(k) / 4096.0);
            let below = (0..=256).map(|k| exact.threshold * f64::from(k) / 256.0);
            let largest = points.chain(below).map(off).fold(0.0, f64::max) * radius;
            let (largest_error, mean_error) = (largest, largest);
            let factor = radius;
            return Ok(Self {
                method,
                interval,
                factor,
                largest_error,
                mean_error,
                positive: None,
            });
        }
        let interval = match activation.parity() {
            Parity::Neither => interval,
            Parity::Even | Parity::Odd => calibration.interval_around_zero(id).unwrap_or(interval),
        };
        let interval = match interval.middle() == 0.0 && interval.radius() < least {
            true => Range { low: -least, high: least },
            false => interval,
        };
        let degree = match activation {
            Activation::Polynomial(coefficients) => coefficients.len().saturating_sub(1),
            _ => options.degree,
        };
        if degree == 0 || degree > MOST_DEGREE {
            let reason = format!("a polynomial of degree {degree}, expected 1 to {MOST_DEGREE}");
            return Err(NetworkError::node(name, reason));
        }
        let fit = fit_enough(activation, interval, histogram, degree);
        let (largest_error, mean_error) = (fit.largest_error, fit.mean_error);
        // Results up to 1 can be bootstrapped at any level. The next matrix includes the factor.
        let factor = fit.magnitude();
        let factor = if factor > 0.0 { factor } else { 1.0 };
        let positive =
            activation.least().map(|least| Positive { checks_low: interval.low > least });
        if options.guard && positive.is_some_and(|of| of.checks_low) {
            check_below(name, activation, &fit, factor)?;
        }
        let method = Method::Polynomial(fit);
        Ok(Self { method, interval, factor, largest_error, mean_error, positive })
    }

    /// Returns the activation of an argument in [−1, 1], before the factor.
    ///
    /// # Errors
    /// [`NetworkError::Polynomial`] for coefficients that are not finite.
    pub fn expression(&self, argument: &Expression) -> Result<Expression, NetworkError> {
        match &self.method {
            Method::Polynomial(fit) => Ok(argument.evaluate(self.polynomial(fit)?)),
            Method::Relu(sign) => Ok(argument.relu(sign)),
            Method::Absolute(sign) => Ok(argument.sign(sign) * argument),
            Method::Declared => Ok(argument.clone()),
        }
    }

    /// Returns the activations of arguments in blocks of `block` slots of one vector; `None` if
    /// some of them are not polynomials. Their number is a power of two.
    ///
    /// # Errors
    /// As [`Self::expression`].
    pub fn of_blocks(
        all: &[Option<&Self>],
        arguments: &Expression,
        block: usize,
    ) -> Result<Option<Expression>, NetworkError> {
        let mut polynomials = Vec::with_capacity(all.len());
        for of in all {
            polynomials.push(match of.map(|of| (of, &of.method)) {
                Some((of, Method::Polynomial(fit))) => of.polynomial(fit)?,
                Some(_) => return Ok(None),
                None => Polynomial::chebyshev(&[0.0], (-1.0, 1.0))?,
            });
        }
        Ok(Some(arguments.evaluate_blocks(polynomials, block)))
    }

    /// Returns numbers of at most 1 in absolute value, some of which are larger if the argument is
    /// outside the interval: the argument, or for a function of positive numbers its share of the
    /// interval's end, and the result if the argument may be too small.
    pub fn checked(&self, argument: &Expression, result: &Expression) -> Vec<Expression> {
        let Some(Positive { checks_low }) = self.positive else { return vec![argument.clone()] };
        let (middle, radius) = (self.interval.middle(), self.interval.radius());
        let share = (argument + middle / radius) * (radius / self.interval.high);
        let mut checked = vec![share.between(self.interval.low / self.interval.high - 1e-6, 1.0)];
        checked.extend(checks_low.then(|| result.clone()));
        checked
    }

    /// Returns the polynomial divided by the factor.
    fn polynomial(&self, fit: &Fit) -> Result<Polynomial, NetworkError> {
        let scaled: Vec<f64> = fit.coefficients.iter().map(|c| c / self.factor).collect();
        Ok(Polynomial::chebyshev(&scaled, (-1.0, 1.0))?)
    }

    /// Returns the approximate value for an argument.
    pub fn value(&self, x: f64) -> f64 {
        match &self.method {
            Method::Polynomial(fit) => fit.value(x),
            by_sign => by_sign.value(x / self.factor) * self.factor,
        }
    }

    /// Returns the largest absolute value of results before the factor.
    pub fn largest(&self) -> f64 {
        match &self.method {
            Method::Polynomial(fit) => fit.magnitude() / self.factor,
            Method::Relu(sign) | Method::Absolute(sign) => 1.0 + sign.error(),
            Method::Declared => 1.0,
        }
    }

    /// Returns `true` if the factor can be chosen freely.
    pub fn is_scalable(&self) -> bool {
        matches!(self.method, Method::Polynomial(_)) && self.positive.is_none()
    }

    /// Returns the largest absolute value before the factor in slots whose argument is at most
    /// `argument`.
    pub fn beside(&self, argument: f64) -> f64 {
        let is_odd = match &self.method {
            Method::Polynomial(fit) => fit.coefficients.iter().step_by(2).all(|c| *c == 0.0),
            Method::Relu(_) | Method::Absolute(_) | Method::Declared => true,
        };
        if argument == 0.0 && is_odd {
            return 0.0;
        }
        self.largest()
    }

    /// Returns the number of products of ciphertexts.
    pub fn products(&self) -> usize {
        self.cost_of(|cost| cost.products)
    }

    /// Returns the number of key switches.
    pub fn key_switches(&self) -> usize {
        self.cost_of(|cost| cost.switches)
    }

    /// Returns a count of all polynomials, and 1 for the product with a sign.
    fn cost_of(&self, count: impl Fn(Cost) -> usize) -> usize {
        let of = |coefficients: &[f64]| {
            Polynomial::chebyshev(coefficients, (-1.0, 1.0)).map_or(0, |p| count(p.cost()))
        };
        match &self.method {
            Method::Polynomial(fit) => of(&fit.coefficients),
            Method::Relu(sign) | Method::Absolute(sign) => {
                let part = |degree: &usize| {
                    let odd = (0..=*degree).map(|k| f64::from(u8::from(k % 2 == 1)));
                    of(&odd.collect::<Vec<_>>())
                };
                1 + sign.degrees().iter().map(part).sum::<usize>()
            }
            Method::Declared => 0,
        }
    }

    /// Returns a description of the method.
    pub fn description(&self) -> String {
        match &self.method {
            Method::Polynomial(fit) => format!("degree {}", fit.coefficients.len() - 1),
            Method::Relu(sign) | Method::Absolute(sign) => {
                format!("sign of degrees {:?}", sign.degrees())
            }
            Method::Declared => "declared".to_owned(),
        }
    }
}

impl Method {
    /// Returns the value for an argument in [−1, 1], before the factor.
    fn value(&self, x: f64) -> f64 {
        match self {
            Self::Polynomial(fit) => fit.value(x),
            Self::Relu(sign) => x * (1.0 + sign.value(x)) / 2.0,
            Self::Absolute(sign) => x * sign.value(x),
            Self::Declared => x,
        }
    }
}

/// Checks that the results of arguments between their proven bound and the interval are larger than
/// those on the interval.
///
/// A polynomial that equals such a function in more places than its degree grows to the left of all
/// of them: its divided differences have alternating signs, as the function's derivatives.
///
/// # Errors
/// [`NetworkError::Node`] otherwise, as for a square root.
fn check_below(
    name: &str,
    activation: &Activation,
    fit: &Fit,
    factor: f64,
) -> Result<(), NetworkError> {
    let (least, low) = (activation.least().unwrap_or(0.0), fit.interval.low);
    let point = |k: u32| low - (low - least) * f64::from(k) / f64::from(POINTS_BELOW);
    match (1..=POINTS_BELOW).map(point).find(|x| fit.value(*x) < factor) {
        None => Ok(()),
        Some(x) => {
            let function = activation.name();
            let reason = format!(
                "the guard would not see arguments of the {function} below its interval, such as \
                 {x:.2e} below {low:.2e}: calibrate with more samples, or compile without a guard"
            );
            Err(NetworkError::node(name, reason))
        }
    }
}

/// The number of points below an interval at which a polynomial is checked.
const POINTS_BELOW: u32 = 256;

/// The highest degree of a polynomial.
const MOST_DEGREE: usize = 127;

/// Returns the polynomial of a degree, or for an exponential or a reciprocal, whose errors fall
/// exponentially with the degree, one of fewer levels whose error is at most 2⁻⁽ᵈ⁻¹⁾ of its largest
/// value. That is below the error of a bootstrap from the degree 31 on, and far below those of
/// other activations with the degree 15. Degrees below 15 have no precision to spare.
fn fit_enough(
    activation: &Activation,
    interval: Range,
    histogram: &Histogram,
    degree: usize,
) -> Fit {
    let of_degree = |degree| fit_activation(activation, interval, histogram, degree);
    let converges = matches!(activation, Activation::Exponential | Activation::Reciprocal { .. });
    let most = 0.5f64.powi(degree as i32 - 1);
    let smaller = std::iter::successors(Some(3), |degree| Some(2 * degree + 1));
    let smaller = smaller.take_while(|smaller| converges && degree >= 15 && *smaller < degree);
    let mut fits = smaller.map(of_degree).filter(|fit| fit.largest_error <= most * fit.magnitude());
    fits.next().unwrap_or_else(|| of_degree(degree))
}
