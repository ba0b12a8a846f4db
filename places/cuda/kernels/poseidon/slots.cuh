// SPDX-License-Identifier: Apache-2.0 OR MIT
// The field elements of a thread in the memory of its block, indexed at run time.
#pragma once

#include "../field/prime.cuh"

// Words of the same place of all threads are next to each other, so that no two threads of a warp
// use the same bank.
template <class P, uint32 THREADS> struct Slots {
    uint32 *words;

    METHOD Slots(uint32 *shared) : words(shared + thread_index()) {}

    METHOD Element<P> load(uint32 slot) const {
        return load_limbs<P::N>(words + slot * P::N * THREADS, THREADS);
    }

    METHOD void store(uint32 slot, const Element<P> &value) const {
        store_limbs(words + slot * P::N * THREADS, value, THREADS);
    }
};

// Element `index` of a table in device memory.
template <class P> DEVICE Element<P> entry(const uint32 *table, uint64 index) {
    return load_limbs<P::N>(table + index * P::N);
}

template <class P> DEVICE Element<P> fifth_power(const Element<P> &a) {
    return multiply<P>(square<P>(square<P>(a)), a);
}
