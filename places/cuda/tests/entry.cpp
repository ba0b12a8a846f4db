// SPDX-License-Identifier: Apache-2.0 OR MIT
// Runs a kernel by its name, for tests: the C interface of the emulation.
#include "../kernels/platform/platform.cuh"

using halimede::emulation::find;
using halimede::emulation::Kernel;
using halimede::emulation::launch;

// The size in bytes of an argument; 0 if there is no such kernel or argument.
extern "C" size_t kernel_argument_bytes(const char *name, uint32 number) {
    const Kernel *kernel = find(name);
    return kernel != nullptr && number < kernel->arguments ? kernel->sizes[number] : 0;
}

// The most threads of a block; 0 if there is no such kernel.
extern "C" uint32 kernel_threads(const char *name) {
    const Kernel *kernel = find(name);
    return kernel == nullptr ? 0 : kernel->threads;
}

// Runs a kernel; returns 0, or 1 if there is no such kernel or the blocks are too large.
extern "C" int run_kernel(const char *name, uint32 blocks, uint32 threads, void **arguments) {
    const Kernel *kernel = find(name);
    if (kernel == nullptr || threads == 0 || threads > kernel->threads) return 1;
    launch(*kernel, blocks, threads, arguments);
    return 0;
}
