# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Groth16 proofs for a key whose secrets the test knows, so that it can make proofs."""

import random
from pathlib import Path
from typing import Any

import curves
import numpy as np
import pytest
from curve_vectors import ORDER, generators, setup_text, uncompressed_g1, uncompressed_g2
from halimede import Object, groth16, kzg

G1, G2 = generators()
INPUTS = 3


class Secrets:
    """A key's secrets: α, β, γ, δ and the terms for 1 and each input."""

    def __init__(self, seed: int) -> None:
        self.generator = random.Random(seed)
        numbers = [self.number() for _ in range(4 + 1 + INPUTS)]
        (self.alpha, self.beta, self.gamma, self.delta), self.terms = numbers[:4], numbers[4:]

    def number(self) -> int:
        return self.generator.randrange(1, ORDER)

    def key(self) -> bytes:
        g1 = [uncompressed_g1(curves.multiply(G1, number))
              for number in (self.alpha, self.beta, self.delta, *self.terms)]
        g2 = [uncompressed_g2(curves.multiply(G2, number, "g2"))
              for number in (self.beta, self.gamma, self.delta)]
        count = len(self.terms).to_bytes(4, "big")
        return b"".join([g1[0], g1[1], g2[0], g2[1], g1[2], g2[2], count, *g1[3:]])

    def prove(self, inputs: list[int]) -> bytes:
        """A proof of any inputs: C solves the equation."""
        a, b = self.number(), self.number()
        x = self.terms[0] + sum(map(int.__mul__, self.terms[1:], inputs))
        c = (a * b - self.alpha * self.beta - x * self.gamma) * pow(self.delta, -1, ORDER) % ORDER
        return curves.multiply(G1, a) + curves.multiply(G2, b, "g2") + curves.multiply(G1, c)


SECRETS = Secrets(1)
KEY_BYTES = SECRETS.key()
KEY = Object("groth16-key", KEY_BYTES)


def proofs(count: int) -> tuple[list[bytes], list[list[int]]]:
    inputs = [[SECRETS.generator.randrange(ORDER) for _ in range(INPUTS)] for _ in range(count)]
    return [SECRETS.prove(row) for row in inputs], inputs


def test_good_proofs_and_other_inputs() -> None:
    made, inputs = proofs(5)
    assert (KEY.kind, dict(KEY.numbers)) == ("groth16-key", {"inputs": INPUTS})
    assert groth16.verify(KEY, made, inputs).all()
    for proof, row in zip(made, inputs):
        assert curves.verify_groth16(KEY, proof, row)
    wrong = curves.verify_groth16(KEY, made[0], [*inputs[0][:2], (inputs[0][2] + 1) % ORDER])
    assert (wrong.outcome, wrong.reason) == ("mismatch", "the proof does not match")
    assert curves.verify_groth16(KEY, made[0], inputs[1]).outcome == "mismatch"
    # 0 and r - 1 are valid numbers.
    edges = [0, 1, ORDER - 1]
    assert curves.verify_groth16(KEY, SECRETS.prove(edges), edges)


@pytest.mark.parametrize("bad", [1, 2, 20])
def test_a_batch_names_exactly_the_bad_ones(bad: int) -> None:
    made, inputs = proofs(20)
    places = SECRETS.generator.sample(range(20), bad)
    for place in places:
        inputs[place] = [*inputs[place][1:], inputs[place][0]]
    verdicts = groth16.verify(KEY, made, inputs)
    assert [row for row, _ in verdicts.invalid()] == sorted(places)


def test_what_is_malformed_is_told_and_the_rest_answered() -> None:
    [good], [inputs] = proofs(1)
    infinity = b"\xc0" + bytes(47)
    uncompressed = uncompressed_g1(good[:48]) + uncompressed_g2(good[48:144]) + uncompressed_g1(good[144:])
    rows: list[tuple[bytes, Any, str, str | None]] = [
        (good, inputs, "valid", None),
        (good[1:], inputs, "proof", "a proof has 192 bytes, not 191"),
        (infinity + good[48:], inputs, "proof", "A: the point is infinity"),
        (good[:144] + bytes(48), inputs, "proof", "C: the flags 0b000 are not those of a "
                                                  "compressed point"),
        (good, inputs[1:], "inputs", "the key takes 3 public inputs, not 2"),
        (good, [*inputs, 1], "inputs", "the key takes 3 public inputs, not 4"),
        (good, [1, ORDER, 2], "inputs", f"input 1: {ORDER:#x} is not below the Fr modulus {ORDER:#x}"),
        (good, [], "inputs", "the key takes 3 public inputs, not 0"),
        (b"", inputs, "proof", "a proof has 192 bytes, not 0"),
        (uncompressed, inputs, "proof", None),
        (uncompressed + b"\0", inputs, "proof", None),
        (good, inputs, "valid", None),
    ]
    verdicts = groth16.verify(KEY, [row[0] for row in rows], [row[1] for row in rows])
    for verdict, (_, _, outcome, reason) in zip(verdicts, rows):
        assert verdict.outcome == outcome and (verdict.reason is None) == (outcome == "valid")
        assert reason is None or verdict.reason == reason
    assert len(groth16.verify(KEY, [], [])) == 0
    # Bytes that are not whole numbers are refused, without any answers.
    with pytest.raises(ValueError, match=r"inputs\[1\]: got 95 bytes, wanted 32 for each number"):
        groth16.verify(KEY, [good, good], [inputs, bytes(95)])


