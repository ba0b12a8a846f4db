# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Ray itself: imported where it is first used, and never by `import halimede`."""

from __future__ import annotations

import importlib
import logging
import os
import sys
from collections.abc import Mapping
from typing import Any

_LOG = logging.getLogger("halimede_ray")
_AUTH_MODE = "RAY_AUTH_MODE"

CARD = "halimede_card"
"""The custom resource of a machine with cards: `ray start --resources '{"halimede_card": 1}'`."""


def engine() -> Any:
    """The module `ray`. Raises ImportError with what to install."""
    try:
        return importlib.import_module("ray")
    except ImportError as error:
        raise ImportError(f"halimede_ray needs Ray: pip install halimede-ray ({error})") from None


def connect(address: str | None = None) -> None:
    """Connects this process to a cluster, with tokens, unless it is connected.

    address: "HOST:PORT" of the head; None for that of RAY_ADDRESS, or else one on this machine alone.

    The variable RAY_AUTH_MODE is "token" where it is not set: whoever reaches a cluster without
    tokens can run anything on it. Ray reads it when it is imported; where that was before, a mode
    without tokens stays, with a warning. Nothing is reported to Ray's authors where
    RAY_USAGE_STATS_ENABLED is not set.

    Raises ConnectionError where there is no such cluster.
    """
    if "ray" not in sys.modules:
        os.environ.setdefault(_AUTH_MODE, "token")
    elif os.environ.get(_AUTH_MODE) != "token":
        _LOG.warning("Ray was imported without %s=token: whoever reaches the cluster can run code on it", _AUTH_MODE)
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    ray = engine()
    if ray.is_initialized():
        return
    if address is None:
        address = os.environ.get("RAY_ADDRESS")
    if address is None:
        ray.init(address="local", include_dashboard=False, log_to_driver=False)
    else:
        ray.init(address=address, log_to_driver=False)


def offers(ray: Any) -> list[dict[str, float]]:
    """What each machine that is alive has in all, used or not."""
    return [dict(node["Resources"]) for node in ray.nodes() if node["Alive"]]


def places(offered: list[dict[str, float]], demand: Mapping[str, float]) -> int:
    """How many workers of this demand the machines hold together.

    >>> places([{"CPU": 8.0}, {"CPU": 3.0}], {"CPU": 2})
    5
    """
    return sum(
        min(int(machine.get(name, 0) // amount) for name, amount in demand.items())
        for machine in offered
    )


def described(amounts: Mapping[str, float]) -> str:
    """Amounts of resources in words.

    >>> described({"CPU": 2.0, "halimede_card": 1, "memory": 1e9, "node:10.0.0.1": 1})
    '2 CPU, 1 halimede_card'
    """
    shown = {name: amount for name, amount in amounts.items() if name in ("CPU", "GPU", CARD)}
    return ", ".join(f"{amount:g} {name}" for name, amount in sorted(shown.items())) or "nothing"
