# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Whether other threads run while work is done."""

import resource
import sys
import threading
from typing import Callable


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
