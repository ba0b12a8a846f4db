// SPDX-License-Identifier: Apache-2.0 OR MIT
//! StarkWare's field: residues modulo p = 2²⁵¹ + 17·2¹⁹² + 1 as integers below 2²⁵⁶ ≈ 32·p.
//!
//! With C = 2⁵⁹ + 17 the modulus is C·2¹⁹² + 1, which is its own inverse modulo 2¹⁹² up to the sign
//! of C: the Montgomery quotient of T is T's low half minus (t₀·C mod 2⁶⁴)·2¹⁹². Only the last limb
//! of the quotient needs a product, and its multiple of p costs the four products with C.

use super::limbs::{multiply_wide, product, square_wide, sub_borrowing, Limbs, WideLimbs};
use super::Arithmetic;
use crate::field::{Modulus, StarkPrime};
use crate::Felt;

/// The top limb of the modulus.
const C: u64 = StarkPrime::VALUE[3];

/// k·p, for k ≤ 31.
pub const fn multiple_of_modulus(k: u64) -> Limbs {
    assert!(k <= 31);
    [k, 0, 0, k * C]
}

/// T·2⁻²⁵⁶ mod p as an integer in p + T/2²⁵⁶ + (0, p], which must lie below 2²⁵⁶.
///
/// With the quotient q, (T − q·p)/2²⁵⁶ is T's high half − (q·C − (t₀·C mod 2⁶⁴))/2⁶⁴, minus the
/// borrow of q's last limb. The subtrahend is in [0, p). It is known before T's high half, and so
/// is its difference to 2·p.
#[inline(always)]
fn reduce_wide<A: Arithmetic>(t: WideLimbs) -> Limbs {
    let (l0, h0) = product(t[0], C);
    let (l1, h1) = product(t[1], C);
    let (l2, h2) = product(t[2], C);
    let (q3, borrow) = A::sub(t[3], l0, 0);
    let (n0, borrow) = A::sub(2, h0, borrow);
    let (n1, borrow) = A::sub(0, h1, borrow);
    let (n2, borrow) = A::sub(0, h2, borrow);
    let (n3, _) = A::sub(2 * C, 0, borrow);
    let (l3, h3) = product(q3, C);
    let (n0, borrow) = A::sub(n0, l1, 0);
    let (n1, borrow) = A::sub(n1, l2, borrow);
    let (n2, borrow) = A::sub(n2, l3, borrow);
    let (n3, _) = A::sub(n3, h3, borrow);
    let (r0, carry) = A::add(t[4], n0, 0);
    let (r1, carry) = A::add(t[5], n1, carry);
    let (r2, carry) = A::add(t[6], n2, carry);
    let (r3, carry) = A::add(t[7], n3, carry);
    debug_assert_eq!(carry, 0, "a residue must be below 2^256");
    [r0, r1, r2, r3]
}

/// x³·2⁻⁵¹² mod p, for x < 19·p.
///
/// With x < a·p the square is below (a²/32 + 2)·p, and the cube in
/// (p, ((a²/32 + 2)·a/32 + 2)·p): below 2.3·p for a = 3, 4·p for a = 11, 10·p for a = 19.
#[inline(always)]
pub fn cube<A: Arithmetic>(x: Limbs) -> Limbs {
    let square = reduce_wide::<A>(square_wide::<A>(x));
    reduce_wide::<A>(multiply_wide::<A>(square, x))
}

/// Returns the same residue in (0, 2·p), for x from 2²⁵¹ to 2²⁵⁶.
///
/// With h = ⌊x/2²⁵¹⌋ ≥ 1 this is x − (h−1)·p = (x mod 2²⁵¹) + 2²⁵¹ − (h−1)·(17·2¹⁹² + 1).
#[inline(always)]
pub fn fold<A: Arithmetic>(x: Limbs) -> Limbs {
    debug_assert!(x[3] >> 59 >= 1, "x must be at least 2^251");
    let multiple = (x[3] >> 59).wrapping_sub(1);
    let (r0, borrow) = A::sub(x[0], multiple, 0);
    let (r1, borrow) = A::sub(x[1], 0, borrow);
    let (r2, borrow) = A::sub(x[2], 0, borrow);
    let (r3, _) = A::sub(x[3], multiple.wrapping_mul(C), borrow);
    [r0, r1, r2, r3]
}

/// Returns the residue of x/2, below x/2 + p/2, for x < 2²⁵⁶ − p.
#[inline(always)]
pub fn halve<A: Arithmetic>(x: Limbs) -> Limbs {
    let odd = (x[0] & 1).wrapping_neg();
    let [e0, e1, e2, e3] = super::limbs::add::<A>(x, [odd & 1, 0, 0, odd & C]);
    [(e0 >> 1) | (e1 << 63), (e1 >> 1) | (e2 << 63), (e2 >> 1) | (e3 << 63), e3 >> 1]
}

/// Returns the element whose Montgomery form is x modulo p, for x < 2·p.
#[inline(always)]
pub fn canonical<A: Arithmetic>(x: Limbs) -> Felt {
    let (reduced, borrow) = sub_borrowing::<A>(x, StarkPrime::VALUE);
    let mask = u64::from(borrow).wrapping_neg();
    let select = |index: usize| (x[index] & mask) | (reduced[index] & !mask);
    Felt::from_reduced([select(0), select(1), select(2), select(3)])
}
