// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The final exponentiation to 3(p¹² − 1)/r, of eight numbers in parallel.
//!
//! The easy part, (p⁶ − 1)(p² + 1), needs one inversion, which a library computes for all lanes at
//! once. The hard part is (x − 1)²(x + p)(x² + p² − 1) + 3 (Hayashida, Hayasaka, Teruya: "Efficient
//! final exponentiation via cyclotomic structure for pairings over families of elliptic curves",
//! 2020).

use std::sync::OnceLock;

use blst::{blst_fp, blst_fp12, blst_fp2};
use halimede_arith::lanes::bls12_381::{Fp, Term};
use halimede_arith::lanes::{Lanes, LANES};

use super::cyclotomic::cyclotomic_square;
use super::fp12::{multiply, product_6, Fp12, Fp6, Workspace};
use super::fp2::{reduce, Fp2, REDUCED};
use super::library;
use super::miller::X;
use super::transfer::{load_fp, load_fp2, store_fp};

/// ξ^((pⁿ − 1)·k/6) for n = 1, 2 and the powers k of w: the factor by which the Frobenius map pⁿ
/// multiplies wᵏ.
pub type Frobenius = [[blst_fp2; 6]; 2];

/// Returns the constants of the Frobenius map.
pub fn frobenius_constants() -> &'static Frobenius {
    static CONSTANTS: OnceLock<Frobenius> = OnceLock::new();
    CONSTANTS.get_or_init(|| {
        let constant = |power: usize, exponent: usize| {
            let (half, part) = (exponent % 2, exponent / 2);
            let mut monomial = blst_fp12::default();
            monomial.fp6[half].fp2[part].fp[0] = library::one();
            library::frobenius(&monomial, power).fp6[half].fp2[part]
        };
        [1, 2].map(|power| [0, 1, 2, 3, 4, 5].map(|exponent| constant(power, exponent)))
    })
}

/// Numbers of Fp12 in the layout of a kernel, with the operations of the final exponentiation.
pub trait Chain<L>: Copy {
    /// Space for products.
    type Space;

    /// Returns the conjugate over Fp6.
    fn conjugate(&self) -> Self;
    /// Computes self·other in place.
    fn multiply(&mut self, other: &Self, space: &mut Self::Space);
    /// Returns f^(2ⁿ) for f in the cyclotomic subgroup.
    fn squared_times(&self, n: u32) -> Self;
    /// Returns f^(pⁿ).
    fn frobenius(&self, power: usize, constants: &Frobenius) -> Self;

    /// Returns f^x for f in the cyclotomic subgroup and the negative curve parameter x: the power
    /// by |x|, conjugated.
    #[inline(always)]
    fn power_by_x(&self, space: &mut Self::Space) -> Self {
        let (mut result, mut last) = (*self, X.ilog2());
        for bit in (0..X.ilog2()).rev() {
            if X >> bit & 1 == 1 {
                result = result.squared_times(last - bit);
                result.multiply(self, space);
                last = bit;
            }
        }
        result.squared_times(last).conjugate()
    }
}

impl<L: Lanes> Chain<L> for Fp12<L> {
    type Space = Workspace<L>;

    #[inline(always)]
    fn conjugate(&self) -> Self {
        Fp12::conjugate(self)
    }

    #[inline(always)]
    fn multiply(&mut self, other: &Self, space: &mut Workspace<L>) {
        multiply(self, other, space);
    }

    #[inline(always)]
    fn squared_times(&self, n: u32) -> Self {
        let mut result = *self;
        for _ in 0..n {
            cyclotomic_square(&mut result);
        }
        result
    }

    #[inline(always)]
    fn frobenius(&self, power: usize, constants: &Frobenius) -> Self {
        let mut result = *self;
        for (half, parts) in result.0.iter_mut().enumerate() {
            for (part, value) in parts.iter_mut().enumerate() {
                if power == 1 {
                    *value = value.conjugate();
                }
                let exponent = 2 * part + half;
                if exponent > 0 {
                    let constant = load_fp2::<L>([&constants[power - 1][exponent]; LANES]);
                    *value = value.product(&constant);
                }
            }
        }
        result
    }
}

