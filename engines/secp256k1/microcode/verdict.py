# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Computes the engine's verdict as the hardware does: ranges before the job, three words after
it."""

from typing import Sequence

from arith.microcode.image import Counts
from arith.microcode.simulator import Simulator
from engines.secp256k1.microcode.layout import HEIGHT, MATCH, RESIDUE
from engines.secp256k1.model.curve import N, P, Affine
from engines.secp256k1.model.division import job_words
from engines.secp256k1.model.ecdsa import Check, Signature


def ranges_mask(signature: Signature, key: Affine) -> int:
    """The failures that the scalar unit finds in the inputs; a job starts only if this is 0."""
    mask = int(not 0 < signature.r < N) << Check.R_RANGE
    mask |= int(not 0 < signature.s < N) << Check.S_RANGE
    return mask | int(not all(coordinate < P for coordinate in key)) << Check.ON_CURVE


def result_mask(words: Sequence[int]) -> int:
    """The mask of a job's result; later words are meaningful only if the earlier ones pass."""
    if words[RESIDUE]:
        return 1 << Check.ON_CURVE
    if not words[HEIGHT]:
        return 1 << Check.INFINITY
    return int(words[MATCH] != 0) << Check.MATCH


def verify(simulator: Simulator, signature: Signature, key: Affine) -> tuple[int, Counts | None]:
    """The mask computed by the microcode, and the counts of the job if there was one.

    If r or s is out of range, the job is the short one that checks only the key, so that all bits
    of the inputs are set.
    """
    check, curve_check = simulator.image.entries
    mask = ranges_mask(signature, key)
    if mask >> Check.ON_CURVE & 1:
        return mask, None
    if mask:
        words, counts = simulator.run(curve_check, key)
        return mask | (1 << Check.ON_CURVE if words[RESIDUE] else 0), counts
    job = job_words(signature.r, signature.s, signature.digest, *key)
    words, counts = simulator.run(check, job)
    return result_mask(words), counts
