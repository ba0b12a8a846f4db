# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Tests of the package `halimede_ray`, with the samples of those of `halimede`."""

import sys
from pathlib import Path

FOLDER = Path(__file__).parent
sys.path[:0] = [str(FOLDER), str(FOLDER.parents[1] / "tests")]
