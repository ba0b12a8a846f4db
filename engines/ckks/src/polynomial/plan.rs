// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The plan of a polynomial's evaluation: its decomposition into products.
//!
//! *Powers* are xᵏ or Tₖ. A node is Σ qᵢ·P_i + Σ cₖ·Pₖ: products of powers of degree 2ⁱ and nodes
//! of a lower degree, and a linear combination of powers. The factors of the products of a node at
//! depth n (levels below the argument) are at depth n − 1. A node needs one key switch for the sum
//! of all its products, and one division. Powers of degree k are at depth ⌈log₂ k⌉.
//!
//! Several polynomials share one plan, whose coefficients are one number per polynomial: the powers
//! are the same, and a coefficient is dropped if it is 0 in all polynomials.

use std::collections::BTreeSet;

use super::basis::PolynomialBasis;
use super::coefficient::Coefficient;
use super::polynomial::{trim_zeros, Polynomial};

/// The cost of an evaluation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cost {
    /// Levels, including one to map an interval other than \[−1, 1\] to \[−1, 1\].
    pub levels: usize,
    /// Key switches.
    pub switches: usize,
    /// Products of ciphertexts, several of which can share a key switch.
    pub products: usize,
}

/// A part of a polynomial.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Node {
    /// Powers of a degree 2ⁱ, each with its factor.
    pub products: Vec<(usize, Node)>,
    /// Powers with their coefficients.
    pub linear: Vec<(usize, Coefficient)>,
}

/// The way in which a polynomial is evaluated.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Plan {
    pub root: Node,
    /// Levels from the argument in [−1, 1] to the result.
    pub depth: usize,
    pub cost: Cost,
}

impl Plan {
    /// Returns the plan with the fewest key switches.
    pub fn new(polynomial: &Polynomial) -> Self {
        Self::of_all(std::slice::from_ref(polynomial))
    }

    /// Returns the plan of polynomials of one basis and interval.
    ///
    /// # Panics
    /// If the list of polynomials is empty.
    pub fn of_all(polynomials: &[Polynomial]) -> Self {
        let depth = bits(degree_of_all(polynomials));
        let plans = (1..=depth.max(1)).map(|log| Self::with_babies(polynomials, depth, 1 << log));
        let weight = |plan: &Self| (plan.cost.switches, plan.cost.products);
        plans.min_by_key(weight).unwrap_or_else(|| Self::with_babies(polynomials, depth, 2))
    }

    /// Returns the plan with linear combinations of powers up to a degree.
    fn with_babies(polynomials: &[Polynomial], depth: usize, babies: usize) -> Self {
        let polynomial = &polynomials[0];
        let is_chebyshev = polynomial.kind() != PolynomialBasis::Monomial;
        let degrees = 0..=degree_of_all(polynomials);
        let coefficients = degrees.map(|degree| Coefficient::of_degree(polynomials, degree));
        let root = Node::new(is_chebyshev, coefficients.collect(), depth, babies);
        let mut powers = BTreeSet::new();
        let mut cost = Cost::default();
        root.count(is_chebyshev, &mut powers, &mut cost);
        cost.switches += powers.len();
        cost.products += powers.len();
        let has_map = polynomial.has_map() && depth > 0;
        cost.levels = depth + usize::from(has_map);
        Self { root, depth, cost }
    }
}

impl Polynomial {
    /// Returns the cost of the evaluation.
    pub fn cost(&self) -> Cost {
        Plan::new(self).cost
    }

    /// Returns the number of levels that an evaluation needs: ⌈log₂(degree + 1)⌉, and one more for
    /// an interval other than [−1, 1].
    pub fn levels(&self) -> usize {
        self.levels_of_degree(self.degree())
    }

    /// Returns the number of levels of a polynomial of another degree on this interval.
    pub(super) fn levels_of_degree(&self, degree: usize) -> usize {
        let depth = bits(degree);
        depth + usize::from(self.has_map() && depth > 0)
    }
}

