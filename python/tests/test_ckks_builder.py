# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Parameters by requirements: each requirement is met, or the error names the one that is not."""

from typing import Any, Callable

import numpy as np
import pytest
from halimede import ckks

untyped: Any = ckks


def build_options() -> list[tuple[dict[str, Any], int]]:
    return [
        ({"slots": 4096, "depth": 3, "precision": 15.0}, 1 << 13),
        ({"depth": 2, "precision": 10.0}, 1 << 12),
        ({"slots": 5000, "depth": 4}, 1 << 14),
        ({"depth": 6, "digits": 3}, 1 << 14),
        ({}, 1 << 12),
    ]


@pytest.mark.parametrize("options, degree", build_options())
def test_parameters_are_built(options: dict[str, Any], degree: int) -> None:
    parameters = ckks.Parameters.build(**options)
    assert parameters.degree <= degree * 2 and parameters.slots >= options.get("slots", 1)
    assert parameters.levels == options.get("depth", 1) and parameters.security == 128
    assert parameters.precision >= options.get("precision", 20.0)
    assert parameters.digits == options.get("digits", parameters.digits)
    assert not parameters.has_bootstrap and parameters == ckks.Parameters.build(**options)
    assert parameters == ckks.Parameters.load(parameters.to_bytes())
    text = str(parameters)
    assert f"levels           {parameters.levels}, scale" in text and "128 bits" in text
    assert f"{parameters.precision:.1f} after {parameters.levels} products" in text


@pytest.mark.parametrize("security, most", [(128, 106), (192, 147), (256, 114)])
def test_security_is_as_asked(security: int, most: int) -> None:
    parameters = ckks.Parameters.build(depth=1, precision=9.0, security=security)
    assert parameters.security == security and parameters.log_qp <= most
    assert f"{security} bits, classical" in str(parameters)
    loaded = ckks.Parameters.load(parameters.to_bytes())
    assert loaded == parameters and loaded.security == security


def test_what_is_built_works() -> None:
    client = ckks.Client(ckks.Parameters.build(slots=1000, depth=3, precision=18.0))
    server = client.server(multiply=True, rotations=[1])
    x = np.random.default_rng(61).uniform(-1, 1, 1000)
    y = server.bind(client.encrypt(x)) ** 8
    assert np.abs(client.decrypt(y)[:1000] - x**8).max() < 2**-14
    small = ckks.Parameters.build_insecure(1024, depth=2, precision=12.0)
    assert (small.degree, small.security, small.levels) == (1024, None, 2)
    assert "INSECURE" in str(small)
    boot = ckks.Parameters.build_insecure(1024, depth=3, precision=8.0, bootstrap=True)
    assert boot.has_bootstrap and boot.levels == 3


def test_precise_bootstraps_are_built_and_work() -> None:
    asked = {"depth": 2, "precision": 40.0, "bootstrap": True}
    parameters = ckks.Parameters.build_insecure(1024, **asked)
    assert parameters.has_bootstrap and parameters.precision >= 40.0
    assert "two rounds" in str(parameters)
    client = ckks.Client(parameters)
    server = client.server(multiply=True, bootstrap=True)
    rng = np.random.default_rng(62)
    x = rng.uniform(-0.7, 0.7, 512) + 1j * rng.uniform(-0.7, 0.7, 512)
    fresh = server.bind(client.encrypt(x, level=0)).bootstrap()
    assert fresh.level == 2
    assert 0 < np.abs(client.decrypt(fresh) - x).max() < 2**-38
    assert np.abs(client.decrypt(fresh * fresh) - x**2).max() < 2**-36
    with pytest.raises(ValueError, match="60 bits of precision .* are possible"):
        ckks.Parameters.build(precision=60.0, bootstrap=True)


@pytest.mark.parametrize("call, error, message", [
    (lambda: ckks.Parameters.build(slots=0), ValueError, "0 slots: a ciphertext has between 1 and"),
    (lambda: ckks.Parameters.build(slots=65537), ValueError, "65537 slots: .*; split the vector"),
    (lambda: ckks.Parameters.build(slots=-1), ValueError, "slots: got -1"),
    (lambda: ckks.Parameters.build(slots=10**30), ValueError, "slots: got 1000"),
    (lambda: ckks.Parameters.build(slots=1.5), TypeError, "slots: got 1.5, wanted an integer"),
    (lambda: ckks.Parameters.build(depth="3"), TypeError, "depth: got '3'"),
    (lambda: ckks.Parameters.build(depth=90, precision=18.0), ValueError, "with bootstrapping"),
    (lambda: ckks.Parameters.build(precision=60.0), ValueError, "request less precision"),
    (lambda: ckks.Parameters.build(precision=np.nan), ValueError, "request less precision"),
    (lambda: ckks.Parameters.build(depth=9, precision=50.0, bootstrap=True), ValueError,
     "or no bootstrap"),
    (lambda: ckks.Parameters.build(digits=0), ValueError, "0 digits of"),
    (lambda: ckks.Parameters.build(security=129), ValueError, "got 129, wanted 128, 192 or 256"),
    (lambda: ckks.Parameters.build(security=192.0), TypeError, "security: got 192.0"),
    (lambda: ckks.Parameters.build(bootstrap=True, security=192), ValueError, "at most 128 bits"),
    (lambda: ckks.Parameters.build(digits=99, depth=3), ValueError, "99 digits of"),
    (lambda: untyped.Parameters.build(4096), TypeError, "positional"),
    (lambda: untyped.Parameters.build(level=3), TypeError, "level"),
    (lambda: ckks.Parameters.build_insecure(1000), ValueError, "degree: got 1000, wanted a power"),
    (lambda: ckks.Parameters.build_insecure(0), ValueError, "degree: got 0, wanted a power"),
    (lambda: ckks.Parameters.build_insecure(2), ValueError, "degree: got 2, wanted a power"),
    (lambda: ckks.Parameters.build_insecure(1 << 40), ValueError, "a power of two from 32 to 131072"),
    (lambda: ckks.Parameters.build_insecure(1024, slots=513), ValueError, "513 slots"),
])
def test_what_cannot_be_built_says_why(
    call: Callable[[], Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        call()
