// SPDX-License-Identifier: Apache-2.0 OR MIT
// BLAKE3 of many messages in all modes: digests of short messages, and trees of long ones.
//
// Messages are consecutive bytes: message i has the bytes from offsets[i] to offsets[i + 1]. A mode
// is nine words, the key and the flags; `modes` has the number of each message's mode, or is null
// if all messages have mode 0.
#include "hash/blake3.cuh"

constexpr uint32 MODE_WORDS = 9;
// A root: value, block, bytes and flags.
constexpr uint32 ROOT_WORDS = 26;

// Sets the value of a node to the key of a message; returns the mode's flags.
DEVICE uint32 begin_message(Blake3Node &node, const uint32 *keys, const uint32 *modes,
                            uint64 message) {
    const uint32 *key = keys + (modes == nullptr ? 0 : modes[message]) * MODE_WORDS;
    UNROLL for (uint32 i = 0; i < 8; ++i) node.value[i] = key[i];
    return key[8];
}

// The last i with starts[i] <= value, for ascending starts of which the first is at most the value.
DEVICE uint64 find_start(const uint64 *starts, uint64 count, uint64 value) {
    uint64 low = 0, high = count;
    while (high - low > 1) {
        uint64 middle = low + (high - low) / 2;
        if (starts[middle] <= value) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

DEVICE void store_root(uint32 *roots, uint64 message, const Blake3Node &node) {
    uint32 *root = roots + message * ROOT_WORDS;
    UNROLL for (uint32 i = 0; i < 8; ++i) root[i] = node.value[i];
    UNROLL for (uint32 i = 0; i < 16; ++i) root[8 + i] = node.block[i];
    root[24] = node.bytes;
    root[25] = node.flags | ROOT;
}

// The digests of messages of at most 1,024 bytes.
KERNEL(128, blake3_digests, const uint32 *data, const uint64 *offsets, const uint32 *keys,
       const uint32 *modes, uint32 *digests, uint32 count) {
    uint64 message = global_index();
    if (message >= count) return;
    Blake3Node node;
    node.counter = 0;
    uint32 flags = begin_message(node, keys, modes, message);
    uint64 start = offsets[message];
    blake3_chunk(node, data, start, static_cast<uint32>(offsets[message + 1] - start), flags);
    node.flags |= ROOT;
    blake3_chain(node);
    UNROLL for (uint32 i = 0; i < 8; ++i) digests[message * 8 + i] = node.value[i];
}

// The chaining values of the chunks of messages: those of message i from starts[i] on. If a message
// is one chunk, writes its root instead.
KERNEL(128, blake3_chunks, const uint32 *data, const uint64 *offsets, const uint64 *starts,
       const uint32 *keys, const uint32 *modes, uint32 *values, uint32 *roots, uint32 count,
       uint64 chunks) {
    uint64 chunk = global_index();
    if (chunk >= chunks) return;
    uint64 message = find_start(starts, count, chunk);
    uint64 number = chunk - starts[message];
    uint64 place = offsets[message] + number * BLAKE3_CHUNK_BYTES;
    uint64 rest = offsets[message + 1] - place;
    Blake3Node node;
    node.counter = number;
    uint32 flags = begin_message(node, keys, modes, message);
    blake3_chunk(node, data, place,
                 static_cast<uint32>(rest < BLAKE3_CHUNK_BYTES ? rest : BLAKE3_CHUNK_BYTES), flags);
    if (starts[message + 1] - starts[message] == 1) {
        store_root(roots, message, node);
        return;
    }
    blake3_chain(node);
    UNROLL for (uint32 i = 0; i < 8; ++i) values[chunk * 8 + i] = node.value[i];
}

// One level of the trees: nodes 2j and 2j + 1 of a message have the parent j; a last node without
// another moves up. `below` and `above` are the starts of the messages in both levels; a message
// with n nodes below has (n + 1) / 2 above. The parent of two nodes alone is the message's root.
KERNEL(128, blake3_parents, const uint32 *values, const uint64 *below, const uint64 *above,
       const uint32 *keys, const uint32 *modes, uint32 *parents, uint32 *roots, uint32 count,
       uint64 nodes) {
    uint64 index = global_index();
    if (index >= nodes) return;
    uint64 message = find_start(above, count, index);
    uint64 first = below[message] + 2 * (index - above[message]);
    uint64 children = below[message + 1] - first;
    const uint32 *child = values + first * 8;
    if (children == 1) {
        UNROLL for (uint32 i = 0; i < 8; ++i) parents[index * 8 + i] = child[i];
        return;
    }
    Blake3Node node;
    node.counter = 0;
    node.bytes = BLOCK_BYTES;
    node.flags = begin_message(node, keys, modes, message) | PARENT;
    UNROLL for (uint32 i = 0; i < 16; ++i) node.block[i] = child[i];
    if (below[message + 1] - below[message] == 2) {
        store_root(roots, message, node);
        return;
    }
    blake3_chain(node);
    UNROLL for (uint32 i = 0; i < 8; ++i) parents[index * 8 + i] = node.value[i];
}

// Blocks of the extended output: those of message i from starts[i] on, of which the first is output
// block first_blocks[i].
KERNEL(128, blake3_outputs, const uint32 *roots, const uint64 *starts, const uint64 *first_blocks,
       uint32 *outputs, uint32 count, uint64 blocks) {
    uint64 index = global_index();
    if (index >= blocks) return;
    uint64 message = find_start(starts, count, index);
    const uint32 *root = roots + message * ROOT_WORDS;
    Blake3Node node;
    UNROLL for (uint32 i = 0; i < 8; ++i) node.value[i] = root[i];
    UNROLL for (uint32 i = 0; i < 16; ++i) node.block[i] = root[8 + i];
    node.bytes = root[24];
    node.flags = root[25];
    node.counter = first_blocks[message] + index - starts[message];
    blake3_output(node, outputs + index * 16);
}
