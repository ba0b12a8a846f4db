// SPDX-License-Identifier: Apache-2.0 OR MIT
// What kernels are written with. The same sources are compiled for the GPU, by NVRTC, and for the
// processor, where blocks and threads are loops (host.h).
//
// | name | meaning |
// |---|---|
// | KERNEL(threads, name, arguments...) | defines a kernel for blocks of up to `threads` threads |
// | CALLING_KERNEL(...) | the same, with more registers, so that CALLED functions spill none |
// | DEVICE | a function that kernels call; it is inlined on the GPU |
// | MEMBER, METHOD | the same as a member of a type, static or with an object |
// | CALLED | a function that kernels call and that is not inlined |
// | SHARED | a variable in the memory of a block |
// | barrier() | waits for all threads of the block |
// | shuffle(value, lane), shuffle_xor(value, mask) | the value of another thread of the warp |
// | thread_index(), block_index(), block_size(), grid_size() | the place of a thread, in x |
// | add_cc, addc_cc, mad_lo_cc, ... | words of long integers, with the carry of PTX |
//
// All threads of a warp call `shuffle`; all threads of a block call `barrier`. A kernel has no
// dynamic shared memory, no recursion and no global variables that it writes.
#pragma once

using uint8 = unsigned char;
using uint16 = unsigned short;
using uint32 = unsigned int;
using uint64 = unsigned long long;
using int32 = int;
using int64 = long long;

#if defined(__CUDACC__) || defined(__CUDACC_RTC__)
#include "device.cuh"
#else
#include "host.h"
#endif

constexpr uint32 WARP = 32;

// The index of this thread in the grid.
DEVICE uint64 global_index() {
    return static_cast<uint64>(block_index()) * block_size() + thread_index();
}

// The number of threads of the grid.
DEVICE uint64 global_size() { return static_cast<uint64>(grid_size()) * block_size(); }

// The index of this thread in its warp.
DEVICE uint32 lane_index() { return thread_index() % WARP; }
