# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Each clock crossing of the boards is a synchronizer, a FIFO or a reset, and a wrong one is found."""

from collections import Counter

import pytest

from arith.simulation.bench import yosys_or_skip
from arith.simulation.sources import sources_of
from arith.simulation.toolchain import PROJECT_ROOT
from card.boards import crossings, netlist
from card.boards.areas import copies_of
from card.boards.tests.test_vivado_scripts import checker
from card.spec.specification import load


@pytest.mark.parametrize("board", crossings.BOARDS)
def test_the_crossings_of_a_board_are_known(board):
    found = checker(board).check()
    assert not found.errors, "\n".join(found.errors[:20])
    assert found.known["synchronizer"] >= 50 and found.known["FIFO"] >= 1000
    assert found.known["reset"] >= 1


@pytest.mark.parametrize("board", crossings.BOARDS)
def test_an_image_has_the_engines_of_the_manifests(board):
    made = Counter(checker(board).design.modules.values())
    for module in load().modules:
        expected = copies_of(module, board) if board in module.boards else 0
        assert made[module.name] == expected, module.engine


PORTS = """
module crossing_case (
  input logic a_clk, input logic b_clk, input logic rst_ni, input logic [1:0] a_i, output logic b_o
);
  logic a_q, other_q, b_q, b_rst_n;
  always_ff @(posedge a_clk or negedge rst_ni) if (!rst_ni) a_q <= 1'b0; else a_q <= a_i[0];
  always_ff @(posedge a_clk or negedge rst_ni) if (!rst_ni) other_q <= 1'b0; else other_q <= a_i[1];
"""
SYNC = """
  reset_sync u_reset (.clk_i(b_clk), .rst_ni, .rst_no(b_rst_n));
  sync_bits u_sync (.clk_i(b_clk), .rst_ni(b_rst_n), .data_i({data}), .data_o(b_o));
"""
CASES = {
    "a synchronizer": (SYNC.format(data="a_q"), None),
    "logic before a synchronizer": (SYNC.format(data="a_q && other_q"),
                                    "logic before a synchronizer (from a_clk)"),
    "no synchronizer": ("always_ff @(posedge b_clk) b_o <= a_q;", "unknown crossing from a_clk"),
    "a foreign clock in an enable's logic": (
        "always_ff @(posedge b_clk) if (a_q) b_o <= !b_o;", "unknown crossing from a_clk"),
    "a synchronized reset": (
        "reset_sync u_reset (.clk_i(b_clk), .rst_ni(a_q), .rst_no(b_rst_n));\n"
        "always_ff @(posedge b_clk or negedge b_rst_n) if (!b_rst_n) b_o <= 1'b0; else b_o <= !b_o;",
        None),
    "logic before a reset": (
        "reset_sync u_reset (.clk_i(b_clk), .rst_ni(a_q && other_q), .rst_no(b_o));",
        "logic before a reset (from a_clk)"),
    "a foreign reset": (
        "always_ff @(posedge b_clk or negedge a_q) if (!a_q) b_o <= 1'b0; else b_o <= !b_o;",
        "a reset from a_clk"),
}


@pytest.mark.parametrize("case", CASES)
def test_wrong_crossings_are_found(case):
    yosys_or_skip()
    body, wanted = CASES[case]
    folder = PROJECT_ROOT / "build" / "netlists" / "cases"
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / "crossing_case.sv"
    file.write_text(f"{PORTS}{body}\nendmodule\n")
    parts = sources_of("reset_sync", "sync_bits")
    design = netlist.elaborate("crossing_case", [*parts, file])
    found = crossings.check(design, "a_clk")
    if wanted is None:
        assert not found.errors, found.errors
        assert sum(found.known.values()) >= 1
    else:
        assert any(wanted in error for error in found.errors), found.errors
