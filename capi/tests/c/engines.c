/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The register windows of a card's engines: counters, interrupts, watchdogs, and refused calls. */
#include "check.h"

static const uint32_t error = 1u << HALIMEDE_INTERRUPT_ERROR, idle = 1u << HALIMEDE_INTERRUPT_IDLE,
                      stalled = 1u << HALIMEDE_INTERRUPT_STALLED;

/* Without such a window, nothing is written. */
static void refused(const halimede_device *device, const char *engine, const char *words)
{
    halimede_engine_report report;
    uint32_t interrupting = 7;
    memset(&report, 0x5a, sizeof report);
    CHECK(halimede_engine_read(device, engine, &report) == HALIMEDE_STATUS_DEVICE_UNSUPPORTED);
    CHECK(strstr(halimede_last_error(), words) != NULL);
    CHECK(((const uint8_t *)&report)[0] == 0x5a);
    CHECK(halimede_engine_interrupting(device, engine, &interrupting) ==
          HALIMEDE_STATUS_DEVICE_UNSUPPORTED);
    CHECK(interrupting == 7);
    CHECK(halimede_engine_set_watchdog(device, engine, 1) == HALIMEDE_STATUS_DEVICE_UNSUPPORTED);
}

static void refusals(void)
{
    halimede_engine_report report;
    refused(NULL, "poseidon", "only cards have them");
    CHECK(halimede_engine_read(NULL, NULL, &report) == HALIMEDE_STATUS_NULL_POINTER);
    CHECK(halimede_engine_read(NULL, "poseidon", NULL) == HALIMEDE_STATUS_NULL_POINTER);
    CHECK(halimede_engine_interrupting(NULL, "poseidon", NULL) == HALIMEDE_STATUS_NULL_POINTER);
    CHECK(halimede_engine_enable_interrupts(NULL, "poseidon", 1u << 6) ==
          HALIMEDE_STATUS_INVALID_ARGUMENT);
    CHECK(halimede_engine_clear_interrupts(NULL, "poseidon", UINT32_MAX) ==
          HALIMEDE_STATUS_INVALID_ARGUMENT);
}

static void windows(const halimede_device *device)
{
    static uint64_t pairs[4 * 2 * 40], digests[4 * 40];
    halimede_engine_report before, after;
    uint32_t interrupting = 7;
    refused(device, "none", "has no engine \"none\"");

    CHECK_OK(halimede_engine_read(device, "poseidon", &before));
    CHECK(before.shape_count == 2 && before.counter_count == 3 && before.queue_bytes >= 512);
    CHECK(before.interrupts_enabled == 0);
    CHECK_OK(halimede_engine_clear_interrupts(device, "poseidon", before.interrupts_pending));
    CHECK_OK(halimede_engine_enable_interrupts(device, "poseidon", idle | error));
    CHECK_OK(halimede_engine_interrupting(device, "poseidon", &interrupting));
    CHECK(interrupting == 0);

    fill(pairs, 80, 1);
    CHECK_OK(halimede_starknet_hash(device, pairs, 40, digests));
    CHECK_OK(halimede_engine_read(device, "poseidon", &after));
    CHECK(after.requests - before.requests == 40 && after.replies - before.replies == 40);
    CHECK(after.errors == before.errors && after.busy_clocks > before.busy_clocks);
    CHECK(after.counters[0] > before.counters[0]);
    CHECK(after.interrupts_enabled == (idle | error) && after.interrupts_pending == idle);
    CHECK_OK(halimede_engine_interrupting(device, "poseidon", &interrupting));
    CHECK(interrupting == 1);
    CHECK_OK(halimede_engine_interrupting(device, "loopback", &interrupting));
    CHECK(interrupting == 0);
    CHECK_OK(halimede_engine_clear_interrupts(device, "poseidon", idle));
    CHECK_OK(halimede_engine_interrupting(device, "poseidon", &interrupting));
    CHECK(interrupting == 0);

    /* A hash takes longer than a clock. */
    CHECK_OK(halimede_engine_set_watchdog(device, "poseidon", 1));
    CHECK_OK(halimede_starknet_hash(device, pairs, 1, digests));
    CHECK_OK(halimede_engine_set_watchdog(device, "poseidon", 0));
    CHECK_OK(halimede_engine_read(device, "poseidon", &after));
    CHECK((after.interrupts_pending & stalled) != 0);
}

int main(int count, char **arguments)
{
    refusals();
    if (count > 1) {
        halimede_device *device;
        CHECK_OK(halimede_device_open(arguments[1], NULL, &device));
        windows(device);
        halimede_device_close(device);
    }
    printf("windows on %s\n", count > 1 ? arguments[1] : "this processor");
    return 0;
}
