# SPDX-License-Identifier: Apache-2.0 OR MIT
"""What operations take in the ring, as servers record it."""

from __future__ import annotations

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
    # A rotation is composed where there is no key for it, and that is said.
    few = s.client.server(rotations=[1, 4])
    [turned], composed = few.record(lambda a: a << 5, x)
    assert composed != trace and [text for _, text in composed.notes] == ["rotate by 5 = 4 + 1"]
    s.check(turned, np.roll(s.client.decrypt(x), -5))
    # A planned computation takes fewer switches than the operators do.
    z = (X << 1) + (X << 2) + (X << 3)
    [planned_z], hoisted = s.server.record(lambda a: s.server.run(z, x=a), x)
    [_], single = s.server.record(lambda a: (a << 1) + (a << 2) + (a << 3), x)
    assert hoisted.counts["forward_limbs"] < single.counts["forward_limbs"]
    s.check(planned_z, s.client.decrypt((x << 1) + (x << 2) + (x << 3)))


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
    # What came before is not in the next one.
    assert len(s.server.record(lambda a: a, x)[1]) == 0
    text = s.server.record(lambda a: a + a, x)[1].to_json()
    for damaged, message in [
        (text[:-5], "EOF"), ("{}", "format"), (text.replace('"version":1', '"version":9'), "9"),
        (text.replace("halimede-ckks-trace", "other"), "format"), ("", "EOF"),
    ]:
        with pytest.raises(ValueError, match=message):
            ckks.Trace.from_json(damaged)
