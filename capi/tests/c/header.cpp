// SPDX-License-Identifier: Apache-2.0 OR MIT
// The header serves C++ as well.
#include "halimede.h"

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstring>

int main()
{
    const halimede_filecoin_hasher hasher = {2, HALIMEDE_STRENGTH_STANDARD,
                                             HALIMEDE_HASH_TYPE_MERKLE_TREE, 0};
    const std::array<std::uint64_t, 8> children = {1, 0, 0, 0, 2, 0, 0, 0};
    std::array<std::uint64_t, 4> digest{}, root{};
    halimede_status status =
        halimede_filecoin_hash(nullptr, &hasher, children.data(), 1, 2, digest.data());
    if (status != HALIMEDE_STATUS_OK || digest == root) {
        std::fprintf(stderr, "%s: %s\n", halimede_status_name(status), halimede_last_error());
        return 1;
    }
    status = halimede_tree_root(nullptr, 2, HALIMEDE_STRENGTH_STANDARD, children.data(), 2,
                                root.data());
    if (status != HALIMEDE_STATUS_OK || digest != root) {
        std::fprintf(stderr, "%s: %s\n", halimede_status_name(status), halimede_last_error());
        return 1;
    }
    halimede_blake3_mode mode{};
    mode.kind = HALIMEDE_BLAKE3_KIND_DERIVE_KEY;
    mode.context = "halimede 2026-11-22 the header in C++";
    const std::array<std::uint8_t, 3> message = {'a', 'b', 'c'};
    std::array<std::uint8_t, 32> plain{}, derived{};
    status = halimede_blake3_hash(nullptr, nullptr, message.data(), 3, 0, plain.data(), 32);
    if (status == HALIMEDE_STATUS_OK)
        status = halimede_blake3_hash(nullptr, &mode, message.data(), 3, 0, derived.data(), 32);
    if (status != HALIMEDE_STATUS_OK || plain[0] != 0x64 || derived == plain) {
        std::fprintf(stderr, "%s: %s\n", halimede_status_name(status), halimede_last_error());
        return 1;
    }
    std::puts("header");
    return 0;
}
