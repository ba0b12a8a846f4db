# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Honest clients: requests whose answers are compared with the command `halimede`, and uploads in pieces."""

import gzip
import hashlib
import json
import random
import subprocess
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from shared import Client, Lost, Restarted, Shared, Tally

ROOT = Path(__file__).resolve().parents[3]
KZG = ROOT / "engines" / "bls12_381" / "vectors" / "kzg"
EXPRESSION = "3*x*y + rot(x, 1)"
#: Statuses that mean "not now": the server did not accept the request.
NOT_NOW = (429, 503)


@dataclass
class Case:
    """A request, with the answers of the command."""

    name: str
    path: str
    items: list[Any]
    answers: list[Any]


@dataclass
class Material:
    """The material of the requests."""

    cases: list[Case]
    setup: bytes
    setup_name: str
    keys: bytes
    keys_name: str
    #: The parameters of a large ring, for the keys of hostile clients.
    large: bytes


class Command:
    """The command, which provides the correct answers."""

    def __init__(self, path: str, folder: Path) -> None:
        self.path, self.folder = path, folder

    def run(self, *arguments: str, text: str = "") -> str:
        done = subprocess.run(
            [self.path, *arguments], input=text, capture_output=True, text=True, cwd=self.folder,
            timeout=600)
        assert done.returncode in (0, 1), f"{arguments}: {done.stderr}"
        return done.stdout

    def blake3(self, contents: list[bytes]) -> list[str]:
        names = []
        for number, content in enumerate(contents):
            (self.folder / f"m{number}").write_bytes(content)
            names.append(f"m{number}")
        return self.run("blake3", "--no-names", *names).split()

    def verdicts(self, *arguments: str, items: list[Any]) -> list[dict[str, Any]]:
        """Returns the verdicts of a command with one line of JSON per item."""
        lines = "".join(json.dumps(item) + "\n" for item in items)
        answers = self.run(*arguments, text=lines).splitlines()
        assert len(answers) == len(items), answers
        return [
            {"valid": True} if answer == "valid"
            else {"valid": False, "reason": answer.removeprefix("invalid: ")}
            for answer in answers]


def flipped(digits: str, place: int) -> str:
    """Returns hexadecimal digits with one digit changed."""
    place %= len(digits)
    return f"{digits[:place]}{int(digits[place], 16) ^ 1:x}{digits[place + 1:]}"


def prepare(command: Command, document: dict[str, Any], seed: int) -> Material:
    """Makes requests, and computes their answers with the command."""
    rng = random.Random(seed)
    cases = []
    for path, methods in document["paths"].items():
        post = methods.get("post", {})
        try:
            items = post["requestBody"]["content"]["application/json"]["example"]["items"]
            answers = post["responses"]["200"]["content"]["application/json"]["example"]["answers"]
        except KeyError:
            continue
        cases.append(Case(post["operationId"], f"{path}?{post['x-example-query']}", items, answers))
    by_name = {case.name: case for case in cases}
    for variant in range(24):
        cases.append(hashes(command, rng))
        cases.append(poseidon(command, rng, variant))
    cases.append(verdicts(command, by_name["secp256k1.verify"], ("digest", "signature"), (
        "batch", "secp256k1.verify", "--format", "compact")))
    setup, openings = kzg(command)
    cases.append(openings)
    keys, evaluation = ckks(command)
    cases.append(evaluation)
    command.run("ckks", "params", "--slots", "65536", "--depth", "50", "--precision", "30",
                "--out", "large.params")
    large = (command.folder / "large.params").read_bytes()
    names = command.blake3([setup, keys])
    return Material(cases, setup, names[0], keys, names[1], large)


def hashes(command: Command, rng: random.Random) -> Case:
    contents = [rng.randbytes(rng.choice([0, 1, 63, 64, 1023, 1025, 5000])) for _ in range(rng.randint(1, 20))]
    items = [{"message": content.hex()} for content in contents]
    answers = [{"digest": digest} for digest in command.blake3(contents)]
    return Case("blake3.hash", "/v1/blake3/hash", items, answers)


