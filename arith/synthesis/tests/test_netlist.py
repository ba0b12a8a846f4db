# SPDX-License-Identifier: Apache-2.0 OR MIT
"""A netlist joined from blocks behaves like its source: a module's bench runs on its ECP5 cells.
(No block memories or multipliers: Yosys has no models of those.)"""

from collections.abc import Mapping

import pytest

from arith.simulation.bench import in_sweep, run_bench, yosys_or_skip
from arith.simulation.toolchain import BUILD_ROOT, PROJECT_ROOT
from arith.synthesis import yosys
from arith.synthesis.netlist import synthesize_netlist
from arith.synthesis.yosys import relative, run_yosys

GATES = BUILD_ROOT / "gates"
CELLS = {"LUT4", "PFUMX", "L6MUX21", "CCU2C", "TRELLIS_FF", "TRELLIS_DPR16X4"}


def gates(top: str, parameters: Mapping[str, object]) -> str:
    """Writes build/gates/<top>_gates.sv, the module's netlist with its cells' models; returns its
    name."""
    yosys_or_skip()
    GATES.mkdir(parents=True, exist_ok=True)
    netlist = GATES / f"{top}.json"
    cells = synthesize_netlist(top, parameters, "ecp5", [], netlist)
    assert set(cells) <= CELLS and cells["TRELLIS_FF"] > 0 and cells["LUT4"] > 0, cells
    name = f"{top}_gates"
    run_yosys(
        [f"read_json {relative(netlist)}", "read_verilog -overwrite +/ecp5/cells_sim.v",
         f"rename {top} {name}", f"hierarchy -check -top {name}", "proc", "flatten", "opt_clean",
         f"write_verilog -noattr {relative(GATES / (name + '.sv'))}"],
        f"models of {name}",
    )
    return name


def test_uart_link_in_cells(monkeypatch: pytest.MonkeyPatch) -> None:
    """Four blocks: the link, and the receiver, the sender and the FIFO inside it."""
    monkeypatch.setattr(yosys, "BLOCKS", ("uart_rx", "uart_tx", "stream_fifo"))
    name = gates("uart_link", {"BitSixteenths": 133, "FifoBeats": 8, "IdleBits": 64})
    bench = PROJECT_ROOT / "card/rtl/tests/test_uart_link.py"
    run_bench(str(bench), name, folders=["build/gates"], settings={"error": -0.01})


@pytest.mark.parametrize("stages", [33, *in_sweep([5, 16])])
def test_pipeline_delay_in_cells(stages: int) -> None:
    """A delay that is a memory in the family's netlist."""
    name = gates("pipeline_delay", {"DataWidth": 9, "Stages": stages})
    bench = PROJECT_ROOT / "arith/rtl/tests/test_pipeline_delay.py"
    run_bench(str(bench), name, folders=["build/gates"], tests="delays_alone",
              settings={"stages": stages})
