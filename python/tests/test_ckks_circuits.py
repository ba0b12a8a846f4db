# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Expressions, their plans, and their results on servers: the same as the operators' and
NumPy's."""

import functools
import math
from typing import Any, Callable

import numpy as np
import pytest
from ckks_setting import LEVELS, MOST, SLOTS, setting, small
from halimede import ckks
from test_ckks import FORMULAS, SERIES, missed

X, Y = ckks.Expression.input("x"), ckks.Expression.input("y")


@pytest.mark.parametrize("name", FORMULAS)
@pytest.mark.parametrize("count", [SLOTS, 16])
def test_formulas_are_computed_as_by_the_operators(name: str, count: int) -> None:
    formula, levels = FORMULAS[name]
    s, seed = setting(), 7 * sum(map(ord, name)) + count
    (x, sealed_x), (y, sealed_y) = s.pair(seed, count), s.pair(seed + 1, count)
    v = small(seed + 2, count)
    expression = formula(X, Y, v)
    given = {"x": sealed_x, "y": sealed_y}
    plan = ckks.Plan(formula(X, Y, v), s.client.parameters, used(expression, given))
    sealed = s.server.run(expression, **used(expression, given))
    s.check(sealed, formula(x, y, v))
    assert (sealed.level, plan.level, plan.depth) == (LEVELS - levels, LEVELS - levels, levels)
    assert sealed.server is s.server and len(sealed) == count
    # The same integers; the error is estimated for the whole or step by step.
    direct = formula(sealed_x, sealed_y, v)
    assert np.array_equal(s.client.decrypt(sealed), s.client.decrypt(direct))


def used(expression: ckks.Expression, given: dict[str, Any]) -> dict[str, Any]:
    """Returns the inputs that an expression has."""
    for names in (["x"], ["y"], ["x", "y"]):
        fewer = {name: given[name] for name in names}
        try:
            ckks.Plan(expression, setting().client.parameters, fewer)
        except ValueError:
            continue
        return fewer
    raise AssertionError("no inputs do")


@pytest.mark.parametrize("name", [
    "x * y", "x - v", "v - x", "times a Gaussian integer", "eleventh power", "real", "np.roll",
    "times a complex number", "over a number",
])
def test_the_bytes_are_those_of_the_operators(name: str) -> None:
    formula, _ = FORMULAS[name]
    s, v = setting(), small(4, SLOTS)
    sealed_x, sealed_y = s.pair(len(name))[1], s.pair(len(name) + 9)[1]
    given = {"x": sealed_x, "y": sealed_y}
    expression = formula(X, Y, v)
    direct = formula(sealed_x, sealed_y, v).to_bytes()
    assert s.server.run(expression, **used(expression, given)).to_bytes() == direct


def test_sums_matrices_and_series() -> None:
    s = setting()
    generator = np.random.default_rng(21)
    for count in (8, 16):
        x, sealed = s.pair(count, count)
        entries = small(count, count * count).reshape(count, count)
        kept = s.server.matrix(entries)
        v, known = generator.normal(size=count), ckks.bounded(3 * entries, 3)
        given = ckks.bounded(v, 5)
        for of, expected in [
            (lambda x: x.sum(count), np.full(count, x.sum())),
            (lambda x: ckks.sum(x, 4, 2), sum(np.roll(x, -2 * j) for j in range(4))),
            (lambda x: x.sum(), np.full(count, x.sum())),
            (lambda x: np.sum(x), np.full(count, x.sum())),
            (lambda x: x.mean(), np.full(count, x.mean())),
            (lambda x: np.mean(x), np.full(count, x.mean())),
            (lambda x: x @ given, np.full(count, x @ v)),
            (lambda x: given @ x, np.full(count, x @ v)),
            (lambda x: np.dot(x, given), np.full(count, x @ v)),
            (lambda x: x @ x, np.full(count, x @ x)),
            (lambda x: known @ x, 3 * entries @ x),
            (lambda x: entries @ x, entries @ x),
            (lambda x: x @ entries, x @ entries),
            (lambda x: kept @ x, entries @ x),
            (lambda x: x.dot(entries), x @ entries),
        ]:
            s.check(s.server.run(of(X), x=sealed), expected)
            s.check(of(sealed), expected)
    one = np.zeros(16)
    one[:2] = [1.5, -2]
    copies = s.server.run(X.replicate(4, 1), x=s.client.encrypt(one, bound=2))
    s.check(copies, sum(np.roll(one, j) for j in range(4)))
    x, sealed = s.reals(3, -1, 1)
    for name, series in SERIES.items():
        s.check(s.server.run(X.apply(series), x=sealed), series(x), 0.0)
        assert name


