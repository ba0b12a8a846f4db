# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The published cases of BLS12-381 and BIP 340 that the engines' tests read, and a signer."""

import csv
import gzip
import json
from pathlib import Path
from typing import Any

import curves

ENGINES = Path(__file__).resolve().parents[2] / "engines"
BLS = ENGINES / "bls12_381/vectors"

ORDER = 0x73EDA753299D7D483339D80809A1D80553BDA402FFFE5BFEFFFFFFFF00000001

P = int(
    "1a0111ea397fe69a4b1ba7b6434bacd764774b84f38512bf"
    "6730d2a0f6b0f6241eabfffeb153ffffb9feffffffffaaab", 16)

SIGNATURE_GROUP = {"min-pk": "g2", "min-sig": "g1"}
KEY_GROUP = {"min-pk": "g1", "min-sig": "g2"}
TAGS = {"basic": "NUL", "aug": "AUG", "pop": "POP"}


def text_of(path: Path) -> str:
    """Reads a text file, possibly compressed."""
    data = path.read_bytes()
    return (gzip.decompress(data) if path.suffix == ".gz" else data).decode()


def setup_text() -> bytes:
    """Returns the setup of the ceremony."""
    return text_of(BLS / "kzg/trusted_setup.txt.gz").encode()


def kzg_cases(kind: str) -> list[tuple[str, dict[str, list[bytes]], bool | None]]:
    """Returns names, byte strings by name, and answers; None for undecodable inputs."""
    cases = []
    for path in sorted((BLS / "kzg" / kind).iterdir()):
        fields: dict[str, list[bytes]] = {}
        output, name = "", ""
        for line in text_of(path).splitlines():
            key, colon, value = line.strip().partition(":")
            if not colon:
                fields[name].append(digits(key.lstrip("-")))
            elif key == "output":
                output = value.strip()
            elif key != "input":
                name = key
                fields[name] = [] if value.strip() in ("", "[]") else [digits(value)]
        cases.append((path.name, fields, {"true": True, "false": False}.get(output)))
    return cases


def digits(text: str) -> bytes:
    """Parses quoted hexadecimal digits to bytes."""
    return bytes.fromhex(text.strip().strip("'").removeprefix("0x"))


def hash_cases() -> list[tuple[str, bool, dict[str, Any]]]:
    """Returns the cases of RFC 9380: the group, True for `encode_to_curve`, and the suite."""
    return [
        (group, name == "nu", json.loads((BLS / f"h2c/{group}_{name}.json").read_text()))
        for group in ("g1", "g2") for name in ("ro", "nu")
    ]


def bip340() -> list[dict[str, str]]:
    """The rows of BIP 340's table."""
    with (ENGINES / "secp256k1/vectors/bip340.csv").open(newline="") as file:
        return list(csv.DictReader(file))


def generators() -> tuple[bytes, bytes]:
    """Returns the generators of G1 and G2: the second entries of zkcrypto's lists of multiples."""
    files = ("g1_compressed_valid_test_vectors.dat", "g2_compressed_valid_test_vectors.dat")
    g1, g2 = ((BLS / "zkcrypto" / name).read_bytes() for name in files)
    return g1[48:96], g2[96:192]


def key_of(secret: int, group: str) -> bytes:
    """The public key of a secret key."""
    generator = generators()[0 if KEY_GROUP[group] == "g1" else 1]
    return curves.multiply(generator, secret, KEY_GROUP[group])  # type: ignore[arg-type]


def sign(secret: int, message: bytes, scheme: str, group: str) -> bytes:
    """Signs a message, only for tests: the time depends on the secret key."""
    prefix = key_of(secret, group) if scheme == "aug" else b""
    return sign_in(secret, prefix + message, f"SIG_{TAGS[scheme]}", group)


def prove_possession(secret: int, group: str) -> bytes:
    """A proof of possession."""
    return sign_in(secret, key_of(secret, group), "POP_POP", group)


def sign_in(secret: int, message: bytes, kind: str, group: str) -> bytes:
    """Returns the secret multiple of the message's hash with the suite's tag."""
    curve: Any = SIGNATURE_GROUP[group]
    use, tag = kind.split("_")
    domain = f"BLS_{use}_BLS12381{curve.upper()}_XMD:SHA-256_SSWU_RO_{tag}_"
    return curves.multiply(curves.hash_to_curve(message, domain, curve), secret, curve)


def uncompressed_g1(point: bytes) -> bytes:
    """The uncompressed form of a compressed point."""
    x = int.from_bytes(bytes([point[0] & 0x1F]) + point[1:], "big")
    y = pow(x**3 + 4, (P + 1) // 4, P)
    if (y > P // 2) != bool(point[0] & 0x20):
        y = P - y
    return x.to_bytes(48, "big") + y.to_bytes(48, "big")


def square_root_fp2(a: tuple[int, int]) -> tuple[int, int]:
    """Returns the root of a square in Fp[u]/(u² + 1), by norms."""
    norm = pow(a[0] * a[0] + a[1] * a[1], (P + 1) // 4, P)
    for sign in (1, -1):
        half = (a[0] + sign * norm) * pow(2, -1, P) % P
        c = pow(half, (P + 1) // 4, P)
        if c * c % P == half and c:
            return c, a[1] * pow(2 * c, -1, P) % P
    raise AssertionError("not a square")


def uncompressed_g2(point: bytes) -> bytes:
    """The same in G2, for a y whose coefficient of u is not 0."""
    x1 = int.from_bytes(bytes([point[0] & 0x1F]) + point[1:48], "big")
    x0 = int.from_bytes(point[48:], "big")
    square = ((x0 * x0 - x1 * x1) % P, 2 * x0 * x1 % P)
    cube = ((square[0] * x0 - square[1] * x1 + 4) % P, (square[0] * x1 + square[1] * x0 + 4) % P)
    y0, y1 = square_root_fp2(cube)
    if (y1 > P // 2) != bool(point[0] & 0x20):
        y0, y1 = (P - y0) % P, P - y1
    return b"".join(number.to_bytes(48, "big") for number in (x1, x0, y1, y0))
