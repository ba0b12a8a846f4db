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
    """What `Client.server` and `Client.evaluation_keys` make keys for."""

    multiply: bool
    conjugate: bool
    rotations: list[int]
    bootstrap: bool
    bootstrap_slots: list[int]


class PlanStep(NamedTuple):
    """An operation on ciphertexts, of a `Plan`."""

    what: str
    """The operation in words."""
    operands: list[int]
    """The operands: places in `Plan.steps`."""
    label: str | None
    """The label from `Expression.labeled`."""
    level: int
    """The level of its result."""
    length: int
    """The number of values of the result."""
    bound: Bound
    """The bound of the result's values: see `Ciphertext.bound`."""
    is_bootstrap: bool
    """Whether it is a bootstrap."""

    @property
    def magnitude(self) -> float:
        """The largest absolute value that the result may have."""
        return max(map(abs, self.bound)) if isinstance(self.bound, tuple) else self.bound


class Plan:
    """A plan: the list of the steps that compute an expression, each value computed once, with
    bootstraps where levels do not suffice and the parameters have those of a bootstrap.

    expression: what is to be computed.
    parameters: those of the ciphertexts.
    inputs: by name, a ciphertext or what is known of one: an `Input`.

    As few values are bootstrapped as are found, by a search that is exhaustive for all but large
    circuits (`is_least`). Those up to 1 are as precise as a bootstrap is, larger ones less;
    `Expression.bounded` tells where they are smaller than estimated.

    Raises ValueError for an input that is missing, or not in the expression, and for whatever
    cannot be computed. Plans are immutable, and are run any number of times (`Server.run`).

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
        """The inputs, as they were described when the plan was made."""
        return self._native.inputs

    @property
    def steps(self) -> list[PlanStep]:
        """The steps; the value of the last one is the expression's."""
        return [PlanStep(*step) for step in self._native.steps]

    @property
    def depth(self) -> int:
        """The levels that the longest path takes, from an input or a bootstrap that the expression
        asks for: with as many, none is put in."""
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
        """Whether the number of bootstraps is known to be minimal, not counting requested ones."""
        return self._native.is_least

    @property
    def operations(self) -> Operations:
        """The operations that need keys: `client.server(**plan.operations)` has these keys, and no
        others."""
        multiply, conjugate, rotations, bootstrap, slots = self._native.operations
        return Operations(
            multiply=multiply, conjugate=conjugate, rotations=rotations, bootstrap=bootstrap,
            bootstrap_slots=slots,
        )

    @property
    def keys(self) -> list[str]:
        """The names of what keys are needed for: "products", "conjugates", "bootstraps", "rotation
        by 3"."""
        return self._native.keys

    def check(self, server: Server) -> None:
        """Checks that a server has the same parameters and every key. The ValueError names all keys
        that are missing."""
        self._native.check(server._native)

    def expected(
        self, keys: EvaluationKeys | Server, inputs: Mapping[str, Ciphertext], *,
        public_inputs: bool = False,
    ) -> CkksExpected:
        """The result's level, scale, length and error, found without arithmetic and without the server:
        what `Client.decrypt_for_sharing` takes for a result that somebody else computed.

        keys: the evaluation keys that the server has.
        inputs: by name, the ciphertexts as they were encrypted.
        public_inputs: whether those that the client did not encrypt were encrypted by its public key.

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
        """The ring operations that running the plan takes, recorded without arithmetic: nothing is
        encrypted, and no keys are made. That takes a fraction of a second and some megabytes, also
        for a bootstrap at N = 2^16.

        few_keys: whether bootstraps are those that take few keys.

        Input k of the trace is the k-th of `inputs`. What the plan encodes itself (vectors,
        matrices, masks) has numbers for names, such as "constant 7".

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
