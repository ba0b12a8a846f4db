# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The layer under generated functions: columns, lists, numbers, values, objects, settings."""

import itertools
from collections.abc import Callable
from typing import Any

import curves
import halimede
import numpy as np
import pytest
from curve_vectors import ORDER, generators, key_of, sign
from halimede import bls12_381, secp256k1
from halimede._native import answer
from halimede._verdicts import OUTCOMES, Values, Verdicts

G1, G2 = generators()
POINTS = [curves.multiply(G1, number) for number in range(2, 8)]
OTHERS = [curves.multiply(G2, number, "g2") for number in range(2, 8)]
NUMBERS = [0, 1, 5, ORDER - 1, 2**255 + 12345, 2**256 - 1]
SIGNATURE = sign(3, b"a", "pop", "min-pk")

# Functions of lists whose records have two fields, with the names and values of both.
LISTS: dict[str, tuple[Callable[[Any, Any], Any], tuple[str, str], list[Any], list[Any]]] = {
    "pairing_check": (bls12_381.pairing_check, ("g1", "g2"), POINTS, OTHERS),
    "pairing_product": (bls12_381.pairing_product, ("g1", "g2"), POINTS, OTHERS),
    "sum_of_multiples": (bls12_381.sum_of_multiples, ("points", "factors"), POINTS, NUMBERS),
    "verify_aggregate_of_messages": (
        lambda keys, messages: bls12_381.verify_aggregate_of_messages(
            keys, messages, [SIGNATURE] * len(keys)),
        ("keys", "messages"), POINTS, [bytes([number]) for number in range(6)],
    ),
}


@pytest.mark.parametrize("name", LISTS)
@pytest.mark.parametrize("first, second, row", [
    ([2], [1], 0), ([1], [2], 0), ([1], [0], 0), ([0], [1], 0),
    ([1, 2, 3], [1, 2, 2], 2), ([1, 2, 3], [1, 3, 2], 1),
    # Equal totals, divided differently.
    ([1, 2], [2, 1], 0), ([0, 3], [3, 0], 0),
    # A list is missing.
    ([1, 2], [1], 1), ([1], [1, 2], 1), ([], [0], 0), ([0], [], 0), ([1], [1, 0], 1),
])
def test_unequal_lists_are_refused(name: str, first: list[int], second: list[int], row: int) -> None:
    function, names, one, other = LISTS[name]
    with pytest.raises(ValueError, match=f"item {row}: wanted equal numbers of {names[0]} and {names[1]}"):
        function([one[:count] for count in first], [other[:count] for count in second])
    function([one[:count] for count in first], [other[:count] for count in first])


@pytest.mark.parametrize("form", ["list", "tuple", "generator", "array", "views"])
def test_columns_and_lists_of_every_form(form: str) -> None:
    forms: dict[str, Callable[[list[bytes]], Any]] = {
        "list": list, "tuple": tuple, "generator": iter,
        "array": lambda rows: np.frombuffer(b"".join(rows), np.uint8).reshape(len(rows), -1),
        "views": lambda rows: [memoryview(bytearray(row)) for row in rows],
    }
    made = forms[form]
    expected = [curves.add(POINTS[:4]), curves.add(POINTS[1:3])]
    assert list(bls12_381.sum([made(POINTS[:4]), made(POINTS[1:3])])) == expected
    assert list(bls12_381.sum(iter([made(POINTS[:4]), made(POINTS[1:3])]))) == expected
    keys, messages = [key_of(number, "min-pk") for number in (3, 4)], [b"a", b"b"]
    signatures = [sign(3, b"a", "pop", "min-pk"), sign(4, b"b", "pop", "min-pk")]
    assert bls12_381.verify_signature(made(keys), made(messages), made(signatures)).all()
    found = bls12_381.verify_aggregate_of_messages(
        [made(keys), made(keys[:1])], [made(messages), made(messages[:1])],
        made([curves.add(signatures, "g2"), signatures[0]]))
    assert found.all() and len(found) == 2
    # Arrays of three axes: two items of two keys.
    table = np.frombuffer(b"".join(keys * 2), np.uint8).reshape(2, 2, 48)
    same = [sign(number, b"a", "pop", "min-pk") for number in (3, 4)]
    assert bls12_381.verify_aggregate(table, made([b"a", b"a"]), [curves.add(same, "g2")] * 2).all()


