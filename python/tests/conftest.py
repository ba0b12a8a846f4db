# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Tests of the installed package `halimede`; the golden model is imported from this project."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
