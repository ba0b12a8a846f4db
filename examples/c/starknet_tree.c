/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Computes the root of a binary Merkle tree of Starknet's Poseidon hash. Each level is one batch.
 *
 *     cc starknet_tree.c $(pkg-config --cflags --libs halimede) -o starknet_tree
 *     ./starknet_tree 20          # over 2^20 leaves, the numbers from 0 on
 */
#include <halimede.h>

#include <stdio.h>
#include <stdlib.h>

enum { LARGEST_DEPTH = 24 };

typedef uint64_t element[4];

int main(int count, char **words)
{
    char *end = NULL;
    const long depth = count == 2 ? strtol(words[1], &end, 10) : -1;
    if (count != 2 || *end != '\0' || depth < 0 || depth > LARGEST_DEPTH) {
        fprintf(stderr, "usage: %s DEPTH, from 0 to %d\n", words[0], LARGEST_DEPTH);
        return 2;
    }

    /* Two buffers, since inputs and outputs of a call must not overlap. */
    size_t nodes = (size_t)1 << depth;
    element *row = calloc(nodes, sizeof(element));
    element *above = calloc(nodes / 2 + 1, sizeof(element));
    if (row == NULL || above == NULL) {
        fprintf(stderr, "no memory for %zu leaves\n", nodes);
        free(row);
        free(above);
        return 4;
    }
    for (size_t leaf = 0; leaf < nodes; leaf++)
        row[leaf][0] = leaf;

    for (; nodes > 1; nodes /= 2) {
        if (halimede_starknet_hash(NULL, row[0], nodes / 2, above[0]) != HALIMEDE_STATUS_OK) {
            fprintf(stderr, "%s\n", halimede_last_error());
            free(row);
            free(above);
            return 1;
        }
        element *hashed = above;
        above = row;
        row = hashed;
    }
    printf("0x%016llx%016llx%016llx%016llx\n", (unsigned long long)row[0][3],
           (unsigned long long)row[0][2], (unsigned long long)row[0][1],
           (unsigned long long)row[0][0]);
    free(row);
    free(above);
    return 0;
}
