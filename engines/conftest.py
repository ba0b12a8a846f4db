# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The simulated card, for the benches of engines on it."""

from card.sim.tests.conftest import program

__all__ = ["program"]
