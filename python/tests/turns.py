# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Work in threads, in processes that are interrupted, and over and over: what it must not hold up, go on
with, or leak."""

import os
import resource
import subprocess
import sys
import threading
import tracemalloc
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Callable, Iterable

LIMIT = 60
"""Seconds after which a test has failed."""
MANY = 1000
RUNS = 5


def turns_during(work: Callable[[], None]) -> int:
    """How many turns this thread had while another worked: with the interpreter's lock held
    throughout, none would fall between that thread's start and its end. What the work raises is
    raised here.

    The work is done again where there were few: on a busy machine it may be done before this thread
    runs at all.
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
    """The most memory that this process has had."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def in_threads(work: Callable[[Any], Any], items: Iterable[Any]) -> list[Any]:
    """What the work answers for each of the items, each in a thread of its own; raises what one raises."""
    items = list(items)
    with ThreadPoolExecutor(len(items)) as pool:
        return list(pool.map(work, items, timeout=LIMIT))


def interrupted_after(program: str, *arguments: str) -> float:
    """Seconds that a program which interrupts itself says it went on for, on one thread of work."""
    done = subprocess.run(
        [sys.executable, "-c", program, *arguments], env={**os.environ, "RAYON_NUM_THREADS": "1"},
        capture_output=True, text=True, timeout=LIMIT)
    # Work that was not interrupted prints nothing.
    assert done.returncode == 0 and done.stdout, done.stderr
    return float(done.stdout)


def growth(calls: Callable[[], None], count: int) -> tuple[int, int]:
    """By how many bytes Python's objects and the process's peak grow in `count` rounds of calls."""
    for _ in range(50):
        calls()
    tracemalloc.start()
    before, peak = tracemalloc.get_traced_memory()[0], peak_bytes()
    for _ in range(count):
        calls()
    after = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    return after - before, peak_bytes() - peak
