# SPDX-License-Identifier: Apache-2.0 OR MIT
"""CKKS: computing on encrypted vectors of real or complex numbers, approximately.

A `Client` holds the secret: it encrypts, decrypts, and makes evaluation keys for a stated list of
operations. A `Server` has those keys and no secret; a `Ciphertext` that it loads or binds is a
vector that is computed with as NumPy's are.

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

A vector has up to half of N values, and keeps its length. A product takes a level; a ciphertext of
level 0 must be bootstrapped before another. Sums, differences and products with integers up to 1024
take none, nor do rotations and sums over a vector whose length is a power of two; those of another
length take one. Operands of different levels are brought to the lower one.

Everybody may know where values lie: `bound` is declared where they are encrypted, is 1 where it is
not, and goes along. Arrays that are computed with have the bound 1 as well, or that of `bounded`.
Values themselves are known to nobody but the client, so that `==`, `<` and `bool` are a TypeError.
Vectors of real numbers are decrypted to float64, complex ones to complex128.

Values come back with an error, of which `precision` tells the bits behind the point that are
expected to be right. What `Client.decrypt` gives is for the owner of the secret alone;
`decrypt_for_sharing` is for others. engines/ckks/SECURITY.md tells what is secret and what is
promised.

An `Expression` is written as a computation on ciphertexts is, and computed later by `Server.run`; a
`Plan` tells before which keys it takes, and where values are bootstrapped.

All work runs on all cores without the interpreter's lock. A wrong value is a ValueError which says
how to mend it, a wrong type a TypeError, a file that cannot be read an OSError.
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
    "Bounded", "Ciphertext", "Client", "Degree2", "EvaluationKeys", "Expected", "Explicit", "Expression", "Input",
    "Matrix", "Parameters", "Plan", "PlanStep", "Polynomial", "PublicKey", "Server", "Sign", "Trace", "apply",
    "approximate", "bounded", "conjugate", "dot", "greater", "inverse", "inverse_sqrt", "maximum", "mean",
    "minimum", "relu", "roll_rotations", "rotate", "sigmoid", "sign", "slice_rotations", "sqrt", "sum",
    "sum_rotations",
]

_pickling.register()
