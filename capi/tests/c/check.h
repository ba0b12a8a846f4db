/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Shared code of the test programs: checks that report where they failed, and test data. */
#ifndef CHECK_H
#define CHECK_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "halimede.h"

#define CHECK(condition)                                                                   \
    do {                                                                                   \
        if (!(condition)) {                                                                \
            fprintf(stderr, "%s:%d: %s\n  last error: %s\n", __FILE__, __LINE__,           \
                    #condition, halimede_last_error());                                    \
            exit(1);                                                                       \
        }                                                                                  \
    } while (0)

#define CHECK_OK(call) CHECK((call) == HALIMEDE_STATUS_OK)

/* The modulus of BLS12-381's scalar field and StarkWare's prime, least significant limb first. */
static const uint64_t fr_modulus[4] = {0xffffffff00000001u, 0x53bda402fffe5bfeu,
                                       0x3339d80809a1d805u, 0x73eda753299d7d48u};
static const uint64_t felt_modulus[4] = {1, 0, 0, 0x0800000000000011u};

/* Converts elements from limbs to bytes. */
static inline void to_bytes(const uint64_t *limbs, size_t elements, uint8_t *bytes)
{
    for (size_t byte = 0; byte < 32 * elements; byte++)
        bytes[byte] = (uint8_t)(limbs[byte / 8] >> (8 * (byte % 8)));
}

/* Returns the next number of splitmix64. */
static inline uint64_t next_random(uint64_t *state)
{
    uint64_t mixed = *state += 0x9e3779b97f4a7c15u;
    mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9u;
    mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111ebu;
    return mixed ^ (mixed >> 31);
}

/* Fills bytes with values that depend on the seed. */
static inline void fill_bytes(uint8_t *bytes, size_t count, uint64_t seed)
{
    for (size_t byte = 0; byte < count; byte++)
        bytes[byte] = (uint8_t)(next_random(&seed) >> 13);
}

/* Fills limbs with different elements, which are below both moduli. */
static inline void fill(uint64_t *limbs, size_t elements, uint64_t seed)
{
    for (size_t limb = 0; limb < 4 * elements; limb++) {
        const uint64_t random = next_random(&seed);
        limbs[limb] = limb % 4 == 3 ? random >> 5 : random;
    }
    /* The edges: 0, 1 and Stark's p - 1. */
    if (elements > 2) {
        memset(limbs, 0, 32);
        memset(limbs + 4, 0, 32);
        limbs[4] = 1;
        memcpy(limbs + 8, felt_modulus, 32);
        limbs[8] -= 1;
    }
}

#endif
