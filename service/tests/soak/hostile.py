# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Clients that are malformed, slow, hostile, or disconnect before their answer. Each knows the allowed
answers of the server; any other answer, or silence, is a broken promise."""

import json
import random
import socket
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from honest import Command, Material, fresh_name
from server import BODY_S, LIMIT_S
from shared import Client, Lost, Restarted, Shared, Tally

HASH = "/v1/blake3/hash"
JSON = "content-type: application/json\r\n"


@dataclass
class Context:
    """The context of an attack."""

    shared: Shared
    material: Material
    #: A file of evaluation keys without any key, for a ring of 65,536 slots.
    empty_keys: Callable[[random.Random], tuple[str, bytes]]
    tally: Tally
    rng: random.Random

    def client(self) -> Client:
        return Client(self.shared, "hostile")

    def expect(self, what: str, status: int, allowed: tuple[int, ...], content: object = "") -> None:
        if status == 401 and 401 not in allowed and self.shared.has_tokens.value:
            self.tally.count("requests of a life without tokens")
            return
        self.tally.count(f"{what}: {status}")
        # A full server may refuse any request.
        if status not in (*allowed, 429, 503):
            self.tally.breach(f"{what}: {status} {content!r:.200}")


def exchange(context: Context, sent: bytes, limit_s: float = LIMIT_S) -> bytes:
    """Sends bytes that need not be HTTP. Returns the answer, until the server closes the connection."""
    epoch = context.shared.wait_until_up()
    if context.shared.over():
        raise Restarted
    received = b""
    try:
        with socket.create_connection(("127.0.0.1", context.shared.port), limit_s) as stream:
            try:
                stream.sendall(sent)
            except OSError:
                pass
            while piece := stream.recv(1 << 16):
                received += piece
        if not received and context.shared.epoch.value != epoch:
            raise Restarted
    except TimeoutError as error:
        raise Lost(f"no end of {sent[:100]!r}") from error
    except OSError:
        if context.shared.epoch.value != epoch:
            raise Restarted from None
    return received


def head(context: Context, headers: str, path: str = HASH) -> bytes:
    own = "".join(f"{name}: {value}\r\n" for name, value in context.shared.headers("hostile").items())
    return f"POST {path} HTTP/1.1\r\n{own}{headers}\r\n".encode()


def status_of(answer: bytes) -> int:
    words = answer.split(b" ", 2)
    return int(words[1]) if answer.startswith(b"HTTP/1.1 ") and words[1].isdigit() else 0


def large_rings(context: Context) -> None:
    """Keys of a few bytes, for a ring whose tables need hundreds of megabytes."""
    client = context.client()
    context.shared.wait_until_up()
    name, content = context.empty_keys(context.rng)
    status, answer = client.put(name, f"kind=ckks-keys&bytes={len(content)}", content)
    context.expect("keys of a large ring", status, (201, 413, 422, 507), answer)
    if status == 201:
        item = {"inputs": [{"name": "x", "ciphertext": "89434b4b53"}]}
        status, answer = client.call(f"/v1/ckks/evaluate?keys={name}&expression=x", [item])
        context.expect("a large ring", status, (200, 400, 413, 422, 504, 507), answer)
        status, _ = client.send("DELETE", f"/v1/objects/{name}")
        context.expect("removing keys", status, (204, 404, 409))


def long_plans(context: Context) -> None:
    """An expression of a kilobyte whose plan takes minutes, with a deadline of a second."""
    functions = "+".join(f"tanh({n}*x,-400,400)" for n in range(1, 20))
    path = f"/v1/ckks/evaluate?keys={context.material.keys_name}&expression={functions.replace('+', '%2B')}"
    item = next(case for case in context.material.cases if case.name == "ckks.evaluate").items[0]
    start = time.monotonic()
    status, answer = context.client().call(path, [item], halimede_deadline_ms="1000")
    context.expect("a plan that takes long", status, (200, 400, 404, 413, 422, 504), answer)
    seconds = time.monotonic() - start
    context.tally.time("a plan that takes long", seconds)
    if seconds > 15:
        context.tally.breach(f"a deadline of 1 s was answered after {seconds:.1f} s")


def one_byte(context: Context) -> None:
    """Uploads of one byte that announce a large object."""
    client = context.client()
    for _ in range(20):
        status, answer = client.put(fresh_name(context.rng), "kind=kzg-setup&bytes=1900000000", b"4")
        context.expect("one byte of a large upload", status, (202, 507), answer)


def no_bytes(context: Context) -> None:
    """Many uploads without a byte."""
    client = context.client()
    for _ in range(50):
        status, answer = client.put(fresh_name(context.rng), "kind=kzg-setup&bytes=9", b"")
        context.expect("an upload without a byte", status, (202, 507), answer)


def small_pieces(context: Context) -> None:
    """An upload in pieces of one byte."""
    client, name = context.client(), fresh_name(context.rng)
    for offset in range(60):
        status, answer = client.put(name, f"kind=kzg-setup&bytes=60&offset={offset}", b"4")
        context.expect("a piece of one byte", status, (202, 409, 422, 507), answer)
        if status != 202:
            return


def fat_bodies(context: Context) -> None:
    """JSON that needs many times its size in memory."""
    size = 15_000_000
    shape = context.rng.randrange(5)
    body = [
        lambda: b'{"items":[' + b",".join([b"{}"] * (size // 3)) + b"]}",
        lambda: b'{"items":[{"elements":[' + b",".join([b'"0x1"'] * (size // 6)) + b"]}]}",
        lambda: b'{"items":[{"elements":' + b"[" * size,
        lambda: b'{"items":[{"message":"' + b"\\u0061" * (size // 6) + b'"}]}',
        lambda: b'{"items":[{"' + b'":0,"'.join(b"k%d" % n for n in range(size // 12)) + b'":0}]}',
    ][shape]()
    path = "/v1/poseidon/starknet-hash?mode=many" if shape in (1, 2) else HASH
    start = time.monotonic()
    status, content = context.client().send("POST", path, body, {"content-type": "application/json"})
    context.tally.time("a fat body", time.monotonic() - start)
    context.expect(f"a fat body of shape {shape}", status, (200, 400, 408, 413), content)


def declared_lengths(context: Context) -> None:
    """Eight connections that declare sixteen megabytes and send a byte."""
    context.shared.wait_until_up()
    streams = []
    for _ in range(8):
        stream = socket.create_connection(("127.0.0.1", context.shared.port), LIMIT_S)
        stream.sendall(head(context, f"host: localhost\r\n{JSON}content-length: 15999999\r\n") + b"{")
        streams.append(stream)
    context.shared.pause(BODY_S / 2)
    for stream in streams:
        stream.close()
    context.tally.count("declared lengths", len(streams))


def slow(context: Context) -> None:
    """An endless body, a byte at a time."""
    context.shared.wait_until_up()
    with socket.create_connection(("127.0.0.1", context.shared.port), LIMIT_S) as stream:
        stream.sendall(head(context, f"host: localhost\r\n{JSON}content-length: 100000\r\n"))
        start = time.monotonic()
        stream.settimeout(0.3)
        epoch = context.shared.epoch.value
        while time.monotonic() - start < 6 * BODY_S and not context.shared.over():
            try:
                stream.sendall(b" ")
                answer = stream.recv(1000)
            except TimeoutError:
                continue
            except OSError:
                answer = b""
            if answer:
                context.expect("a slow body", status_of(answer), (408, 400))
            return
    if context.shared.epoch.value == epoch and not context.shared.over():
        context.tally.breach(f"a slow body was read for {6 * BODY_S} s")


def slow_head(context: Context) -> None:
    """Endless headers."""
    answer = exchange(context, head(context, "host: localhost\r\n")[:40])
    context.expect("slow headers", status_of(answer) if answer else 408, (408,))


def gone(context: Context) -> None:
    """A client that disconnects in the middle of its request, or before its answer."""
    context.shared.wait_until_up()
    body = json.dumps({"items": [{"message": "ab" * 500}] * 200}).encode()
    whole = head(context, f"host: localhost\r\n{JSON}content-length: {len(body)}\r\n") + body
    with socket.create_connection(("127.0.0.1", context.shared.port), LIMIT_S) as stream:
        stream.sendall(whole[:context.rng.randrange(1, len(whole) + 1)])
    context.tally.count("gone")


def deaf(context: Context) -> None:
    """A client that requests megabytes, and does not read them for a while."""
    context.shared.wait_until_up()
    body = json.dumps({"items": [{"message": "00"}] * 3000}).encode()
    request = head(context, f"host: localhost\r\n{JSON}content-length: {len(body)}\r\n", HASH + "?length=1024")
    with socket.create_connection(("127.0.0.1", context.shared.port), LIMIT_S) as stream:
        stream.sendall(request + body)
        context.shared.pause(1)
    context.tally.count("deaf")


def malformed(context: Context) -> None:
    """Requests with some bytes changed."""
    rng = context.rng
    case = rng.choice(context.material.cases)
    body = bytearray(json.dumps({"items": case.items}).encode())
    for _ in range(rng.randint(1, 4)):
        place = rng.randrange(len(body))
        if rng.random() < 0.5:
            body[place] ^= 1 << rng.randrange(8)
        else:
            del body[place:place + rng.randint(1, 9)]
    status, content = context.client().send(
        "POST", case.path, bytes(body), {"content-type": "application/json"})
    context.expect("malformed", status, (200, 400, 404, 413, 422), content)


def garbage(context: Context) -> None:
    """Bytes that are not HTTP."""
    rng = context.rng
    sent = rng.choice([b"", b"GET ", b"POST /v1/blake3/hash HTTP/1.1\r\n"]) + rng.randbytes(rng.randint(1, 3000))
    answer = exchange(context, sent + b"\r\n\r\n")
    allowed = (400, 401, 404, 405, 408, 414, 415, 421, 431, 501, 505)
    context.expect("garbage", status_of(answer) if answer else 400, allowed)


def two_fields(context: Context) -> None:
    """A repeated field in an item: the command and the service both refuse it."""
    body = b'{"items":[{"message":"00","message":"01"}]}'
    status, content = context.client().send("POST", HASH, body, {"content-type": "application/json"})
    is_taken = status == 200 and "error" not in json.loads(content)["answers"][0]
    context.expect("a field twice", status, (200, 400), content)
    if is_taken:
        context.tally.breach(f"a field twice was taken: {content!r}")


def hosts(context: Context) -> None:
    """Requests without a host, with two hosts, and with a host that only looks like this machine."""
    body, tail = b'{"items":[]}', f"{JSON}content-length: 12\r\nconnection: close\r\n"
    for name, given in [("no", ""), ("two", "host: localhost\r\nhost: localhost\r\n"),
                        ("another", f"host: 127.0.0.1:{context.shared.port}.evil\r\n")]:
        answer = exchange(context, head(context, given + tail) + body)
        allowed = (400, 421) if name != "another" or not context.shared.has_tokens.value else (200, 400, 421)
        context.expect(f"{name} host", status_of(answer), allowed, answer)


def encodings(context: Context) -> None:
    """An unknown encoding before a known one."""
    headers = f"host: localhost\r\n{JSON}transfer-encoding: gzip, chunked\r\nconnection: close\r\n"
    answer = exchange(context, head(context, headers) + b'c\r\n{"items":[]}\r\n0\r\n\r\n')
    context.expect("an encoding that is not known", status_of(answer), (400, 415, 501), answer)


def bearers(context: Context) -> None:
    """A token after `bearer` in lower case, which is accepted."""
    if not context.shared.has_tokens.value:
        return
    own = context.shared.headers("hostile")["authorization"].replace("Bearer", "bearer")
    status, content = context.client().send(
        "POST", HASH, b'{"items":[]}', {"content-type": "application/json", "authorization": own})
    context.expect("bearer", status, (200,), content)


def strangers(context: Context) -> None:
    """Requests without a token, and with a wrong one."""
    if not context.shared.has_tokens.value:
        return
    for given in ("", "authorization: Bearer no-token-of-this-server\r\n"):
        sent = f"GET /v1/objects HTTP/1.1\r\nhost: localhost\r\n{given}connection: close\r\n\r\n"
        answer = exchange(context, sent.encode())
        if context.shared.has_tokens.value:
            context.expect("a stranger", status_of(answer), (401,), answer)


#: The attacks, with the seconds between two of the same kind.
ATTACKS: list[tuple[Callable[[Context], None], float]] = [
    (large_rings, 3), (long_plans, 5), (one_byte, 2), (no_bytes, 2), (small_pieces, 2), (fat_bodies, 3),
    (declared_lengths, 4), (slow, 1), (slow_head, 1), (gone, 0.3), (deaf, 2), (malformed, 0.1),
    (garbage, 0.3), (two_fields, 1), (hosts, 1), (encodings, 1), (bearers, 1), (strangers, 1),
]


def keys_without_a_key(command: Command, large: bytes) -> Callable[[random.Random], tuple[str, bytes]]:
    """Makes a file of evaluation keys from a file of parameters: changes the kind, adds an owner, the end, and
    the hash of everything."""
    lock = threading.Lock()

    def make(rng: random.Random) -> tuple[str, bytes]:
        content = large[:10] + b"\x04" + large[11:] + rng.randbytes(16) + b"\x00"
        with lock:
            (command.folder / "empty.keys").write_bytes(content)
            content += bytes.fromhex(command.run("blake3", "--no-names", "empty.keys").strip())
            (command.folder / "empty.keys").write_bytes(content)
            return command.run("blake3", "--no-names", "empty.keys").strip(), content

    return make


def attack(act: Callable[[Context], None], pause_s: float, context: Context) -> None:
    while not context.shared.over():
        try:
            act(context)
        except Restarted:
            context.tally.count("hostile clients that a restart met")
        except Lost as error:
            context.tally.breach(f"LOST {act.__name__}: {error}")
        except OSError:
            # The server was restarted in the middle of an attack.
            context.tally.count("hostile connections that were cut")
        context.shared.pause(pause_s * context.rng.uniform(0.5, 1.5))


def run(shared: Shared, material: Material, command: Command, seed: int, pipe: Any) -> None:
    """Runs the process of hostile clients."""
    tally = Tally()
    empty_keys = keys_without_a_key(command, material.large)
    threads = []
    for number, (act, pause_s) in enumerate(ATTACKS):
        context = Context(shared, material, empty_keys, tally, random.Random(seed + number))
        threads.append(threading.Thread(target=attack, args=(act, pause_s, context)))
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    pipe.send(tally.result())
