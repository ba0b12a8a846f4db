# SPDX-License-Identifier: Apache-2.0 OR MIT
"""A client of `halimede serve`: batches of operations over HTTP. Needs only the standard library.

An item maps the operation's fields, as in the service's OpenAPI document (`Client.document`), to
values: bytes, integers, strings of hexadecimal digits, and lists of these. The answers are in the
order of the items. A bad item gets the answer {"error": ..., "item": ...}, and the other items are
answered.

A request that the service refuses as a whole raises `Refused`; a failed connection raises OSError.

    from halimede.client import Client

    client = Client("http://127.0.0.1:8480")
    client.call("/v1/poseidon/filecoin-hash", [{"elements": [1, 2]}], arity=2)
    client.verdicts("/v1/secp256k1/schnorr-verify", signatures)
    key = client.upload("groth16-key", key_bytes)
    client.verdicts("/v1/groth16/verify", proofs, key=key)

A network of the service runs on inputs that `halimede.nn` encrypts:

    [network] = client.networks()
    interface = nn.Interface.load(client.interface(network))
    owner = interface.client()
    keys = client.upload("ckks-keys", owner.evaluation_keys().to_bytes())
    run = client.start_run(network, keys, owner.encrypt(image).to_bytes())
    for state in client.run_events(run):
        print(state["state"], state["done"], "of", state["steps"])
    result = nn.Sealed.load(client.run_result(run), interface.parameters)
    print(owner.decrypt(result).label)
"""

from __future__ import annotations

import http.client
import json
import os
import ssl
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterable, Iterator, Mapping, Sequence
from http.client import HTTPMessage
from typing import IO, Any, TypedDict, Union

from halimede import blake3

__all__ = ["Answer", "Client", "Item", "Refused", "RunState", "Standing"]

#: A field's value.
Value = Union[bytes, bytearray, memoryview, int, str, Sequence["Value"], Mapping[str, "Value"]]
#: The fields of an item, by name.
Item = Mapping[str, Value]
#: The answer to an item, as in the service's OpenAPI document.
Answer = dict[str, Any]

_PIECE_BYTES = 8 << 20
_OCTETS = "application/octet-stream"
_FINAL = ("done", "failed", "cancelled")
_PAUSE_S = 0.2
_MOST_LINE_BYTES = 64 << 10


class Standing(TypedDict):
    """The state of an object's upload to a service."""

    hash: str
    kind: str
    bytes: int
    received: int
    complete: bool


class RunState(TypedDict):
    """The state of a network's run."""

    run: str
    network: str
    keys: str
    state: str
    """waiting, running, done, failed or cancelled."""
    done: int
    steps: int
    layer: str | None
    result_bytes: int | None
    error: str | None


class Refused(Exception):
    """The error for a request that the service refuses.

    status: the HTTP status. code: the reason for programs ("queue", "deadline", "token", ...).
    retry_after: the seconds after which a retry can succeed, or None.
    """

    def __init__(self, status: int, code: str, message: str, retry_after: float | None) -> None:
        super().__init__(f"{message} ({status}, {code})")
        self.status = status
        self.code = code
        self.retry_after = retry_after


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """Follows no redirects, since the token is for one server."""

    def redirect_request(
        self, req: urllib.request.Request, fp: IO[bytes], code: int, msg: str,
        headers: HTTPMessage, newurl: str,
    ) -> None:
        return None


