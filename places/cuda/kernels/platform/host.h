// SPDX-License-Identifier: Apache-2.0 OR MIT
// The names of platform.cuh on a processor. Every thread of a block is a separate context that
// runs until it ends or waits; blocks run in sequence (host.cpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <tuple>
#include <utility>

namespace halimede::emulation {

// Calls a kernel with arguments as cuLaunchKernel takes them: a pointer to each.
using Caller = void (*)(void **arguments);

// A kernel by its name. All kernels of a program are in one list.
struct Kernel {
    const char *name;
    uint32 threads;
    uint32 arguments;
    // The size of each argument in bytes.
    const size_t *sizes;
    Caller call;
    Kernel *next;

    Kernel(const char *name, uint32 threads, uint32 arguments, const size_t *sizes, Caller call);
};

// The kernel of this name, or null.
const Kernel *find(const char *name);

// The first kernel of the list.
const Kernel *first();

// Runs a kernel on `blocks` blocks of `threads` threads.
void launch(const Kernel &kernel, uint32 blocks, uint32 threads, void **arguments);

// The place of the thread that runs.
struct Place {
    uint32 thread, block, threads, blocks;
};
extern thread_local Place place;

// The carry of the thread that runs.
extern thread_local uint32 carry;

// Lets the other threads of the block run until all have called this, or have ended.
void wait_for_block();

// The value that thread `lane` of the warp gave in the same call.
uint32 exchange(uint32 value, uint32 lane);

template <typename... Arguments, size_t... Indices>
void apply(void (*kernel)(Arguments...), void **arguments, std::index_sequence<Indices...>) {
    kernel(*static_cast<Arguments *>(arguments[Indices])...);
}

template <auto kernel> struct Call;

template <typename... Arguments, void (*kernel)(Arguments...)> struct Call<kernel> {
    static constexpr uint32 count = sizeof...(Arguments);
    static constexpr size_t sizes[count + 1] = {sizeof(Arguments)..., 0};
    static void call(void **arguments) {
        apply(kernel, arguments, std::index_sequence_for<Arguments...>{});
    }
};

}  // namespace halimede::emulation

#define KERNEL(threads, name, ...)                                                             \
    static void name(__VA_ARGS__);                                                             \
    static const ::halimede::emulation::Kernel registered_##name{                              \
        #name, threads, ::halimede::emulation::Call<name>::count,                              \
        ::halimede::emulation::Call<name>::sizes, ::halimede::emulation::Call<name>::call};    \
    static void name(__VA_ARGS__)
#define CALLING_KERNEL KERNEL
#define DEVICE [[maybe_unused]] static inline
#define MEMBER [[maybe_unused]] static inline
#define METHOD inline
#define CALLED [[maybe_unused]] static
#define SHARED static thread_local
#define CONSTANT static const
#define UNROLL
#define NO_UNROLL

DEVICE uint32 thread_index() { return halimede::emulation::place.thread; }
DEVICE uint32 block_index() { return halimede::emulation::place.block; }
DEVICE uint32 block_size() { return halimede::emulation::place.threads; }
DEVICE uint32 grid_size() { return halimede::emulation::place.blocks; }

DEVICE void barrier() { halimede::emulation::wait_for_block(); }
DEVICE uint32 shuffle(uint32 value, uint32 lane) {
    return halimede::emulation::exchange(value, lane % 32);
}
DEVICE uint32 shuffle_xor(uint32 value, uint32 mask) {
    return halimede::emulation::exchange(value, (thread_index() ^ mask) % 32);
}

