# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Measures how a tree scales from one worker to two, and the cost of dispatching a task.

    RAY_AUTH_MODE=token RAY_AUTH_TOKEN=… python docs/spread/measure.py [--mib 64] [--rounds 5]

Needs Ray and the package. Raylets with one processor each run on this machine, on loopback. Rounds
with one worker and with two alternate, and so do rounds with one process and with two that hash the
same file without Ray: they measure the speedup of two busy processors of this machine.
"""

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
os.environ["RAYON_NUM_THREADS"] = "1"
os.environ.setdefault("RAY_raylet_start_wait_time_s", "120")

import halimede
import ray
import halimede_ray as spread
from halimede_ray._tasks import Task
from ray.cluster_utils import Cluster

ADDRESS = "127.0.0.2"
ALONE = "import sys, halimede; [halimede.poseidon.tree_root(sys.argv[1], 8) for _ in range(int(sys.argv[2]))]"


def nothing(state: Any) -> None:
    """A task that does nothing."""


def used(state: Any) -> float:
    """Returns the worker's processor time so far in seconds."""
    return time.process_time()


def timed(work: Callable[[], object]) -> float:
    """Seconds."""
    begin = time.perf_counter()
    work()
    return time.perf_counter() - begin


def alone(path: Path, processes: int) -> float:
    """Returns the seconds in which concurrent processes hash the file, without their start: the
    time of two hashes minus that of one."""
    environment = {**os.environ, "RAYON_NUM_THREADS": "1"}

    def run(times: int) -> float:
        command = [sys.executable, "-c", ALONE, str(path), str(times)]
        running = [subprocess.Popen(command, env=environment) for _ in range(processes)]
        return timed(lambda: [process.wait() for process in running])

    return run(2) - run(1)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mib", type=int, choices=[8, 64, 512], default=64, help="size of the file")
    parser.add_argument("--range-kib", type=int, default=1024, help="size of a part")
    parser.add_argument("--rounds", type=int, default=5, help="number of rounds; 0: only processor time")
    parser.add_argument("--tasks", type=int, default=3000, help="number of empty tasks")
    options = parser.parse_args()
    cluster = Cluster(initialize_head=True, head_node_args={
        "num_cpus": 1, "include_dashboard": False, "node_ip_address": ADDRESS})
    cluster.add_node(num_cpus=1, node_ip_address=ADDRESS)
    ray.init(address=cluster.address, log_to_driver=False, _node_ip_address=ADDRESS)
    times: dict[str, list[float]] = {name: [] for name in ("1 worker", "2 workers", "1 process", "2 processes")}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "leaves")
        leaves = np.random.default_rng(1).integers(1 << 62, size=(options.mib << 15, 4), dtype=np.uint64)
        path.write_bytes(leaves.tobytes())
        for number in range(options.rounds):
            print(f"round {number + 1} of {options.rounds}", file=sys.stderr)
            for workers in (1, 2):
                with spread.Pool(workers, room=0) as pool:
                    # All workers are ready before the measurement.
                    while pool.ready < workers:
                        list(pool.map([Task(nothing, (), "nothing")] * 4, 4))
                    name = f"{workers} worker{'s' * (workers - 1)}"
                    times[name].append(timed(lambda: spread.tree_root(
                        path, pool=pool, range_bytes=options.range_kib << 10)))
            for processes in (1, 2):
                times[f"{processes} process{'es' * (processes - 1)}"].append(alone(path, processes))
        with spread.Pool(1, room=0) as pool:
            usage = [Task(used, (), "usage")]
            before, = pool.map(usage, 1)
            spread.tree_root(path, pool=pool, range_bytes=options.range_kib << 10)
            after, = pool.map(usage, 1)
        begin = time.process_time()
        halimede.poseidon.tree_root(path)
        overhead = (after - before) / (time.process_time() - begin)
        with spread.Pool(8, cpus=0.125, room=0) as pool:
            tasks = [Task(nothing, (), "nothing")] * options.tasks
            list(pool.map(tasks[:100], 100))
            begin = time.process_time()
            all_s = timed(lambda: list(pool.map(tasks, options.tasks)))
            each_ms = (time.process_time() - begin) / options.tasks * 1e3
    print(f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors, {options.mib} MiB in parts of "
          f"{options.range_kib} KiB, {options.rounds} rounds")
    if options.rounds:
        for name, seconds in times.items():
            print(f"{name:12} {statistics.median(seconds):6.2f} s ({', '.join(f'{one:.2f}' for one in seconds)})")
        middle = {name: statistics.median(seconds) for name, seconds in times.items()}
        print(f"efficiency of 2 workers {middle['1 worker'] / middle['2 workers'] / 2:.2f}")
        print(f"of 2 processes {middle['1 process'] / middle['2 processes']:.2f}")
    print(f"a worker's processor time {overhead:.3f} of a plain process's")
    print(f"a task costs this process {each_ms:.2f} ms of processor time; {options.tasks / all_s:.0f} a second "
          "with 8 workers on the same processors")
    ray.shutdown()
    cluster.shutdown()


if __name__ == "__main__":
    main()