impl Node {
    fn new(is_chebyshev: bool, mut rest: Vec<Coefficient>, depth: usize, babies: usize) -> Self {
        let mut node = Self::default();
        loop {
            trim_zeros(&mut rest, Coefficient::is_zero);
            let terms: Vec<(usize, Coefficient)> =
                rest.iter().cloned().enumerate().filter(|(_, c)| !c.is_zero()).collect();
            let is_near = |k: usize| k < babies || k.is_power_of_two();
            let is_ready = |k: usize| k == 0 || is_near(k) && power_depth(k) < depth;
            if terms.iter().all(|(k, _)| is_ready(*k)) {
                node.linear.extend(terms);
                return node;
            }
            let giant = 1 << (rest.len() - 1).ilog2();
            let mut quotient = divide(is_chebyshev, &mut rest, giant);
            match quotient.pop() {
                Some(last) if quotient.is_empty() => node.linear.push((giant, last)),
                last => {
                    quotient.extend(last);
                    let quotient = Self::new(is_chebyshev, quotient, depth - 1, babies);
                    node.products.push((giant, quotient));
                }
            }
        }
    }

    /// Collects the powers to compute, and counts products.
    fn count(&self, is_chebyshev: bool, powers: &mut BTreeSet<usize>, cost: &mut Cost) {
        cost.switches += usize::from(!self.products.is_empty());
        cost.products += self.products.len();
        let terms = self.linear.iter().map(|(power, _)| *power);
        for power in terms.chain(self.products.iter().map(|(power, _)| *power)) {
            gather(is_chebyshev, power, powers);
        }
        for (_, quotient) in &self.products {
            quotient.count(is_chebyshev, powers, cost);
        }
    }
}

/// Returns two degrees whose powers' product gives that of degree k. The first is a power of two.
pub(super) fn factors(k: usize) -> (usize, usize) {
    let first = if k.is_power_of_two() { k / 2 } else { 1 << k.ilog2() };
    (first, k - first)
}

/// Returns the levels from an argument to the power of degree k: ⌈log₂ k⌉.
fn power_depth(k: usize) -> usize {
    bits(k.saturating_sub(1))
}

/// Returns the largest degree.
pub(super) fn degree_of_all(polynomials: &[Polynomial]) -> usize {
    polynomials.iter().map(Polynomial::degree).max().unwrap_or(0)
}

/// Returns ⌈log₂(n + 1)⌉.
fn bits(n: usize) -> usize {
    (usize::BITS - n.leading_zeros()) as usize
}

fn gather(is_chebyshev: bool, power: usize, powers: &mut BTreeSet<usize>) {
    if power > 1 && powers.insert(power) {
        let (a, b) = factors(power);
        gather(is_chebyshev, a, powers);
        gather(is_chebyshev, b, powers);
        if is_chebyshev {
            gather(is_chebyshev, a - b, powers);
        }
    }
}