def poseidon(command: Command, rng: random.Random, variant: int) -> Case:
    arity = [2, 4, 8, 11, 0][variant % 5]
    rows = [[hex(rng.getrandbits(250)) for _ in range(arity or 2)] for _ in range(rng.randint(1, 12))]
    lines = "".join(" ".join(row) + "\n" for row in rows)
    if arity:
        name, path = "poseidon.filecoin_hash", f"/v1/poseidon/filecoin-hash?arity={arity}"
    else:
        name, path = "poseidon.starknet_hash", "/v1/poseidon/starknet-hash"
    settings = ["--arity", str(arity)] if arity else []
    digests = command.run("batch", name, *settings, text=lines).split()
    items = [{"elements": row} for row in rows]
    return Case(name, path, items, [{"digest": digest} for digest in digests])


def verdicts(command: Command, good: Case, fields: tuple[str, ...], arguments: tuple[str, ...]) -> Case:
    """Returns a valid item, and copies with a changed digit."""
    item = good.items[0]
    items = [item] + [{**item, field: flipped(item[field], 7 * n + 3)} for n, field in enumerate(fields * 2)]
    lines = [{"msg" if name == "digest" else "sig" if name == "signature" else name: value
              for name, value in item.items()} for item in items]
    answers = command.verdicts(*arguments, items=lines)
    return Case(f"{good.name} of several", good.path, items, answers)


def kzg(command: Command) -> tuple[bytes, Case]:
    setup = gzip.decompress((KZG / "trusted_setup.txt.gz").read_bytes())
    (command.folder / "setup").write_bytes(setup)
    items = []
    for file in sorted((KZG / "verify_kzg_proof").glob("*correct_proof_[0-3]_*.yaml")):
        lines = [line.strip().partition(": ") for line in file.read_text().splitlines()]
        fields = {name: value.strip("'") for name, _, value in lines if value.startswith("'0x")}
        items.append(fields)
    answers = command.verdicts("batch", "kzg.verify_proof", "--setup", "setup", items=items)
    name = command.blake3([setup])[0]
    return setup, Case("kzg.verify_proof", f"/v1/kzg/verify-proof?setup={name}", items, answers)


def ckks(command: Command) -> tuple[bytes, Case]:
    command.run("ckks", "keygen", "--params", "n10-insecure", "--dir", "keys", "--for", EXPRESSION,
                "--values", "4")
    for name, values in [("x", "0.25\n-0.5\n0.125\n1\n"), ("y", "1\n0.75\n-0.25\n0.5\n")]:
        command.run("ckks", "encrypt", "--key", "keys/secret.key", "--in", "-", "--out", name, text=values)
    command.run("ckks", "eval", "--keys", "keys/evaluation.keys", EXPRESSION, "x=x", "y=y", "--out", "z")
    x, y, z = [(command.folder / name).read_bytes().hex() for name in "xyz"]
    keys = (command.folder / "keys" / "evaluation.keys").read_bytes()
    inputs = [{"name": "x", "ciphertext": x}, {"name": "y", "ciphertext": y}]
    query = EXPRESSION.replace("+", "%2B").replace(" ", "+")
    path = f"/v1/ckks/evaluate?keys={command.blake3([keys])[0]}&expression={query}"
    return keys, Case("ckks.evaluate", path, [{"inputs": inputs}], [{"ciphertext": z}])


def ask(client: Client, case: Case, rng: random.Random, tally: Tally) -> None:
    """Sends a request, and checks the answer."""
    order = list(range(len(case.items)))
    rng.shuffle(order)
    start = time.monotonic()
    status, content = client.call(case.path, [case.items[place] for place in order])
    if status == 200:
        tally.time(case.name, time.monotonic() - start)
        expected = [case.answers[place] for place in order]
        if content.get("answers") == expected:
            tally.count("answered rightly")
        else:
            tally.breach(f"WRONG {case.path[:100]}: {content} instead of {expected}")
    elif status in NOT_NOW:
        tally.count(f"refused for now: {content['error']['code']}")
    elif status == 404 and content["error"]["code"] == "object":
        tally.count("an object is not there now")
    else:
        tally.breach(f"REFUSED {case.path[:100]}: {status} {content}")


