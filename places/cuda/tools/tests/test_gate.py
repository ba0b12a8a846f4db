# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The compilation of kernels to PTX, and the gate of their resources."""

import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest

from places.cuda.tools import gate, kernels, toolkit
from places.cuda.tools.sources import CAPABILITIES, BuildError, engines

PLANTED = Path(__file__).with_name("planted.cu")

# As `ptxas -v` of CUDA 12.8 writes them.
MESSAGES = """\
ptxas info    : 4 bytes gmem
ptxas info    : Compiling entry function 'one' for 'sm_90'
ptxas info    : Function properties for one
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 40 registers, used 1 barriers, 4096 bytes smem
ptxas info    : Compiling entry function 'two' for 'sm_90'
ptxas info    : Function properties for two
    8 bytes stack frame, 4 bytes spill stores, 12 bytes spill loads
ptxas info    : Function properties for called
    16 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 255 registers, used 0 barriers
"""


def require_toolkit() -> None:
    """Skips a test without NVIDIA's compilers, unless the environment requires them."""
    try:
        toolkit.ptxas()
        toolkit.library()
    except toolkit.ToolMissing as error:
        if os.environ.get("HALIMEDE_REQUIRE_CUDA_TOOLKIT") == "1":
            raise
        pytest.skip(str(error))


def use(registers: int = 10, **others: int) -> dict[str, int]:
    """A measurement."""
    return {"registers": registers, "shared": 0, "stack": 0, "spills": 0, **others}


def entry(**others: int) -> dict[str, Any]:
    """The measurements of a kernel."""
    return {**{str(capability): use(**others) for capability in CAPABILITIES},
            "instructions": {"add": 5}}


def test_messages_of_the_compiler_are_read() -> None:
    assert gate.parse_messages(MESSAGES) == {
        "one": gate.Use(registers=40, shared=4096, stack=0, spills=0),
        "two": gate.Use(registers=255, shared=0, stack=16, spills=16),
    }
    with pytest.raises(BuildError, match="says nothing about one"):
        gate.parse_messages(MESSAGES.replace("Used 40", "Has 40"))


def test_instructions_are_counted_by_kind() -> None:
    ptx = """.visible .entry one(
	.param .u64 one_param_0
)
{
	.reg .b32 %r<3>;
	ld.param.u64 %rd1, [one_param_0];
	mad.lo.cc.u32 %r1, %r2, %r2, %r1;
	@%p1 bra $L__1;
	mul.wide.u32 %rd1, %r1, 4;
$L__1:
	st.local.u32 [%rd1], %r1;
	ret;
}
.visible .entry two()
{
	bar.sync 0;
}
"""
    assert gate.count_instructions(ptx) == {
        "one": {"branch": 1, "local": 1, "multiply": 2, "other": 2},
        "two": {"barrier": 1},
    }


def test_called_functions_count_for_each_kernel() -> None:
    ptx = """.func  (.param .b32 func_retval0) inner
(
	.param .b64 inner_param_0
)
;
.func outer(
	.param .b64 outer_param_0
)
{
	call.uni (retval0), inner, (param0);
	call.uni (retval0), inner, (param0);
	add.u32 %r1, %r2, %r3;
}
	// .globl one
.visible .entry one(
	.param .u64 one_param_0
)
{
	call.uni outer, (param0);
	xor.b32 %r1, %r2, %r3;
}
.visible .entry two()
{
	call.uni (retval0), inner, (param0);
}
.func  (.param .b32 func_retval0) inner(
	.param .b64 inner_param_0
)
{
	mul.lo.u32 %r1, %r2, %r3;
}
"""
    assert gate.count_instructions(ptx) == {
        "one": {"add": 1, "branch": 3, "logic": 1, "multiply": 1},
        "two": {"branch": 1, "multiply": 1},
    }


def test_a_kernel_within_its_budget_has_no_fault() -> None:
    assert gate.faults("e", {"k": entry()}, {"k": entry()}) == []
    assert gate.faults("e", {"k": entry(registers=9)}, {"k": entry()}) == []


@pytest.mark.parametrize(("changes", "message"), [
    ({"registers": 11}, "k for compute_90: 11 registers, and the budget is 10"),
    ({"shared": 4}, "k for compute_90: 4 bytes of shared memory, and the budget is 0"),
    ({"stack": 8}, "k for compute_90: 8 bytes of stack, and the budget is 0"),
    ({"spills": 8}, "k for compute_90 spills 8 bytes"),
])
def test_what_exceeds_a_budget_is_found(changes: dict[str, int], message: str) -> None:
    measured = entry()
    measured["90"] = use(**{"registers": 10, **changes})
    assert gate.faults("e", {"k": measured}, {"k": entry()}) == [f"e: {message}"]