/// Divides a polynomial of a degree from `giant` to below 2·`giant` by the power of degree `giant`,
/// and leaves the remainder in `rest`. T_{g+k} = 2·T_g·T_k − T_{g−k}.
fn divide(is_chebyshev: bool, rest: &mut Vec<Coefficient>, giant: usize) -> Vec<Coefficient> {
    let mut quotient = rest.split_off(giant);
    if is_chebyshev {
        for (k, c) in quotient.iter_mut().enumerate().skip(1) {
            rest[giant - k].subtract(c);
            c.double();
        }
    }
    quotient
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::complex::Complex;
    use rand::{Rng, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    /// Returns the value of one of the polynomials.
    fn value(node: &Node, depth: usize, place: usize, power: &dyn Fn(usize) -> Complex) -> Complex {
        let linear = node.linear.iter().fold(Complex::default(), |sum, (k, c)| {
            assert!(*k == 0 || power_depth(*k) < depth, "power {k} at depth {depth}");
            sum + power(*k) * c.numbers()[place]
        });
        node.products.iter().fold(linear, |sum, (k, quotient)| {
            assert!(power_depth(*k) < depth);
            sum + power(*k) * value(quotient, depth - 1, place, power)
        })
    }

    #[test]
    fn plans_give_the_polynomial_within_its_depth() {
        let mut rng = ChaCha8Rng::seed_from_u64(3);
        for degree in (0..70).chain([127, 128, 255, 300]) {
            let mut part = || rng.gen_range(-1.0..1.0);
            let coefficients: Vec<Complex> =
                (0..=degree).map(|_| Complex::new(part(), part())).collect();
            let x: f64 = part();
            let monomial = Polynomial::monomial(&coefficients).unwrap();
            let chebyshev = Polynomial::chebyshev(&coefficients, (-1.0, 1.0)).unwrap();
            for polynomial in [monomial, chebyshev] {
                let plan = Plan::new(&polynomial);
                let power = |k: usize| {
                    let mut unit = vec![0.0; k];
                    unit.push(1.0);
                    Polynomial {
                        coefficients: unit.into_iter().map(Complex::from).collect(),
                        ..polynomial.clone()
                    }
                    .value(x)
                };
                let found = value(&plan.root, plan.depth, 0, &power);
                assert!((found - polynomial.value(x)).abs() < 1e-11, "degree {degree}");
                assert_eq!(plan.depth, (degree as f64 + 1.0).log2().ceil() as usize);
                assert_eq!((plan.cost.levels, polynomial.levels()), (plan.depth, plan.depth));
                // About 2·√d, fewer for low degrees, as the module's documentation says.
                let most = 2.0 * (degree as f64).sqrt() + 2.0;
                assert!(plan.cost.switches as f64 <= most, "degree {degree}: {:?}", plan.cost);
            }
        }
    }

    #[test]
    fn several_polynomials_have_one_plan() {
        let mut rng = ChaCha8Rng::seed_from_u64(5);
        for degrees in [[7, 2, 0, 5], [31, 31, 16, 1], [1, 0, 3, 3], [12, 20, 9, 0]] {
            let mut part = || rng.gen_range(-1.0..1.0);
            let one = |degree: usize| {
                let coefficients: Vec<f64> = (0..=degree).map(|_| part()).collect();
                Polynomial::chebyshev(&coefficients, (-1.0, 1.0)).unwrap()
            };
            let all = degrees.map(one);
            let (x, plan) = (part(), Plan::of_all(&all));
            let largest = all.iter().max_by_key(|p| p.degree()).unwrap();
            assert_eq!(plan.cost, largest.cost());
            let power = |k: usize| ((k as f64) * x.acos()).cos().into();
            for (place, p) in all.iter().enumerate() {
                let found = value(&plan.root, plan.depth, place, &power);
                assert!((found - p.value(x)).abs() < 1e-12, "place {place} of {degrees:?}");
            }
            // Equal polynomials have the coefficients of one.
            let equal = Plan::of_all(&[largest.clone(), largest.clone()]);
            assert_eq!(numbers(&equal.root), numbers(&Plan::new(largest).root));
        }
    }

    /// Returns all coefficients, which are the same in all polynomials.
    fn numbers(node: &Node) -> Vec<(usize, Complex)> {
        let own = node.linear.iter().map(|(k, c)| (*k, c.number().unwrap()));
        own.chain(node.products.iter().flat_map(|(_, quotient)| numbers(quotient))).collect()
    }

    #[test]
    fn odd_and_even_polynomials_take_fewer_products() {
        let mut rng = ChaCha8Rng::seed_from_u64(4);
        for degree in [15usize, 31, 63] {
            let mut coefficients: Vec<f64> =
                (0..=degree).map(|_| rng.gen_range(0.1..1.0)).collect();
            let all = Polynomial::chebyshev(&coefficients, (-1.0, 1.0)).unwrap().cost();
            coefficients.iter_mut().step_by(2).for_each(|c| *c = 0.0);
            let odd = Polynomial::chebyshev(&coefficients, (-1.0, 1.0)).unwrap().cost();
            let even: Vec<f64> = coefficients[1..].to_vec();
            let even = Polynomial::chebyshev(&even, (-1.0, 1.0)).unwrap().cost();
            assert!(even.switches < all.switches && even.products < all.products, "{even:?}");
            assert!(odd.switches <= all.switches && odd.products <= all.products, "{odd:?}");
            assert!(degree < 63 || odd.switches < all.switches, "{odd:?}");
            assert_eq!(odd.levels, all.levels);
        }
    }

    #[test]
    fn counts_do_not_grow_unseen() {
        let cost = |degree: usize, step: usize| {
            let mut coefficients = vec![0.0; degree + 1];
            let places = coefficients.iter_mut().enumerate().step_by(step);
            places.for_each(|(k, c)| *c = 1.0 / (k + 1) as f64);
            Polynomial::chebyshev(&coefficients, (-1.0, 1.0)).unwrap().cost()
        };
        let degrees = [3, 7, 15, 31, 63, 127];
        assert_eq!(degrees.map(|degree| cost(degree, 1).switches), [2, 4, 7, 10, 15, 20]);
        assert_eq!(degrees.map(|degree| cost(degree, 1).products), [2, 5, 8, 13, 18, 27]);
        assert_eq!(degrees.map(|degree| cost(degree - 1, 2).switches), [1, 3, 5, 8, 11, 16]);
        assert_eq!([0, 1, 2].map(|degree| cost(degree, 1).switches), [0, 0, 1]);
    }
}
