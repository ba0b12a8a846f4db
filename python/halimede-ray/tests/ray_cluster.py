# SPDX-License-Identifier: Apache-2.0 OR MIT
"""A Ray cluster of several raylets on this machine, on loopback and with a token."""

from __future__ import annotations

import os
import secrets
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

ADDRESS = "127.0.0.2"
"""With 127.0.0.1, Ray would use the machine's external address instead of loopback."""


PATHS = [str(Path(__file__).parent), str(Path(__file__).resolve().parents[3]),
         str(Path(__file__).resolve().parents[2] / "tests")]
LIMIT_SECONDS = 60.0


class Machines:
    """A head and other nodes, each with its own raylet. `close` ends all nodes."""

    def __init__(self, cpus: int = 1) -> None:
        self.token = secrets.token_hex(32)
        os.environ.update(
            RAY_AUTH_MODE="token", RAY_AUTH_TOKEN=self.token, RAY_USAGE_STATS_ENABLED="0",
            # Detects a node's death after five seconds.
            RAY_health_check_period_ms="1000",
            RAY_raylet_start_wait_time_s="120",
            # Tasks are functions of modules next to this one.
            PYTHONPATH=os.pathsep.join([*PATHS, os.environ.get("PYTHONPATH", "")]),
        )
        import ray
        from ray.cluster_utils import Cluster

        self.ray: Any = ray
        self._second: Any = None
        self._cluster: Any = Cluster(initialize_head=True, head_node_args={
            "num_cpus": cpus, "include_dashboard": False, "node_ip_address": ADDRESS})
        ray.init(address=self._cluster.address, log_to_driver=False, _node_ip_address=ADDRESS)
        self.address: str = self._cluster.address

    def add(self, cpus: int = 1, **resources: float) -> Any:
        """Adds a node."""
        return self._cluster.add_node(num_cpus=cpus, resources=resources, node_ip_address=ADDRESS)

    def second(self) -> Any:
        """Returns a second node, the same one as long as it is alive."""
        if self._second is None:
            self._second = self.add(cpus=1)
        return self._second

    def raylet(self, node: Any = None) -> int:
        """Returns the process of a node's raylet, the parent of its workers; by default the
        head's."""
        node = node or self._cluster.head_node
        process: int = node.all_processes["raylet"][0].process.pid
        return process

    def kill(self, node: Any) -> None:
        """Ends a node as a power cut would."""
        self._cluster.remove_node(node, allow_graceful=False)
        if node is self._second:
            self._second = None

    def wait_for(self, count: int) -> None:
        """Waits until `count` nodes are known to be alive."""
        self._wait_until(lambda: sum(node["Alive"] for node in self.ray.nodes()), count, "nodes are alive")

    def wait_for_cpus(self, count: int) -> None:
        """Waits until `count` processors are free: an ended worker frees its processors a moment
        later."""
        self._wait_until(lambda: self.ray.available_resources().get("CPU", 0), count, "processors are free")

    def _wait_until(self, found: Callable[[], float], count: int, what: str) -> None:
        end = time.monotonic() + LIMIT_SECONDS
        while (now := found()) != count:
            assert time.monotonic() < end, f"{now} {what} and not {count}"
            time.sleep(0.05)

    def close(self) -> None:
        self.ray.shutdown()
        self._cluster.shutdown()