def test_inputs_of_every_kind() -> None:
    made, inputs = proofs(4)
    as_bytes = [[number.to_bytes(32, "big") for number in row] for row in inputs]
    joined = [b"".join(row) for row in as_bytes]
    table = np.frombuffer(b"".join(joined), np.uint8).reshape(4, INPUTS, 32)
    for form in (inputs, as_bytes, joined, table, [tuple(row) for row in inputs]):
        assert groth16.verify(KEY, made, form).all()
    small = [3, 5, 7]
    integers: Any = np.array(small)
    assert curves.verify_groth16(KEY, SECRETS.prove(small), integers)
    for wrong, kind, message in [
        ([1, 2, -1], ValueError, r"inputs\[0\]\[2\]: got -1, wanted an integer from 0"),
        ([1, 1 << 256, 2], ValueError, r"inputs\[0\]\[1\]: got 1157"),
        ([1, bytes(31), 2], ValueError, r"inputs\[0\]\[1\]: got 31 bytes, wanted 32"),
        ([1, "2", 3], TypeError, r"inputs\[0\]\[1\]: got str, wanted bytes or another buffer"),
        ([1, 2.0, 3], TypeError, r"inputs\[0\]\[1\]: got float, wanted bytes or another buffer"),
        (7, TypeError, r"inputs\[0\]: wanted a list of integers, or of 32 bytes each"),
    ]:
        with pytest.raises(kind, match=message):
            curves.verify_groth16(KEY, made[0], wrong)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="got 4 proofs and 3 inputs"):
        groth16.verify(KEY, made, inputs[:3])


def test_keys_from_files_and_keys_that_are_refused(tmp_path: Path) -> None:
    [good], [inputs] = proofs(1)
    path = tmp_path / "circuit.vk"
    path.write_bytes(KEY_BYTES)
    assert curves.verify_groth16(Object("groth16-key", path), good, inputs)
    assert not curves.verify_groth16(Object("groth16-key", Secrets(2).key()), good, inputs)
    infinity = b"\x40" + bytes(95)
    for data, message in [
        (b"", "the key has 0 bytes, not 868"),
        (KEY_BYTES[:-1], f"the key has {len(KEY_BYTES) - 1} bytes, not {len(KEY_BYTES)}"),
        (KEY_BYTES[:864] + bytes(4), "the key has no point for its inputs"),
        (infinity + KEY_BYTES[96:], "alpha_g1, from byte 0 on: the point is infinity"),
        (KEY_BYTES[:-96] + infinity, "ic, from byte 1156 on: the point is infinity"),
        (KEY_BYTES[:95] + bytes([KEY_BYTES[95] ^ 1]) + KEY_BYTES[96:], "is not on the curve"),
    ]:
        with pytest.raises(ValueError, match=message):
            Object("groth16-key", data)
    with pytest.raises(ValueError, match=r"key: got a kzg-setup, wanted a groth16-key"):
        groth16.verify(Object("kzg-setup", setup_text()), [good], [inputs])
    with pytest.raises(ValueError, match=r"setup: got a groth16-key, wanted a kzg-setup"):
        kzg.verify_proof(KEY, [], [], [], [])
    with pytest.raises(ValueError, match=r"setup: got a groth16-key, wanted a kzg-setup"):
        kzg.verify_blob(KEY, [], [], [])
    for wrong in (None, KEY_BYTES, "circuit.vk"):
        with pytest.raises(TypeError):
            groth16.verify(wrong, [good], [inputs])  # type: ignore[arg-type]
    with pytest.raises(FileNotFoundError):
        Object("groth16-key", tmp_path / "absent.vk")
