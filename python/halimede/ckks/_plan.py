# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Plans of expressions: steps, levels, bootstraps, keys."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple, TypedDict, Union

from halimede._native import CkksExpected, CkksInput, CkksParameters, CkksPlan, CkksTrace
from halimede.ckks._bounded import Bound
from halimede.ckks._ciphertext import Ciphertext, sealed_of
from halimede.ckks._expression import Expression

if TYPE_CHECKING:
    from halimede.ckks._server import EvaluationKeys, Server

__all__ = ["Operations", "Plan", "PlanStep"]

Given = Union[Ciphertext, CkksInput]


class Operations(TypedDict):
    """The operations that need keys, as arguments of `Client.server` and
    `Client.evaluation_keys`."""

    multiply: bool
    conjugate: bool
    rotations: list[int]
    bootstrap: bool
    bootstrap_slots: list[int]


class PlanStep(NamedTuple):
    """An operation on ciphertexts in a `Plan`."""

    what: str
    """The operation in words."""
    operands: list[int]
    """The operands: indices into `Plan.steps`."""
    label: str | None
    """The label from `Expression.labeled`."""
    level: int
    """The level of its result."""
    length: int
    """The number of values of the result."""
    bound: Bound
    """The bound of the result's values: see `Ciphertext.bound`."""
    is_bootstrap: bool
    """True for a bootstrap."""

    @property
    def magnitude(self) -> float:
        """The largest possible absolute value of the result."""
        return max(map(abs, self.bound)) if isinstance(self.bound, tuple) else self.bound


class Plan:
    """A plan: the list of steps that compute an expression. Each value is computed once. The plan
    inserts bootstraps where levels run out, if the parameters support them.

    expression: the expression to compute.
    parameters: the parameters of the ciphertexts.
    inputs: by name, a ciphertext or its description, an `Input`.

    A search minimizes the number of bootstraps; it is exhaustive except for large circuits
    (`is_least`). Bootstraps of values up to 1 have the full precision, those of larger values less;
    use `Expression.bounded` for values that are smaller than estimated.

    Raises ValueError for an input that is missing or not in the expression, and for a computation
    that is not possible. Plans are immutable, and can be run any number of times (`Server.run`).

    >>> x = halimede.ckks.Expression.input("x")
    >>> parameters = halimede.ckks.Parameters.preset("n13-insecure")
    >>> plan = halimede.ckks.Plan(x**3 + (x << 4), parameters, {"x": halimede.ckks.Input(2.0)})
    >>> print(plan)
    step  what           of    level  values up to  called
    1     input x              8      2.000
    2     product        1, 1  7      4.000
    3     product        1, 2  6      8.000
    4     rotation by 4  1     8      2.000
    5     sum            3, 4  6      10.000
    depth       2
    bootstraps  0
    keys        products, rotation by 4
    >>> plan.operations
    {'multiply': True, 'conjugate': False, 'rotations': [4], 'bootstrap': False, 'bootstrap_slots': []}
    """

    __slots__ = ("_native",)

    def __init__(
        self, expression: Expression, parameters: CkksParameters, inputs: Mapping[str, Given]
    ) -> None:
        if not isinstance(expression, Expression):
            kind = type(expression).__name__
            raise TypeError(f"expression: got {kind}, wanted a halimede.ckks.Expression")
        given = [
            (name, given._sealed if isinstance(given, Ciphertext) else given)
            for name, given in inputs.items()
        ]
        self._native = CkksPlan(expression._native, parameters, given)

    @property
    def parameters(self) -> CkksParameters:
        """The parameters."""
        return self._native.parameters

    @property
    def inputs(self) -> dict[str, CkksInput]:
        """The descriptions of the inputs from the plan's creation."""
        return self._native.inputs

    @property
    def steps(self) -> list[PlanStep]:
        """The steps; the last step computes the value of the expression."""
        return [PlanStep(*step) for step in self._native.steps]

    @property
    def depth(self) -> int:
        """The levels that the longest path consumes, from an input or an explicit bootstrap of the
        expression. Parameters with this number of levels need no further bootstraps."""
        return self._native.depth

    @property
    def level(self) -> int:
        """The level of the result."""
        return self._native.level

    @property
    def bootstraps(self) -> int:
        """The number of bootstraps."""
        return self._native.bootstraps

    @property
    def is_least(self) -> bool:
        """True if the number of bootstraps, without the explicit ones, is known to be minimal."""
        return self._native.is_least

    @property
    def operations(self) -> Operations:
        """The operations that need keys. `client.server(**plan.operations)` makes exactly these
        keys."""
        multiply, conjugate, rotations, bootstrap, slots = self._native.operations
        return Operations(
            multiply=multiply, conjugate=conjugate, rotations=rotations, bootstrap=bootstrap,
            bootstrap_slots=slots,
        )

    @property
    def keys(self) -> list[str]:
        """The operations that need keys, by name: "products", "conjugates", "bootstraps", "rotation
        by 3"."""
        return self._native.keys

    def check(self, server: Server) -> None:
        """Checks that a server has the plan's parameters and keys. Raises ValueError with the names
        of all missing keys."""
        self._native.check(server._native)

    def expected(
        self, keys: EvaluationKeys | Server, inputs: Mapping[str, Ciphertext], *,
        public_inputs: bool = False,
    ) -> CkksExpected:
        """Returns the result's level, scale, length and error, without arithmetic and without the
        server. `Client.decrypt_for_sharing` needs it for a result that somebody else computed.

        keys: the evaluation keys of the server.
        inputs: by name, the ciphertexts as they were encrypted.
        public_inputs: state that inputs from others were encrypted with the client's public key.

        Raises ValueError for inputs that somebody else computed.

        >>> x = halimede.ckks.Expression.input("x")
        >>> client = halimede.ckks.Client("n13-insecure")
        >>> sealed = client.encrypt([0.5, -1.0])
        >>> plan = halimede.ckks.Plan(x * x, client.parameters, {"x": sealed})
        >>> keys = client.evaluation_keys(multiply=True)
        >>> plan.expected(keys, {"x": sealed}).error < 2**-20
        True
        """
        given = [(name, sealed_of(sealed)) for name, sealed in inputs.items()]
        return self._native.expected(keys._native, given, public_inputs)

    def trace(self, *, few_keys: bool = False) -> CkksTrace:
        """Records the ring operations of the plan without arithmetic, encryption or keys. This
        takes a fraction of a second and some megabytes, also for a bootstrap at N = 2^16.

        few_keys: use the bootstraps with few keys.

        Input k of the trace is the k-th of `inputs`. Plaintexts that the plan encodes itself
        (vectors, matrices, masks) have numbered names, such as "constant 7".

        >>> x = halimede.ckks.Expression.input("x")
        >>> parameters = halimede.ckks.Parameters.preset("n13-insecure")
        >>> plan = halimede.ckks.Plan(x * x, parameters, {"x": halimede.ckks.Input(2.0)})
        >>> plan.trace().counts["key_products"] > 0
        True
        """
        return self._native.trace(few_keys)

    def __str__(self) -> str:
        return str(self._native)

    def __repr__(self) -> str:
        count, often = len(self.steps), self.bootstraps
        return f"<halimede.ckks.Plan of {count} steps, {often} bootstraps>"
