# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Operations on ciphertexts agree with NumPy's on their values."""

import math
import operator
from typing import Any, Callable

import halimede
import numpy as np
import pytest
from ckks_setting import LEVELS, MOST, SLOTS, WORST, complexes, setting, small
from halimede import ckks

Formula = Callable[[Any, Any, Any], Any]


def within(bound: Any, values: Any, x: Any) -> Any:
    """Values with a declared bound, for operations with an encrypted operand."""
    return values if isinstance(x, np.ndarray) else ckks.bounded(values, bound)


# Formulas of two ciphertexts and a plain vector, and the levels that they consume.
FORMULAS: dict[str, tuple[Formula, int]] = {
    "x + y": (lambda x, y, v: x + y, 0),
    "x - y": (lambda x, y, v: x - y, 0),
    "x * y": (lambda x, y, v: x * y, 1),
    "-x": (lambda x, y, v: -x, 0),
    "+x": (lambda x, y, v: +x, 0),
    "x + v": (lambda x, y, v: x + v, 0),
    "v + x": (lambda x, y, v: v + x, 0),
    "x - v": (lambda x, y, v: x - v, 0),
    "v - x": (lambda x, y, v: v - x, 0),
    "x * v": (lambda x, y, v: x * v, 1),
    "v * x": (lambda x, y, v: v * x, 1),
    "x / v": (lambda x, y, v: x / (v + 3), 1),
    "real vector": (lambda x, y, v: v.real * x, 1),
    "float32 vector": (lambda x, y, v: x + v.real.astype(np.float32), 0),
    "integers": (lambda x, y, v: x - within((0, 4), np.arange(len(v), dtype=np.uint16) % 5, x), 0),
    "integers on the left": (lambda x, y, v: within(4, np.arange(len(v)) % 5, x) - x, 0),
    "x + bounded": (lambda x, y, v: x + within(7.0, 7 * v, x), 0),
    "bounded - x": (lambda x, y, v: within((0.0, 2.0), 1 + v.real, x) - x, 0),
    "x * bounded": (lambda x, y, v: x * within(30, 30 * v, x), 1),
    "bounded * x": (lambda x, y, v: within((-3, 3), 3 * v.imag, x) * x, 1),
    "x / bounded": (lambda x, y, v: x / within(4.0, v + 1.25, x), 1),
    "a bounded number": (lambda x, y, v: x * within(4.0, 3, x), 1),
    "booleans": (lambda x, y, v: x * (v.real > 0), 1),
    "strided": (lambda x, y, v: x + v[::-1], 0),
    "list": (lambda x, y, v: x + np.asarray(v.tolist()) if isinstance(x, np.ndarray)
             else x + v.tolist(), 0),
    "number": (lambda x, y, v: x + (0.25 - 2j), 0),
    "number on the left": (lambda x, y, v: 1.5 - x, 0),
    "times a number": (lambda x, y, v: 0.3 * x, 1),
    "times a complex number": (lambda x, y, v: (0.3 - 0.7j) * x, 1),
    "times an integer": (lambda x, y, v: 7 * x, 0),
    "times a NumPy integer": (lambda x, y, v: np.int64(-3) * x, 0),
    "times i": (lambda x, y, v: 1j * x, 0),
    "times a Gaussian integer": (lambda x, y, v: (2 - 3j) * x, 0),
    "times zero": (lambda x, y, v: x * 0 + y, 0),
    "over a number": (lambda x, y, v: x / 3, 1),
    "over a small number": (lambda x, y, v: x / 0.125, 0),
    "square": (lambda x, y, v: x**2, 1),
    "cube": (lambda x, y, v: x**3, 2),
    "eleventh power": (lambda x, y, v: (x / 2) ** 11, 5),
    "first power": (lambda x, y, v: x**1, 0),
    "polynomial": (lambda x, y, v: 3 * x * y + x**2 - v * y + 1, 1),
    "np.add": (lambda x, y, v: np.add(v, x), 0),
    "np.multiply": (lambda x, y, v: np.multiply(x, y), 1),
    "np.square": (lambda x, y, v: np.square(x), 1),
    "np.negative": (lambda x, y, v: np.negative(x), 0),
    "np.conjugate": (lambda x, y, v: np.conjugate(x), 0),
    "conj": (lambda x, y, v: x.conj() * y, 1),
    "real": (lambda x, y, v: x.real, 1),
    "np.imag": (lambda x, y, v: np.imag(x), 1),
    "np.roll": (lambda x, y, v: np.roll(x, 3), 0),
    "np.roll back": (lambda x, y, v: np.roll(x, -1000), 0),
}


