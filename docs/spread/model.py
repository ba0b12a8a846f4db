# SPDX-License-Identifier: Apache-2.0 OR MIT
"""A discrete-event simulation of distributed work on up to 1,000 workers, for docs/spread.md.

    python -m docs.spread.model             write docs/spread/scaling.svg and the table in docs/spread.md
    python -m docs.spread.model --check     exit 1 if they are not up to date

One process dispatches parts and receives results, sequentially. A worker has two parts at once: it
reads one, from a file server whose bandwidth all readers share, while it computes the other. Rates
are per core and from docs/benchmarks.md. Not modeled: failures, the start of workers, and the
losses of the file server and of Ray's own servers under load.
"""

import heapq
import math
import random
import sys
from collections import deque
from dataclasses import dataclass
from pathlib import Path

from arith.microcode.generate import run

PAGE = Path(__file__).resolve().parent.parent / "spread.md"
PLOT = Path(__file__).resolve().parent / "scaling.svg"

PART_BYTES = 64 << 20
DEPTH = 2
HAND_OUT_S = 1.5e-3
"""The processor time to dispatch a part and to receive its result: 0.61 ms with 8 workers
(docs/spread/measure.py), and 0.88 ms for Ray's `wait` to check the 2,000 parts of 1,000 workers."""
SPREAD = 0.1
"""The largest relative deviation of a part's time from the mean."""
WORKERS = (1, 2, 4, 8, 16, 32, 64, 125, 250, 500, 1000)
PARTS_A_WORKER = 20


@dataclass(frozen=True)
class Job:
    """A computation: its rate in bytes per second and core, and the source of the rate."""

    name: str
    rate: float
    source: str


@dataclass(frozen=True)
class Place:
    """A place of files: the bytes per second of all readers together, and of a single reader."""

    name: str
    shared: float
    alone: float


TREE = Job("Poseidon tree, arity 8", 512 * 2**20 / 7.1, "512 MiB in 7.1 s on one core")
COLUMNS = Job("tree of 11 layers", 352 / (3.23e-6 + 2.31e-6 / 7), "a hash of 11 in 3.23 µs, of 8 in 2.31 µs")
SCHNORR = Job("Schnorr records", 128 / 4.00e-6, "128 bytes in 4.00 µs")
JOBS = (TREE, COLUMNS, SCHNORR)

SERVER = Place("file server of 10 Gb/s", 1.25e9, 1.25e9)
FAST = Place("file server of 100 Gb/s", 12.5e9, 1.25e9)
LOCAL = Place("each machine's own copy", math.inf, 0.2e9)
PLACES = (SERVER, FAST, LOCAL)


def simulate(job: Job, place: Place, workers: int, parts: int, seed: int = 1) -> float:
    """Returns the fraction of all workers' time in which they compute, until all parts are done.

    Readers share the server: `level` counts the bytes that a reader since the start would have read
    by now, so a reader that began at a level finishes at this level plus the bytes of a part.
    """
    generator = random.Random(seed)
    left = parts
    queued, loaded = [0] * workers, [0] * workers
    is_reading, is_computing = [False] * workers, [False] * workers
    level = now = computed = 0.0
    readers: list[tuple[float, int]] = []
    computing: list[tuple[float, int]] = []
    # The first process: its pending work, in order, and the time at which the first item is done.
    waiting = deque(number for _ in range(DEPTH) for number in range(workers))
    driver_at = HAND_OUT_S
    done = 0
    while done < parts:
        speed = min(place.alone, place.shared / len(readers)) if readers else 0.0
        next_read = now + (readers[0][0] - level) / speed if readers else math.inf
        next_computed = computing[0][0] if computing else math.inf
        next_driver = driver_at if waiting else math.inf
        then = min(next_read, next_computed, next_driver)
        level, now = level + speed * (then - now), then
        if then == next_driver:
            worker = waiting.popleft()
            driver_at = now + HAND_OUT_S
            if left:
                left -= 1
                queued[worker] += 1
        elif then == next_read:
            _, worker = heapq.heappop(readers)
            is_reading[worker] = False
            loaded[worker] += 1
        else:
            _, worker = heapq.heappop(computing)
            is_computing[worker] = False
            done += 1
            if not waiting:
                driver_at = now + HAND_OUT_S
            waiting.append(worker)
        if queued[worker] and not is_reading[worker]:
            queued[worker] -= 1
            is_reading[worker] = True
            heapq.heappush(readers, (level + PART_BYTES, worker))
        if loaded[worker] and not is_computing[worker]:
            loaded[worker] -= 1
            is_computing[worker] = True
            seconds = PART_BYTES / job.rate * generator.uniform(1 - SPREAD, 1 + SPREAD)
            computed += seconds
            heapq.heappush(computing, (now + seconds, worker))
    return computed / now / workers


