# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Pickles and copies, and encrypted vectors in dictionaries."""

import copy
import pickle
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import Any

import numpy as np
import pytest
from ckks_setting import MOST, complexes, setting
from halimede import ckks

PROTOCOLS = range(pickle.HIGHEST_PROTOCOL + 1)


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_pickles(protocol: int) -> None:
    s = setting()
    x, sealed = s.pair(1, 5)
    keys = s.client.evaluation_keys(multiply=True, rotations=[1])
    public = s.client.public_key()
    given = {"sealed": [sealed, sealed << 1], "keys": keys, "public": public, "of": s.client.parameters}
    loaded = pickle.loads(pickle.dumps(given, protocol))
    assert loaded["of"] == s.client.parameters and hash(loaded["of"]) == hash(s.client.parameters)
    first, second = loaded["sealed"]
    for there, before in zip((first, second), given["sealed"]):
        assert there.to_bytes() == before.to_bytes() and there.server is None
        assert (there.bound, there.level, len(there), there.key_id) == (
            before.bound, before.level, 5, before.key_id
        )
        assert 0.5 * before.error < there.error < 1.01 * before.error
    s.check(first, x)
    assert loaded["keys"].operations == ["multiply"] and loaded["keys"].rotations == [1]
    server = ckks.Server(loaded["keys"])
    s.check(server.bind(first) * server.bind(second), x * np.roll(x, -1))
    s.check(loaded["public"].encrypt(x, bound=MOST), x)
    # Values with equal parameters share the tables, and can be combined.
    assert first.parameters == second.parameters == loaded["of"]


@pytest.mark.parametrize("of", [copy.copy, copy.deepcopy])
def test_copies(of: Any) -> None:
    s = setting()
    sealed, keys, public = s.pair(2, 5)[1], s.server.keys, s.client.public_key()
    assert of(sealed) is sealed and of(keys) is keys and of(public) is public
    assert of([sealed])[0] is sealed and of(sealed).server is s.server
    assert of(s.client.parameters) == s.client.parameters
    for secret in (s.client, [s.client]):
        with pytest.raises(TypeError, match="holds a secret key"):
            pickle.dumps(secret)
    with pytest.raises(TypeError, match="holds a secret key"):
        of(s.client)


def squared(given: tuple[ckks.EvaluationKeys, ckks.Ciphertext]) -> ckks.Ciphertext:
    """The work of another process."""
    keys, x = given
    x = ckks.Server(keys).bind(x)
    return x * x


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_other_processes_take_pickles() -> None:
    s = setting()
    x = complexes(3, 7)
    keys = s.client.evaluation_keys(multiply=True)
    with ProcessPoolExecutor(1, mp_context=get_context("fork")) as pool:
        result = pool.submit(squared, (keys, s.client.encrypt(x, bound=MOST))).result(60)
    s.check(result, x * x)


def test_hashes_are_those_of_objects() -> None:
    s = setting()
    x, same = s.pair(4, 5)[1], s.pair(4, 5)[1]
    names = {x: "x", same: "same"}
    assert names[x] == "x" and names[same] == "same" and len({x, same, x}) == 2
    assert x in [x] and x in {x} and hash(x) == hash(x)
    with pytest.raises(TypeError, match="are not compared"):
        [same].index(x)
    expression = ckks.Expression.input("x")
    assert {expression: 1}[expression] == 1
