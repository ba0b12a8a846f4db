# SPDX-License-Identifier: Apache-2.0 OR MIT
"""KZG openings against Ethereum's published cases; setups and inputs that are refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from curve_vectors import kzg_cases, setup_text
from halimede import kzg

TEXT = setup_text()
SETUP = kzg.Setup(TEXT)


def answer(verdict: kzg.Verdict) -> bool | None:
    """As Ethereum's functions have it; None where they raise."""
    return {"valid": True, "mismatch": False}.get(verdict.outcome)


def test_published_values() -> None:
    cases = kzg_cases("verify_kzg_proof")
    assert len(cases) == 58 and len({output for _, _, output in cases}) == 3
    columns = [[fields[name][0] for _, fields, _ in cases]
               for name in ("commitment", "z", "y", "proof")]
    verdicts = SETUP.verify_many(*columns)
    for row, (name, _, output) in enumerate(cases):
        assert answer(verdicts[row]) is output, name
        alone = SETUP.verify(*(column[row] for column in columns))
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
    verdicts = SETUP.verify_blobs(*columns)
    assert [answer(verdict) for verdict in verdicts] == [output for _, _, output in cases]
    for row in (0, 5, 9):
        assert SETUP.verify_blob(*(column[row] for column in columns)) == verdicts[row]
    undecodable = {verdict.outcome for verdict in verdicts if answer(verdict) is None}
    assert undecodable == {"blob", "commitment"}


def test_published_batches() -> None:
    cases = kzg_cases("verify_blob_kzg_proof_batch")
    assert len(cases) == 3
    for name, fields, output in cases:
        verdicts = SETUP.verify_blobs(fields["blobs"], fields["commitments"], fields["proofs"])
        assert verdicts.all() is output and len(verdicts) == len(fields["blobs"]), name


def test_arrays_and_a_file(tmp_path: Path) -> None:
    good = [fields for _, fields, output in kzg_cases("verify_kzg_proof") if output]
    tables = [np.frombuffer(b"".join(fields[name][0] for fields in good), np.uint8)
              .reshape(len(good), -1) for name in ("commitment", "z", "y", "proof")]
    path = tmp_path / "trusted_setup.txt"
    path.write_bytes(TEXT)
    for setup in (SETUP, kzg.Setup(path), kzg.Setup(str(path)), kzg.Setup(bytearray(TEXT))):
        assert setup.verify_many(*tables).all()
    swapped = [tables[0][::-1].copy(), *tables[1:]]
    assert not SETUP.verify_many(*swapped).all()
    with pytest.raises(FileNotFoundError):
        kzg.Setup(tmp_path / "absent.txt")
    path.write_bytes(TEXT * 3)
    with pytest.raises((OSError, ValueError), match="more than 2097152|limit"):
        kzg.Setup(path)
    with pytest.raises(ValueError, match="the limit is 2097152"):
        kzg.Setup(TEXT * 3)


@pytest.mark.parametrize(
    "change, message",
    [
        (lambda text: b"", "line 1: the number of points"),
        (lambda text: text[:-98], "the setup has 8258 lines, not 8259"),
        (lambda text: text.replace(b"\n65\n", b"\n64\n", 1), 'line 2: .* "64", not 65'),
        (lambda text: text[:20] + b"x" + text[21:], "line 3: 48 bytes as hexadecimal digits"),
        (lambda text: b"\xff" + text, "not a trusted setup: invalid utf-8"),
    ],
)
def test_setups_that_are_refused(change: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        kzg.Setup(change(TEXT))


def test_wrong_lengths_are_verdicts_and_wrong_counts_errors() -> None:
    _, fields, _ = next(case for case in kzg_cases("verify_kzg_proof") if case[2])
    parts = [fields[name][0] for name in ("commitment", "z", "y", "proof")]
    for place, outcome in enumerate(("commitment", "scalar", "scalar", "proof")):
        for change in (parts[place][1:], parts[place] + b"\0", b""):
            verdict = SETUP.verify(*parts[:place], change, *parts[place + 1:])
            assert verdict.outcome == outcome and verdict.reason
    assert SETUP.verify_blob(bytes(131_071), parts[0], parts[3]).reason == (
        "`blob` has 131072 bytes, not 131071")
    assert len(SETUP.verify_many([], [], [], [])) == len(SETUP.verify_blobs([], [], [])) == 0
    with pytest.raises(ValueError, match="got 1 commitments, 2 zs, 1 ys and 1 proofs"):
        SETUP.verify_many(parts[:1], [parts[1]] * 2, [parts[2]], [parts[3]])
    with pytest.raises(TypeError, match="source: got int"):
        kzg.Setup(7)  # type: ignore[arg-type]
