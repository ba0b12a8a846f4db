# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The simulation of distributed work meets the limits that arithmetic gives."""

import math

import pytest

from docs.spread.model import HAND_OUT_S, PART_BYTES, WORKERS, Job, Place, bound_by, simulate

SLOW = Job("slow", 10e6, "")
FREE = Place("free", math.inf, 1e15)


def test_workers_that_nothing_binds_compute_all_the_time() -> None:
    for workers in (1, 7, 100):
        assert 0.93 < simulate(SLOW, FREE, workers, 40 * workers) <= 1


@pytest.mark.parametrize("workers", [50, 400])
def test_a_file_server_binds_at_its_bandwidth(workers: int) -> None:
    """Any number of workers reaches only the server's bytes per second."""
    server = Place("server", 200e6, 1e15)
    assert bound_by(SLOW, server) == ("the file server", 20)
    part = simulate(SLOW, server, workers, 30 * workers)
    assert part * workers * SLOW.rate == pytest.approx(server.shared, rel=0.08)


def test_handing_out_binds_at_its_rate() -> None:
    fast = Job("fast", 1e9, "")
    name, count = bound_by(fast, FREE)
    assert name == "dispatch" and 1 < count < WORKERS[-1]
    part = simulate(fast, FREE, 1000, 20_000)
    assert part * 1000 * fast.rate == pytest.approx(PART_BYTES / HAND_OUT_S, rel=0.05)


def test_a_worker_that_reads_slowly_waits_for_it() -> None:
    """Reading ahead hides only reads that are shorter than the computation."""
    for alone, expected in ((20e6, 1.0), (5e6, 0.5)):
        assert simulate(SLOW, Place("local", math.inf, alone), 3, 600) == pytest.approx(expected, abs=0.04)
