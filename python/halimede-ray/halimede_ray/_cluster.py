# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Ray: imported at its first use, and never by `import halimede`."""

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
    """Imports and returns the module `ray`. Raises ImportError with the command that installs
    it."""
    try:
        return importlib.import_module("ray")
    except ImportError as error:
        raise ImportError(f"halimede_ray needs Ray: pip install halimede-ray ({error})") from None


def connect(address: str | None = None) -> None:
    """Connects this process to a cluster, with tokens, unless it is connected.

    address: "HOST:PORT" of the head; by default RAY_ADDRESS, or else a cluster on this machine
        only.

    Sets RAY_AUTH_MODE to "token" unless it is set, since anybody who reaches a cluster without
    tokens can run code on it. Ray reads the variable when it is imported; if Ray was imported
    before without tokens, this only logs a warning. Usage statistics are off unless
    RAY_USAGE_STATS_ENABLED is set.

    Raises ConnectionError if the cluster cannot be reached.
    """
    if "ray" not in sys.modules:
        os.environ.setdefault(_AUTH_MODE, "token")
    elif os.environ.get(_AUTH_MODE) != "token":
        _LOG.warning("Ray was imported without %s=token: anybody who reaches the cluster can run code", _AUTH_MODE)
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
    """Returns the total resources of each machine that is alive, used or not."""
    return [dict(node["Resources"]) for node in ray.nodes() if node["Alive"]]


def places(offered: list[dict[str, float]], demand: Mapping[str, float]) -> int:
    """Returns the number of workers with this demand that the machines can hold together.

    >>> places([{"CPU": 8.0}, {"CPU": 3.0}], {"CPU": 2})
    5
    """
    return sum(
        min(int(machine.get(name, 0) // amount) for name, amount in demand.items())
        for machine in offered
    )


def described(amounts: Mapping[str, float]) -> str:
    """Describes amounts of resources.

    >>> described({"CPU": 2.0, "halimede_card": 1, "memory": 1e9, "node:10.0.0.1": 1})
    '2 CPU, 1 halimede_card'
    """
    shown = {name: amount for name, amount in amounts.items() if name in ("CPU", "GPU", CARD)}
    return ", ".join(f"{amount:g} {name}" for name, amount in sorted(shown.items())) or "nothing"