def test_more_instructions_and_unknown_kernels_are_found() -> None:
    longer = {**entry(), "instructions": {"add": 5, "multiply": 1}}
    found = gate.faults("e", {"k": longer}, {"k": entry(), "gone": entry()})
    assert found == ["e: k has 6 instructions, the budget is 5",
                     "e: gone has a budget and does not exist"]
    assert len(gate.faults("e", {"new": entry()}, {})) == len(CAPABILITIES)


def test_an_update_accepts_no_spills_and_no_new_stack() -> None:
    budget, problems = gate.updated({"k": entry(spills=4)}, {})
    assert len(problems) == len(CAPABILITIES) and "spills" in problems[0]
    budget, problems = gate.updated({"k": entry(stack=16)}, {"k": entry(stack=8)})
    assert "16 bytes of stack, and the budget allows 8" in problems[0]
    budget, problems = gate.updated({"k": entry(stack=8, registers=99)}, {"k": entry(stack=16)})
    assert problems == [] and budget["k"]["90"] == {"registers": 99, "shared": 0, "stack": 16}


def test_the_budget_belongs_to_these_sources() -> None:
    assert gate.stale() == [], "run `make gpu-budget`"
    budget = gate.read_budget()
    assert sorted(budget) == sorted(engines())


def test_planted_kernels_are_found(tmp_path: Path) -> None:
    require_toolkit()
    for capability in CAPABILITIES:
        assert kernels.make("planted", PLANTED, capability, tmp_path)
        assert not kernels.make("planted", PLANTED, capability, tmp_path)
        uses = gate.measure_file(kernels.file_of("planted", capability, tmp_path), capability)
        assert uses["planted_spill"].spills > 0
        assert uses["planted_stack"].stack > 0 and uses["planted_stack"].spills == 0
        assert uses["planted_shift"].stack == uses["planted_shift"].spills == 0
        instructions = gate.count_instructions(
            kernels.file_of("planted", capability, tmp_path).read_text())
        assert instructions["planted_stack"]["local"] > 0


def test_an_invalid_source_is_an_error_with_its_line(tmp_path: Path) -> None:
    require_toolkit()
    source = tmp_path / "bad.cu"
    source.write_text('#include "platform/platform.cuh"\nKERNEL(32, bad, int *x) { *x = y; }\n')
    with pytest.raises(BuildError, match=r'bad.cu\(2\): error: identifier "y" is undefined'):
        kernels.make("bad", source, 90, tmp_path)
    assert not list(tmp_path.glob("*.ptx"))


def test_the_gate_fails_for_planted_kernels(tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
                                            capsys: pytest.CaptureFixture[str]) -> None:
    require_toolkit()
    monkeypatch.setattr(gate, "engines", lambda: {"planted": PLANTED})
    monkeypatch.setattr(gate, "BUDGET", tmp_path / "budget.json")
    monkeypatch.setattr(gate, "OUTPUT", tmp_path)
    monkeypatch.setattr(gate, "stale", list)

    def run() -> tuple[int, str]:
        monkeypatch.setattr(sys, "argv", ["gate", "--measure", "--capability", "90"])
        return gate.main(), capsys.readouterr().err

    measured = gate.measure_all((90,))["planted"]
    budget: dict[str, Any] = {"planted": {"kernels": measured}}
    gate.BUDGET.write_text(json.dumps(budget))
    kept = (tmp_path / "planted.compute_90.json").stat().st_mtime_ns
    code, text = run()
    assert code == 1 and len(text.splitlines()) == 1
    assert "planted_spill for compute_90 spills " in text
    assert (tmp_path / "planted.compute_90.json").stat().st_mtime_ns == kept
    # One register and one instruction less than the kernel has.
    del measured["planted_spill"]
    measured["planted_shift"]["90"]["registers"] -= 1
    measured["planted_overrun"]["instructions"]["other"] -= 1
    gate.BUDGET.write_text(json.dumps(budget))
    code, text = run()
    assert code == 1
    assert "registers, and the budget is" in text and "planted_spill for compute_90 has no" in text
    assert "planted_overrun has " in text and "instructions, the budget is" in text


def test_a_missing_compiler_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
                                        capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(toolkit, "VENV", tmp_path)
    toolkit.library.cache_clear()
    monkeypatch.setattr(sys, "argv", ["gate", "--measure"])
    assert gate.main() == 4
    toolkit.library.cache_clear()
    assert "run `make gpu-venv`" in capsys.readouterr().err


# In a sweep for all compute capabilities; what has not changed is not compiled again.
def test_all_kernels_are_within_their_budget() -> None:
    require_toolkit()
    is_sweep = os.environ.get("HALIMEDE_SWEEP") == "1"
    assert gate.check_measurements(CAPABILITIES if is_sweep else (gate.COUNTED,)) == []
