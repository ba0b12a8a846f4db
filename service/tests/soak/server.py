# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The `halimede serve` of the soak: starts, watches and stops it as a process, always on the same port."""

import os
import signal
import socket
import subprocess
import time
from pathlib import Path

BODY_MEMORY = 256_000_000
KEY_MEMORY = 256_000_000
# : The memory of the program, thread stacks, connection buffers, computed answers, and the reserve
# of : the allocator.
ALLOWANCE = 200_000_000
#: The maximum memory of the server.
BOUND = BODY_MEMORY + KEY_MEMORY + ALLOWANCE
SHUTDOWN_S = 20
BODY_S = 5
QUOTA = 2_000_000_000
TOKENS = {"honest": "honest-0123456789abcdef", "hostile": "hostile-0123456789abcdef"}
LIMIT_S = 60


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


class Server:
    """The server, which is a new process after each restart."""

    def __init__(self, command: str, folder: Path) -> None:
        self.command, self.folder, self.port = command, folder, free_port()
        self.log = folder / "log"
        self.tokens = folder / "tokens"
        self.tokens.write_text("".join(f"{name} {token}\n" for name, token in TOKENS.items()))
        self.tokens.chmod(0o600)
        self.process: subprocess.Popen[str] | None = None
        self.has_tokens = False

    def start(self, has_tokens: bool) -> None:
        arguments = [
            self.command, "serve", "--listen", f"127.0.0.1:{self.port}",
            "--store", str(self.folder / "store"), "--quota", str(QUOTA),
            "--body-memory", str(BODY_MEMORY), "--key-memory", str(KEY_MEMORY),
            "--body-time", str(BODY_S), "--shutdown-time", str(SHUTDOWN_S), "--deadline", "30"]
        if has_tokens:
            arguments += ["--tokens", str(self.tokens)]
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                arguments, stdout=subprocess.PIPE, stderr=log, text=True,
                env={**os.environ, "HALIMEDE_LOG": "warn"})
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        assert line.startswith("listening on"), self.log.read_text()[-500:]
        self.has_tokens = has_tokens

    def end(self) -> tuple[int | None, float]:
        """Stops it by SIGTERM. Returns its exit code (None if it had to be killed) and the time in seconds."""
        assert self.process is not None
        start = time.monotonic()
        self.process.send_signal(signal.SIGTERM)
        try:
            code: int | None = self.process.wait(SHUTDOWN_S + LIMIT_S)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            code = None
        return code, time.monotonic() - start

    def is_alive(self) -> bool:
        return self.process is not None and self.process.poll() is None

    def resident_bytes(self) -> int:
        assert self.process is not None
        try:
            text = Path(f"/proc/{self.process.pid}/status").read_text()
        except (FileNotFoundError, ProcessLookupError):
            return 0
        lines = [line for line in text.splitlines() if line.startswith("VmRSS:")]
        return 1024 * int(lines[0].split()[1]) if lines else 0