def test_functions() -> None:
    s = setting()
    x, sealed = s.reals(22, -2, 2)
    run = functools.partial(s.server.run, x=sealed)
    s.check(run(X.apply(np.exp, (-2, 2), error=1e-4)), np.exp(x), 1e-4)
    assert run(X.apply(np.exp, (-2, 2), error=1e-4)).to_bytes() == (
        sealed.apply(np.exp, (-2, 2), error=1e-4).to_bytes()
    )
    s.check(run(X.map(np.tanh, error=1e-4)), np.tanh(x), 1e-4)
    s.check(run((X / 2).bounded(1.0).map(np.arctan, error=1e-5)), np.arctan(x / 2), 1e-5)
    s.check(run(X.map(lambda v: complex(v, -v), degree=1)), x - 1j * x)
    s.check(run(ckks.sigmoid(X, (-2, 2), degree=15)), 1 / (1 + np.exp(-x)), 1e-4)
    for of, exact in [
        (ckks.inverse, np.reciprocal), (ckks.sqrt, np.sqrt),
        (ckks.inverse_sqrt, lambda x: 1 / np.sqrt(x)),
    ]:
        values, positive = s.reals(23, 0.5, 2)
        s.check(s.server.run(of(X, (0.5, 2), error=1e-4), x=positive), exact(values), 1e-4)


def test_signs() -> None:
    s = setting()
    generator = np.random.default_rng(24)
    values = generator.choice([-1, 1], SLOTS) * generator.uniform(0.25, 1, SLOTS)
    other = np.where(generator.uniform(size=SLOTS) < 0.5, values - 0.5, values + 0.5)
    x, y = s.client.encrypt(values), s.client.encrypt(other, bound=MOST)
    sign = ckks.Sign(bound=1.0, threshold=0.25, error=0.05)
    for expression, exact, within in [
        (ckks.sign(X, sign), np.sign(values), 0.05),
        (ckks.greater(X, 0.0, sign), values > 0, 0.025),
        (ckks.relu(X, bound=1.0, threshold=0.25, error=0.05), np.maximum(values, 0), 0.025),
    ]:
        s.check(s.server.run(expression, x=x), exact, within)
    wide = ckks.Sign(bound=2.5, threshold=0.5, error=0.05)
    for expression, exact, within in [
        (ckks.greater((X - Y).between(-0.5, 0.5), 0, sign), values > other, 0.025),
        (ckks.greater(X, Y, wide), values > other, 0.025),
        (ckks.maximum(X, Y, wide), np.maximum(values, other), missed(wide)),
        (ckks.minimum(X, Y, wide), np.minimum(values, other), missed(wide)),
    ]:
        s.check(s.server.run(expression, x=x, y=y), exact, within)
    with pytest.raises(ValueError, match=r"may lie from -2.5 to 2.5, .* x.between\(low, high\)"):
        s.server.run(ckks.greater(X, Y, sign), x=x, y=y)


def test_plans_tell_what_is_needed() -> None:
    parameters = setting().client.parameters
    z = ((X * Y).labeled("the product") + (X << 3) + X.conjugate()) * (0.5 + (X * Y))
    inputs = {"x": ckks.Input(2.0, length=1024), "y": ckks.Input((0, 0.5), length=1024, level=5)}
    plan = ckks.Plan(z, parameters, inputs)
    assert plan.operations == {
        "multiply": True, "conjugate": True, "rotations": [3], "bootstrap": False,
        "bootstrap_slots": [],
    }
    assert plan.keys == ["products", "conjugates", "rotation by 3"]
    assert (plan.depth, plan.level, plan.bootstraps, plan.is_least) == (2, 3, 0, True)
    assert plan.parameters == parameters
    assert plan.inputs == {
        "x": ckks.Input(2.0, length=1024, level=LEVELS),
        "y": ckks.Input((0, 0.5), length=1024, level=5),
    }
    # A repeated subexpression is computed once.
    steps = plan.steps
    products = [step for step in steps if step.what == "product"]
    assert len(products) == 2 and [step.label for step in products] == ["the product", None]
    assert products[0].level == 4 and products[0].magnitude == 1.0 and products[0].length == 1024
    assert products[0].bound == (-1.0, 1.0) and plan.inputs["y"].bound == (0, 0.5)
    assert all(operand < place for place, step in enumerate(steps) for operand in step.operands)
    assert str(plan).count("\n") == len(steps) + 3
    assert str(plan).endswith("keys        products, conjugates, rotation by 3")
    assert repr(plan) == f"<halimede.ckks.Plan of {len(steps)} steps, 0 bootstraps>"
    assert repr(X) == "<halimede.ckks.Expression(x)>" and "sum" in repr(X + 1)
    assert repr(ckks.Input()) == "Input(1)"
    assert repr(ckks.Input((0, 2), length=5, level=2)) == "Input((0, 2), length=5, level=2)"
    complex_input = ckks.Input(2, real=False)
    assert repr(complex_input) == "Input(2, real=False)" and not complex_input.is_real
    assert (complex_input.bound, complex_input.magnitude, ckks.Input(2).bound) == (2, 2, (-2, 2))
    whole = ckks.Plan(X + 1, parameters, {"x": ckks.Input()})
    assert whole.inputs["x"] == ckks.Input(1.0, length=SLOTS, level=LEVELS) != ckks.Input()