def requests(shared: Shared, material: Material, rate: float, seed: int, tally: Tally) -> None:
    """Runs a client that sends a request every 1/rate seconds."""
    rng, client = random.Random(seed), Client(shared, "honest")
    due = time.monotonic()
    while not shared.over():
        due = max(due + 1 / rate, time.monotonic() - 1)
        shared.pause(max(0.0, due - time.monotonic()))
        try:
            ask(client, rng.choice(material.cases), rng, tally)
        except Restarted:
            tally.count("not accepted: the server was ending")
        except Lost as error:
            tally.breach(f"LOST {error}")


def uploads(shared: Shared, material: Material, tally: Tally) -> None:
    """Uploads objects in pieces; after a restart, continues behind the acknowledged bytes."""
    client, rng = Client(shared, "honest"), random.Random(5)
    objects = [("kzg-setup", material.setup, material.setup_name), ("ckks-keys", material.keys, material.keys_name)]
    for round_number in range(1 << 30):
        for kind, content, name in objects:
            acknowledged, is_whole = 0, False
            while not is_whole and not shared.over():
                try:
                    acknowledged, is_whole = add_piece(client, kind, content, name, acknowledged, rng, tally)
                except Restarted:
                    tally.count("uploads that a restart met")
                except Lost as error:
                    tally.breach(f"LOST {error}")
                shared.pause(0.2)
        tally.count("uploads that are whole", len(objects))
        shared.pause(5)
        if shared.over():
            return
        if round_number % 2:
            try:
                client.send("DELETE", f"/v1/objects/{material.setup_name}")
            except (Restarted, Lost):
                pass


def add_piece(
    client: Client, kind: str, content: bytes, name: str, acknowledged: int, rng: random.Random,
    tally: Tally,
) -> tuple[int, bool]:
    """Sends the next piece. Returns the number of acknowledged bytes, and True if the object is complete."""
    status, body = client.send("GET", f"/v1/objects/{name}")
    offset = json.loads(body)["received"] if status == 200 else 0
    if status == 200 and json.loads(body)["complete"]:
        return len(content), True
    if offset < acknowledged:
        tally.breach(f"LOST PIECE {name}: {acknowledged} bytes were acknowledged, {offset} are there")
    end = min(len(content), offset + rng.randint(len(content) // 5, len(content) // 2))
    query = f"kind={kind}&bytes={len(content)}&offset={offset}"
    status, answer = client.put(name, query, content[offset:end])
    if status in (201, 202):
        return int(answer["received"]), status == 201
    if status == 409 and acknowledged == offset:
        # The piece was stored, but its answer was lost in a restart.
        tally.count("pieces that were sent twice")
        return offset, False
    if status in NOT_NOW:
        tally.count(f"refused for now: {answer['error']['code']}")
    else:
        tally.breach(f"UPLOAD {kind}: {status} {answer}")
    return offset, False


def run(
    shared: Shared, material: Material, rate: float, seed: int, does_upload: bool, pipe: Any,
) -> None:
    """Runs a process of honest clients, one of which uploads."""
    tally, clients = Tally(), 8
    work: list[tuple[Callable[..., None], tuple[Any, ...]]] = [
        (requests, (shared, material, rate / clients, seed + number, tally)) for number in range(clients)]
    if does_upload:
        work.append((uploads, (shared, material, tally)))
    threads = [threading.Thread(target=function, args=arguments) for function, arguments in work]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    pipe.send(tally.result())


def fresh_name(rng: random.Random) -> str:
    return hashlib.sha256(rng.randbytes(16)).hexdigest()
