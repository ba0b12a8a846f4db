# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The lists of jobs of the CKKS kernels."""

from typing import Any

import numpy

from places.cuda.tests.ckks.reference import Modulus
from places.cuda.tests.emulation import KERNELS, kernels

THREADS = 256
CONVERT_BLOCK, CONVERT_THREADS, TARGETS = 256, 128, 4
LOG_TILE, LOG_COLUMNS, UNIT = 12, 4, 16
(COPY, ZERO, ADD, SUBTRACT, NEGATE, MULTIPLY, MULTIPLY_ADD, SCALE, SUBTRACT_SCALE,
 ADD_NUMBER) = range(10)

_SHOUP = [("factor", "u4"), ("quotient", "u4")]
PRIME = numpy.dtype([(name, "u4") for name in (
    "modulus", "negated_inverse", "bits", "barrett", "root", "inverse_root", "r0", "r1")])
TRANSFORM = numpy.dtype([
    ("from", "u8"), ("middle", "u8"), ("to", "u8"), ("subtrahend", "u8"), ("added", "u8"),
    ("prime", "u4"), ("exponent", "u4"), *_SHOUP, ("flags", "u4"), ("reserved", "u4")])
POINTWISE = numpy.dtype([
    ("to", "u8"), ("a", "u8"), ("b", "u8"), ("c", "u8"), ("prime", "u4"), ("operation", "u4"),
    *_SHOUP])
SUM = numpy.dtype([
    ("to", "u8"), ("added", "u8"), ("prime", "u4"), ("first", "u4"), ("count", "u4"),
    ("exponent", "u4"), ("has_added", "u4"), ("reserved", "u4")])
PRODUCT = numpy.dtype([("a", "u8"), ("b", "u8"), ("log_run", "u4"), ("reserved", "u4")])
NUMBER = numpy.dtype([("a", "u8"), ("lower", "u4"), ("upper", "u4")])
CONVERT = numpy.dtype([
    ("first_source", "u4"), ("sources", "u4"), ("first_target", "u4"), ("targets", "u4"),
    ("first_factor", "u8"), ("reserved", "u8")])
SOURCE = numpy.dtype([
    ("from", "u8"), ("prime", "u4"), ("shift", "u4"), ("reciprocal", "u4"), ("is_ready", "u4"),
    *_SHOUP])
TARGET = numpy.dtype([("to", "u8"), ("prime", "u4"), ("overflow", "u4")])
EXPAND = numpy.dtype([("to", "u8"), ("prime", "u4"), ("index", "u4"), ("seed", "u4", 8)])


def launch(name: str, blocks: int, threads: int, *arguments: Any) -> None:
    """Runs a kernel."""
    kernels(KERNELS / "ckks.cu").launch(name, blocks, threads, *arguments)


def aligned(words: numpy.ndarray) -> numpy.ndarray:
    """A copy at a multiple of 16 bytes, at the end of its allocation: reads behind it are seen."""
    raw = numpy.empty(words.nbytes + 16, dtype="u1")
    start = -raw.ctypes.data % 16
    copy = raw[start:start + words.nbytes].view(words.dtype).reshape(words.shape)
    copy[...] = words
    return copy


class Device:
    """Limbs in buffers, and the tables of a ring."""

    def __init__(self, log_degree: int, primes: list[int]) -> None:
        self.log_degree, self.degree = log_degree, 1 << log_degree
        self.moduli = [Modulus(prime, log_degree) for prime in primes]
        rows = [(of.q, of.negated_inverse, of.bits, of.barrett, of.root, of.inverse_root, 0, 0)
                for of in self.moduli]
        self.primes = aligned(numpy.array(rows, dtype=PRIME))
        self.buffers: list[numpy.ndarray] = []
        entries = 2 * len(primes) << log_degree
        self.table = aligned(numpy.zeros((entries, 2), dtype="u4"))
        blocks = -(-entries // THREADS)
        launch("ckks_tables", blocks, THREADS, self.primes, self.table, log_degree, len(primes))

    def put(self, words: numpy.ndarray) -> int:
        """Adds a buffer, and returns its first limb's name."""
        self.buffers.append(aligned(numpy.asarray(words, dtype="u4")))
        return (len(self.buffers) - 1) << 32

    def fresh(self, words: int = 0) -> int:
        """Adds a buffer of residues that no result has."""
        return self.put(numpy.full(words or self.degree, 0xdeadbeef, dtype="u4"))

    def at(self, limb: int) -> numpy.ndarray:
        start = (limb & 0xffffffff) * UNIT
        return self.buffers[limb >> 32].reshape(-1)[start:start + self.degree].astype("u8")

    def addresses(self) -> numpy.ndarray:
        return aligned(numpy.array([of.ctypes.data for of in self.buffers], dtype="u8"))

    def run(self, name: str, jobs: numpy.ndarray, blocks: int, threads: int, *others: Any) -> None:
        """Runs jobs on `blocks` blocks each."""
        others = tuple(aligned(of) if isinstance(of, numpy.ndarray) else of for of in others)
        launch(name, blocks * len(jobs), threads, self.addresses(), *others[:1], aligned(jobs),
               *others[1:])

    def fours(self) -> int:
        return -(-self.degree // (4 * THREADS))

    def pointwise(self, jobs: list[tuple[Any, ...]]) -> None:
        self.run("ckks_pointwise", numpy.array(jobs, dtype=POINTWISE), self.fours(), THREADS,
                 self.primes, self.log_degree)

    def sums(self, name: str, jobs: list[tuple[Any, ...]], terms: numpy.ndarray) -> None:
        self.run(name, numpy.array(jobs, dtype=SUM), self.fours(), THREADS, self.primes, terms,
                 self.log_degree)

    def transform(self, is_forward: bool, jobs: list[tuple[Any, ...]]) -> None:
        """Runs one or two passes."""
        direction = "forward" if is_forward else "inverse"
        log_rows = 0 if self.log_degree <= LOG_TILE else min(8, self.log_degree - 8)
        tile = min(self.log_degree, LOG_TILE)
        rows = ("rows", 1 << (self.log_degree - tile), max(32, (1 << tile) // 16))
        columns = ("columns", 1 << (self.log_degree - log_rows - LOG_COLUMNS), 1 << log_rows)
        passes = [columns, rows] if is_forward else [rows, columns]
        for part, blocks, threads in passes:
            if part == "rows" or log_rows:
                self.launch_transform(f"ckks_{direction}_{part}", jobs, blocks, threads, log_rows)

    def launch_transform(self, name: str, jobs: list[tuple[Any, ...]], blocks: int, threads: int,
                         log_rows: int) -> None:
        launch(name, blocks * len(jobs), threads, self.addresses(), self.primes, self.table,
               aligned(numpy.array(jobs, dtype=TRANSFORM)), self.log_degree, log_rows)
