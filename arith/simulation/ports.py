# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Ports of a module under test, for benches that touch them in every clock.

Most of what a bench takes is not the design's: cocotb looks for a port by its name at each mention,
makes an object of an array of bits for each value, and hands each write to the simulator, which then
evaluates the design anew. Here a port is looked for once, read as an integer, and written when its
value changes.
"""

from collections.abc import Callable
from typing import Any

from cocotb.triggers import ReadOnly, current_gpi_trigger

# Verilator hands out values of 32 bits as signed ones.
LONG_BITS = 31
# What cocotb calls a write that the simulator applies when it has evaluated the design.
DEPOSIT = 0


def reader(port: Any) -> Callable[[], int]:
    """A function that returns the port's value, unsigned. Verilator knows no values but 0 and 1."""
    handle = port._handle
    if len(port) <= LONG_BITS:
        return handle.get_signal_val_long  # type: ignore[no-any-return]
    text = handle.get_signal_val_binstr
    return lambda: int(text(), 2)


def writer(port: Any) -> Callable[[int], None]:
    """A function that sets the port; nobody else may set it while the function is in use."""
    handle, bits = port._handle, len(port)
    put = handle.set_signal_val_int if bits <= LONG_BITS else handle.set_signal_val_binstr
    last: int | None = None

    def write(value: int) -> None:
        nonlocal last
        if value == last:
            return
        if value >> bits:
            raise ValueError(f"{value:#x} does not fit into {port._name}")
        if isinstance(current_gpi_trigger(), ReadOnly):
            raise RuntimeError(f"{port._name} is set in the phase in which all is only read")
        put(DEPOSIT, value if bits <= LONG_BITS else f"{value:0{bits}b}")
        last = value

    return write
