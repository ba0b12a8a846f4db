# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The common setting of the tests of `halimede.ckks`: a client, a server, random vectors."""

import functools
from dataclasses import dataclass
from typing import Any

import numpy as np
from halimede import ckks
from numpy.typing import NDArray

PRESET = "n13-insecure"
SLOTS = 4096
LEVELS = 8

MOST = 1.5
"""The declared bound of complex test vectors: above the square root of 2."""

WORST = 12.0
"""The allowed ratio of the worst error of thousands of slots to the estimated standard deviation.
The rounding error of a division is multiplied by the secret key, and a product of two normal values
exceeds 8 deviations in one of 400 vectors of 4,096 slots, and 12 in one of a million."""


@dataclass(frozen=True)
class Setting:
    """A client and a server, with keys for everything except bootstraps."""

    client: ckks.Client
    server: ckks.Server

    def pair(self, seed: int, count: int = SLOTS, **options: Any) -> tuple[Any, ckks.Ciphertext]:
        """Random complex values in the square of side 2 around 0, and their encryption."""
        values = complexes(seed, count)
        return values, self.server.bind(self.client.encrypt(values, bound=MOST, **options))

    def reals(
        self, seed: int, low: float, high: float, count: int = SLOTS
    ) -> tuple[Any, ckks.Ciphertext]:
        """Random real values in an interval, and their encryption."""
        values = np.random.default_rng(seed).uniform(low, high, count)
        return values, self.server.bind(self.client.encrypt(values, bound=(low, high)))

    def check(self, sealed: ckks.Ciphertext, expected: Any, within: float | None = None) -> None:
        """Checks that a ciphertext decrypts to the expected values within its stated error, or
        within the error of an approximation, and that the values lie in its bound."""
        values = self.client.decrypt(sealed)
        expected = np.asarray(expected)
        assert values.shape == sealed.shape == expected.shape
        assert values.dtype == (np.float64 if sealed.is_real else np.complex128)
        assert sealed.is_real or np.iscomplexobj(expected), "a real result must be known to be"
        low, high = sealed.bound if isinstance(sealed.bound, tuple) else (0.0, sealed.bound)
        sizes = np.real(expected) if sealed.is_real else np.abs(expected)
        slack = 1e-9 * sealed.magnitude + (0.0 if within is None else within)
        assert low - slack <= sizes.min() and sizes.max() <= high + slack, sealed.bound
        worst = float(np.abs(values - expected).max())
        if within is None:
            assert worst <= WORST * sealed.error, f"{worst}, estimated {sealed.error}"
            assert sealed.error < 1e-4
        else:
            assert worst <= 1.02 * within + 1e-6, f"{worst} for {within}"
            assert sealed.error <= 1.1 * within + 1e-6


def complexes(seed: int, count: int) -> NDArray[np.complex128]:
    """Random values in the square of side 2 around 0."""
    generator = np.random.default_rng(seed)
    real, imag = generator.uniform(-1, 1, (2, count))
    return real + 1j * imag


def small(seed: int, count: int) -> NDArray[np.complex128]:
    """Random values within 1, the default bound of arrays."""
    return 0.7 * complexes(seed, count)


@functools.cache
def setting() -> Setting:
    """Returns the setting of all tests."""
    client = ckks.Client(PRESET)
    # The rotations of sums, of copies, and of any matrix of 16 rows.
    rotations = [*ckks.sum_rotations(SLOTS), *ckks.sum_rotations(4, -1), *range(1, 16)]
    return Setting(client, client.server(multiply=True, conjugate=True, rotations=rotations))
