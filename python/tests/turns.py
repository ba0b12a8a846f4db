# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Helpers that run work in threads, in interrupted processes and repeatedly, to detect that it
blocks other threads, continues after an interrupt, or leaks."""

import os
import resource
import subprocess
import sys
import threading
import tracemalloc
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Callable, Iterable

LIMIT = 60
"""The time limit of a test in seconds."""
MANY = 1000
RUNS = 5


def turns_during(work: Callable[[], None]) -> int:
    """Returns the number of turns of this thread while another thread worked. If the work held the
    interpreter's lock throughout, there would be none. Raises the exception of the work.

    Repeats the work if there were few turns: on a busy machine it may end before this thread runs.
    """
    most = 0
    for _ in range(RUNS):
        most = max(most, _turns_during_one(work))
        if most > MANY:
            break
    return most


def _turns_during_one(work: Callable[[], None]) -> int:
    count, done = 0, threading.Event()
    raised: list[BaseException] = []

    def work_and_tell() -> None:
        try:
            work()
        except BaseException as error:
            raised.append(error)
        finally:
            done.set()

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        worker = threading.Thread(target=work_and_tell)
        worker.start()
        while not done.is_set():
            count += 1
        worker.join()
    finally:
        sys.setswitchinterval(interval)
    for error in raised:
        raise error
    return count


def peak_bytes() -> int:
    """Returns the peak memory of this process."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def in_threads(work: Callable[[Any], Any], items: Iterable[Any]) -> list[Any]:
    """Runs the work on each item in a separate thread, and returns the results. Raises the
    exception of a thread."""
    items = list(items)
    with ThreadPoolExecutor(len(items)) as pool:
        return list(pool.map(work, items, timeout=LIMIT))


def interrupted_after(program: str, *arguments: str) -> float:
    """Runs a program that interrupts itself, with one thread of work, and returns the time in
    seconds until the interrupt took effect."""
    done = subprocess.run(
        [sys.executable, "-c", program, *arguments], env={**os.environ, "RAYON_NUM_THREADS": "1"},
        capture_output=True, text=True, timeout=LIMIT)
    # Without an interrupt, the program prints nothing.
    assert done.returncode == 0 and done.stdout, done.stderr
    return float(done.stdout)


def growth(calls: Callable[[], None], count: int) -> tuple[int, int]:
    """Returns the growth in bytes of Python's objects and of the process's peak in `count` rounds
    of calls."""
    for _ in range(50):
        calls()
    tracemalloc.start()
    before, peak = tracemalloc.get_traced_memory()[0], peak_bytes()
    for _ in range(count):
        calls()
    after = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    return after - before, peak_bytes() - peak
