// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The equation e(A, B)·e(X, −γ)·e(C, −δ) = e(α, β) by blst, with prepared lines of −γ and −δ and a
//! prepared pairing of α and β, as a user of that library writes it for one proof. For many proofs,
//! the product of all, each with a random multiplier, in the library's pairing context.

use blst::{
    blst_final_exp, blst_fp12, blst_fp12_mul, blst_fp6, blst_miller_loop, blst_miller_loop_lines,
    blst_p1, blst_p1_add_or_double, blst_p1_add_or_double_affine, blst_p1_affine,
    blst_p1_affine_in_g1, blst_p1_affine_is_inf, blst_p1_deserialize, blst_p1_from_affine,
    blst_p1_mult, blst_p1_to_affine, blst_p1_uncompress, blst_p2_affine, blst_p2_affine_in_g2,
    blst_p2_affine_is_inf, blst_p2_deserialize, blst_p2_uncompress, blst_precompute_lines, Pairing,
    BLST_ERROR,
};
use halimede_bls12_381::Fr;

const OK: BLST_ERROR = BLST_ERROR::BLST_SUCCESS;

/// The number of values of a prepared point's lines.
const LINES: usize = 68;

/// A verifying key, prepared.
pub(super) struct Key {
    alpha: blst_p1_affine,
    minus_beta: blst_p2_affine,
    minus_gamma: blst_p2_affine,
    minus_delta: blst_p2_affine,
    alpha_beta: blst_fp12,
    /// The lines of −γ and −δ.
    gamma_lines: Vec<blst_fp6>,
    delta_lines: Vec<blst_fp6>,
    terms: Vec<blst_p1_affine>,
}

fn read_g1(bytes: &[u8]) -> blst_p1_affine {
    assert_eq!(bytes.len(), 96);
    let mut point = blst_p1_affine::default();
    // SAFETY: the library reads 96 bytes and writes a point.
    assert_eq!(unsafe { blst_p1_deserialize(&mut point, bytes.as_ptr()) }, OK);
    point
}

fn read_g2(bytes: &[u8]) -> blst_p2_affine {
    assert_eq!(bytes.len(), 192);
    let mut point = blst_p2_affine::default();
    // SAFETY: the library reads 192 bytes and writes a point.
    assert_eq!(unsafe { blst_p2_deserialize(&mut point, bytes.as_ptr()) }, OK);
    point
}

/// −Q.
fn negated(mut q: blst_p2_affine) -> blst_p2_affine {
    let y = std::ptr::from_mut(&mut q.y);
    // SAFETY: the library negates in place.
    unsafe { blst::blst_fp2_cneg(y, y, true) };
    q
}

fn lines(q: &blst_p2_affine) -> Vec<blst_fp6> {
    let mut lines = vec![blst_fp6::default(); LINES];
    // SAFETY: the library writes `LINES` values, the length of the list.
    unsafe { blst_precompute_lines(lines.as_mut_ptr(), q) };
    lines
}

impl Key {
    /// Reads a valid key in bellman's format: α, β in G1, β, γ in G2, δ in both, terms.
    pub(super) fn read(bytes: &[u8]) -> Self {
        let (alpha, beta) = (read_g1(&bytes[..96]), read_g2(&bytes[192..384]));
        let mut alpha_beta = blst_fp12::default();
        // SAFETY: all are valid; the library computes in place.
        unsafe {
            blst_miller_loop(&mut alpha_beta, &beta, &alpha);
            let product = alpha_beta;
            blst_final_exp(&mut alpha_beta, &product);
        }
        let minus_gamma = negated(read_g2(&bytes[384..576]));
        let minus_delta = negated(read_g2(&bytes[672..864]));
        Self {
            alpha,
            minus_beta: negated(beta),
            gamma_lines: lines(&minus_gamma),
            delta_lines: lines(&minus_delta),
            minus_gamma,
            minus_delta,
            alpha_beta,
            terms: bytes[868..].chunks(96).map(read_g1).collect(),
        }
    }

    /// Returns X.
    fn sum_of_inputs(&self, inputs: &[Fr]) -> blst_p1_affine {
        let mut sum = blst_p1::default();
        for (term, input) in self.terms[1..].iter().zip(inputs) {
            sum = added(&sum, &multiple(term, &input.to_le_bytes(), 255));
        }
        added_affine(&sum, &self.terms[0])
    }

    /// Returns `true` if a proof is valid; decodes and checks its points.
    pub(super) fn verify(&self, proof: &[u8], inputs: &[Fr]) -> bool {
        let Some((a, b, c)) = read_proof(proof) else {
            return false;
        };
        let x = self.sum_of_inputs(inputs);
        let mut product = blst_fp12::default();
        let mut other = blst_fp12::default();
        // SAFETY: all are valid, and the lines are those of prepared points.
        unsafe {
            blst_miller_loop(&mut product, &b, &a);
            for (lines, point) in [(&self.gamma_lines, &x), (&self.delta_lines, &c)] {
                let before = product;
                blst_miller_loop_lines(&mut other, lines.as_ptr(), point);
                blst_fp12_mul(&mut product, &before, &other);
            }
            let before = product;
            blst_final_exp(&mut product, &before);
        }
        product == self.alpha_beta
    }