@pytest.mark.parametrize("name", FORMULAS)
@pytest.mark.parametrize("count", [SLOTS, 16])
def test_formulas(name: str, count: int) -> None:
    formula, levels = FORMULAS[name]
    s, seed = setting(), sum(map(ord, name)) + count
    (x, sealed_x), (y, sealed_y) = s.pair(seed, count), s.pair(seed + 1, count)
    v = small(seed + 2, count)
    sealed = formula(sealed_x, sealed_y, v)
    s.check(sealed, formula(x, y, v))
    assert sealed.level == LEVELS - levels and sealed.server is s.server
    # Operands are immutable.
    s.check(sealed_x, x)
    s.check(sealed_y, y)


@pytest.mark.parametrize("steps", [0, 1, -1, 5, 1234, -SLOTS, SLOTS + 2, 10**30])
def test_rotations(steps: int) -> None:
    s = setting()
    x, sealed = s.pair(steps % 1000)
    expected = np.roll(x, -(steps % SLOTS))
    for turned in (sealed.rotate(steps), sealed << steps, sealed >> -steps,
                   ckks.rotate(sealed, steps)):
        s.check(turned, expected)
    first, second = sealed.rotate_many([steps, 7])
    s.check(first, expected)
    s.check(second, np.roll(x, -7))


def test_sums() -> None:
    s = setting()
    x, sealed = s.pair(1)
    for of in (np.sum, ckks.sum, lambda x: x.sum()):
        s.check(of(sealed), np.full(SLOTS, x.sum()))
    s.check(np.mean(sealed), np.full(SLOTS, x.mean()))
    s.check(sealed.sum(5, batch=100), sum(np.roll(x, -100 * j) for j in range(5)))
    s.check(sealed.sum(batch=1024), np.tile(x.reshape(4, 1024).sum(0), 4))
    one = np.zeros(16)
    one[:3] = [1.5, -2, 3]
    copies = s.server.bind(s.client.encrypt(one, bound=3)).replicate(4, 1)
    expected = sum(np.roll(one, j) for j in range(4))
    s.check(copies, expected)


def test_dot_products() -> None:
    s = setting()
    (x, sealed_x), (y, sealed_y) = s.pair(2), s.pair(3)
    expected = np.full(SLOTS, (x * y).sum())
    known_x, known_y = ckks.bounded(x, MOST), ckks.bounded(y, MOST)
    for product in (sealed_x @ sealed_y, ckks.dot(sealed_x, sealed_y), np.dot(sealed_x, sealed_y),
                    sealed_x @ known_y, known_x @ sealed_y, np.dot(known_x, sealed_y),
                    sealed_x.dot(known_y)):
        s.check(product, expected)
    y = small(4, SLOTS)
    for product in (sealed_x @ y, y @ sealed_x, np.dot(y, sealed_x), sealed_x @ y.tolist()):
        s.check(product, np.full(SLOTS, (x * y).sum()))


@pytest.mark.parametrize("shape", [(16, 16), (3, 10), (10, 3), (1, 9), (16, 1)])
def test_matrices(shape: tuple[int, int]) -> None:
    rows, columns = shape
    s = setting()
    entries = small(rows, rows * columns).reshape(shape)
    x, sealed = s.pair(columns, columns)
    y, other = s.pair(columns + 1, rows)
    matrix = s.server.matrix(entries, level=2)
    assert matrix.shape == shape
    for product in (matrix @ sealed, entries @ sealed, np.matmul(entries, sealed),
                    s.server.matrix(entries.tolist()) @ sealed):
        s.check(product, entries @ x)
        assert product.level == LEVELS - 1 and len(product) == rows
    for product in (other @ entries, np.matmul(other, entries), other.dot(entries)):
        s.check(product, y @ entries)
    lower = matrix @ sealed.at_level(2)
    s.check(lower, entries @ x)
    assert lower.level == 1


