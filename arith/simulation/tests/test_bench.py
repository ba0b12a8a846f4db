# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The runner itself: a failing bench is reported as failed, a bad design is refused, a missing
Verilator is a skip or an error as configured, and sources are in a readable order."""

import cocotb
import pytest
from arith.simulation import bench, verilate
from arith.simulation.bench import random_source, run_bench
from arith.simulation.sources import sources_of
from arith.simulation.streams import start
from arith.simulation.toolchain import ToolMissing
from cocotb.triggers import RisingEdge


@cocotb.test()
async def fails_on_purpose(dut):
    await start(dut, clear_i=0)
    assert int(dut.skid_in_ready_o.value) == 0, "an empty skid buffer is ready"


@cocotb.test()
async def ends_without_failing(dut):
    await start(dut, clear_i=0)
    assert random_source("a").random() == random_source("a").random()
    assert random_source("a").random() != random_source("b").random()
    assert bench.setting("word") == "31"


@cocotb.test()
async def never_ends(dut):
    await start(dut, clear_i=0)
    while True:
        await RisingEdge(dut.clk_i)


def run(tests: str, **more) -> None:
    run_bench(__file__, "stream_top", {"Depth": 5}, tests=tests,
              settings={"word": 31}, **more)


def test_success():
    run("ends_without_failing")


def test_failure_is_reported():
    with pytest.raises(AssertionError, match=r"fails_on_purpose.*HALIMEDE_SEED=\d+"):
        run("fails_on_purpose")


def test_no_bench_is_no_success():
    with pytest.raises(AssertionError, match="after 0 tests"):
        run("no_such_bench")


def test_time_limit():
    with pytest.raises(AssertionError, match="status -1"):
        run("never_ends", time_limit_s=3)


def test_missing_verilator(monkeypatch):
    def missing(*_arguments, **_options):
        raise ToolMissing("no Verilator here")

    monkeypatch.setattr(verilate, "build", missing)
    monkeypatch.delenv("HALIMEDE_REQUIRE_RTL", raising=False)
    with pytest.raises(pytest.skip.Exception):
        run("ends_without_failing")
    monkeypatch.setenv("HALIMEDE_REQUIRE_RTL", "1")
    with pytest.raises(ToolMissing):
        run("ends_without_failing")


def test_lint_refuses(tmp_path):
    bad = tmp_path / "bad.sv"
    bad.write_text("module bad (input logic [7:0] a_i, output logic [3:0] b_o);\n"
                   "  assign b_o = a_i;\nendmodule\n")
    with pytest.raises(verilate.BuildFailed, match="WIDTHTRUNC"):
        verilate.lint("bad", sources=[bad])


def test_sources_come_before_their_users():
    names = [file.stem for file in sources_of("mod_mul")]
    assert names[-1] == "mod_mul"
    assert names.index("arith_pkg") < names.index("carry_save") < names.index("compress")
    assert names.index("mul_tile") < names.index("mul_grid") < names.index("mul_wide")
    assert "stream_fifo" not in names
    with pytest.raises(FileNotFoundError, match="no_such_module"):
        sources_of("no_such_module")
