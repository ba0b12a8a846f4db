# SPDX-License-Identifier: Apache-2.0 OR MIT
"""NVIDIA's compilers, as `make gpu-kernels` installs them (requirements.txt)."""

import ctypes
from collections.abc import Callable
from functools import cache
from pathlib import Path

from places.cuda.tools.sources import BUILD, KERNELS, BuildError

VENV = BUILD / "gpu-venv"
REQUIREMENTS = Path(__file__).with_name("requirements.txt")


class ToolMissing(Exception):
    """A compiler is not installed."""


def versions() -> str:
    """The pinned packages, which are a part of every digest."""
    lines = REQUIREMENTS.read_text().splitlines()
    return " ".join(line for line in lines if line and not line.startswith("#"))


def find(pattern: str) -> Path:
    """A file of the packages."""
    found = sorted(VENV.glob(f"lib/python*/site-packages/nvidia/{pattern}"))
    if not found:
        raise ToolMissing(f"{VENV.name} has no {pattern}; run `make gpu-venv`")
    return found[0]


def ptxas() -> Path:
    """The compiler from PTX to machine code."""
    return find("cuda_nvcc/bin/ptxas")


@cache
def library() -> ctypes.CDLL:
    """NVRTC, the compiler from CUDA C++ to PTX."""
    return ctypes.CDLL(str(find("cuda_nvrtc/lib/libnvrtc.so.*")))


def options(capability: int) -> list[str]:
    """The options of the compiler for a compute capability, without folders."""
    return [f"--gpu-architecture=compute_{capability}", "--std=c++17"]


def compile_to_ptx(source: Path, capability: int) -> str:
    """Compiles a source of kernels; the compiler's messages are the error."""
    nvrtc = library()
    program = ctypes.c_void_p()
    text = source.read_bytes()
    status = nvrtc.nvrtcCreateProgram(ctypes.byref(program), text, source.name.encode(), 0, None,
                                      None)
    if status != 0:
        raise BuildError(f"{source}: NVRTC fails with status {status}")
    flags = [flag.encode() for flag in
             [*options(capability), f"-I{KERNELS}", f"-I{source.parent}"]]
    array = (ctypes.c_char_p * len(flags))(*flags)
    status = nvrtc.nvrtcCompileProgram(program, len(flags), array)
    log = _text(nvrtc.nvrtcGetProgramLogSize, nvrtc.nvrtcGetProgramLog, program)
    if status != 0:
        raise BuildError(f"{source} for compute_{capability}:\n{log}")
    ptx = _text(nvrtc.nvrtcGetPTXSize, nvrtc.nvrtcGetPTX, program)
    nvrtc.nvrtcDestroyProgram(ctypes.byref(program))
    return ptx


def _text(size_of: Callable[..., int], read: Callable[..., int], program: ctypes.c_void_p) -> str:
    size = ctypes.c_size_t()
    size_of(program, ctypes.byref(size))
    buffer = ctypes.create_string_buffer(max(1, size.value))
    read(program, buffer)
    return buffer.value.decode()
