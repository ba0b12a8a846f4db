# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The command line of the simulators' build."""

import subprocess
import sys

import pytest

from arith.simulation.toolchain import PROJECT_ROOT


@pytest.mark.parametrize(("arguments", "words"), [
    (["--name", "x", "NoSuch=3"], "the card has no parameter 'NoSuch'"),
    (["--name", "x", "StreamBytes"], "is not NAME=NUMBER"),
    (["--name", "x", "StreamBytes=-8"], "is not NAME=NUMBER"),
    (["StreamBytes=8"], "--name and parameters must be used together"),
    (["--name", "x"], "--name and parameters must be used together"),
    (["--name", "../x", "StreamBytes=8"], "lower-case letters"),
])
def test_another_card_is_refused_where_it_is_none(arguments: list[str], words: str) -> None:
    done = subprocess.run([sys.executable, "-m", "card.sim.build", *arguments], cwd=PROJECT_ROOT,
                          capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 2
    assert words in done.stderr and "Traceback" not in done.stderr
