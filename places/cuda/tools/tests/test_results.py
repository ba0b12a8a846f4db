# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The results of the test of GPUs in a document."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from places.cuda.tools import results


def report(name: str = "Test GPU", **changes: Any) -> dict[str, Any]:
    """Results of two operations, as the program `test_gpu` writes them."""
    row = {"name": "blake3.hash, 64 bytes", "compared": 9, "fault": None, "batch": 65536,
           "device_seconds": 0.001, "processor_seconds": 0.01, "device_rate": 65_536_000.0,
           "processor_rate": 6_553_600.0}
    other = {**row, "name": "equihash.verify", "device_rate": 950.0, "processor_rate": 0.0}
    return {"device": "cuda:0", "passed": True, "stand_in": False, "selftest": [],
            "operations": [row, other],
            "gpu": {"name": name, "compute_capability": "9.0", "driver": "13.0"},
            "processor": {"backend": "avx512", "threads": 16}, "seconds": 60.0, **changes}


def run(monkeypatch: pytest.MonkeyPatch, folder: Path, found: dict[str, Any],
        date: str = "2026-12-01") -> int:
    """Writes results into the document of a folder."""
    (folder / "results.json").write_text(json.dumps(found))
    monkeypatch.setattr(sys, "argv", ["results", str(folder / "results.json"),
                                      str(folder / "document.md"), "--date", date])
    return results.main()


def test_each_gpu_has_a_block_that_a_second_run_replaces(
        tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    document = tmp_path / "document.md"
    document.write_text("# Benchmarks\n\n## Others\n\nText.\n")
    assert run(monkeypatch, tmp_path, report()) == 0
    first = document.read_text()
    assert first.startswith("# Benchmarks\n\n## Others\n\nText.\n\n## NVIDIA GPUs\n\n<!-- begin")
    assert "| blake3.hash, 64 bytes | 65536 | 65.5 M | 6.55 M | 10 |\n" in first
    assert "| equihash.verify | 65536 | 950 | 0 |  |\n" in first
    assert "**Test GPU**, compute capability 9.0, driver of CUDA 13.0, 2026-12-01" in first
    assert run(monkeypatch, tmp_path, report("Other GPU"), "2026-12-02") == 0
    second = document.read_text()
    assert second.startswith(first) and second.count("## NVIDIA GPUs") == 1
    assert run(monkeypatch, tmp_path, report(), "2026-12-03") == 0
    assert document.read_text() == second.replace("2026-12-01", "2026-12-03")


@pytest.mark.parametrize(("found", "message"), [
    (report(passed=False), "the test failed"),
    (report(stand_in=True), "stand-in driver"),
    (report(stand_in=None), "stand-in driver"),
    (report(gpu=None), "not the results of test_gpu"),
    (report("A | B"), "not a line of text"),
    (report(operations=[{"name": "x", "batch": "1", "device_rate": 1, "processor_rate": 1}]),
     "not a number"),
    ({}, "not the results of test_gpu"),
])
def test_invalid_results_change_nothing(found: dict[str, Any], message: str, tmp_path: Path,
                                        monkeypatch: pytest.MonkeyPatch,
                                        capsys: pytest.CaptureFixture[str]) -> None:
    document = tmp_path / "document.md"
    document.write_text("Text.\n")
    assert run(monkeypatch, tmp_path, found) == 1
    assert message in capsys.readouterr().err
    assert document.read_text() == "Text.\n" and len(list(tmp_path.iterdir())) == 2


def test_a_block_without_an_end_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
                                            capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "document.md").write_text("<!-- begin gpu on Test GPU -->\n")
    assert run(monkeypatch, tmp_path, report()) == 1
    assert "has no <!-- end gpu on Test GPU -->" in capsys.readouterr().err


def test_results_have_a_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(results, "MOST_BYTES", 100)
    (tmp_path / "document.md").write_text("")
    assert run(monkeypatch, tmp_path, report()) == 1