def test_a_plan_is_run_for_other_inputs_that_fit() -> None:
    s = setting()
    plan = ckks.Plan(X * Y + 1, s.client.parameters, {
        "x": ckks.Input(MOST, real=False, length=64, level=4),
        "y": ckks.Input(MOST, real=False, length=64),
    })
    server = s.client.server(**plan.operations)
    assert server.keys.operations == ["multiply"] and server.keys.rotations == []
    plan.check(server)
    for seed, level in [(31, 8), (32, 4), (33, 6)]:
        (x, sealed), (y, other) = s.pair(seed, 64, level=level), s.pair(seed + 10, 64)
        product = server.run(plan, x=sealed, y=other)
        s.check(product, x * y + 1)
        assert product.level == 3 and product.server is server
    # Names with a meaning in Python are valid names.
    names = {"self": 1.0, "computation": 2.0, "a name with spaces": 3.0}
    expression = sum((number * ckks.Expression.input(name) for name, number in names.items()), X)
    sealed = {name: s.client.encrypt([number], bound=3) for name, number in names.items()}
    s.check(s.server.run(expression, x=s.client.encrypt([1.0]), **sealed), [1 + 1 + 4 + 9])


def test_inputs_that_do_not_fit() -> None:
    s = setting()
    x = s.pair(1, 64)[1]
    given = {"x": ckks.Input(MOST, real=False, length=64, level=6)}
    plan = ckks.Plan(X * X, s.client.parameters, given)
    foreign = ckks.Client("n10-insecure")
    untyped: Any = s.server
    for other, message in [
        (s.pair(1, 32)[1], "32 values, .* but the plan expects 64 values"),
        (x.at_level(5), "level 5"),
        (2 * x, "plan again for this input"),
        (foreign.encrypt([1.0]), "n10-insecure"),
    ]:
        with pytest.raises(ValueError, match=message):
            s.server.run(plan, x=other)
    with pytest.raises(ValueError, match="no ciphertext is called x; the names are: $"):
        s.server.run(plan)
    for run in (lambda **names: s.server.run(plan, **names), lambda **names: s.server.run(X, **names)):
        with pytest.raises(ValueError, match="the expression has no input z; its inputs are: x"):
            run(x=x, z=x)
    with pytest.raises(ValueError, match="no ciphertext is called x; the names are: z"):
        s.server.run(X, z=x)
    with pytest.raises(ValueError, match="the plan is for other parameters"):
        foreign.server().run(plan, x=foreign.encrypt([1.0]))
    for call, message in [
        (lambda: untyped.run(plan, x=[1.0]), "got list, wanted a halimede.ckks.Ciphertext"),
        (lambda: untyped.run(x, x=x), "expression: got Ciphertext"),
        (lambda: untyped.run(lambda x: x, x=x), "expression: got function"),
        (lambda: untyped.run(), "missing"),
        (lambda: untyped.run(X, x), "positional"),
    ]:
        with pytest.raises(TypeError, match=message):
            call()