class Client:
    """A client of a service. Threads may share it.

    url: the service's URL. token: one of the service's tokens. deadline: seconds after which
        answers
    are useless. retries: how often to resend a request that the service answers with 429, after the
    time that the service names. timeout: seconds without any progress. certificates: for https, a
    PEM file of CA certificates to trust instead of the system's.
    """

    def __init__(
        self, url: str = "http://127.0.0.1:8480", *, token: str | None = None,
        deadline: float | None = None, retries: int = 0, timeout: float = 300.0,
        certificates: str | os.PathLike[str] | None = None,
    ) -> None:
        if urllib.parse.urlsplit(url).scheme not in ("http", "https"):
            raise ValueError(f"url: got {url!r}, wanted http://… or https://…")
        self._url = url.rstrip("/")
        self._token = token
        self._deadline = deadline
        self._retries = retries
        self._timeout = timeout
        handlers: list[urllib.request.BaseHandler] = [_NoRedirects()]
        if certificates is not None:
            context = ssl.create_default_context(cafile=certificates)
            handlers.append(urllib.request.HTTPSHandler(context=context))
        self._opener = urllib.request.build_opener(*handlers)

    def call(
        self, path: str, items: Iterable[Item], **settings: str | int | float | bool
    ) -> list[Answer]:
        """Sends items to the operation at a path, with settings, and returns the answers."""
        body = json.dumps({"items": [_plain(item) for item in items]}).encode()
        names = {name.replace("_", "-"): _setting(value) for name, value in settings.items()}
        query = f"?{urllib.parse.urlencode(names)}" if names else ""
        answers = json.loads(self._send("POST", path + query, body, "application/json"))["answers"]
        assert isinstance(answers, list)
        return answers

    def verdicts(
        self, path: str, items: Iterable[Item], **settings: str | int | float | bool
    ) -> list[bool]:
        """Returns True for each valid item; raises ValueError for the first bad item."""
        answers = self.call(path, items, **settings)
        for number, answer in enumerate(answers):
            if "error" in answer:
                raise ValueError(f"item {number}: {answer['error']}")
        return [bool(answer["valid"]) for answer in answers]

    def document(self) -> dict[str, Any]:
        """Returns the OpenAPI document of the service."""
        document = json.loads(self._send("GET", "/openapi.json", None, None))
        assert isinstance(document, dict)
        return document

    def upload(self, kind: str, content: bytes) -> str:
        """Uploads an object of a kind ("ckks-keys", "groth16-key", "kzg-setup", "network") and
        returns its name. Resumes an earlier upload of the same object."""
        name = blake3.hash(content).hex()
        try:
            standing = self.standing(name)
        except Refused as refused:
            if refused.code != "object" or refused.status != 404:
                raise
            received, complete = 0, False
        else:
            received, complete = standing["received"], standing["complete"]
        while not complete:
            query = urllib.parse.urlencode(
                {"kind": kind, "bytes": len(content), "offset": received})
            piece = content[received:received + _PIECE_BYTES]
            path = f"/v1/objects/{name}?{query}"
            reply = json.loads(self._send("PUT", path, piece, "application/octet-stream"))
            received, complete = reply["received"], reply["complete"]
        return name

    def standing(self, name: str) -> Standing:
        """Returns the state of an object's upload."""
        standing: Standing = json.loads(self._send("GET", f"/v1/objects/{name}", None, None))
        return standing

    def remove(self, name: str) -> None:
        """Removes an object."""
        self._send("DELETE", f"/v1/objects/{name}", None, None)

    def networks(self) -> list[str]:
        """Returns the names of the service's networks."""
        answer = json.loads(self._send("GET", "/v1/networks", None, None))
        return [str(network["network"]) for network in answer["networks"]]

    def network(self, network: str) -> dict[str, Any]:
        """Returns the facts of a network: shapes, steps, sizes of keys and memory."""
        facts = json.loads(self._send("GET", f"/v1/networks/{network}", None, None))
        assert isinstance(facts, dict)
        return facts

    def interface(self, network: str) -> bytes:
        """Returns the interface file of a network, for `halimede.nn.Interface.load`."""
        return self._send("GET", f"/v1/networks/{network}/interface", None, None)

    def start_run(self, network: str, keys: str, sealed: bytes) -> str:
        """Starts a run of a network on the file of an encrypted input, and returns its name.

        keys: the name of uploaded evaluation keys. The run continues if the client disconnects or
            the service is restarted.
        """
        path = f"/v1/networks/{network}/runs?keys={keys}"
        state: RunState = json.loads(self._send("POST", path, sealed, _OCTETS))
        return state["run"]

    def run_state(self, run: str) -> RunState:
        """Returns the state of a run."""
        state: RunState = json.loads(self._send("GET", f"/v1/runs/{run}", None, None))
        return state

    def run_events(self, run: str) -> Iterator[RunState]:
        """Yields the state of a run after each step; the last one is done, failed or cancelled.

        Waits `timeout` seconds for a service that is restarted meanwhile, and raises OSError then.
        """
        since = time.monotonic()
        while True:
            try:
                with self._open("GET", f"/v1/runs/{run}/events", None, None) as response:
                    for state in _states(response):
                        since = time.monotonic()
                        yield state
                        if state["state"] in _FINAL:
                            return
            except (OSError, http.client.HTTPException) as error:
                if time.monotonic() - since > self._timeout:
                    raise OSError(f"the run {run} cannot be watched: {error}") from error
            time.sleep(_PAUSE_S)

    def run_result(self, run: str) -> bytes:
        """Waits for the end of a run, and returns its encrypted result, for
        `halimede.nn.Sealed.load`. Raises `Refused` for a run that failed."""
        for _ in self.run_events(run):
            pass
        return self._send("GET", f"/v1/runs/{run}/result", None, None)

    def remove_run(self, run: str) -> None:
        """Cancels a run if it is not complete, and removes it."""
        self._send("DELETE", f"/v1/runs/{run}", None, None)

    def _send(self, method: str, path: str, body: bytes | None, kind: str | None) -> bytes:
        with self._open(method, path, body, kind) as response:
            answer = response.read()
            assert isinstance(answer, bytes)
            return answer

    def _open(
        self, method: str, path: str, body: bytes | None, kind: str | None
    ) -> http.client.HTTPResponse:
        headers = {}
        if kind is not None:
            headers["Content-Type"] = kind
        if self._token is not None:
            headers["Authorization"] = f"Bearer {self._token}"
        if self._deadline is not None:
            headers["Halimede-Deadline-Ms"] = str(max(1, round(1000 * self._deadline)))
        request = urllib.request.Request(self._url + path, body, headers, method=method)
        tries = 0
        while True:
            try:
                response: http.client.HTTPResponse = self._opener.open(
                    request, timeout=self._timeout)
                return response
            except urllib.error.HTTPError as error:
                refused = _refused(error)
                if refused.status != 429 or tries == self._retries:
                    raise refused from None
            tries += 1
            time.sleep(refused.retry_after or 1.0)