def number_forms() -> dict[str, Any]:
    """The numbers of two items, `NUMBERS` and its reverse, in every form."""
    rows = [NUMBERS, NUMBERS[::-1]]
    in_bytes = [[number.to_bytes(32, "big") for number in row] for row in rows]
    joined = [b"".join(row) for row in in_bytes]
    table = np.frombuffer(b"".join(joined), np.uint8).reshape(2, len(NUMBERS), 32)
    wide = np.zeros((2, 2 * len(NUMBERS), 32), np.uint8)
    wide[:, ::2] = table
    return {
        "integers": rows,
        "tuples": tuple(tuple(row) for row in rows),
        "generators": (iter(row) for row in rows),
        "object arrays": [np.array(row, dtype=object) for row in rows],
        "bytes": in_bytes,
        "bytearrays": [[bytearray(number) for number in row] for row in in_bytes],
        "arrays of one axis": [list(row) for row in table],
        "one buffer": joined,
        "one view": [memoryview(row) for row in joined],
        "arrays of two axes": list(table),
        "array of three axes": table,
        "array with gaps": wide[:, ::2],
        "mixed": [[rows[0][0], *in_bytes[0][1:3], *rows[0][3:]], joined[1]],
    }


@pytest.mark.parametrize("form", number_forms())
def test_numbers_of_every_form(form: str) -> None:
    numbers = number_forms()[form]
    expected = []
    for row in (NUMBERS, NUMBERS[::-1]):
        total = sum(factor * place for factor, place in zip(row, range(2, 8))) % ORDER
        expected.append(curves.multiply(G1, total))
    assert list(bls12_381.sum_of_multiples([POINTS, POINTS], numbers)) == expected


@pytest.mark.parametrize("kind", ["u1", "i1", "u2", "i4", "u4", "i8", "u8"])
@pytest.mark.parametrize("count", [1, 2, 3, 4, 6])
def test_numpys_integers_are_numbers(kind: str, count: int) -> None:
    """Also if their array has the size of one number: four of 8 bytes have 32 bytes."""
    numbers = np.arange(3, 3 + count).astype(kind)
    total = sum(int(factor) * place for factor, place in zip(numbers, range(2, 8)))
    expected = curves.multiply(G1, total)
    assert bls12_381.sum_of_multiples([POINTS[:count]], [list(numbers)])[0] == expected
    if numbers.itemsize > 1:
        # An array of one-byte integers holds the bytes of numbers instead.
        assert bls12_381.sum_of_multiples([POINTS[:count]], [numbers])[0] == expected
        twice = np.stack([numbers, numbers])
        assert list(bls12_381.sum_of_multiples([POINTS[:count]] * 2, twice)) == [expected] * 2


