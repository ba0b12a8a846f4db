# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Ports of a module under test, for benches that access them in every clock.

Most of the time of a bench is not the design's: cocotb looks up a port by its name at each access,
makes an object of an array of bits for each value, and passes each write to the simulator, which
then evaluates the design again. Here a port is looked up once, read as an integer, and written only
when its value changes.
"""

from collections.abc import Callable
from typing import Any

from cocotb.triggers import ReadOnly, current_gpi_trigger

# Verilator returns values of 32 bits as signed ones.
LONG_BITS = 31
# Cocotb's name of a write that the simulator applies after it has evaluated the design.
DEPOSIT = 0


def reader(port: Any) -> Callable[[], int]:
    """A function that returns the port's value, unsigned. Verilator has only the values 0 and 1."""
    handle = port._handle
    if len(port) <= LONG_BITS:
        return handle.get_signal_val_long  # type: ignore[no-any-return]
    text = handle.get_signal_val_binstr
    return lambda: int(text(), 2)


def writer(port: Any) -> Callable[[int], None]:
    """A function that sets the port. Nothing else may set it while the function is in use."""
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
            raise RuntimeError(f"{port._name} is set in the read-only phase")
        put(DEPOSIT, value if bits <= LONG_BITS else f"{value:0{bits}b}")
        last = value

    return write
