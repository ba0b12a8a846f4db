// SPDX-License-Identifier: Apache-2.0 OR MIT
// Kernels that only test parts of bls12_381.cu: fields, points, pairings. Items are consecutive, in
// Montgomery form; elements of F_p^12 are their coefficients of w^0 to w^5.
#include "../kernels/bls12_381.cu"

DEVICE void load_fp12(Fp12 &a, const uint32 *words) {
    for (uint32 i = 0; i < 6; ++i) coefficient(a, i) = constant_fp2(words + 24 * i);
}

DEVICE void store_fp12(uint32 *words, Fp12 &a) {
    for (uint32 i = 0; i < 6; ++i) store_element(words + 24 * i, coefficient(a, i), 1);
}

// Products, squares, inverses, p-th powers, cyclotomic squares, products with lines (coefficients
// 0, 2 and 3 of b), final exponentiations.
KERNEL(64, test_fp12, uint32 operation, const uint32 *as, const uint32 *bs, uint32 *results,
       uint32 count) {
    uint64 item = global_index();
    if (item >= count) return;
    Fp12 a, b;
    load_fp12(a, as + 144 * item);
    load_fp12(b, bs + 144 * item);
    switch (operation) {
        case 0: set_product(a, a, b); break;
        case 1: set_square(a, a); break;
        case 2: set_inverse(a, a); break;
        case 3: raise_to_p(a); break;
        case 4: square_cyclotomic(a); break;
        case 5:
            multiply_by_line(a, coefficient(b, 0), coefficient(b, 2), coefficient(b, 3));
            break;
        case 6: exponentiate_finally(a); break;
    }
    store_fp12(results + 144 * item, a);
}

// Products, squares, inverses, square roots. `found` is 0 if there is no root.
KERNEL(64, test_fp2, uint32 operation, const uint32 *as, const uint32 *bs, uint32 *results,
       uint32 *found, uint32 count) {
    uint64 item = global_index();
    if (item >= count) return;
    Fp2 a = constant_fp2(as + 24 * item), b = constant_fp2(bs + 24 * item);
    found[item] = 1;
    switch (operation) {
        case 0: set_product(a, a, b); break;
        case 1: set_square(a, a); break;
        case 2: set_inverse(a, a); break;
        case 3: found[item] = set_root(a, a) ? 1 : 0; break;
        case 4: set_times_xi(a, a); break;
        case 5: found[item] = is_square(a) ? 1 : 0; break;
    }
    store_element(results + 24 * item, a, 1);
}

// Sums of points with Z given by `zs`, and multiples.
template <class F>
DEVICE void test_point(uint32 operation, const uint32 *ps, const uint32 *qs, const uint32 *zs,
                       const uint32 *scalars, uint32 *results, uint64 item) {
    constexpr uint64 WORDS = 2 * WORDS_OF<F>;
    Affine<F> p, q;
    F z;
    load_point(p, ps + WORDS * item, 1);
    load_point(q, qs + WORDS * item, 1);
    load_element(z, zs + WORDS / 2 * item, 1);
    Jacobian<F> first, second;
    set_jacobian(first, p);
    set_jacobian(second, q);
    if (!is_infinity(p)) {
        F square;
        set_square(square, z);
        set_product(first.x, first.x, square);
        set_product(square, square, z);
        set_product(first.y, first.y, square);
        first.z = z;
    }
    if (operation == 0) {
        add_point(first, second);
    } else {
        set_multiple(first, first, scalars + 8 * item);
    }
    set_affine(p, first);
    store_point(results + WORDS * item, p, 1);
}

KERNEL(64, test_g1, uint32 operation, const uint32 *ps, const uint32 *qs, const uint32 *zs,
       const uint32 *scalars, uint32 *results, uint32 count) {
    uint64 item = global_index();
    if (item < count) test_point<Fp>(operation, ps, qs, zs, scalars, results, item);
}

KERNEL(64, test_g2, uint32 operation, const uint32 *ps, const uint32 *qs, const uint32 *zs,
       const uint32 *scalars, uint32 *results, uint32 count) {
    uint64 item = global_index();
    if (item < count) test_point<Fp2>(operation, ps, qs, zs, scalars, results, item);
}

// The pairing of two points, with the pairing of infinity beside it.
KERNEL(64, test_pairing, const uint32 *ps, const uint32 *qs, uint32 *results, uint32 count) {
    uint64 item = global_index();
    if (item >= count) return;
    Pair pairs[2];
    load_point(pairs[0].p, ps + 24 * item, 1);
    load_point(pairs[0].q, qs + 48 * item, 1);
    load_point(pairs[1].q, qs + 48 * item, 1);
    set_infinity(pairs[1].p);
    Fp12 value;
    set_miller_product(value, pairs, 2);
    exponentiate_finally(value);
    store_fp12(results + 144 * item, value);
}

// The map to the curve of G1, without the multiplication by the cofactor.
KERNEL(64, test_map_g1, const uint32 *us, uint32 *results, uint32 count) {
    uint64 item = global_index();
    if (item >= count) return;
    Jacobian<Fp> mapped;
    map_to_curve(mapped, constant_fp(us + 12 * item));
    Affine<Fp> p;
    set_affine(p, mapped);
    store_point(results + 24 * item, p, 1);
}
