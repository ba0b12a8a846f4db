# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The shared state of the processes of the soak: the address of the server, its restarts, and the counts of
events."""

from __future__ import annotations

import http.client
import json
import multiprocessing
import threading
import time
from collections import Counter
from dataclasses import dataclass, field
from multiprocessing.sharedctypes import Synchronized
from typing import Any

from server import TOKENS

Headers = dict[str, str]


@dataclass
class Shared:
    """The address of the server. `epoch` is odd while it is being restarted."""

    port: int
    epoch: Synchronized[int] = field(default_factory=lambda: multiprocessing.Value("i", 1))
    has_tokens: Synchronized[int] = field(default_factory=lambda: multiprocessing.Value("i", 0))
    is_over: Synchronized[int] = field(default_factory=lambda: multiprocessing.Value("i", 0))

    def over(self) -> bool:
        return bool(self.is_over.value)

    def wait_until_up(self) -> int:
        """Waits for the end of a restart, and returns the new epoch."""
        while self.epoch.value % 2 and not self.over():
            time.sleep(0.01)
        return int(self.epoch.value)

    def pause(self, seconds: float) -> None:
        end = time.monotonic() + seconds
        while not self.over() and time.monotonic() < end:
            time.sleep(min(0.1, seconds))

    def headers(self, who: str) -> Headers:
        return {"authorization": f"Bearer {TOKENS[who]}"} if self.has_tokens.value else {}


class Restarted(Exception):
    """The server was restarted while a request was waiting for its answer."""


class Lost(Exception):
    """A request has no answer, or only a part of it."""


class Tally:
    """Counts and times of a process, for the report; shared by threads."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.counts: Counter[str] = Counter()
        self.times: dict[str, list[float]] = {}
        self.broken: list[str] = []

    def count(self, what: str, number: int = 1) -> None:
        with self.lock:
            self.counts[what] += number

    def time(self, what: str, seconds: float) -> None:
        with self.lock:
            self.times.setdefault(what, []).append(seconds)

    def breach(self, what: str) -> None:
        """Records a broken promise. Of each kind, given by the first words, only some are reported."""
        kind = "broken: " + " ".join(what.split()[:3])[:40]
        with self.lock:
            self.counts[kind] += 1
            if self.counts[kind] <= 3:
                self.broken.append(what[:400])

    def result(self) -> dict[str, Any]:
        with self.lock:
            return {"counts": dict(self.counts), "times": self.times, "broken": self.broken}


class Client:
    """A client with a persistent connection, which distinguishes restarts from lost answers."""

    def __init__(self, shared: Shared, who: str, limit_s: float = 90) -> None:
        self.shared, self.who, self.limit_s = shared, who, limit_s
        self.connection: http.client.HTTPConnection | None = None
        self.epoch = -1

    def send(
        self, method: str, path: str, body: bytes = b"", headers: Headers | None = None,
    ) -> tuple[int, bytes]:
        """Returns the status and the body of an answer."""
        epoch = self.shared.wait_until_up()
        if self.shared.over():
            raise Restarted
        if self.epoch != epoch:
            self.close()
        is_kept = self.connection is not None
        if self.connection is None:
            self.connection = http.client.HTTPConnection("127.0.0.1", self.shared.port, timeout=self.limit_s)
            self.epoch = epoch
        answer = None
        try:
            try:
                self.connection.request(
                    method, path, body, {**self.shared.headers(self.who), **(headers or {})})
            except (BrokenPipeError, ConnectionResetError):
                # A server that refuses a request may answer before it has read everything.
                if len(body) < 1 << 16:
                    raise
            answer = self.connection.getresponse()
            content = answer.read()
            if answer.getheader("connection") == "close":
                self.close()
            return answer.status, content
        except (OSError, http.client.HTTPException) as error:
            self.close()
            # Accepted requests are answered completely, even during a shutdown.
            if answer is not None:
                raise Lost(f"{method} {path[:80]}: cut: {error!r}") from error
            if self.shared.epoch.value != epoch:
                raise Restarted from error
            # The server may have closed a persistent connection; all requests can be repeated.
            if is_kept and isinstance(error, (ConnectionError, http.client.RemoteDisconnected)):
                return self.send(method, path, body, headers)
            raise Lost(f"{method} {path[:80]}: {error!r}") from error

    def call(self, path: str, items: list[Any], **headers: str) -> tuple[int, Any]:
        body = json.dumps({"items": items}).encode()
        more = {name.replace("_", "-"): value for name, value in headers.items()}
        status, content = self.send("POST", path, body, {"content-type": "application/json", **more})
        return status, json.loads(content)

    def put(self, name: str, query: str, piece: bytes) -> tuple[int, Any]:
        octets = {"content-type": "application/octet-stream"}
        status, content = self.send("PUT", f"/v1/objects/{name}?{query}", piece, octets)
        return status, json.loads(content)

    def close(self) -> None:
        if self.connection is not None:
            self.connection.close()
            self.connection = None
