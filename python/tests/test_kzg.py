# SPDX-License-Identifier: Apache-2.0 OR MIT
"""KZG openings against Ethereum's published cases; setups and inputs that are refused."""

from pathlib import Path
from typing import Any

import curves
import numpy as np
import pytest
from curve_vectors import kzg_cases, setup_text
from halimede import Object, kzg
from halimede._verdicts import Verdict

TEXT = setup_text()
SETUP = Object("kzg-setup", TEXT)


def answer(verdict: Verdict) -> bool | None:
    """Converts a verdict to the answer of Ethereum's functions; None if they raise."""
    return {"valid": True, "mismatch": False}.get(verdict.outcome)


def test_published_values() -> None:
    cases = kzg_cases("verify_kzg_proof")
    assert len(cases) == 58 and len({output for _, _, output in cases}) == 3
    columns = [[fields[name][0] for _, fields, _ in cases]
               for name in ("commitment", "z", "y", "proof")]
    verdicts = kzg.verify_proof(SETUP, *columns)
    for row, (name, _, output) in enumerate(cases):
        assert answer(verdicts[row]) is output, name
        alone = curves.verify_opening(SETUP, *(column[row] for column in columns))
        assert alone == verdicts[row], name
        if output is None:
            kind = name.partition("_case_invalid_")[2].partition("_")[0]
            expected = {"z": "scalar", "y": "scalar"}.get(kind, kind)
            assert alone.outcome == expected and alone.reason, name


def test_published_blobs() -> None:
    cases = kzg_cases("verify_blob_kzg_proof")
    assert len(cases) == 11
    columns = [[fields[name][0] for _, fields, _ in cases]
               for name in ("blob", "commitment", "proof")]
    verdicts = kzg.verify_blob(SETUP, *columns)
    assert [answer(verdict) for verdict in verdicts] == [output for _, _, output in cases]
    for row in (0, 5, 9):
        assert curves.verify_blob(SETUP, *(column[row] for column in columns)) == verdicts[row]
    undecodable = {verdict.outcome for verdict in verdicts if answer(verdict) is None}
    assert undecodable == {"blob", "commitment"}


def test_published_batches() -> None:
    cases = kzg_cases("verify_blob_kzg_proof_batch")
    assert len(cases) == 3
    for name, fields, output in cases:
        verdicts = kzg.verify_blob(SETUP, fields["blobs"], fields["commitments"], fields["proofs"])
        assert verdicts.all() is output and len(verdicts) == len(fields["blobs"]), name


def test_arrays_and_a_file(tmp_path: Path) -> None:
    good = [fields for _, fields, output in kzg_cases("verify_kzg_proof") if output]
    tables = [np.frombuffer(b"".join(fields[name][0] for fields in good), np.uint8)
              .reshape(len(good), -1) for name in ("commitment", "z", "y", "proof")]
    path = tmp_path / "trusted_setup.txt"
    path.write_bytes(TEXT)
    for setup in (SETUP, Object("kzg-setup", path), Object("kzg-setup", str(path)), Object("kzg-setup", bytearray(TEXT))):
        assert kzg.verify_proof(setup, *tables).all()
    swapped = [tables[0][::-1].copy(), *tables[1:]]
    assert not kzg.verify_proof(SETUP, *swapped).all()
    with pytest.raises(FileNotFoundError):
        Object("kzg-setup", tmp_path / "absent.txt")
    path.write_bytes(TEXT * 3)
    with pytest.raises((OSError, ValueError), match="more than 2097152|limit"):
        Object("kzg-setup", path)
    with pytest.raises(ValueError, match="the limit is 2097152"):
        Object("kzg-setup", TEXT * 3)


