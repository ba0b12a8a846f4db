// SPDX-License-Identifier: Apache-2.0 OR MIT
// Kernels that apply one operation of a prime field to many operands, for tests.
#include "../kernels/field/batch_inversion.cuh"
#include "../kernels/field/primes.cuh"

enum Operation : uint32 {
    ADD, SUBTRACT, MULTIPLY, SQUARE, INVERT, TO_MONTGOMERY, FROM_MONTGOMERY, IS_CANONICAL, NEGATE
};

template <class P>
DEVICE Element<P> apply(uint32 operation, const Element<P> &a, const Element<P> &b) {
    switch (operation) {
        case ADD: return add<P>(a, b);
        case SUBTRACT: return subtract<P>(a, b);
        case MULTIPLY: return multiply<P>(a, b);
        case SQUARE: return square<P>(a);
        case INVERT: return invert<P>(a);
        case TO_MONTGOMERY: return to_montgomery<P>(a);
        case FROM_MONTGOMERY: return from_montgomery<P>(a);
        case NEGATE: return negate<P>(a);
        default: break;
    }
    Element<P> flag = zero_limbs<P::N>();
    flag.words[0] = is_canonical<P>(a) ? 1 : 0;
    return flag;
}

template <class P>
DEVICE void apply_all(uint32 operation, const uint32 *a, const uint32 *b, uint32 *result,
                      uint32 count) {
    uint64 index = global_index();
    if (index >= count) return;
    uint64 place = index * P::N;
    store_limbs(result + place, apply<P>(operation, load_limbs<P::N>(a + place),
                                         load_limbs<P::N>(b + place)));
}

// The sum of `length` products.
template <class P>
DEVICE void inner_product(const uint32 *a, const uint32 *b, uint32 *result, uint32 length) {
    InnerProduct<P> sum = empty_inner_product<P>();
    for (uint32 i = 0; i < length; ++i) {
        accumulate<P>(sum, load_limbs<P::N>(a + i * P::N), load_limbs<P::N>(b + i * P::N));
    }
    store_limbs(result, reduce_inner_product<P>(sum));
}

#define FIELD_KERNELS(name, P)                                                                  \
    KERNEL(128, field_##name, uint32 operation, const uint32 *a, const uint32 *b,              \
           uint32 *result, uint32 count) {                                                      \
        apply_all<P>(operation, a, b, result, count);                                           \
    }                                                                                           \
    KERNEL(32, invert_##name, uint32 *values, uint32 *products, uint32 count) {                \
        if (global_index() == 0) invert_batch<P>(values, products, count, P::N, 1);            \
    }
#define SUM_KERNEL(name, P)                                                                     \
    KERNEL(32, sum_##name, const uint32 *a, const uint32 *b, uint32 *result, uint32 length) {  \
        if (global_index() == 0) inner_product<P>(a, b, result, length);                        \
    }

FIELD_KERNELS(bls12_381_scalar, Bls12381Scalar)
FIELD_KERNELS(stark, StarkPrime)
FIELD_KERNELS(bn254_scalar, Bn254Scalar)
FIELD_KERNELS(pallas, PallasBase)
FIELD_KERNELS(vesta, VestaBase)
FIELD_KERNELS(secp256k1_scalar, Secp256k1Scalar)
FIELD_KERNELS(secp256k1_base, Secp256k1Base)
FIELD_KERNELS(bls12_381_base, Bls12381Base)
SUM_KERNEL(bls12_381_scalar, Bls12381Scalar)
SUM_KERNEL(stark, StarkPrime)
SUM_KERNEL(bn254_scalar, Bn254Scalar)
SUM_KERNEL(pallas, PallasBase)
SUM_KERNEL(vesta, VestaBase)
SUM_KERNEL(secp256k1_scalar, Secp256k1Scalar)
SUM_KERNEL(bls12_381_base, Bls12381Base)
