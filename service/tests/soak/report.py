# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The figures of a soak, and the promises that they must meet."""

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from server import BOUND, SHUTDOWN_S

HEALTH_P99_S = 0.050
#: The fraction of its bound by which memory may grow, and exceed the bound.
FLAT = 0.05
#: The fraction of honest requests that may be refused for now.
MOST_REFUSED = 0.05
#: The extra time after a shutdown, for ending the threads and the process.
END_S = 5


@dataclass
class Life:
    """A process of the server, from start to end."""

    resident: list[int] = field(default_factory=list)
    code: int | None = None
    end_s: float = 0.0

    def means(self) -> tuple[float, float]:
        """Returns the memory in the second and in the last quarter."""
        quarter = len(self.resident) // 4
        second, last = self.resident[quarter:2 * quarter], self.resident[3 * quarter:]
        return sum(second) / max(1, len(second)), sum(last) / max(1, len(last))


def quantile(times: list[float], share: float) -> float:
    ordered = sorted(times)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))] if ordered else 0.0


def summary(
    minutes: float, lives: list[Life], health: dict[str, Any], results: list[dict[str, Any]],
    log: str, is_timed: bool,
) -> dict[str, Any]:
    """Returns the figures as JSON; `broken` lists the broken promises. If the machine is shared, or the soak is
    short (`is_timed` false), times and growth are reported, but do not count as promises."""
    counts: Counter[str] = Counter()
    times: dict[str, list[float]] = {}
    broken: list[str] = []
    for result in results:
        counts.update(result["counts"])
        broken += result["broken"]
        for name, values in result["times"].items():
            times.setdefault(name, []).extend(values)
    rightly = counts["answered rightly"]
    refused = sum(count for name, count in counts.items() if name.startswith("refused for now"))
    probes = health["times"]
    p50, p99, most = quantile(probes, 0.5), quantile(probes, 0.99), max(probes, default=0.0)
    peak = max((max(life.resident, default=0) for life in lives), default=0)
    before, after = max(lives, key=lambda life: len(life.resident)).means()
    growth = (after - before) / BOUND
    held: dict[str, bool | None] = {
        "/healthz p99 below 50 ms": p99 < HEALTH_P99_S if is_timed else None,
        "/healthz always answered": not health["failures"] and bool(probes),
        "memory below its bound": peak <= (1 + FLAT) * BOUND,
        "memory flat within 5 % of its bound": growth <= FLAT if is_timed else None,
        "accepted requests answered, and rightly": not broken and rightly > 0,
        "honest clients not kept out": refused <= MOST_REFUSED * (rightly + refused),
        "each end with code 0, in time": all(
            life.code == 0 and life.end_s <= SHUTDOWN_S + END_S for life in lives),
        "no panic": "panicked" not in log,
    }
    return {
        "minutes": minutes, "held": held,
        "health_ms": {"probes": len(probes), "p50": 1e3 * p50, "p99": 1e3 * p99, "most": 1e3 * most,
                      "failures": health["failures"][:5]},
        "memory_mb": {"bound": BOUND / 1e6, "peak": peak / 1e6, "second quarter": before / 1e6,
                      "last quarter": after / 1e6},
        "ends": [{"code": life.code, "seconds": round(life.end_s, 2)} for life in lives],
        "answers_ms": {
            name: {"answers": len(values), "p50": 1e3 * quantile(values, 0.5), "p99": 1e3 * quantile(values, 0.99)}
            for name, values in sorted(times.items())},
        "counts": dict(sorted(counts.items())), "broken": broken[:40],
    }


def text(figures: dict[str, Any]) -> str:
    """Returns the figures as text."""
    lines = [f"{figures['minutes']:.1f} minutes"]
    for name, row in figures["answers_ms"].items():
        lines.append(f"  {name:36} {row['answers']:7} answers  p50 {row['p50']:8.1f} ms  p99 {row['p99']:8.1f} ms")
    lines += [f"  {name:52} {count:8}" for name, count in figures["counts"].items()]
    health, memory = figures["health_ms"], figures["memory_mb"]
    lines.append(f"/healthz: {health['probes']} probes, p50 {health['p50']:.1f} ms, p99 {health['p99']:.1f} ms, "
                 f"at most {health['most']:.1f} ms; failures: {health['failures']}")
    lines.append(f"memory: at most {memory['peak']:.0f} MB of {memory['bound']:.0f}; "
                 f"{memory['second quarter']:.1f} MB in the second quarter of the longest life, "
                 f"{memory['last quarter']:.1f} MB in the last")
    lines.append("ends: " + ", ".join(f"code {end['code']} after {end['seconds']} s" for end in figures["ends"]))
    lines += [f"BROKEN: {what}" for what in figures["broken"]]
    words = {True: "held", False: "NOT HELD", None: "not asked"}
    lines += [f"{words[held]:9} {name}" for name, held in figures["held"].items()]
    return "\n".join(lines)