@pytest.mark.parametrize("kind", ["u8", "i8", "f8", "f4"])
def test_limbs_and_floats_are_no_numbers(kind: str) -> None:
    """Bytes are big-endian, limbs of 64 bits are little-endian."""
    limbs = np.zeros((1, 32 // np.dtype(kind).itemsize), kind)
    with pytest.raises((TypeError, ValueError), match=r"factors\[0\]"):
        bls12_381.sum_of_multiples([POINTS[:1]], limbs[None])
    with pytest.raises((TypeError, ValueError), match=r"factors\[0\]\[0\]"):
        bls12_381.sum_of_multiples([POINTS[:1]], [[limbs[0]]])
    if kind.startswith("f"):
        with pytest.raises((TypeError, ValueError), match=r"factors\[0\]"):
            bls12_381.sum_of_multiples([POINTS[:1]], limbs)


@pytest.mark.parametrize("number, message", [
    (-1, "got -1, wanted an integer from 0 to 2"),
    (-(2**300), "got -2037.*wanted an integer from 0 to 2"),
    (2**256, "got 1157.*wanted an integer from 0 to 2"),
    (np.int64(-1), "got -1, wanted an integer from 0 to 2"),
    (bytes(31), "got 31 bytes, wanted 32"),
    (bytes(33), "got 33 bytes, wanted 32"),
    (b"", "got 0 bytes, wanted 32"),
])
def test_numbers_that_are_refused(number: Any, message: str) -> None:
    for row, place in itertools.product(range(2), range(2)):
        numbers: list[list[Any]] = [[1, 2], [3, 4]]
        numbers[row][place] = number
        with pytest.raises(ValueError, match=rf"factors\[{row}\]\[{place}\]: {message}"):
            bls12_381.sum_of_multiples([POINTS[:2]] * 2, numbers)


@pytest.mark.parametrize("length", [1, 31, 33, 63])
def test_a_buffer_of_numbers_has_32_bytes_for_each(length: int) -> None:
    for buffer in (bytes(length), bytearray(length), np.zeros(length, np.uint8)):
        with pytest.raises(ValueError, match=rf"factors\[1\]: got {length} bytes, wanted 32 for each"):
            bls12_381.sum_of_multiples([POINTS[:1]] * 2, [[1], buffer])
    with pytest.raises(ValueError, match=r"factors\[0\]\[0\]: got 31 bytes, wanted 32"):
        bls12_381.sum_of_multiples([POINTS[:2]] * 2, np.zeros((2, 2, 32), np.uint8)[:, :, 1:])


def test_bytes_with_gaps_are_no_list_of_small_numbers() -> None:
    """Every second of 64 bytes: one number that is not contiguous, and not 32 numbers of one
    byte."""
    for buffer in (memoryview(bytes(range(64)))[::2], np.arange(64, dtype=np.uint8)[::2]):
        for count in (1, 32):
            with pytest.raises(ValueError, match=r"factors\[0\]: got a buffer that is not contiguous"):
                bls12_381.sum_of_multiples([[G1] * count], [buffer])


def test_errors_of_the_callers_own_are_kept() -> None:
    class Own(Exception):
        pass

    class Number:
        def __index__(self) -> int:
            raise Own

    class Column:
        def __iter__(self) -> Any:
            raise Own

    def given(first: Any) -> Any:
        yield first
        raise Own

    calls: list[Callable[[], Any]] = [
        lambda: bls12_381.sum([given(POINTS[0])]), lambda: bls12_381.sum(given(POINTS)),
        lambda: secp256k1.verify_schnorr(given(bytes(32)), [], []),
        lambda: bls12_381.sum_of_multiples([POINTS[:1]], given([1])),
        lambda: bls12_381.sum_of_multiples([POINTS[:1]], [given(1)]),
        lambda: curves.multiply(POINTS[0], Number()),  # type: ignore[arg-type]
        lambda: bls12_381.sum(Column()),
        lambda: bls12_381.sum_of_multiples([POINTS[:1]], Column()),
        lambda: bls12_381.sum_of_multiples([POINTS[:1]], [Column()]),
    ]
    for call in calls:
        with pytest.raises(Own):
            call()


def some_values() -> Values:
    """Sums, of which number 2 is bad."""
    return bls12_381.sum([POINTS[:1], POINTS[:2], [bytes(48)], [], POINTS[:3]])


def test_values_are_a_sequence() -> None:
    values = some_values()
    expected = [POINTS[0], curves.add(POINTS[:2]), None, curves.add([]), curves.add(POINTS[:3])]
    reason = "element 0: the flags 0b000 are not those of a compressed point"
    assert len(values) == 5 and values.array.shape == (5, 48) and values.array.dtype == np.uint8
    assert values.verdicts.valid.tolist() == [True, True, False, True, True]
    assert (values.verdicts[2].outcome, values.verdicts[2].reason) == ("malformed", reason)
    for row, value in enumerate(expected):
        if value is None:
            continue
        assert values[row] == values[row - 5] == values[np.int64(row)] == value  # type: ignore[call-overload]
        assert type(values[row]) is bytes and values.array[row].tobytes() == value
    assert not values.array[2].any()
    for place in (2, -3):
        with pytest.raises(ValueError) as refused:
            values[place]
        assert str(refused.value) == f"item 2: {reason}"
    for place in (5, -6, 2**70):
        with pytest.raises(IndexError):
            values[place]
    with pytest.raises(TypeError):
        values["0"]  # type: ignore[call-overload]
    assert repr(values) == "<5 values of 48 bytes, <5 verdicts, 1 not valid>>"


def test_slices_and_iterations_of_values() -> None:
    values = some_values()
    assert values[:2] == [values[0], values[1]]
    assert values[3:] == [values[3], values[4]] and values[4:2:-1] == [values[4], values[3]]
    assert values[7:] == [] and values[:-3] == values[:2] and values[::3] == [values[0], values[3]]
    for part in (slice(None), slice(1, 3), slice(2, 1, -1), slice(-3, -2)):
        with pytest.raises(ValueError, match="item 2: element 0"):
            values[part]
    found = []
    with pytest.raises(ValueError, match="item 2: element 0"):
        for value in values:
            found.append(value)
    assert found == values[:2]
    with pytest.raises(ValueError, match="item 2: element 0"):
        list(reversed(values))
    good = bls12_381.sum([POINTS[:1], POINTS[:2]])
    assert list(good) == good[:] == [good[0], good[1]] == list(reversed(good))[::-1]
    assert POINTS[0] in good and good.index(good[1]) == 1 and good.count(good[1]) == 1


def test_verdicts_name_their_reasons() -> None:
    found = bls12_381.verify_signature(
        [key_of(3, "min-pk")] * 3, [b"a", b"b", b"a"], [SIGNATURE, SIGNATURE, SIGNATURE[1:]])
    assert isinstance(found, Verdicts) and len(found) == 3
    assert found.outcomes.tolist() == [OUTCOMES.index(name) for name in ("valid", "mismatch", "signature")]
    assert [row for row, _ in found.invalid()] == [1, 2] and found[-3] and not found[-1]
    assert [verdict.outcome for verdict in found[1:]] == ["mismatch", "signature"]
    assert found[0].reason is None and all(verdict.reason for verdict in found[1:])
    with pytest.raises(IndexError):
        found[3]
    with pytest.raises(ValueError, match="ambiguous; use .all"):
        bool(found)


def test_many_items_keep_their_order() -> None:
    """More items than one thread reads, with bad ones between them."""
    lists = [POINTS[: number % 7] if number % 11 else [bytes(number % 48 + 49)] for number in range(700)]
    values = bls12_381.sum(lists)
    expected = [curves.add(POINTS[:count]) for count in range(7)]
    for number in range(700):
        if number % 11:
            assert values[number] == expected[number % 7]
        else:
            assert values.verdicts[number].outcome == "malformed"
            assert not values.array[number].any()


def test_bad_devices_operations_and_settings() -> None:
    calls: list[tuple[Callable[[], Any], str]] = [
        (lambda: answer("bls12_381.nothing", [], [], [], None), "unknown operation"),
        (lambda: answer("", [], [], [], None), "unknown operation"),
        (lambda: answer("bls12_381.sum", [("curve", "g1")], [], [[]], None), "curve"),
        (lambda: answer("bls12_381.sum", [("group", "")], [], [[]], None), "`group`: one of g1, g2"),
        (lambda: answer("bls12_381.sum", [], [], [], None), "a column is missing"),
        (lambda: answer("bls12_381.pairing_check", [], [], [[]], None), "a column is missing"),
        (lambda: answer("bls12_381.hash_to_curve", [], [], [[]], None), "domain"),
        (lambda: answer("kzg.verify_proof", [], [], [[], [], [], []], None), "setup"),
        (lambda: answer("kzg.verify_proof", [("setup", "x")], [], [[], [], [], []], None), "setup"),
    ]
    for call, message in calls:
        with pytest.raises(ValueError, match=message):
            call()
    with pytest.raises(ValueError, match="device cpu has been closed"):
        device = halimede.Device("cpu")
        device.close()
        bls12_381.sum([], device=device)
