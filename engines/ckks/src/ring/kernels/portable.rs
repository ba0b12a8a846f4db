// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The kernels in portable Rust: the reference for the others.

use super::super::conversion::{Conversion, FRACTION_BITS, MAX_SOURCES};
use super::super::modulus::{Modulus, Shoup};
use super::super::permutation::Permutation;
use super::super::twiddles::Twiddles;
use super::{check_conversion, scalar_transform, Kernels, MAX_TERMS};

/// Portable Rust.
pub struct Portable;

impl Kernels for Portable {
    fn lanes(&self) -> usize {
        1
    }

    fn forward(&self, twiddles: &Twiddles, residues: &mut [u32]) {
        twiddles.check(1, residues);
        scalar_transform::forward(twiddles.modulus(), &twiddles.forward.stages, residues);
    }

    fn inverse(&self, twiddles: &Twiddles, residues: &mut [u32]) {
        twiddles.check(1, residues);
        let (stages, by) = (&twiddles.inverse.stages, twiddles.degree_inverse);
        scalar_transform::inverse(twiddles.modulus(), stages, by, residues);
    }

    fn add(&self, modulus: Modulus, a: &mut [u32], b: &[u32]) {
        for (a, b) in a.iter_mut().zip(b) {
            *a = modulus.add(*a, *b);
        }
    }

    fn sub(&self, modulus: Modulus, a: &mut [u32], b: &[u32]) {
        for (a, b) in a.iter_mut().zip(b) {
            *a = modulus.sub(*a, *b);
        }
    }

    fn neg(&self, modulus: Modulus, a: &mut [u32]) {
        for a in a {
            *a = modulus.neg(*a);
        }
    }

    fn mul(&self, modulus: Modulus, a: &mut [u32], b: &[u32]) {
        for (a, b) in a.iter_mut().zip(b) {
            *a = modulus.mul(*a, *b);
        }
    }

    fn mul_add(&self, modulus: Modulus, sum: &mut [u32], a: &[u32], b: &[u32]) {
        for ((sum, a), b) in sum.iter_mut().zip(a).zip(b) {
            *sum = modulus.reduce(u64::from(*a) * u64::from(*b) + u64::from(*sum));
        }
    }

    fn scale(&self, modulus: Modulus, a: &mut [u32], factor: Shoup) {
        for a in a {
            *a = modulus.mul_shoup(*a, factor);
        }
    }

    fn sub_scale(&self, modulus: Modulus, a: &mut [u32], b: &[u32], factor: Shoup) {
        for (a, b) in a.iter_mut().zip(b) {
            *a = modulus.mul_shoup(*a + modulus.value() - *b, factor);
        }
    }

    fn inner_product(&self, modulus: Modulus, sum: &mut [u32], pairs: &[(&[u32], &[u32])]) {
        for (place, sum) in sum.iter_mut().enumerate() {
            let products = pairs.iter().map(|(a, b)| u64::from(a[place]) * u64::from(b[place]));
            *sum = modulus.montgomery_reduce(products.sum());
        }
    }

    fn inner_product_in_runs(
        &self,
        modulus: Modulus,
        sum: &mut [u32],
        pairs: &[(&[u32], &[u32])],
        run: usize,
    ) {
        for (place, sum) in sum.iter_mut().enumerate() {
            let products =
                pairs.iter().map(|(a, b)| u64::from(a[place]) * u64::from(b[place / run]));
            *sum = modulus.montgomery_reduce(products.sum());
        }
    }

    fn combine(&self, modulus: Modulus, sum: &mut [u32], terms: &[(&[u32], u32)]) {
        for (place, sum) in sum.iter_mut().enumerate() {
            let products = terms.iter().map(|(a, by)| u64::from(a[place]) * u64::from(*by));
            *sum = modulus.montgomery_reduce(products.sum());
        }
    }

    fn convert(
        &self,
        conversion: &Conversion,
        from: &[&[u32]],
        to: &mut [&mut [u32]],
        _are_far: bool,
    ) {
        check_conversion(conversion, from, to);
        let mut y = [0; MAX_SOURCES];
        for place in 0..from[0].len() {
            let mut sum = 1u64 << (FRACTION_BITS - 1);
            for ((y, source), from) in y.iter_mut().zip(&conversion.sources).zip(from) {
                *y = source.modulus.mul_shoup(from[place], source.ready);
                sum += u64::from(*y << source.shift) * u64::from(source.reciprocal);
            }
            let overflow = sum >> FRACTION_BITS;
            for (i, (to, target)) in to.iter_mut().zip(&conversion.targets).enumerate() {
                let modulus = target.modulus;
                let mut total = modulus.montgomery_reduce(overflow * u64::from(target.overflow));
                let factors = conversion.factors_of(i);
                for (y, factors) in y.chunks(MAX_TERMS).zip(factors.chunks(MAX_TERMS)) {
                    let products =
                        y.iter().zip(factors).map(|(y, by)| u64::from(*y) * u64::from(*by));
                    total = modulus.add(total, modulus.montgomery_reduce(products.sum()));
                }
                to[place] = total;
            }
        }
    }

    fn permute(&self, to: &mut [u32], from: &[u32], by: &Permutation) {
        assert_eq!(
            [to.len(), from.len()],
            [by.places().len(); 2],
            "the permutation has another length"
        );
        for (to, place) in to.iter_mut().zip(by.places()) {
            *to = from[*place as usize];
        }
    }
}
