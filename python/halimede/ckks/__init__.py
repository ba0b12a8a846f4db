# SPDX-License-Identifier: Apache-2.0 OR MIT
"""CKKS: approximate arithmetic on encrypted vectors of real or complex numbers.

A `Client` holds the secret key: it encrypts, decrypts, and makes evaluation keys for a stated list
of operations. A `Server` has the evaluation keys and no secret key. A `Ciphertext` that a server
loads or binds supports NumPy's operators, like a NumPy vector.

    >>> import numpy as np
    >>> from halimede import ckks
    >>> client = ckks.Client("n13-insecure")          # "n14" for anything but trying things out
    >>> keys = client.evaluation_keys(multiply=True, rotations=[1])
    >>> server = ckks.Server(keys)
    >>> x = server.bind(client.encrypt([0.5, -2.0, 3.0, 1.0], bound=3))
    >>> y = 3 * x**2 + (x << 1) - np.array([1, 0, 0, 1])
    >>> y
    <halimede.ckks.Ciphertext of 4 values, level 7, 30 bits>
    >>> np.allclose(client.decrypt(y), [-2.25, 15, 28, 2.5], atol=1e-6)
    True

A vector has at most N/2 values and keeps its length. A product consumes one level; a ciphertext of
level 0 must be bootstrapped before another product. Sums, differences and products with integers up
to 1024 consume no level. Rotations and sums over a vector consume no level if its length is a power
of two, and one level otherwise. Operands of different levels are first brought to the lower level.

The range of the values is public: `bound` is declared at encryption, is 1 by default, and is
derived for each result. A plain array in a computation has the bound 1 too, or that of `bounded`.
Only the client knows the values, so `==`, `<` and `bool` raise TypeError. Vectors of real numbers
are decrypted to float64, complex vectors to complex128.

Decrypted values have an error; `precision` is the expected number of correct bits after the binary
point. Only the owner of the secret key may see the result of `Client.decrypt`;
`decrypt_for_sharing` returns values for others. engines/ckks/SECURITY.md describes what is secret
and what is guaranteed.

Several parties can share one secret key that none of them knows: see `Session`.

An `Expression` is a computation that is written with the same operators and run later by
`Server.run`; a `Plan` shows in advance its keys and its bootstraps.

All work runs on all cores without the interpreter's lock. A wrong value raises ValueError with
advice, a wrong type TypeError, and a file that cannot be read OSError.
"""

from halimede.ckks import _pickling
from halimede.ckks._bounded import Bounded, bounded
from halimede.ckks._ciphertext import Ciphertext
from halimede.ckks._client import Client, PublicKey
from halimede.ckks._explicit import Explicit
from halimede.ckks._expression import Expression
from halimede.ckks._functions import (
    apply, conjugate, dot, greater, inverse, inverse_sqrt, maximum, mean, minimum, relu, rotate,
    sigmoid, sign, sqrt, sum,
)
from halimede.ckks._parties import (
    Decryption, KeyCollector, KeySwitch, Party, Refresh, Session,
)
from halimede.ckks._plan import Plan, PlanStep
from halimede.ckks._polynomial import approximate
from halimede.ckks._rotations import roll_rotations, slice_rotations, sum_rotations
from halimede.ckks._server import EvaluationKeys, Matrix, Server
from halimede._native import CkksDegree2 as Degree2
from halimede._native import CkksExpected as Expected
from halimede._native import CkksInput as Input
from halimede._native import CkksParameters as Parameters
from halimede._native import CkksPolynomial as Polynomial
from halimede._native import CkksSign as Sign
from halimede._native import CkksTrace as Trace

__all__ = [
    "Bounded", "Ciphertext", "Client", "Decryption", "Degree2", "EvaluationKeys", "Expected",
    "Explicit", "Expression", "Input", "KeyCollector", "KeySwitch", "Matrix", "Parameters", "Party",
    "Plan", "PlanStep", "Polynomial", "PublicKey", "Refresh", "Server", "Session", "Sign", "Trace",
    "apply", "approximate", "bounded", "conjugate", "dot", "greater", "inverse", "inverse_sqrt",
    "maximum", "mean", "minimum", "relu", "roll_rotations", "rotate", "sigmoid", "sign",
    "slice_rotations", "sqrt", "sum", "sum_rotations",
]

_pickling.register()
