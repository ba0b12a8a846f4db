# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Files with digests in git are generated if they are missing or differ; others are not."""

import argparse
import hashlib
from pathlib import Path

import pytest

from arith.microcode import packages
from arith.microcode.generate import BEGIN, END
from arith.simulation import generated
from arith.simulation.generated import GenerationFailed, digests_text, ensure_generated

ENGINE = "engines/some_engine"
# Records each run, so that a test can count them.
GENERATOR = """
from pathlib import Path
folder = Path("engines/some_engine/rtl/generated")
folder.mkdir(exist_ok=True)
(folder / "a_pkg.sv").write_text("package a_pkg; endpackage")
(folder / "old_pkg.sv").unlink(missing_ok=True)
with open("runs", "a") as runs:
    runs.write("x")
"""
TEXT = "package a_pkg; endpackage"


def digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with one engine."""
    (tmp_path / ENGINE / "microcode").mkdir(parents=True)
    (tmp_path / ENGINE / "rtl").mkdir()
    (tmp_path / ENGINE / "microcode/__main__.py").write_text(GENERATOR)
    (tmp_path / ENGINE / "rtl/generated.sha256").write_text(digests_text({"a_pkg.sv": digest(TEXT)}))
    monkeypatch.setattr(generated, "PROJECT_ROOT", tmp_path)
    monkeypatch.setattr(generated, "BUILD_ROOT", tmp_path / "build")
    return tmp_path


def runs(project: Path) -> int:
    return len((project / "runs").read_text())


def test_what_is_missing_or_differs_is_generated_once(project: Path) -> None:
    folder = project / ENGINE / "rtl/generated"
    for expected in (1, 1):
        ensure_generated()
        assert (folder / "a_pkg.sv").read_text() == TEXT and runs(project) == expected
    (folder / "a_pkg.sv").write_text(TEXT + "\n")
    (folder / "old_pkg.sv").write_text("package old_pkg; endpackage")
    ensure_generated()
    assert [file.name for file in folder.iterdir()] == ["a_pkg.sv"] and runs(project) == 2


def test_other_digests_than_the_generators_are_an_error(
    project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / ENGINE / "rtl/generated.sha256").write_text(digests_text({"a_pkg.sv": digest("other")}))
    with pytest.raises(GenerationFailed, match="a_pkg.sv.*make generate"):
        ensure_generated()
    (project / ENGINE / "microcode/__main__.py").write_text("raise SystemExit(3)")
    assert generated.main() == 1
    assert "exit code 3" in capsys.readouterr().err


def test_the_digests_are_those_of_sha256sum(project: Path) -> None:
    ensure_generated()
    text = (project / ENGINE / "rtl/generated.sha256").read_text()
    assert text == f"{digest(TEXT)}  generated/a_pkg.sv\n"


def run(rtl: Path, text: str, *options: str) -> int:
    """The exit code of a generator that makes `text` and a README's section."""
    parser = argparse.ArgumentParser()
    packages.add_options(parser)
    return packages.write(parser.parse_args(options), rtl, {"a_pkg": text}, rtl / "README.md", lambda: "new")


def test_a_generator_writes_packages_with_their_digests(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arith.microcode.generate.ROOT", tmp_path)
    readme, file = tmp_path / "README.md", tmp_path / "generated/a_pkg.sv"
    readme.write_text(f"{BEGIN}\nold\n{END}\n")
    (tmp_path / "generated.sha256").write_text("")
    # Without digests in git, neither of these options writes.
    assert run(tmp_path, TEXT, "--check") == run(tmp_path, TEXT, "--rtl") == 1
    assert not file.exists() and "old" in readme.read_text()
    assert run(tmp_path, TEXT) == 0
    assert file.read_text() == TEXT and "new" in readme.read_text()
    for option in ("--check", "--rtl"):
        file.unlink()
        assert run(tmp_path, TEXT, option) == 0 and file.read_text() == TEXT
        assert run(tmp_path, TEXT + "\n", option) == 1 and file.read_text() == TEXT
