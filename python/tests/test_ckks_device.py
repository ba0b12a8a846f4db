# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Expressions on devices: each returns the same bytes, or a clear error if it cannot compute."""

import os
from pathlib import Path
from typing import Iterator

import halimede
import numpy as np
import pytest
from halimede import ckks

ROOT = Path(__file__).resolve().parents[2]
SIMULATOR = ROOT / "build/card-sim/halimede-card-sim-memory"
CLIENT = ckks.Client("n10-insecure")
KEYS = CLIENT.evaluation_keys(multiply=True, rotations=[1, 5])
RNG = np.random.default_rng(20)
X, Y = (CLIENT.encrypt(RNG.uniform(-2, 2, 512), bound=2) for _ in range(2))


@pytest.fixture(scope="module")
def card() -> Iterator[halimede.Device]:
    """The simulated card with a memory, if it has been built."""
    simulator = os.environ.get("HALIMEDE_MEMORY_CARD_SIM", str(SIMULATOR))
    if not Path(simulator).is_file() and "HALIMEDE_REQUIRE_RTL" not in os.environ:
        pytest.skip("no simulated card; `make card-sim` builds it")
    os.environ["HALIMEDE_MEMORY_CARD_SIM"] = simulator
    with halimede.Device("sim", time_limit=60) as device:
        yield device


def expression() -> ckks.Expression:
    x, y = ckks.Expression.input("x"), ckks.Expression.input("y")
    return (x * y << 1) - 3 * x


def answer(server: ckks.Server) -> bytes:
    return server.run(expression(), x=X, y=Y).to_bytes()


def test_the_processor_as_a_device() -> None:
    server = ckks.Server(KEYS, device=halimede.Device("cpu"))
    assert server.device is not None and ckks.Server(KEYS).device is None
    assert answer(server) == answer(ckks.Server(KEYS))


def test_a_card_gives_the_processors_bytes(card: halimede.Device) -> None:
    assert "ckks" in {engine["name"] for engine in card.capabilities["engines"]}
    server = ckks.Server(KEYS, device=card)
    expected = answer(ckks.Server(KEYS))
    assert answer(server) == expected
    assert answer(server) == expected, "with keys that the card has"
    turned = server.run(ckks.Expression.input("x") << 5, x=X)
    assert np.allclose(CLIENT.decrypt(turned), np.roll(CLIENT.decrypt(X), -5), atol=1e-3)
    here = ckks.Server(KEYS)
    operators = [of.bind(X) + of.bind(Y) for of in (server, here)]
    assert operators[0].to_bytes() == operators[1].to_bytes(), "operators compute here"


def test_missing_keys_are_an_error_on_a_card_too(card: halimede.Device) -> None:
    server = ckks.Server(CLIENT.evaluation_keys(multiply=True), device=card)
    with pytest.raises(ValueError, match="key"):
        server.run(ckks.Expression.input("x") << 5, x=X)


def test_an_object_that_is_not_a_device_is_an_error(card: halimede.Device) -> None:
    class Other:
        pass

    with halimede.Device("sim", fallback="cpu", time_limit=60) as device:
        assert answer(ckks.Server(KEYS, device=device)) == answer(ckks.Server(KEYS))
    with pytest.raises(TypeError):
        ckks.Server(KEYS, device=Other())  # type: ignore[arg-type]


def test_a_closed_device_is_an_error() -> None:
    device = halimede.Device("cpu")
    server = ckks.Server(KEYS, device=device)
    device.close()
    with pytest.raises(ValueError, match="closed"):
        answer(server)
    with pytest.raises(ValueError, match="closed"):
        ckks.Server(KEYS, device=device)