/// Returns 1/a in each lane with one inversion of the library; 0 for 0.
#[inline(always)]
fn inverses<L: Lanes, const B: u64>(a: &Fp<L, B>) -> Fp<L, REDUCED> {
    let [a, b, c, d, e, f, g, h]: &[blst_fp; LANES] = &library::inverses(store_fp(a));
    load_fp([a, b, c, d, e, f, g, h])
}

/// Returns 1/a.
#[inline(always)]
fn inverse_2<L: Lanes>(a: &Fp2<L, REDUCED>) -> Fp2<L, REDUCED> {
    let norm = a.0[0].squared().plus::<_, 6>(&a.0[1].squared());
    a.conjugate().scaled(&inverses(&norm.carried()))
}

/// Returns 1/n for n in Fp6.
#[inline(always)]
fn inverse_6<L: Lanes>(n: &Fp6<L>) -> Fp6<L> {
    let [n0, n1, n2] = n;
    let a = n0.square().minus::<_, 9>(&n1.product(n2).times_xi::<6>());
    let b = n2.square().times_xi::<6>().minus::<_, 9>(&n0.product(n1));
    let c = n1.square().minus::<_, 6>(&n0.product(n2));
    let sum = n2.wide_product(&b).plus::<_, 6>(&n1.wide_product(&c));
    let norm = n0.wide_product(&a).plus::<_, 15>(&sum.times_xi::<12>());
    let inverse = inverse_2(&reduce(norm.widest()));
    [a.product(&inverse), b.product(&inverse), c.product(&inverse)]
}

/// Returns 1/f = (a − bw)/(a² − vb²).
#[inline(always)]
fn inverse<L: Lanes>(f: &Fp12<L>, space: &mut Workspace<L>) -> Fp12<L> {
    let [a, b] = &f.0;
    let (aa, bb) = (product_6(a, a, space), product_6(b, b, space));
    let norm = [
        aa[0].minus::<_, 9>(&bb[2].times_xi::<6>()).reduced().widened(),
        aa[1].minus::<_, 6>(&bb[0]).reduced().widened(),
        aa[2].minus::<_, 6>(&bb[1]).reduced().widened(),
    ];
    let inverse = inverse_6(&norm);
    Fp12([product_6(a, &inverse, space), product_6(b, &inverse, space)]).conjugate()
}

/// Returns f^(3(p¹² − 1)/r), for f other than 0.
#[inline(always)]
pub fn final_exponentiation<L: Lanes>(
    f: &Fp12<L>,
    constants: &Frobenius,
    space: &mut Workspace<L>,
) -> Fp12<L> {
    let inverse = inverse(f, space);
    exponentiated(f, &inverse, constants, space)
}

/// Returns f^(3(p¹² − 1)/r) for f and its inverse.
#[inline(always)]
pub fn exponentiated<L, F: Chain<L>>(
    f: &F,
    inverse: &F,
    constants: &Frobenius,
    space: &mut F::Space,
) -> F {
    let mut easy = f.conjugate();
    easy.multiply(inverse, space);
    let squared = easy.frobenius(2, constants);
    easy.multiply(&squared, space);
    let mut a = easy.power_by_x(space);
    a.multiply(&easy.conjugate(), space);
    let mut b = a.power_by_x(space);
    b.multiply(&a.conjugate(), space);
    let mut c = b.power_by_x(space);
    c.multiply(&b.frobenius(1, constants), space);
    let mut result = c.power_by_x(space).power_by_x(space);
    result.multiply(&c.frobenius(2, constants), space);
    result.multiply(&c.conjugate(), space);
    result.multiply(&easy, space);
    result.multiply(&easy.squared_times(1), space);
    result
}