def test_bounds_of_matrices() -> None:
    s = setting()
    x, sealed = s.reals(6, -1, 1, 5)
    entries = np.random.default_rng(8).uniform(-9, 9, (3, 5))
    sums, largest = np.abs(entries).sum(1).max(), np.abs(entries).max()
    bounds = {}
    for name, matrix in {
        "bound": s.server.matrix(entries, bound=9), "pair": s.server.matrix(entries, bound=(-9, 9)),
        "bounded": s.server.matrix(ckks.bounded(entries, 9.0)),
        "row sum": s.server.matrix(entries, bound=9, row_sum=40.0),
        "public": s.server.matrix(entries, public=True),
    }.items():
        product = matrix @ sealed
        s.check(product, entries @ x)
        bounds[name] = product.magnitude
    assert bounds["bound"] == bounds["pair"] == bounds["bounded"] == pytest.approx(45)
    assert bounds["row sum"] == pytest.approx(40) and bounds["public"] == pytest.approx(sums)
    for product in (ckks.bounded(entries, 9) @ sealed, sealed @ ckks.bounded(entries.T, 9)):
        s.check(product, entries @ x)
        assert product.magnitude == pytest.approx(45)
    # The same entries with another bound are another matrix.
    assert (ckks.bounded(entries, 10) @ sealed).magnitude == pytest.approx(50)
    for make, message in [
        (lambda: s.server.matrix(entries), r"absolute value .* 1 is declared, .*server.matrix\(matrix, bound=b\)"),
        (lambda: entries @ sealed, r"1 is declared, .*halimede.ckks.bounded\(matrix, b\)"),
        (lambda: s.server.matrix(entries, bound=largest / 2), "is declared"),
        (lambda: s.server.matrix(entries, bound=9, row_sum=1.0), "have the sum .* row_sum="),
        (lambda: s.server.matrix(entries, bound=9, row_sum=np.nan), "have the sum"),
        (lambda: s.server.matrix(entries, bound=-1), "bound: got -1"),
        (lambda: s.server.matrix(1j * entries, bound=(0, 9)), "is an interval of real numbers"),
        (lambda: s.server.matrix(entries, bound=9, level=9), "level: got 9"),
        (lambda: s.server.matrix(entries, bound=9, level=0), "at level 0"),
    ]:
        with pytest.raises(ValueError, match=message):
            make()
    for make, message in [
        (lambda: s.server.matrix(entries, bound=9, public=True), "public entries need no bound"),
        (lambda: s.server.matrix(ckks.bounded(entries, 9), bound=9), "already declared with the entries"),
        (lambda: s.server.matrix(entries, bound="9"), "bound: got '9', wanted a number, or a pair"),
    ]:
        with pytest.raises(TypeError, match=message):
            make()


def test_an_array_that_was_changed_is_another_matrix() -> None:
    s = setting()
    x, sealed = s.pair(5, 8)
    entries = small(6, 64).reshape(8, 8) / 10
    for _ in range(7):
        s.check(entries @ sealed, entries @ x)
        s.check(entries.T @ sealed, entries.T @ x)
        entries[2, 3] += 0.1


def test_a_matrix_tells_its_rotations() -> None:
    client = setting().client
    entries = np.diag(np.arange(1.0, 33)) + np.diag(np.full(27, 2.0), 5)
    matrix = ckks.Matrix(client.parameters, entries, bound=32)
    assert matrix.diagonals == 2 and matrix.rotations
    server = client.server(rotations=[matrix])
    assert sorted(by % 32 for by in server.keys.rotations) == sorted(matrix.rotations)
    x = np.linspace(-1, 1, 32)
    setting().check(matrix @ server.bind(client.encrypt(x)), entries @ x)


