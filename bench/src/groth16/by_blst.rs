// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The equation e(A, B)·e(X, −γ)·e(C, −δ) = e(α, β) by blst, with the lines of −γ and −δ and the
//! pairing of α and β prepared: what a user of that library writes for one proof.

use blst::{
    blst_final_exp, blst_fp12, blst_fp12_mul, blst_fp6, blst_miller_loop, blst_miller_loop_lines,
    blst_p1, blst_p1_add_or_double, blst_p1_add_or_double_affine, blst_p1_affine,
    blst_p1_affine_in_g1, blst_p1_affine_is_inf, blst_p1_deserialize, blst_p1_from_affine,
    blst_p1_mult, blst_p1_to_affine, blst_p1_uncompress, blst_p2_affine, blst_p2_affine_in_g2,
    blst_p2_affine_is_inf, blst_p2_deserialize, blst_p2_uncompress, blst_precompute_lines,
    BLST_ERROR,
};
use halimede_bls12_381::Fr;

const OK: BLST_ERROR = BLST_ERROR::BLST_SUCCESS;

/// Values of a prepared point's lines.
const LINES: usize = 68;

/// A verifying key, prepared.
pub(super) struct Key {
    alpha_beta: blst_fp12,
    gamma: Vec<blst_fp6>,
    delta: Vec<blst_fp6>,
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

/// The lines of −Q.
fn lines(mut q: blst_p2_affine) -> Vec<blst_fp6> {
    let mut lines = vec![blst_fp6::default(); LINES];
    let y = std::ptr::from_mut(&mut q.y);
    // SAFETY: the library negates in place, and writes as many values as the list has.
    unsafe {
        blst::blst_fp2_cneg(y, y, true);
        blst_precompute_lines(lines.as_mut_ptr(), &q);
    }
    lines
}

impl Key {
    /// Reads bellman's bytes of a key that is right: α, β of G1, β, γ of G2, δ of either, terms.
    pub(super) fn read(bytes: &[u8]) -> Self {
        let (alpha, beta) = (read_g1(&bytes[..96]), read_g2(&bytes[192..384]));
        let mut alpha_beta = blst_fp12::default();
        // SAFETY: all are valid; the library computes in place.
        unsafe {
            blst_miller_loop(&mut alpha_beta, &beta, &alpha);
            let product = alpha_beta;
            blst_final_exp(&mut alpha_beta, &product);
        }
        Self {
            alpha_beta,
            gamma: lines(read_g2(&bytes[384..576])),
            delta: lines(read_g2(&bytes[672..864])),
            terms: bytes[868..].chunks(96).map(read_g1).collect(),
        }
    }

    /// X.
    fn sum_of_inputs(&self, inputs: &[Fr]) -> blst_p1_affine {
        let (mut sum, mut affine) = (blst_p1::default(), blst_p1_affine::default());
        for (term, input) in self.terms[1..].iter().zip(inputs) {
            let (mut point, mut multiple) = (blst_p1::default(), blst_p1::default());
            let previous = sum;
            // SAFETY: all are valid, and a scalar has 32 bytes.
            unsafe {
                blst_p1_from_affine(&mut point, term);
                blst_p1_mult(&mut multiple, &point, input.to_le_bytes().as_ptr(), 255);
                blst_p1_add_or_double(&mut sum, &previous, &multiple);
            }
        }
        let previous = sum;
        // SAFETY: all are valid.
        unsafe {
            blst_p1_add_or_double_affine(&mut sum, &previous, &self.terms[0]);
            blst_p1_to_affine(&mut affine, &sum);
        }
        affine
    }

    /// Whether a proof is valid; its points are read and checked.
    pub(super) fn verify(&self, proof: &[u8], inputs: &[Fr]) -> bool {
        assert_eq!((proof.len(), inputs.len() + 1), (192, self.terms.len()));
        let (mut a, mut b) = (blst_p1_affine::default(), blst_p2_affine::default());
        let mut c = blst_p1_affine::default();
        // SAFETY: the proof has 48, 96 and 48 bytes for its points; all are valid.
        let read = unsafe {
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
        if !read {
            return false;
        }
        let x = self.sum_of_inputs(inputs);
        let mut product = blst_fp12::default();
        let mut other = blst_fp12::default();
        // SAFETY: all are valid, and the lines are those of prepared points.
        unsafe {
            blst_miller_loop(&mut product, &b, &a);
            for (lines, point) in [(&self.gamma, &x), (&self.delta, &c)] {
                let before = product;
                blst_miller_loop_lines(&mut other, lines.as_ptr(), point);
                blst_fp12_mul(&mut product, &before, &other);
            }
            let before = product;
            blst_final_exp(&mut product, &before);
        }
        product == self.alpha_beta
    }
}