    /// Returns `true` if all proofs are valid, each with its multiplier of 128 bits: the product of
    /// e(rᵢ·Aᵢ, Bᵢ) by the library's pairing context, times three pairings, is 1.
    pub(super) fn verify_together<'a>(
        &self,
        proofs: impl Iterator<Item = (&'a [u8], &'a [Fr], &'a [u8; 16])>,
    ) -> bool {
        let mut pairing = Pairing::new(true, b"");
        let (mut points, mut scalars) = (Vec::new(), Vec::new());
        let mut weights = vec![Fr::from(0); self.terms.len()];
        for (proof, inputs, multiplier) in proofs {
            let Some((a, b, c)) = read_proof(proof) else {
                return false;
            };
            pairing.raw_aggregate(&b, &affine(&multiple(&a, multiplier, 128)));
            points.push(c);
            scalars.extend(multiplier);
            let number = u128::from_le_bytes(*multiplier);
            let [low, high] = [number as u64, (number >> 64) as u64].map(Fr::from);
            let number = low + high * Fr::from(1 << 32).square();
            weights[0] += number;
            for (weight, input) in weights[1..].iter_mut().zip(inputs) {
                *weight += number * *input;
            }
        }
        let c = sum_of_multiples(&points, &scalars, 128);
        let scalar = |weight: &Fr| weight.to_le_bytes();
        let x = self.terms.iter().zip(&weights).fold(blst_p1::default(), |sum, (term, weight)| {
            added(&sum, &multiple(term, &scalar(weight), 255))
        });
        let alpha = multiple(&self.alpha, &scalar(&weights[0]), 255);
        pairing.raw_aggregate(&self.minus_gamma, &affine(&x));
        pairing.raw_aggregate(&self.minus_delta, &affine(&c));
        pairing.raw_aggregate(&self.minus_beta, &affine(&alpha));
        pairing.commit();
        pairing.finalverify(None)
    }
}

/// The points of a proof, if they are finite and of their groups.
fn read_proof(proof: &[u8]) -> Option<(blst_p1_affine, blst_p2_affine, blst_p1_affine)> {
    assert_eq!(proof.len(), 192);
    let (mut a, mut b) = (blst_p1_affine::default(), blst_p2_affine::default());
    let mut c = blst_p1_affine::default();
    // SAFETY: the proof has 48, 96 and 48 bytes for its points; all are valid.
    let is_read = unsafe {
        blst_p1_uncompress(&mut a, proof.as_ptr()) == OK
            && blst_p2_uncompress(&mut b, proof[48..].as_ptr()) == OK
            && blst_p1_uncompress(&mut c, proof[144..].as_ptr()) == OK
            && !(blst_p1_affine_is_inf(&a)
                || blst_p2_affine_is_inf(&b)
                || blst_p1_affine_is_inf(&c))
            && blst_p1_affine_in_g1(&a)
            && blst_p2_affine_in_g2(&b)
            && blst_p1_affine_in_g1(&c)
    };
    is_read.then_some((a, b, c))
}

fn multiple(point: &blst_p1_affine, scalar: &[u8], bits: usize) -> blst_p1 {
    assert_eq!(scalar.len(), bits.div_ceil(8));
    let (mut jacobian, mut result) = (blst_p1::default(), blst_p1::default());
    // SAFETY: all are valid, and the scalar has enough bytes for its bits.
    unsafe {
        blst_p1_from_affine(&mut jacobian, point);
        blst_p1_mult(&mut result, &jacobian, scalar.as_ptr(), bits);
    }
    result
}

/// The sum of points times scalars, by buckets.
fn sum_of_multiples(points: &[blst_p1_affine], scalars: &[u8], bits: usize) -> blst_p1 {
    assert_eq!(scalars.len(), points.len() * bits.div_ceil(8));
    let mut sum = blst_p1::default();
    // SAFETY: after a null pointer the library reads consecutive points and scalars; the scratch
    // has the size that it requests.
    unsafe {
        let bytes = blst::blst_p1s_mult_pippenger_scratch_sizeof(points.len());
        let mut scratch = vec![0u64; bytes.div_ceil(8)];
        blst::blst_p1s_mult_pippenger(
            &mut sum,
            [points.as_ptr(), std::ptr::null()].as_ptr(),
            points.len(),
            [scalars.as_ptr(), std::ptr::null()].as_ptr(),
            bits,
            scratch.as_mut_ptr(),
        );
    }
    sum
}

fn added(p: &blst_p1, q: &blst_p1) -> blst_p1 {
    let mut sum = blst_p1::default();
    // SAFETY: all are valid.
    unsafe { blst_p1_add_or_double(&mut sum, p, q) };
    sum
}

fn added_affine(p: &blst_p1, q: &blst_p1_affine) -> blst_p1_affine {
    let mut sum = blst_p1::default();
    // SAFETY: all are valid.
    unsafe { blst_p1_add_or_double_affine(&mut sum, p, q) };
    affine(&sum)
}

fn affine(point: &blst_p1) -> blst_p1_affine {
    let mut affine = blst_p1_affine::default();
    // SAFETY: both are valid.
    unsafe { blst_p1_to_affine(&mut affine, point) };
    affine
}