SERIES = {
    "powers": np.polynomial.Polynomial([1, -2, 0, 0.5]),
    "powers of a part": np.polynomial.Polynomial([1, -2, 3], domain=[-2, 2], window=[-1, 1]),
    "Chebyshev": np.polynomial.Chebyshev([0.5, 1, -0.25, 0.125, 2]),
    "Chebyshev on an interval": np.polynomial.Chebyshev([0.5, 1, 0, 0.125], domain=[-1.5, 2]),
    "Chebyshev of another window": np.polynomial.Chebyshev([1, 2, 3], domain=[-1, 1], window=[0, 1]),
    "Legendre": np.polynomial.Legendre([0.5, 1, -0.25], domain=[-2, 2]),
}


@pytest.mark.parametrize("name", SERIES)
def test_polynomials_of_numpy(name: str) -> None:
    s = setting()
    x, sealed = s.reals(len(name), -1, 1)
    series = SERIES[name]
    s.check(sealed.apply(series), series(x), 0.0)
    s.check(s.server.evaluate(sealed, series), series(x), 0.0)


def test_functions_of_blocks() -> None:
    s = setting()
    functions = [np.tanh, np.exp, lambda v: 0.25, np.cos]
    p = [ckks.approximate(function, (-1, 1), degree=7) for function in functions]
    for count, block in [(SLOTS, 64), (64, 16), (64, 2)]:
        x, sealed = s.reals(14, -1, 1, count)
        y = sealed.apply_blocks(functions, block, (-1, 1), degree=7)
        places = np.arange(count) // block % 4
        expected = np.choose(places, [of.values(x).real for of in p])
        s.check(y, expected, max(of.error for of in p) + 1e-5)
        assert y.level == LEVELS - 3
        assert y.to_bytes() == sealed.apply_blocks(p, block).to_bytes()
        planned = ckks.Expression.input("x").apply_blocks(p, block)
        assert s.server.run(planned, x=sealed).to_bytes() == y.to_bytes()
    with pytest.raises(TypeError, match="block: got 1.5, wanted an integer"):
        sealed.apply_blocks(p, 1.5)  # type: ignore[arg-type]
    for functions, block, message in [
        (p[:3], 16, "must be a power of two; got 3"), (p, 0, "must be a power of two; got 0"),
        (p, 32, "4 blocks of 32 slots are more than the 64"),
        ([p[0], np.polynomial.Polynomial([1, 2])], 16, "polynomial 1 is in powers"),
    ]:
        with pytest.raises(ValueError, match=message):
            sealed.apply_blocks(functions, block)
        with pytest.raises(ValueError, match=message):
            s.server.run(ckks.Expression.input("x").apply_blocks(functions, block), x=sealed)


def test_functions_of_an_interval() -> None:
    s = setting()
    x, sealed = s.reals(9, -3, 2)
    for function, exact in [
        (np.exp, np.exp), (math.sin, np.sin),
        (lambda v: complex(v, -v), lambda v: v - 1j * v), (lambda v: np.float32(v), np.float32),
    ]:
        p = ckks.approximate(function, (-3, 2), error=1e-4)
        assert 0 <= p.error <= 1e-4 and p.interval == (-3, 2)
        s.check(sealed.apply(function, (-3, 2), error=1e-4), exact(x), 1e-4)
        s.check(ckks.apply(p, sealed), p.values(x), 1e-4)
        assert sealed.apply(p).level == LEVELS - p.levels
    assert ckks.approximate(np.exp, (-3, 2), degree=6).degree == 6
    y = ckks.sigmoid(sealed, (-3, 2), degree=15)
    s.check(y, 1 / (1 + np.exp(-x)), 1e-4)


def test_the_exception_of_a_function_is_its_own() -> None:
    calls = []

    def function(x: float) -> float:
        calls.append(x)
        raise LookupError(f"nothing at {x}")

    with pytest.raises(LookupError, match="nothing at"):
        ckks.approximate(function, (-1, 1), error=1e-3)
    assert len(calls) == 1


