// SPDX-License-Identifier: Apache-2.0 OR MIT
// Runs one of the kernels with faults: planted_main KERNEL NUMBER.
#include <cstdlib>
#include <vector>

#include "platform/platform.cuh"

int main(int count, char **arguments) {
    if (count != 3) return 2;
    std::vector<uint32> memory(32);
    uint32 *data = memory.data();
    uint32 number = static_cast<uint32>(std::atoi(arguments[2]));
    void *pointers[] = {&data, &number};
    const auto *kernel = halimede::emulation::find(arguments[1]);
    if (kernel == nullptr) return 3;
    halimede::emulation::launch(*kernel, 1, 1, pointers);
    return 0;
}