DEVICE uint32 atomic_add(uint32 *place, uint32 value) {
    return __atomic_fetch_add(place, value, __ATOMIC_RELAXED);
}
DEVICE uint32 atomic_or(uint32 *place, uint32 value) {
    return __atomic_fetch_or(place, value, __ATOMIC_RELAXED);
}
DEVICE uint32 atomic_and(uint32 *place, uint32 value) {
    return __atomic_fetch_and(place, value, __ATOMIC_RELAXED);
}
DEVICE uint32 atomic_min(uint32 *place, uint32 value) {
    uint32 before = __atomic_load_n(place, __ATOMIC_RELAXED);
    while (value < before && !__atomic_compare_exchange_n(place, &before, value, true,
                                                          __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
    }
    return before;
}

DEVICE uint32 mul_hi(uint32 a, uint32 b) {
    return static_cast<uint32>((static_cast<uint64>(a) * b) >> 32);
}
DEVICE uint64 mul_hi(uint64 a, uint64 b) {
    return static_cast<uint64>((static_cast<unsigned __int128>(a) * b) >> 64);
}
DEVICE uint32 rotate_right(uint32 a, uint32 count) {
    return (a >> (count & 31)) | (a << ((32 - count) & 31));
}
DEVICE uint32 count_leading_zeros(uint32 a) {
    return a == 0 ? 32 : static_cast<uint32>(__builtin_clz(a));
}
DEVICE uint32 count_ones(uint32 a) { return static_cast<uint32>(__builtin_popcount(a)); }
DEVICE uint32 reverse_bits(uint32 a) {
    a = ((a >> 1) & 0x55555555u) | ((a & 0x55555555u) << 1);
    a = ((a >> 2) & 0x33333333u) | ((a & 0x33333333u) << 2);
    a = ((a >> 4) & 0x0f0f0f0fu) | ((a & 0x0f0f0f0fu) << 4);
    return __builtin_bswap32(a);
}

DEVICE uint32 swap_bytes(uint32 a) { return __builtin_bswap32(a); }

// Keeps the low word of a sum of words and stores the carry.
DEVICE uint32 with_carry(uint64 sum) {
    halimede::emulation::carry = static_cast<uint32>(sum >> 32);
    return static_cast<uint32>(sum);
}
// Keeps the low word of a difference of words and stores the borrow. PTX's `subc` subtracts it.
DEVICE uint32 with_borrow(uint64 difference) {
    halimede::emulation::carry = static_cast<uint32>(difference >> 63);
    return static_cast<uint32>(difference);
}
DEVICE uint32 carry_in() { return halimede::emulation::carry; }
DEVICE uint32 low_product(uint32 a, uint32 b) { return a * b; }

DEVICE uint32 add_cc(uint32 a, uint32 b) { return with_carry(static_cast<uint64>(a) + b); }
DEVICE uint32 addc_cc(uint32 a, uint32 b) {
    return with_carry(static_cast<uint64>(a) + b + carry_in());
}
DEVICE uint32 addc(uint32 a, uint32 b) { return a + b + carry_in(); }
DEVICE uint32 sub_cc(uint32 a, uint32 b) { return with_borrow(static_cast<uint64>(a) - b); }
DEVICE uint32 subc_cc(uint32 a, uint32 b) {
    return with_borrow(static_cast<uint64>(a) - b - carry_in());
}
DEVICE uint32 subc(uint32 a, uint32 b) { return a - b - carry_in(); }
DEVICE uint32 mad_lo_cc(uint32 a, uint32 b, uint32 c) { return add_cc(low_product(a, b), c); }
DEVICE uint32 mad_hi_cc(uint32 a, uint32 b, uint32 c) { return add_cc(mul_hi(a, b), c); }
DEVICE uint32 madc_lo_cc(uint32 a, uint32 b, uint32 c) { return addc_cc(low_product(a, b), c); }
DEVICE uint32 madc_hi_cc(uint32 a, uint32 b, uint32 c) { return addc_cc(mul_hi(a, b), c); }
DEVICE uint32 madc_lo(uint32 a, uint32 b, uint32 c) { return addc(low_product(a, b), c); }
DEVICE uint32 madc_hi(uint32 a, uint32 b, uint32 c) { return addc(mul_hi(a, b), c); }
