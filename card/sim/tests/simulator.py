# SPDX-License-Identifier: Apache-2.0 OR MIT
"""A simulated card within a `with` block, and its client."""

from __future__ import annotations

import os
import select
import signal
import socket
import subprocess
import time
from pathlib import Path

from card.model import commands
from card.model.commands import RegisterReply, StatusReply
from card.model.frames import SPEC, Frame, split
from card.sim.build import STREAM_BYTES

LIMIT_S = 300.0  # guards against a hang; machines may be busy


class Simulator:
    """The process. `stderr` holds its output after it has ended.

    Without a `folder` for a socket, it serves the other end of its standard input, and one client.
    """

    def __init__(self, program: Path, folder: Path | None, *arguments: str) -> None:
        self.stderr = ""
        self.inherited: socket.socket | None = None
        if folder is None:
            self.inherited, theirs = socket.socketpair(socket.AF_UNIX)
            self._begin(program, "--stdio", *arguments, stdin=theirs)
            theirs.close()
        else:
            self.path = folder / "card.socket"
            self._begin(program, "--socket", self.path, *arguments)
            assert self._line() == f"listening {self.path}\n"

    def _begin(self, *command: str | Path, stdin: socket.socket | None = None) -> None:
        self.process = subprocess.Popen(command, stdin=stdin, stderr=subprocess.PIPE, text=True)

    def _line(self) -> str:
        ready, _, _ = select.select([self.process.stderr], [], [], LIMIT_S)
        assert ready, "the simulator printed no line"
        return self.process.stderr.readline()

    def __enter__(self) -> Simulator:
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.communicate(timeout=LIMIT_S)

    def connect(self, stream_bytes: int = STREAM_BYTES) -> Client:
        link = self.inherited
        if link is None:
            link = socket.socket(socket.AF_UNIX)
            link.connect(str(self.path))
        return Client(link, stream_bytes)

    def end(self, with_signal: signal.Signals | None = None) -> int:
        """Waits for the process, after a signal if one is given. Returns the exit code."""
        if with_signal is not None:
            self.process.send_signal(with_signal)
        _, self.stderr = self.process.communicate(timeout=LIMIT_S)
        return self.process.returncode

    def cpu_s(self) -> float:
        """The processor time used so far."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


    def is_waiting(self) -> bool:
        """True while the process sleeps, which it does when it can only wait for bytes."""
        state = Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
        return state in ("S", "Z")


class Client:
    """A connection that sends and receives at the same time, in beats of `stream_bytes`."""

    def __init__(self, link: socket.socket, stream_bytes: int = STREAM_BYTES) -> None:
        self.stream_bytes = stream_bytes
        self.socket = link
        self.socket.setblocking(False)
        self.received = b""

    def close(self) -> None:
        self.socket.close()

    def exchange(self, data: bytes, frames: int, limit_s: float = LIMIT_S) -> list[Frame]:
        """Sends all of `data` and receives at least `frames` frames, or raises TimeoutError."""
        end = time.monotonic() + limit_s
        view = memoryview(data)
        whole: list[Frame] = []
        while True:
            found, self.received = split(self.received, self.stream_bytes)
            whole += found
            if not view and len(whole) >= frames:
                return whole
            left = end - time.monotonic()
            readable, writable, _ = select.select(
                [self.socket], [self.socket] if view else [], [], max(0.0, left)
            )
            if left <= 0:
                raise TimeoutError(f"{len(whole)} of {frames} frames")
            if writable:
                view = view[self.socket.send(view[:65536]) :]
            if readable:
                self._receive()

    def _receive(self) -> None:
        data = self.socket.recv(65536)
        if not data:
            raise ConnectionError("the simulator hung up")
        self.received += data

    def ask(self, request: Frame, limit_s: float = LIMIT_S) -> Frame:
        (reply,) = self.exchange(request.encode(self.stream_bytes), 1, limit_s)
        return reply

    def status(self) -> StatusReply:
        return StatusReply.of(self.ask(commands.get_fpga_status()))

    def read(self, register: str) -> int:
        """The value of a register of card.toml or of a manifest."""
        address = SPEC.register(register).address
        return RegisterReply.of(self.ask(commands.register_read(address))).value

    def alone(self, request: Frame, limit_s: float = LIMIT_S) -> tuple[int, Frame]:
        """The clocks from the status before a single request to the status after its reply, and the
        reply. The card's clock stops while no request is in the card."""
        before = self.status()
        reply = self.ask(request, limit_s)
        return self.status().clocks - before.clocks, reply

    def between_statuses(
        self, before: list[bytes], counted: list[bytes], limit_s: float = LIMIT_S
    ) -> tuple[StatusReply, StatusReply, list[Frame]]:
        """Sends requests in one write, with one reply each, and a status request before and after
        the counted ones. Returns the two statuses and the other replies."""
        status = commands.get_fpga_status().encode(self.stream_bytes)
        data = b"".join([*before, status, *counted, status])
        frames = self.exchange(data, len(before) + len(counted) + 2, limit_s)
        first, second = (StatusReply.of(f) for f in frames if f.name == "get_fpga_status")
        return first, second, [f for f in frames if f.name != "get_fpga_status"]

    def bytes_for(self, seconds: float) -> bytes:
        """The bytes that arrive in this time."""
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            if select.select([self.socket], [], [], left)[0]:
                self._receive()
        data, self.received = self.received, b""
        return data

    def bytes_until_waiting(self, simulator: Simulator, limit_s: float = LIMIT_S) -> bytes:
        """The bytes that arrive until the simulator waits for input with its work done."""
        end = time.monotonic() + limit_s
        quiet = 0
        while quiet < 3:
            if time.monotonic() > end:
                raise TimeoutError("the simulator is still busy")
            is_waiting = simulator.is_waiting()
            if select.select([self.socket], [], [], 0.05)[0]:
                self._receive()
                is_waiting = False
            quiet = quiet + 1 if is_waiting else 0
        data, self.received = self.received, b""
        return data

    def until(self, data: bytes, answer: Frame, limit_s: float = LIMIT_S) -> list[Frame]:
        """Sends `data` and returns the frames that come before `answer`."""
        before = self.exchange(data, 1, limit_s)
        while answer not in before:
            before += self.exchange(b"", 1, limit_s)
        assert before[-1] == answer, "replies after that of the reset"
        return before[:-1]