def missed(sign: ckks.Sign) -> float:
    """The largest error of max(0, x): below the threshold, and elsewhere."""
    x = np.linspace(0, sign.threshold, 1000)
    return float((x * (1 - sign.values(x).real) / 2).max()) + sign.bound * sign.error / 2


def test_signs() -> None:
    s = setting()
    generator = np.random.default_rng(11)
    values = generator.choice([-1, 1], SLOTS) * generator.uniform(0.25, 1, SLOTS)
    sealed = s.server.bind(s.client.encrypt(values))
    rule = {"bound": 1.0, "threshold": 0.25, "error": 0.05}
    sign = ckks.Sign(**rule)
    assert sign.levels <= 6 and np.abs(sign.values(values) - np.sign(values)).max() <= 0.0501
    s.check(ckks.sign(sealed, **rule), np.sign(values), 0.05)
    s.check(ckks.greater(sealed, 0.0, sign), values > 0, 0.025)
    s.check(ckks.relu(sealed, sign), np.maximum(values, 0), 0.025)
    other = np.where(generator.uniform(size=SLOTS) < 0.5, values - 0.5, values + 0.5)
    sealed_other = s.server.bind(s.client.encrypt(other, bound=MOST))
    # Differences that are known to be smaller than their bounds.
    with pytest.raises(ValueError, match=r"may lie from -2.5 to 2.5, .* x.between\(low, high\)"):
        ckks.greater(sealed, sealed_other, **rule)
    for of, exact in [(ckks.maximum, np.maximum), (ckks.minimum, np.minimum)]:
        wide = ckks.Sign(bound=2.5, threshold=0.5, error=0.05)
        s.check(of(sealed, sealed_other, wide), exact(values, other), missed(wide))
    difference = (sealed - sealed_other).between(-0.5, 0.5)
    s.check(ckks.greater(difference, 0.0, **rule), values > other, 0.025)


@pytest.mark.parametrize("of, exact", [
    (ckks.inverse, np.reciprocal), (ckks.sqrt, np.sqrt),
    (ckks.inverse_sqrt, lambda x: 1 / np.sqrt(x)),
])
def test_quotients_and_roots(of: Callable[..., ckks.Ciphertext], exact: Any) -> None:
    s = setting()
    x, sealed = s.reals(12, 0.5, 2)
    s.check(of(sealed, (0.5, 2), error=1e-4), exact(x), 1e-4)


def test_public_keys() -> None:
    s = setting()
    x, y = complexes(13, SLOTS), complexes(14, SLOTS)
    public = s.client.public_key()
    sealed = s.server.bind(public.encrypt(x, bound=MOST))
    s.check(sealed * s.server.bind(public.encrypt(y, bound=MOST, level=3)), x * y)
    assert public.encrypt(y, bound=MOST, level=3).level == 3
    real = public.encrypt([1.5, -0.25, 0.5], bound=(-0.5, 2))
    assert real.bound == (-0.5, 2) and real.key_id == public.key_id == s.client.key_id
    s.check(real, np.array([1.5, -0.25, 0.5]))
    with pytest.raises(ValueError, match="value 0 is 1.5, .*bound="):
        public.encrypt([1.5])


def test_sharing() -> None:
    s = setting()
    x, sealed = s.pair(15)
    # A separate client, since a statement applies to everything that a client shares.
    client = ckks.Client.load(s.client.secret_bytes(), insecure=True)
    for security_bits, error_at_least in [(4, None), (10, None), (4, 2.0**-20)]:
        statement: dict[str, Any] = dict(
            security_bits=security_bits, queries=6, error_at_least=error_at_least)
        bits = client.precision_for_sharing(sealed, **statement)
        flooding = security_bits / 2 + math.log2(12 * 6 * 2 * SLOTS) / 2
        error = max(math.sqrt(2) * sealed.error, error_at_least or 0.0)
        assert abs(bits + math.log2(error) + flooding) < 0.01
        shared, again = (client.decrypt_for_sharing(sealed, **statement) for _ in range(2))
        deviation = np.sqrt(np.mean(np.abs(shared - x) ** 2))
        assert 0.9 < deviation * 2**bits < 1.1
        assert np.any(shared != again)
    with pytest.raises(ValueError, match="6 decryptions were shared"):
        client.decrypt_for_sharing(sealed, security_bits=4, queries=100)


