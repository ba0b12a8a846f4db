# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The ring operations of operations, as servers record them."""

import json
from typing import Any

import numpy as np
import pytest
from ckks_setting import SLOTS, setting
from halimede import ckks

X = ckks.Expression.input("x")


def test_traces() -> None:
    s = setting()
    x, y = s.pair(71, 64)[1], s.pair(72, 64)[1]
    results, trace = s.server.record(lambda a, b: [a * b, (a << 6) - b], x, y)
    for result, direct in zip(results, [x * y, (x << 6) - y]):
        assert result.to_bytes() == direct.to_bytes() and result.server is s.server
    assert trace.degree == 2 * SLOTS and len(trace) > 20
    assert trace.counts["key_bytes"] == trace.counts["key_products"] * trace.degree * 4 > 0
    document = json.loads(trace.to_json())
    assert document["format"] == "halimede-ckks-trace" and len(document["steps"]) == len(trace)
    names = {external["name"] for external in document["externals"]}
    assert {"input 0, part 0", "input 1, part 1"} <= names
    assert [output["name"] for output in document["outputs"]][-1] == "output 1, part 1"
    again = ckks.Trace.from_json(trace.to_json())
    assert again == trace and again.counts == trace.counts and "keys read" in str(trace)
    # A rotation without a key is composed, with a note.
    few = s.client.server(rotations=[1, 4])
    [turned], composed = few.record(lambda a: a << 5, x)
    assert composed != trace and [text for _, text in composed.notes] == ["rotate by 5 = 4 + 1"]
    s.check(turned, np.roll(s.client.decrypt(x), -5))
    # A planned computation needs fewer key switches than the operators.
    z = (X << 1) + (X << 2) + (X << 3)
    [planned_z], hoisted = s.server.record(lambda a: s.server.run(z, x=a), x)
    [_], single = s.server.record(lambda a: (a << 1) + (a << 2) + (a << 3), x)
    assert hoisted.counts["forward_limbs"] < single.counts["forward_limbs"]
    s.check(planned_z, s.client.decrypt((x << 1) + (x << 2) + (x << 3)))


def test_traces_without_arithmetic() -> None:
    s = setting()
    x, y = s.pair(74, 64)[1], s.reals(75, -1.0, 1.0, 64)[1]
    weights = np.random.default_rng(76).uniform(-1.0, 1.0, 64)
    z = (X << 1) * weights + (X << 2) * ckks.Expression.input("y") - 3 * X
    plan = ckks.Plan(z, s.client.parameters, {"x": x, "y": y})
    server = s.client.server(**plan.operations)
    [result], trace = server.record(lambda a, b: server.run(plan, x=a, y=b), x, y)
    dry = plan.trace()
    assert dry == trace == plan.trace() and dry.counts == trace.counts and len(dry) > 20
    # Matrices that were encoded without data for a trace are not used by computations.
    matrix = np.random.default_rng(77).uniform(-0.1, 0.1, (16, 16))
    of_matrix = matrix @ X + 1.0
    small = s.reals(78, -1.0, 1.0, 16)
    planned = ckks.Plan(of_matrix, s.client.parameters, {"x": small[1]})
    assert len(planned.trace()) > 20
    s.check(s.server.run(planned, x=small[1]), matrix @ small[0] + 1.0)
    s.check(result, s.client.decrypt(server.run(plan, x=x, y=y)))


def test_traces_of_bootstraps_take_no_keys() -> None:
    parameters = ckks.Parameters.preset("n10-boot-insecure")
    twice = X.bootstrap() * X
    plan = ckks.Plan(twice, parameters, {"x": ckks.Input(1.0, level=1)})
    full, few = plan.trace(), plan.trace(few_keys=True)
    assert full.degree == few.degree == 1024 and full != few
    assert any(text == "ModRaise" for _, text in full.notes)
    names = [
        {of["name"] for of in json.loads(trace.to_json())["externals"]} for trace in (full, few)
    ]
    assert len(names[1]) < len(names[0]) and not any("constant" in name for name in names[0])
    with pytest.raises(TypeError):
        plan.trace(True)  # type: ignore[misc]


def test_wrong_traces() -> None:
    s = setting()
    x = s.pair(73, 8)[1]

    def fails(a: Any) -> Any:
        raise LookupError("of the work")

    with pytest.raises(LookupError, match="of the work"):
        s.server.record(fails, x)
    loose: Any = s.server
    with pytest.raises(TypeError, match="got int, wanted a halimede.ckks.Ciphertext"):
        loose.record(lambda a: [7], x)
    with pytest.raises(TypeError, match="not iterable"):
        loose.record(lambda a: 7, x)
    with pytest.raises(ValueError, match="n10-insecure"):
        loose.record(lambda: ckks.Client("n10-insecure").encrypt([1.0]))
    # A record does not include earlier work.
    assert len(s.server.record(lambda a: a, x)[1]) == 0
    text = s.server.record(lambda a: a + a, x)[1].to_json()
    for damaged, message in [
        (text[:-5], "EOF"), ("{}", "format"), (text.replace('"version":1', '"version":9'), "9"),
        (text.replace("halimede-ckks-trace", "other"), "format"), ("", "EOF"),
    ]:
        with pytest.raises(ValueError, match=message):
            ckks.Trace.from_json(damaged)
