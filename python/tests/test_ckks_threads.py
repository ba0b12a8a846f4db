# SPDX-License-Identifier: Apache-2.0 OR MIT
"""CKKS with other threads, Ctrl-C and forked children, and without leaks."""

import multiprocessing
from typing import Any, Callable

import numpy as np
import pytest
from ckks_setting import SLOTS, setting
from halimede import ckks
from turns import LIMIT, growth, in_threads, interrupted_after, turns_during

X = ckks.Expression.input("x")


@pytest.mark.parametrize("what", ["keys", "products", "function", "circuit", "plan", "parameters"])
def test_other_threads_run_meanwhile(what: str) -> None:
    s = setting()
    sealed = s.reals(1, -1, 1)[1]
    series = np.polynomial.Chebyshev(np.arange(1.0, 64))
    work: dict[str, Callable[[], Any]] = {
        "keys": lambda: s.client.evaluation_keys(rotations=range(1, 60)),
        "products": lambda: [sealed * sealed for _ in range(60)],
        "function": lambda: [sealed.apply(series) for _ in range(5)],
        "circuit": lambda: s.server.run(sum((X.rotate(k) * X for k in range(1, 30)), X), x=sealed),
        "plan": lambda: [
            ckks.Plan(of, s.client.parameters, {"x": sealed})
            for of in (X.map(lambda v: v**3, degree=900), ckks.inverse(X + 4, (3, 5), error=1e-9))
        ],
        "parameters": lambda: [
            ckks.Parameters.build(slots=8000, depth=9, precision=16.0) for _ in range(3)
        ],
    }
    assert turns_during(work[what]) > 1000


def test_threads_share_client_and_server() -> None:
    s = setting()
    matrix = s.server.matrix(np.random.default_rng(5).normal(size=(8, 8)), bound=4)
    expression = (X * X << 2).map(lambda v: v / 2, degree=1)
    plan = ckks.Plan(matrix @ (X + 1), s.client.parameters, {"x": ckks.Input(2.0, real=False, length=8)})

    def work(seed: int) -> None:
        for turn in range(3):
            x, sealed = s.pair(100 * seed + turn)
            s.check(sealed * sealed << 1, np.roll(x * x, -1))
            y, sealed = s.pair(100 * seed + turn, 8)
            assert len(matrix @ sealed) == 8
            # Several threads share plans and call functions at the same time.
            s.check(s.server.run(plan, x=sealed), s.client.decrypt(matrix @ (sealed + 1)))
            z, sealed = s.reals(100 * seed + turn, -1, 1)
            s.check(s.server.run(expression, x=sealed), np.roll(z * z, -2) / 2)

    in_threads(work, range(6))


INTERRUPTED = """
import os, signal, sys, threading, time
import numpy as np
from halimede import ckks

# A shell's background jobs are started with the signal ignored.
signal.signal(signal.SIGINT, signal.default_int_handler)
client = ckks.Client("n14")
x = ckks.Expression.input("x")


def circuit():
    names, sealed = {"multiply": True}, client.encrypt(np.ones(8192))
    return client.server(**names).run(sum((k * x * (x + k) for k in range(1, 3000)), x), x=sealed)


work = {
    "circuit": circuit,
    "plan": lambda: ckks.Plan(
        x.map(lambda v: time.sleep(1e-3) or abs(v), error=1e-9), client.parameters, {"x":
        ckks.Input()}
    ),
    "keys": lambda: client.evaluation_keys(rotations=range(1, 4000)),
    "function": lambda: ckks.approximate(lambda v: time.sleep(1e-3) or abs(v), (-1, 1), error=1e-9),
}[sys.argv[1]]
threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT)).start()
start = time.monotonic()
try:
    work()
except KeyboardInterrupt:
    print(time.monotonic() - start)
"""


@pytest.mark.parametrize("what", ["keys", "function", "circuit", "plan"])
def test_ctrl_c_ends_long_work(what: str) -> None:
    assert interrupted_after(INTERRUPTED, what) < 8


def in_child(queue: Any) -> None:
    """The work of a forked child: it computes, and cannot use its parent's client."""
    s = setting()
    sealed = s.server.bind(PUBLIC.encrypt(VALUES))
    answer = (sealed * sealed << 3).to_bytes()
    refused = []
    for call in (lambda: s.client.encrypt([1.0]), lambda: s.client.evaluation_keys(),
                 lambda: s.client.decrypt(sealed)):
        try:
            call()
        except ValueError as error:
            refused.append(str(error))
    queue.put((answer, refused))


VALUES = np.random.default_rng(3).uniform(-1, 1, SLOTS)
PUBLIC = setting().client.public_key()


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_forked_children_compute() -> None:
    s = setting()
    s.pair(1)[1] * 2.5
    context: Any = multiprocessing.get_context("fork")
    queue = context.Queue()
    child = context.Process(target=in_child, args=(queue,))
    child.start()
    try:
        answer, refused = queue.get(timeout=LIMIT)
        child.join(LIMIT)
    finally:
        child.kill()
    assert child.exitcode == 0 and len(refused) == 3
    assert all("forked" in reason for reason in refused)
    sealed = ckks.Ciphertext.load(answer, s.client.parameters)
    assert np.abs(s.client.decrypt(sealed) - np.roll(VALUES**2, -3)).max() < 1e-5


def test_nothing_leaks_in_hundreds_of_calls() -> None:
    client = ckks.Client("n10-insecure")
    server = client.server(multiply=True, rotations=[1])
    entries = np.eye(8, k=1)

    def calls() -> None:
        x = server.bind(client.encrypt(VALUES[:512]))
        y = server.load((x * x + (x << 1) - 0.5 * x).to_bytes())
        client.decrypt((y / 4).apply(np.polynomial.Chebyshev([0, 1, 2])))
        entries @ server.bind(client.encrypt(VALUES[:8]))
        z = (X * X + 0.5).map(lambda v: v + 1, degree=2)
        server.run(z, x=x)
        with pytest.raises(ZeroDivisionError):
            server.run(z.map(lambda v: 1 / 0, degree=2), x=x)
        server.explicit().mul_degree2(x, x)
        server.record(lambda a: a * a, x)[1].to_json()
        with pytest.raises(ValueError):
            x.conjugate()
        with pytest.raises(ValueError):
            server.load(b"no file")

    # A leak of one ciphertext per call would be 20 MB.
    objects, peak = growth(calls, 400)
    assert objects < 100_000 and peak < 5_000_000
