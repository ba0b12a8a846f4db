/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Threads share a device, each thread has its own message, and calls still work in a forked
 * process. */
#define _POSIX_C_SOURCE 200809L

#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

enum { THREADS = 8, ROUNDS = 20, ROWS = 300 };

static halimede_device *device;
static halimede_ecdsa_verifier *verifier;

static void permute_once(uint64_t seed)
{
    uint64_t *states = malloc(ROWS * 3 * 32), *expected = malloc(ROWS * 3 * 32);
    CHECK(states != NULL && expected != NULL);
    fill(states, ROWS * 3, seed);
    memcpy(expected, states, ROWS * 3 * 32);
    CHECK_OK(halimede_permute(device, HALIMEDE_FAMILY_STARK, 3, states, ROWS));
    for (size_t row = 0; row < ROWS; row++)
        CHECK_OK(halimede_permute(NULL, HALIMEDE_FAMILY_STARK, 3, expected + 12 * row, 1));
    CHECK(memcmp(states, expected, ROWS * 3 * 32) == 0);
    free(states);
    free(expected);
}

/* Hashes a long message, which a hasher spreads over all cores, and a batch. */
static void hash_once(uint64_t seed)
{
    enum { LENGTH = 300000, MESSAGES = 500 };
    uint8_t *data = malloc(LENGTH), *digests = malloc(32 * MESSAGES), digest[32];
    uint64_t offsets[MESSAGES + 1] = {0};
    halimede_blake3_hasher *hasher = NULL;
    CHECK(data != NULL && digests != NULL);
    fill_bytes(data, LENGTH, seed);
    for (size_t message = 0; message < MESSAGES; message++)
        offsets[message + 1] = offsets[message] + message;
    CHECK_OK(halimede_blake3_hash_many(device, NULL, data, LENGTH, offsets, MESSAGES, digests));
    CHECK_OK(halimede_blake3_hasher_new(NULL, &hasher));
    CHECK_OK(halimede_blake3_hasher_update(hasher, data + offsets[MESSAGES - 1], MESSAGES - 1));
    CHECK_OK(halimede_blake3_hasher_digest(hasher, 0, digest, 32));
    CHECK(memcmp(digests + 32 * (MESSAGES - 1), digest, 32) == 0);
    CHECK_OK(halimede_blake3_hasher_reset(hasher));
    CHECK_OK(halimede_blake3_hasher_update(hasher, data, LENGTH));
    CHECK_OK(halimede_blake3_hasher_digest(hasher, 0, digest, 32));
    CHECK_OK(halimede_blake3_hash(device, NULL, data, LENGTH, 0, digests, 32));
    CHECK(memcmp(digests, digest, 32) == 0);
    halimede_blake3_hasher_free(hasher);
    free(data);
    free(digests);
}

/* Checks invalid solutions and signatures, with different verdicts; some of the keys are points,
 * and the shared verifier caches them. */
static void verify_once(uint64_t seed)
{
    enum { COUNT = 200, KEY = 33, DIGEST = 32, SIGNATURE = 64, SOLUTION = 36, INPUT = 9 };
    static const halimede_setting settings[] = {{"n", "48"}, {"k", "5"}, {"difficulty", "false"}};
    const size_t row_bytes = KEY + DIGEST + SIGNATURE;
    uint8_t *data = malloc(COUNT * row_bytes), verdicts[COUNT], alone = 0xff;
    halimede_bytes *rows = malloc(5 * COUNT * sizeof *rows);
    size_t mismatches = 0;
    CHECK(data != NULL && rows != NULL);
    halimede_bytes *const keys = rows, *const digests = keys + COUNT;
    halimede_bytes *const signatures = digests + COUNT, *const inputs = signatures + COUNT;
    halimede_bytes *const solutions = inputs + COUNT;
    /* The same keys for all threads. */
    fill_bytes(data, COUNT * row_bytes, 5);
    for (size_t row = 0; row < COUNT; row++) {
        uint8_t *const key = data + row * row_bytes;
        key[0] = 2;
        fill_bytes(key + KEY, DIGEST + SIGNATURE, seed + row);
        keys[row] = (halimede_bytes){key, KEY};
        digests[row] = (halimede_bytes){key + KEY, DIGEST};
        signatures[row] = (halimede_bytes){key + KEY + DIGEST, SIGNATURE};
        inputs[row] = (halimede_bytes){key, INPUT};
        solutions[row] = (halimede_bytes){key + KEY, SOLUTION};
    }
    CHECK_OK(halimede_ecdsa_verify(device, verifier, keys, digests, signatures, COUNT, verdicts));
    for (size_t row = 0; row < COUNT; row += 7) {
        CHECK_OK(halimede_ecdsa_verify(NULL, verifier, &keys[row], &digests[row], &signatures[row],
                                       1, &alone));
        CHECK(alone == verdicts[row]);
        mismatches += alone == HALIMEDE_VERDICT_MISMATCH;
    }
    CHECK(mismatches > 3 && mismatches < COUNT / 7);
    CHECK_OK(halimede_equihash_verify(device, settings, 3, inputs, solutions, COUNT, verdicts));
    for (size_t row = 0; row < COUNT; row += 7) {
        CHECK_OK(halimede_equihash_verify(NULL, settings, 3, &inputs[row], &solutions[row], 1,
                                          &alone));
        CHECK(alone == verdicts[row] && alone > HALIMEDE_VERDICT_VALID);
    }
    free(data);
    free(rows);
}

static void *work(void *argument)
{
    const size_t thread = *(size_t *)argument;
    char wanted[32];
    CHECK(strcmp(halimede_last_error(), "") == 0);
    for (size_t round = 0; round < ROUNDS; round++) {
        permute_once(1000 * thread + round);
        hash_once(1000 * thread + round);
        verify_once(1000 * thread + round);
        /* The message names this thread's width whatever the others do meanwhile. */
        uint64_t state[4] = {0, 0, 0, 0};
        const size_t width = 100 + thread;
        CHECK(halimede_permute(device, HALIMEDE_FAMILY_STARK, width, state, 1) ==
              HALIMEDE_STATUS_UNKNOWN_INSTANCE);
        snprintf(wanted, sizeof wanted, "no width %zu;", width);
        CHECK(strstr(halimede_last_error(), wanted) != NULL);
    }
    return NULL;
}

/* A child has none of the threads of its parent; it must not wait for them. */
static void check_child(int generations)
{
    const pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        alarm(60);
        permute_once(9);
        hash_once(9);
        verify_once(9);
        if (generations > 1)
            check_child(generations - 1);
        _exit(0);
    }
    int status = 0;
    CHECK(waitpid(child, &status, 0) == child);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

int main(void)
{
    pthread_t threads[THREADS];
    size_t numbers[THREADS];
    const halimede_setting settings[] = {{"format", "compact"}};
    CHECK_OK(halimede_device_open("cpu", NULL, &device));
    CHECK_OK(halimede_ecdsa_verifier_new(settings, 1, 150, &verifier));
    for (size_t thread = 0; thread < THREADS; thread++) {
        numbers[thread] = thread;
        CHECK(pthread_create(&threads[thread], NULL, work, &numbers[thread]) == 0);
    }
    for (size_t thread = 0; thread < THREADS; thread++)
        CHECK(pthread_join(threads[thread], NULL) == 0);
    check_child(2);
    permute_once(10);
    hash_once(10);
    verify_once(10);
    halimede_ecdsa_verifier_free(verifier);
    halimede_device_close(device);
    printf("%d threads and 2 generations of children\n", THREADS);
    return 0;
}