def test_missing_keys_are_named_before_anything_is_computed() -> None:
    s = setting()
    x = s.pair(2, 16)[1]
    poor = s.client.server(rotations=[1])
    expression = (X * X << 5) + X.conjugate() + np.eye(16)[::-1] @ X
    plan = ckks.Plan(expression, s.client.parameters, {"x": x})
    # Rotations are composed of rotations with keys, except those of a matrix.
    message = "no key to conjugate, or to multiply ciphertexts, or to rotate by"
    for call in (lambda: poor.run(expression, x=x), lambda: poor.run(plan, x=x),
                 lambda: plan.check(poor)):
        with pytest.raises(ValueError, match=message):
            call()
    low = s.client.server(**plan.operations, level=2)
    with pytest.raises(ValueError, match="goes up to level 2"):
        low.run(plan, x=x)
    s.client.server(**plan.operations).run(plan, x=x)


def planned(expression: Any, **inputs: Any) -> ckks.Plan:
    """A plan for an input of 64 values, and other inputs."""
    given = {"x": ckks.Input(1.0, length=64), **inputs}
    return ckks.Plan(expression, setting().client.parameters, given)


@pytest.mark.parametrize("call, message", [
    (lambda: planned(X + Y), "no ciphertext is called y; the names are: x"),
    (lambda: planned(X, y=ckks.Input()), "the expression has no input y; its inputs are: x"),
    (lambda: planned((X + Y).labeled("both"), y=ckks.Input(length=32)), "both: a vector of 64"),
    (lambda: planned(X * np.ones(128)), "64 values and one of 128"),
    (lambda: planned(X + np.ones(64) + np.ones(32)), "64 values and one of 32"),
    (lambda: planned(X + np.full(64, np.nan)), "value 0 is NaN"),
    (lambda: planned(X * np.nan), "NaN"),
    (lambda: planned(X + []), "no value to encode"),
    (lambda: X + np.ones((2, 2)), "wanted one axis"),
    (lambda: planned(ckks.Expression.plain(3.0) * 2), "contains no ciphertext"),
    (lambda: planned(ckks.Expression.plain(1j).map(np.sin, degree=3) + X), "needs real numbers"),
    (lambda: planned(X.bounded(np.nan)), "bound: got nan"),
    (lambda: planned(X.bounded(-1.0)), "bound: got -1.0"),
    (lambda: X.between(2, 1), r"bound: got \(2.0, 1.0\), wanted"),
    (lambda: ckks.bounded([1], -1), "bound: got -1"),
    (lambda: ckks.bounded([1j], (0, 1)), "interval of real numbers"),
    (lambda: planned(X * (2 * np.ones(64))), r"declare a bound .*halimede.ckks.bounded\(values, b\)"),
    (lambda: planned(X + [*[0.5] * 63, 2.0]), "value 63 is 2.0"),
    (lambda: planned(X * ckks.bounded([3.0] * 64, 2)), "value 0 is 3.0, but the declared bound is real values from -2 to 2"),
    (lambda: X / np.full(64, 0.5), "a product with reciprocals, and 1 is their bound"),
    (lambda: X / ckks.bounded(np.full(64, 0.1), 9), "9 is declared as .* the largest here is 10"),
    (lambda: planned(X[3:70]), "values 3 to 70 are out of range: the vector has 64"),
    (lambda: planned(X[64]), "values 64 to 65 are out of range"),
    (lambda: planned(X[5:5]), "values 5 to 5 are out of range"),
    (lambda: X[1:9:2], "wanted 1"),
    (lambda: X << 10**30, "steps: got 1000"),
    (lambda: planned(X.sum(9, 8)), "9 batches of 8 slots do not fit in 64"),
    (lambda: planned(X.replicate(1 << 63, 2)), "do not fit"),
    (lambda: X.sum(-1), "count: got -1"),
    (lambda: planned(X @ np.eye(8)), "64 values and one of 8"),
    (lambda: X @ np.full((8, 8), np.inf), "is not finite"),
    (lambda: X @ np.ones((2, 2, 2)), "two axes"),
    (lambda: planned(X.apply(lambda v: 1 / (1.001 - v), (-1, 1), degree=600)), "needs level 10"),
    (lambda: X.apply(np.exp, (1, -1), error=0.1), "is not an interval"),
    (lambda: planned(X.map(lambda v: math.log(v) if v > 0 else -np.inf, error=0.1)), "not finite at"),
    (lambda: planned(X.map(lambda v: np.nan, degree=3)), "not finite at"),
    (lambda: planned(X.map(np.exp, error=-1.0)), "cannot be reached"),
    (lambda: planned(X.map(np.exp, degree=9999)), "at most 4095; got 9999"),
    (lambda: X.map(np.exp, degree=-1), "degree: got -1"),
    (lambda: planned(ckks.inverse(X, (-1, 1), error=0.1)), "not finite at 0"),
    (lambda: planned((X**300).labeled("a power")), "a power: the ciphertext is at level 0"),
    (lambda: X**-2, "exponent: got -2, .*halimede.ckks.inverse"),
    (lambda: setting().server.run(X.bootstrap(), x=setting().pair(1)[1]), "no levels for a bootstrap"),
    (lambda: X**0, "exponent: got 0, wanted an integer from 1"),
    (lambda: X**4096, "exponent: got 4096"),
    (lambda: ckks.Input(np.nan), "bound: got nan"),
    (lambda: ckks.Input(-1.0), "bound: got -1"),
    (lambda: ckks.Input((0, 1), real=False), "interval of real numbers"),
    (lambda: planned(X, x=ckks.Input(length=SLOTS + 1)), "x: got a length of 4097, wanted 1 to 4096"),
    (lambda: planned(X, x=ckks.Input(length=0)), "x: got a length of 0"),
    (lambda: planned(X, x=ckks.Input(level=9)), "x: got level 9, the highest of n13-insecure is 8"),
    (lambda: planned(X, x=ckks.Client("n10-insecure").encrypt([1.0])), "n10-insecure"),
])
def test_wrong_values(call: Callable[[], Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call()


untyped: Any = ckks


@pytest.mark.parametrize("call, message", [
    (lambda: planned(7), "expression: got int"),
    (lambda: planned(X, x=1.0), "x: got float, wanted a halimede.ckks.Ciphertext or Input"),
    (lambda: untyped.Plan(X, "n13-insecure", {}), "CkksParameters"),
    (lambda: untyped.Expression.input(7), "'int' object"),
    (lambda: ckks.Expression.plain("text"), "operand: got an array of <U4"),
    (lambda: X + "text", "unsupported operand"),
    (lambda: X * ["text"], "operand: got an array of <U4"),
    (lambda: X + setting().pair(1, 8)[1], "unsupported operand"),
    (lambda: setting().pair(1, 8)[1] * X, "unsupported operand"),
    (lambda: setting().pair(1, 8)[1] @ X, "unsupported operand"),
    (lambda: untyped.maximum(X, setting().pair(1, 8)[1], ckks.Sign(1.0, 0.5, 0.1)),
     "an expression and a ciphertext, wanted two of one kind"),
    (lambda: untyped.relu(7, ckks.Sign(1.0, 0.5, 0.1)), "got int, wanted a halimede.ckks.Ciphertext or"),
    (lambda: X / Y, "a quotient of expressions: .*halimede.ckks.inverse"),
    (lambda: 1 / X, "a quotient by an expression"),
    (lambda: X**0.5, "exponent: got 0.5"),
    (lambda: X << 1.5, "'float' object"),
    (lambda: X @ 3, "unsupported operand"),
    (lambda: X.sum(batch=2), "count: an expression has no length"),
    (lambda: X.sum(1.5), "count: got 1.5"),
    (lambda: X[1:], "an expression has no length before it is planned; give the end"),
    (lambda: X[-1], "an expression has no length before it is planned; count from the start"),
    (lambda: X[:-1], "count from the start"),
    (lambda: X["a"], "index: got str, wanted an integer or start:stop"),
    (lambda: X[1, 2], "index: got tuple"),
    (lambda: len(untyped.Expression.input("x")), "no len"),
    (lambda: X == X, "expressions are not compared"),
    (lambda: X < 1, "expressions are not compared"),
    (lambda: bool(X), "an expression is neither true nor false"),
    (lambda: np.ones(4) > X, "expressions are not compared"),
    (lambda: np.median(X), "numpy.median is not computed on expressions"),
    (lambda: np.exp(X), "numpy.exp is not computed on expressions"),
    (lambda: np.asarray(X), "an expression is not an array"),
    (lambda: list(untyped.Expression.input("x")), "not iterable"),
    (lambda: X.map(7, degree=3), "function: got int, wanted a function"),
    (lambda: X.map(np.exp), "degree, error: give one"),
    (lambda: X.map(np.exp, degree=2.5), "degree: got 2.5"),
    (lambda: planned(X.map(lambda v: "a", degree=3)), "function: got str of"),
    (lambda: X.apply(np.exp, error=0.1), "interval: a function needs an interval"),
    (lambda: untyped.Input("1"), "bound: got '1', wanted a number, or a pair"),
    (lambda: untyped.Input(length=1.5), "'float' object"),
])
def test_wrong_types(call: Callable[[], Any], message: str) -> None:
    with pytest.raises(TypeError, match=message):
        call()


def test_the_exception_of_a_function_is_its_own() -> None:
    s = setting()
    x = s.reals(3, -1, 1, 8)[1]
    calls: list[float] = []

    def function(v: float) -> float:
        calls.append(v)
        if len(calls) == 3:
            raise LookupError(f"nothing at {v}")
        return v

    expression = (X * X + 1).map(function, error=1e-3) * X.map(np.sin, degree=3)
    given = {"x": x}
    for call in (lambda: ckks.Plan(expression, s.client.parameters, given),
                 lambda: s.server.run(expression, x=x)):
        calls.clear()
        with pytest.raises(LookupError, match="nothing at"):
            call()
        assert len(calls) == 3
    # The function is called only by planning, and planning works once the function does.
    plan = ckks.Plan(expression, s.client.parameters, given)
    count = len(calls)
    s.server.run(plan, x=x)
    assert len(calls) == count > 3

    def nested(v: float) -> float:
        """Plans, and fails, during planning."""
        with pytest.raises(KeyError):
            planned(X.map(lambda w: {}[w], degree=3))
        return float(ckks.approximate(np.sin, (-1, 1), degree=3).values([v])[0].real)

    values, sealed = s.reals(4, -0.1, 0.1)
    s.check(s.server.run(X.map(nested, degree=3), x=sealed), np.sin(values), 1e-2)


def test_bootstraps_come_by_themselves() -> None:
    client = ckks.Client("n10-boot-insecure")
    parameters = client.parameters
    generator = np.random.default_rng(41)
    expression, depth = X, parameters.levels + 3
    for _ in range(depth):
        expression = (expression * Y).bounded(1.0)
    x, y = (generator.choice([-1, 1], parameters.slots) * generator.uniform(0.9, 1, parameters.slots)
            for _ in range(2))
    given = {"x": client.encrypt(x), "y": client.encrypt(y)}
    plan = ckks.Plan(expression, parameters, given)
    assert plan.bootstraps >= 1 and plan.is_least and plan.depth == depth
    assert plan.operations["bootstrap"] and plan.operations["multiply"]
    assert sum(step.is_bootstrap for step in plan.steps) == plan.bootstraps
    assert f"bootstraps  {plan.bootstraps}" in str(plan)
    server = client.server(**plan.operations)
    result = server.run(plan, **given)
    assert result.level == plan.level
    assert np.abs(client.decrypt(result) - x * y**depth).max() < 2**-6
    with pytest.raises(ValueError, match="no key to bootstrap|bootstrap"):
        client.server(multiply=True).run(expression, **given)
    # An explicit bootstrap.
    worn_out = client.encrypt(0.5 * x, level=0)
    fresh = server.run(X.bootstrap() * X.bootstrap(), x=worn_out)
    assert np.abs(client.decrypt(fresh) - 0.25 * x**2).max() < 2**-8
    assert ckks.Plan(X.bootstrap() * X.bootstrap(), parameters, {"x": worn_out}).bootstraps == 1
    large = ((1000 * X) ** 3) ** 8
    with pytest.raises(ValueError, match=r"declare a smaller bound for them: x.bounded\(b\)"):
        ckks.Plan(large, parameters, {"x": ckks.Input(1.0, level=0)})
    known = ((1000 * X).bounded(1.0) ** 3) ** 8
    assert ckks.Plan(known, parameters, {"x": ckks.Input(1.0, level=0)}).bootstraps >= 1


def test_long_expressions() -> None:
    s = setting()
    x, sealed = s.pair(51, 8)
    expression = X
    for _ in range(20_000):
        expression = expression + X
    s.check(s.server.run(expression * (1 / 20_001), x=sealed), x)
    y, turned = X, x
    for k in range(12):
        y = (y << k) - 0.5 * (y >> 1) if k % 4 == 0 else (y << 1) + y
        turned = (np.roll(turned, -k) - 0.5 * np.roll(turned, 1) if k % 4 == 0
                  else np.roll(turned, -1) + turned)
    s.check(s.server.run(y, x=sealed), turned)
    assert ckks.Plan(y, s.client.parameters, {"x": sealed}).operations["rotations"]
