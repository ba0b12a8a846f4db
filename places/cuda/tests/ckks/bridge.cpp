// SPDX-License-Identifier: Apache-2.0 OR MIT
// Launches emulated kernels by name, for ctypes.
#include "../../kernels/platform/platform.cuh"

using halimede::emulation::find;
using halimede::emulation::Kernel;

// The number of arguments of a kernel, or -1 if there is none of this name.
extern "C" int halimede_arguments(const char *name) {
    const Kernel *kernel = find(name);
    return kernel == nullptr ? -1 : static_cast<int>(kernel->arguments);
}

// The size of an argument in bytes.
extern "C" int halimede_argument_bytes(const char *name, int argument) {
    return static_cast<int>(find(name)->sizes[argument]);
}

extern "C" void halimede_launch(const char *name, uint32 blocks, uint32 threads,
                                void **arguments) {
    launch(*find(name), blocks, threads, arguments);
}