def _states(response: http.client.HTTPResponse) -> Iterator[RunState]:
    """Yields the states of a stream of events."""
    while line := response.readline(_MOST_LINE_BYTES):
        if line.startswith(b"data: "):
            state = json.loads(line[len(b"data: "):])
            # The data of the event `ending` is empty.
            if "state" in state:
                yield state


def _refused(error: urllib.error.HTTPError) -> Refused:
    with error:
        body = error.read()
    try:
        told = json.loads(body)["error"]
        code, message = str(told["code"]), str(told["message"])
    except (ValueError, KeyError, TypeError):
        code, message = "unknown", error.reason or "no reason is given"
    after = error.headers.get("Retry-After", "")
    return Refused(error.code, code, message, float(after) if after.isdigit() else None)


def _setting(value: str | int | float | bool) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _plain(value: Value) -> Any:
    """Converts a value to JSON."""
    if isinstance(value, (bytes, bytearray, memoryview)):
        return bytes(value).hex()
    if isinstance(value, bool):
        raise TypeError("a field is bytes, an integer, a string, a list or a mapping, not a bool")
    if isinstance(value, int):
        if value < 0:
            raise ValueError(f"got the number {value}, wanted one from 0")
        return hex(value)
    if isinstance(value, str):
        return value
    if isinstance(value, Mapping):
        return {name: _plain(part) for name, part in value.items()}
    return [_plain(part) for part in value]