def test_sharing_believes_no_file() -> None:
    client = ckks.Client("n10-insecure")
    keys = client.evaluation_keys(multiply=True)
    values = np.linspace(-0.5, 0.5, 16)
    x = client.encrypt(values)
    plan = ckks.Plan(ckks.Expression.input("x") ** 2, client.parameters, {"x": x})
    own = ckks.Server(keys).run(plan, x=x)
    result = ckks.Ciphertext.load(own.to_bytes(), client.parameters)
    assert result.has_claimed_error and not own.has_claimed_error and not x.has_claimed_error
    assert own.error_anywhere == own.error
    statement: dict[str, Any] = dict(security_bits=4, queries=6)
    with pytest.raises(ValueError, match="is only a claim of the writer of its file"):
        client.decrypt_for_sharing(result, **statement)
    expected = plan.expected(keys, {"x": x})
    assert abs(math.log2(expected.error / own.error)) < 0.1
    bits = [client.precision_for_sharing(own, **statement)]
    bits.append(client.precision_for_sharing(result, **statement, expected=expected))
    bits.append(client.precision_for_sharing(result, **statement, error_at_least=2**0.5 * expected.error))
    assert max(bits) - min(bits) < 0.1
    shared = client.decrypt_for_sharing(result, **statement, expected=expected)
    assert np.abs(shared - values**2).max() < 6 * 2 ** -bits[0]
    with pytest.raises(ValueError, match="the result of the requested computation has"):
        client.decrypt_for_sharing(x, **statement, expected=expected)
    with pytest.raises(ValueError, match="give a finite number above 0"):
        client.decrypt_for_sharing(result, **statement, error_at_least=0.0)
    public = ckks.Ciphertext.load(client.public_key().encrypt(values).to_bytes(), client.parameters)
    with pytest.raises(ValueError, match="is only a claim of the writer of its file"):
        plan.expected(keys, {"x": public})
    assert plan.expected(keys, {"x": public}, public_inputs=True).error > expected.error


def test_bootstraps() -> None:
    client = ckks.Client("n10-boot-insecure")
    server = client.server(multiply=True, bootstrap=True)
    assert server.can_bootstrap and client.parameters.has_bootstrap
    assert server.prepare_bootstrap() > 0
    values = 0.7 * complexes(16, client.parameters.slots)
    worn_out = server.bind(client.encrypt(values, level=0))
    with pytest.raises(ValueError, match="level 0 and a product needs level 1"):
        worn_out * worn_out
    fresh = worn_out.bootstrap()
    assert fresh.level == client.parameters.levels
    found = client.decrypt(fresh * fresh)
    assert np.abs(found - values**2).max() < 2**-8
    assert not client.server(multiply=True).can_bootstrap


@pytest.mark.parametrize("slots", [1, 5, 32])
def test_bootstraps_of_few_slots(slots: int) -> None:
    client = ckks.Client("n10-boot-insecure")
    server = client.server(bootstrap_slots=[slots])
    assert not server.can_bootstrap
    keys = client.evaluation_keys(bootstrap=True)
    assert 0 < len(client.evaluation_keys(bootstrap_slots=[slots]).rotations) < len(keys.rotations)
    assert server.prepare_bootstrap(slots) > 0
    values = 0.7 * complexes(slots, slots)
    fresh = server.bind(client.encrypt(values, level=0)).bootstrap()
    assert fresh.level == client.parameters.levels
    assert np.abs(client.decrypt(fresh) - values).max() < 2**-20
    with pytest.raises(ValueError, match="bootstrap"):
        server.bind(client.encrypt(small(1, 512), level=0)).bootstrap()
    with pytest.raises(ValueError, match="bootstrap"):
        server.prepare_bootstrap()
    for wrong in (0, -8, 2 * client.parameters.slots):
        with pytest.raises(ValueError, match=f"bootstrap_slots: got {wrong}, wanted 1 to 512"):
            client.server(bootstrap_slots=[wrong])