@pytest.mark.parametrize(
    "change, message",
    [
        (lambda text: b"", "line 1: the number of points"),
        (lambda text: text[:-98], "the setup has 8258 lines, not 8259"),
        (lambda text: text.replace(b"\n65\n", b"\n64\n", 1), 'line 2: .* "64", not 65'),
        (lambda text: text[:20] + b"x" + text[21:], "line 3: 48 bytes as hexadecimal digits"),
        (lambda text: b"\xff" + text, "not a kzg-setup: invalid utf-8"),
    ],
)
def test_setups_that_are_refused(change: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Object("kzg-setup", change(TEXT))


def test_wrong_lengths_are_verdicts_and_wrong_counts_errors() -> None:
    _, fields, _ = next(case for case in kzg_cases("verify_kzg_proof") if case[2])
    parts = [fields[name][0] for name in ("commitment", "z", "y", "proof")]
    for place, outcome in enumerate(("commitment", "scalar", "scalar", "proof")):
        for change in (parts[place][1:], parts[place] + b"\0", b""):
            changed = [[part] for part in (*parts[:place], change, *parts[place + 1:])]
            [verdict] = kzg.verify_proof(SETUP, *changed)
            assert verdict.outcome == outcome and verdict.reason
    assert curves.verify_blob(SETUP, bytes(131_071), parts[0], parts[3]).reason == (
        "`blob`: 131072 bytes are expected, got 131071")
    assert len(kzg.verify_proof(SETUP, [], [], [], [])) == len(kzg.verify_blob(SETUP, [], [], [])) == 0
    with pytest.raises(ValueError, match="got 1 commitments, 2 zs, 1 ys and 1 proofs"):
        kzg.verify_proof(SETUP, parts[:1], [parts[1]] * 2, [parts[2]], [parts[3]])
    with pytest.raises(TypeError, match="source: got int"):
        Object("kzg-setup", 7)  # type: ignore[arg-type]
    for kind in ("kzg", "", "KZG-SETUP", "kzg-setup\0"):
        with pytest.raises(ValueError, match="kind: got .*, wanted one of groth16-key, kzg-setup"):
            Object(kind, TEXT)
    with pytest.raises(TypeError):
        Object(7, TEXT)  # type: ignore[arg-type]
    assert (SETUP.kind, SETUP.numbers) == ("kzg-setup", [])


BLOB_BYTES, CELL_BYTES = 131072, 2048


def test_commitments_proofs_and_cells() -> None:
    """Computes everything from a blob, recovers it from half of its cells, and verifies it."""
    values = [(7 ** (number + 1) % 2**250).to_bytes(32, "big") for number in range(4096)]
    blob = b"".join(values)
    commitments = kzg.commit(SETUP, [blob, bytes(BLOB_BYTES)])
    assert commitments.verdicts.all() and bytes(commitments[1]) == b"\xc0" + bytes(47)
    commitment = bytes(commitments[0])
    proof = bytes(kzg.prove_blob(SETUP, [blob], [commitment])[0])
    assert kzg.verify_blob(SETUP, [blob], [commitment], [proof]).all()
    z = (3).to_bytes(32, "big")
    opened = bytes(kzg.prove(SETUP, [blob], [z])[0])
    assert kzg.verify_proof(SETUP, [commitment], [z], [opened[48:]], [opened[:48]]).all()
    both = bytes(kzg.compute_cells_and_proofs(SETUP, [blob])[0])
    assert both[:BLOB_BYTES] == blob
    assert bytes(kzg.compute_cells(SETUP, [blob])[0]) == both[: 128 * CELL_BYTES]
    cells = [both[CELL_BYTES * index :][:CELL_BYTES] for index in range(128)]
    proofs = [both[128 * CELL_BYTES + 48 * index :][:48] for index in range(128)]
    indices = [bytes([index]) for index in range(128)]
    recovered = kzg.recover_cells_and_proofs(SETUP, [indices[1::2]], [cells[1::2]])
    assert bytes(recovered[0]) == both
    verdicts = kzg.verify_cell(SETUP, [commitment] * 128, indices, cells, proofs)
    assert verdicts.all()
    verdicts = kzg.verify_cell(SETUP, [commitment] * 2, indices[:2], cells[1:3], proofs[:2])
    assert [verdict.outcome for verdict in verdicts] == ["mismatch", "mismatch"]
