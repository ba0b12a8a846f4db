// SPDX-License-Identifier: Apache-2.0 OR MIT
// The names of platform.cuh on a GPU.
#pragma once

#define KERNEL(threads, name, ...) \
    extern "C" __global__ void __launch_bounds__(threads) name(__VA_ARGS__)
#define CALLING_KERNEL(threads, name, ...) \
    extern "C" __global__ void __launch_bounds__(threads, 1) name(__VA_ARGS__)
#define DEVICE __device__ __forceinline__
#define MEMBER static __device__ __forceinline__
#define METHOD __device__ __forceinline__
#define CALLED static __device__ __noinline__
#define SHARED __shared__
#define CONSTANT __device__ const
#define UNROLL _Pragma("unroll")
#define NO_UNROLL _Pragma("unroll 1")

DEVICE uint32 thread_index() { return threadIdx.x; }
DEVICE uint32 block_index() { return blockIdx.x; }
DEVICE uint32 block_size() { return blockDim.x; }
DEVICE uint32 grid_size() { return gridDim.x; }

DEVICE void barrier() { __syncthreads(); }
DEVICE uint32 shuffle(uint32 value, uint32 lane) { return __shfl_sync(~0u, value, lane); }
DEVICE uint32 shuffle_xor(uint32 value, uint32 mask) { return __shfl_xor_sync(~0u, value, mask); }

DEVICE uint32 atomic_add(uint32 *place, uint32 value) { return atomicAdd(place, value); }
DEVICE uint32 atomic_or(uint32 *place, uint32 value) { return atomicOr(place, value); }
DEVICE uint32 atomic_and(uint32 *place, uint32 value) { return atomicAnd(place, value); }
DEVICE uint32 atomic_min(uint32 *place, uint32 value) { return atomicMin(place, value); }

DEVICE uint32 mul_hi(uint32 a, uint32 b) { return __umulhi(a, b); }
DEVICE uint64 mul_hi(uint64 a, uint64 b) { return __umul64hi(a, b); }
DEVICE uint32 rotate_right(uint32 a, uint32 count) { return __funnelshift_r(a, a, count); }
DEVICE uint32 count_leading_zeros(uint32 a) {
    return static_cast<uint32>(__clz(static_cast<int>(a)));
}
DEVICE uint32 count_ones(uint32 a) { return static_cast<uint32>(__popc(a)); }
DEVICE uint32 reverse_bits(uint32 a) { return __brev(a); }

DEVICE uint32 swap_bytes(uint32 a) { return __byte_perm(a, 0, 0x0123); }

// PTX ISA, "Extended-Precision Arithmetic Instructions": the condition code holds the carry from one
// instruction to the next. `volatile` keeps the order of the instructions.
#define HALIMEDE_CARRY_2(name, instruction)                                          \
    DEVICE uint32 name(uint32 a, uint32 b) {                                         \
        uint32 result;                                                               \
        asm volatile(instruction " %0, %1, %2;" : "=r"(result) : "r"(a), "r"(b));    \
        return result;                                                               \
    }
#define HALIMEDE_CARRY_3(name, instruction)                                              \
    DEVICE uint32 name(uint32 a, uint32 b, uint32 c) {                                   \
        uint32 result;                                                                   \
        asm volatile(instruction " %0, %1, %2, %3;"                                      \
                     : "=r"(result)                                                      \
                     : "r"(a), "r"(b), "r"(c));                                          \
        return result;                                                                   \
    }
HALIMEDE_CARRY_2(add_cc, "add.cc.u32")
HALIMEDE_CARRY_2(addc_cc, "addc.cc.u32")
HALIMEDE_CARRY_2(addc, "addc.u32")
HALIMEDE_CARRY_2(sub_cc, "sub.cc.u32")
HALIMEDE_CARRY_2(subc_cc, "subc.cc.u32")
HALIMEDE_CARRY_2(subc, "subc.u32")
HALIMEDE_CARRY_3(mad_lo_cc, "mad.lo.cc.u32")
HALIMEDE_CARRY_3(mad_hi_cc, "mad.hi.cc.u32")
HALIMEDE_CARRY_3(madc_lo_cc, "madc.lo.cc.u32")
HALIMEDE_CARRY_3(madc_hi_cc, "madc.hi.cc.u32")
HALIMEDE_CARRY_3(madc_lo, "madc.lo.u32")
HALIMEDE_CARRY_3(madc_hi, "madc.hi.u32")
#undef HALIMEDE_CARRY_2
#undef HALIMEDE_CARRY_3
