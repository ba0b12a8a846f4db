# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Polls `/healthz` forty times a second from a separate idle process."""

import os
import socket
import time
from typing import Any

from shared import Shared

PERIOD_S = 0.025
REQUEST = b"GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n"
LIMIT_S = 30


def look(stream: socket.socket) -> None:
    stream.sendall(REQUEST)
    answer = b""
    while not answer.endswith(b"ok\n"):
        piece = stream.recv(4096)
        if not piece:
            raise ConnectionError("closed")
        answer += piece


def run(shared: Shared, pipe: Any) -> None:
    """Sends the times in seconds, and the failures outside of restarts."""
    try:
        # The load of the machine should affect only the server.
        os.nice(-10)
    except OSError:
        pass
    times: list[float] = []
    failures: list[str] = []
    stream: socket.socket | None = None
    number, of_epoch = 0, -1
    while not shared.over():
        epoch = shared.wait_until_up()
        start = time.perf_counter()
        try:
            # A new connection now and then, since new connections must work too.
            if stream is None or number % 20 == 0 or of_epoch != epoch:
                if stream is not None:
                    stream.close()
                stream = socket.create_connection(("127.0.0.1", shared.port), LIMIT_S)
                of_epoch = epoch
                stream.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            number += 1
            look(stream)
            times.append(time.perf_counter() - start)
        except OSError as error:
            if stream is not None:
                stream.close()
            stream = None
            if shared.epoch.value == epoch and not shared.over():
                failures.append(repr(error))
        time.sleep(max(0.0, PERIOD_S - (time.perf_counter() - start)))
    pipe.send({"times": times, "failures": failures})