def bound_by(job: Job, place: Place) -> tuple[str, float]:
    """Returns the first bottleneck, and the number of workers that saturate it."""
    bounds = {"the file server": place.shared / job.rate, "dispatch": PART_BYTES / job.rate / HAND_OUT_S}
    name = min(bounds, key=lambda name: bounds[name])
    return name, bounds[name]


def table(curves: dict[tuple[Job, Place], list[float]]) -> str:
    """Returns the rows of the page's table."""
    lines = [
        "| job, rate per core | files | 16 workers | 125 | 1,000 | first limit |",
        "|---|---|---|---|---|---|",
    ]
    named = None
    for (job, place), values in curves.items():
        shown = " | ".join(f"{values[WORKERS.index(count)]:.0%}" for count in (16, 125, 1000))
        name, count = bound_by(job, place)
        title = "" if job is named else f"{job.name}, {job.rate / 1e6:.0f} MB/s"
        named = job
        lines.append(f"| {title} | {place.name} | {shown} | {name}, {count:,.0f} workers |")
    rates = "; ".join(f"{job.name}: {job.source}" for job in JOBS)
    lines += [
        "", f"![Efficiency over workers](spread/{PLOT.name})", "",
        f"Rates are of one core of a Zen 5 ([benchmarks](benchmarks.md)): {rates}. A part of 64 MiB costs the "
        f"first process {HAND_OUT_S * 1e3:.1f} ms; parts take up to {SPREAD:.0%} more or less; "
        f"{PARTS_A_WORKER} parts a worker. A machine reads its own copy at {LOCAL.alone / 1e6:.0f} MB/s a worker, "
        f"from a server at most at {SERVER.alone / 1e9:.2f} GB/s.",
    ]
    return "\n".join(lines)


COLORS = {TREE: "#1b6ca8", COLUMNS: "#7a4fa3", SCHNORR: "#2e8b57"}
DASHES = {SERVER: "2 4", FAST: "9 5", LOCAL: ""}
WIDTH, HEIGHT, LEFT, TOP, RIGHT, BOTTOM = 760, 430, 60, 24, 250, 52


def plot(curves: dict[tuple[Job, Place], list[float]]) -> str:
    """Draws the efficiencies over the workers, on a logarithmic axis, as SVG."""
    def x(workers: float) -> float:
        return LEFT + (WIDTH - LEFT - RIGHT) * math.log10(workers) / 3

    def y(part: float) -> float:
        return TOP + (HEIGHT - TOP - BOTTOM) * (1 - part)

    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" font-size="13">',
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>',
    ]
    for percent in range(0, 101, 20):
        at = y(percent / 100)
        lines.append(f'<path d="M{LEFT} {at:.1f}H{WIDTH - RIGHT}" stroke="#ddd"/>')
        lines.append(f'<text x="{LEFT - 8}" y="{at + 4:.1f}" text-anchor="end">{percent} %</text>')
    for workers in (1, 10, 100, 1000):
        at = x(workers)
        lines.append(f'<path d="M{at:.1f} {TOP}V{HEIGHT - BOTTOM}" stroke="#ddd"/>')
        lines.append(f'<text x="{at:.1f}" y="{HEIGHT - BOTTOM + 20}" text-anchor="middle">{workers:,}</text>')
    middle = (LEFT + WIDTH - RIGHT) / 2
    lines.append(f'<text x="{middle}" y="{HEIGHT - 12}" text-anchor="middle">workers of one core each</text>')
    lines.append(f'<text x="{LEFT}" y="{TOP - 8}">efficiency</text>')
    for number, ((job, place), values) in enumerate(curves.items()):
        stroke = f'stroke="{COLORS[job]}" stroke-width="2" fill="none"'
        stroke += f' stroke-dasharray="{DASHES[place]}"' if DASHES[place] else ""
        points = " ".join(f"{x(count):.1f},{y(value):.1f}" for count, value in zip(WORKERS, values))
        lines.append(f'<polyline points="{points}" {stroke}/>')
        # The legend.
        at, begin = TOP + 14 + 34 * number, WIDTH - RIGHT + 20
        lines.append(f'<path d="M{begin} {at}h34" {stroke}/>')
        lines.append(f'<text x="{begin + 42}" y="{at}">{job.name}</text>')
        lines.append(f'<text x="{begin + 42}" y="{at + 15}" fill="#555">{place.name}</text>')
    return "\n".join([*lines, "</svg>", ""])


def texts() -> dict[Path, str]:
    """Returns the contents of the generated files."""
    curves = {
        (job, place): [simulate(job, place, workers, PARTS_A_WORKER * workers) for workers in WORKERS]
        for job in JOBS for place in PLACES
    }
    return {PAGE: table(curves), PLOT: plot(curves)}


if __name__ == "__main__":
    sys.exit(run("docs.spread.model", __doc__, texts))
