# SPDX-License-Identifier: Apache-2.0 OR MIT
"""A soak of `halimede serve`: honest, malformed, slow, aborted and hostile clients at once.

    python service/tests/soak --minutes 60 --command target/release/halimede

Every answer is compared with that of the command. The server is ended by SIGTERM under load, and
started again, several times in the first third; the rest is one life, in which memory has to stay flat.
Every second life has tokens. Exits with code 1 if a promise is broken. `make soak MINUTES=60` runs it."""

import argparse
import json
import multiprocessing
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any

import honest
import hostile
import report
import watch
from server import Server
from shared import Shared

#: The fractions of the time at which the server is restarted; in less than a minute, only once.
RESTARTS = (1 / 12, 1 / 6, 1 / 4, 1 / 3)
SAMPLE_S = 0.25


def live(server: Server, shared: Shared, seconds: float) -> report.Life:
    """Runs a life of the started server, until its end under load."""
    life, end = report.Life(), time.monotonic() + seconds
    while time.monotonic() < end and server.is_alive():
        life.resident.append(server.resident_bytes())
        time.sleep(SAMPLE_S)
    with shared.epoch.get_lock():
        shared.epoch.value += 1
    life.code, life.end_s = server.end()
    return life


def start(server: Server, shared: Shared, has_tokens: bool) -> None:
    server.start(has_tokens)
    shared.has_tokens.value = int(has_tokens)
    with shared.epoch.get_lock():
        shared.epoch.value += 1


def soak(command: str, minutes: float, rate: float, seed: int, is_timed: bool) -> dict[str, Any]:
    """Runs the soak, and returns its figures."""
    with tempfile.TemporaryDirectory(prefix="halimede-soak-") as name:
        folder = Path(name)
        (folder / "work").mkdir()
        (folder / "hostile").mkdir()
        server = Server(command, folder)
        shared = Shared(server.port)
        server.start(has_tokens=False)
        with urllib.request.urlopen(f"http://127.0.0.1:{server.port}/openapi.json") as answer:
            document = json.load(answer)
        material = honest.prepare(honest.Command(command, folder / "work"), document, seed)
        shared.epoch.value = 2
        of_hostile = honest.Command(command, folder / "hostile")
        jobs: list[tuple[Callable[..., None], tuple[Any, ...]]] = [
            (watch.run, (shared,)), (honest.run, (shared, material, rate / 2, seed, True)),
            (honest.run, (shared, material, rate / 2, seed + 1000, False)),
            (hostile.run, (shared, material, of_hostile, seed + 2000))]
        processes = []
        for function, arguments in jobs:
            ours, theirs = multiprocessing.Pipe(duplex=False)
            process = multiprocessing.Process(target=function, args=(*arguments, theirs), daemon=True)
            process.start()
            processes.append((process, ours))
        lives = []
        parts = [0.0, *(RESTARTS if minutes >= 1 else (0.5,)), 1.0]
        for number, (begin, end) in enumerate(zip(parts, parts[1:], strict=False)):
            if number > 0:
                start(server, shared, has_tokens=number % 2 == 1)
            lives.append(live(server, shared, 60 * minutes * (end - begin)))
        shared.is_over.value = 1
        results: list[dict[str, Any]] = []
        for process, ours in processes:
            assert ours.poll(120), "a process of the soak does not end"
            results.append(ours.recv())
            process.join(5)
            process.kill()
        health, *tallies = results
        return report.summary(minutes, lives, health, tallies, server.log.read_text(errors="replace"), is_timed)


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--command", default="target/release/halimede", help="the command halimede")
    parser.add_argument("--rate", type=float, default=40, help="honest requests a second")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", type=Path, help="a file for the figures")
    parser.add_argument(
        "--untimed", action="store_true",
        help="times and growth break no promise: it is short, or others use the machine")
    options = parser.parse_args()
    command = str(Path(options.command).resolve())
    figures = soak(command, options.minutes, options.rate, options.seed, not options.untimed)
    if options.json:
        options.json.write_text(json.dumps(figures, indent=1) + "\n")
    print(report.text(figures))
    return 1 if False in figures["held"].values() else 0


if __name__ == "__main__":
    sys.exit(main())
