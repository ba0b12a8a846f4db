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
    std::puts("header");
    return 0;
}