@pytest.mark.parametrize("slots", [5, 512])
def test_bootstraps_with_few_keys(slots: int) -> None:
    client = ckks.Client("n10-boot-insecure")
    keys = client.evaluation_keys(bootstrap_slots=[slots], few_keys=True)
    usual = client.evaluation_keys(bootstrap_slots=[slots])
    assert 0 < len(keys.rotations) < len(usual.rotations)
    server = ckks.Server(keys)
    assert server.can_bootstrap == (slots == 512)
    values = 0.7 * complexes(slots, slots)
    fresh = server.bind(client.encrypt(values, level=0)).bootstrap()
    assert fresh.level == client.parameters.levels
    assert np.abs(client.decrypt(fresh) - values).max() < 2**-20


def test_attributes() -> None:
    s = setting()
    x, sealed = s.pair(17, 1000, level=3)
    assert (sealed.slots, len(sealed), sealed.shape, np.size(sealed)) == (1024, 1000, (1000,), 1000)
    assert sealed.ndim == np.ndim(sealed) == 1 and np.shape(sealed) == (1000,)
    assert sealed.level == 3 and 2**39 < sealed.scale < 2**41
    assert 20 < sealed.precision < 40 and sealed.error == pytest.approx(2**-sealed.precision)
    assert sealed.magnitude == sealed.bound == MOST and not sealed.is_real
    assert sealed.key_id == s.client.key_id == s.server.keys.key_id and len(bytes.fromhex(sealed.key_id)) == 8
    assert s.client.server().keys.key_id is None
    assert sealed.parameters == s.client.parameters == s.server.parameters
    assert "1000 values, level 3" in repr(sealed)
    assert s.client.encrypt(2.5, bound=3).shape == (1,)
    assert s.server.keys.operations == ["multiply", "conjugate"]
    assert 1 in s.server.keys.rotations and -1 in s.server.keys.rotations


def test_parameters() -> None:
    names = ckks.Parameters.presets()
    assert {"n13-insecure", "n14", "n15", "n16"} <= set(names)
    small, n14 = ckks.Parameters.preset("n13-insecure"), ckks.Parameters.preset("n14")
    assert (small.slots, small.degree, small.levels, small.security) == (SLOTS, 8192, LEVELS, None)
    assert n14.security == 128 and 400 < n14.log_qp <= 430 and n14.slots == 8192
    assert "INSECURE" in str(small) and "INSECURE" not in str(n14) and "n14" in repr(n14)
    assert small == ckks.Parameters.preset("n13-insecure") != n14
    assert len({small, n14, ckks.Parameters.preset("n14")}) == 2
    assert n14.key_bytes > small.key_bytes > 0 and not n14.has_bootstrap
    assert 39 < n14.scale_bits < 41 and n14.default_bound == 1


def test_two_clients_have_two_secrets() -> None:
    s = setting()
    x, sealed = s.pair(18)
    other = ckks.Client("n13-insecure")
    assert other.key_id != s.client.key_id
    server, foreign = other.server(multiply=True), other.encrypt(x, bound=MOST)
    for call in (lambda: other.decrypt(sealed), lambda: server.bind(sealed),
                 lambda: server.load(sealed.to_bytes()), lambda: s.server.bind(foreign),
                 lambda: s.server.run(ckks.Expression.input("x") * 2, x=foreign)):
        with pytest.raises(ValueError, match=f"{s.client.key_id}|{other.key_id}.* goes together"):
            call()
    first, second = (s.client.encrypt(x, bound=MOST).to_bytes() for _ in range(2))
    assert first != second


def test_functions_of_the_module_are_those_of_ciphertexts() -> None:
    assert operator.attrgetter("ckks.Client")(halimede) is ckks.Client
    s = setting()
    x, sealed = s.pair(19)
    s.check(ckks.conjugate(sealed), np.conj(x))
    s.check(ckks.mean(sealed), np.full(SLOTS, x.mean()))
