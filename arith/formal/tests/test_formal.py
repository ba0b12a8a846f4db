# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Every proof of the project holds and detects its mutants; the runner distinguishes the
results."""

import dataclasses
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from arith.formal import sby
from arith.formal.__main__ import main
from arith.formal.collect import all_proofs
from arith.formal.proof import Proof
from arith.formal.sby import Verdict
from arith.formal.tasks import tasks_of
from arith.simulation.bench import is_sweep, skip_or_raise
from arith.simulation.mutate import Mutant, MutantDoesNotApply
from arith.simulation.toolchain import PROJECT_ROOT, ToolMissing

PROOFS = {proof.name: proof for proof in all_proofs()}


@pytest.fixture
def tools() -> None:
    try:
        sby.check_tools()
    except ToolMissing as missing:
        skip_or_raise(missing)


@pytest.mark.parametrize(
    "name", [name for name, proof in PROOFS.items() if is_sweep() or not proof.is_long]
)
def test_proof(name: str, tools: None) -> None:
    # The runs that reach a proof's states and refute its mutants test the proof, which seldom
    # changes, and take two thirds of the time: sweeps and `make formal` include them.
    tasks = tasks_of(PROOFS[name]) if is_sweep() else tasks_of(PROOFS[name])[:1]
    with ThreadPoolExecutor(2) as pool:
        runs = list(pool.map(lambda task: task.run(), tasks))
    wrong = [
        f"{task.what}: {run.verdict.name} instead of {task.wanted.name}\n{run.log()}"
        for task, run in zip(tasks, runs) if run.verdict is not task.wanted
    ]
    assert not wrong, "\n".join(wrong)


def test_each_proved_module_has_a_mutant() -> None:
    designs = {proof.design for proof in PROOFS.values()}
    assert designs <= {mutant.module for proof in PROOFS.values() for mutant in proof.mutants}


def test_each_stream_module_is_proved() -> None:
    """Detects a new stream module without a proof. `stream_rules` only asserts what a sender must
    do."""
    streams = {file.stem for file in (PROJECT_ROOT / "arith/rtl").glob("stream_*.sv")}
    streams -= {"stream_rules"}
    assert streams <= {proof.design for proof in PROOFS.values()}


def test_each_mutant_is_a_change_of_the_source(tmp_path: Path) -> None:
    for proof in PROOFS.values():
        for mutant in proof.mutants:
            assert sby.files_of(proof, mutant, tmp_path) != sby.files_of(proof, None, tmp_path)


SKID = PROOFS["stream_skid"]


def test_a_mutant_that_does_not_apply_is_an_error() -> None:
    for change in (("no such text", "text"), ("out_valid_q", "x"), ("module", "module")):
        proof = _with_mutant((change,))
        with pytest.raises(MutantDoesNotApply):
            sby.refute(proof, proof.mutants[0])


def _with_mutant(changes: tuple[tuple[str, str], ...]) -> Proof:
    return dataclasses.replace(
        SKID, name="stream_skid_test", mutants=(Mutant("stream_skid", "none", changes),)
    )


def test_a_harmless_change_is_no_refutation(tools: None) -> None:
    proof = _with_mutant((("out_free    = !out_valid_q || out_ready_i",
                           "out_free    = out_ready_i || !out_valid_q"),))
    assert sby.refute(proof, proof.mutants[0]).verdict is Verdict.PASS


def test_a_broken_source_is_neither_proof_nor_refutation(tools: None) -> None:
    proof = _with_mutant((("module stream_skid", "module stream_skidd"),))
    run = sby.refute(proof, proof.mutants[0])
    assert run.verdict is Verdict.ERROR
    assert "stream_skid" in run.log(60)


def test_a_promise_that_does_not_follow_by_induction_is_unknown(
    monkeypatch: pytest.MonkeyPatch, tools: None
) -> None:
    """The invariants are needed: without them no trace breaks a promise, but nothing is proved."""
    configuration = sby._configuration

    def without_invariants(*arguments: object) -> str:
        return configuration(*arguments).replace("-GInvariants=1", "-GInvariants=0")  # type: ignore

    monkeypatch.setattr(sby, "_configuration", without_invariants)
    proof = dataclasses.replace(SKID, name="stream_skid_bare")
    assert sby.prove(proof).verdict is Verdict.UNKNOWN


def test_a_wrong_model_is_an_error() -> None:
    proof = dataclasses.replace(SKID, models=("sync_bits",))
    with pytest.raises(ValueError, match="sync_bits"):
        sby.prove(proof)


def test_command_line(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    assert main(["no_such_proof"]) == 2
    assert "stream_skid" in capsys.readouterr().err
    assert main(["--jobs", "0"]) == 2
    assert main(["--list"]) == 0
    assert "frame_router" in capsys.readouterr().out
    monkeypatch.setattr(sby, "PROGRAMS", ("no-such-program",))
    assert main(["stream_skid"]) == 2
    assert "make formal" in capsys.readouterr().err


def test_command_line_runs(capsys: pytest.CaptureFixture[str], tools: None) -> None:
    assert main(["stream_skid"]) == 0
    assert "1 proofs, 4 runs, 0 unexpected" in capsys.readouterr().out
