# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Private statistics over five hospitals, each in its own process.

Each hospital knows its rates of infection in a number of wards. Together they learn the mean rate
of each ward and its variance between hospitals, and nothing else: each rate stays encrypted under a
secret key that no four hospitals have. This process is the aggregator: it passes the hospitals'
messages on, collects the keys, and computes on ciphertexts. It has no secret.

The hospitals and the aggregator run `halimede ckks party`, `encrypt` and `eval`. Files take
the place of the authenticated channels of a real deployment.

    python examples/python/hospitals.py
    python examples/python/hospitals.py --wards 40 --security 16
"""

from __future__ import annotations

import argparse
import multiprocessing
import random
import statistics
import subprocess
import tempfile
from multiprocessing.connection import Connection
from pathlib import Path

NAMES = ["aachen", "bergen", "cork", "delft", "evora"]
MEAN = "(aachen + bergen + cork + delft + evora) * 0.2"
SQUARES = "aachen*aachen + bergen*bergen + cork*cork + delft*delft + evora*evora"
RESULTS = {
    "mean": MEAN,
    "variance": f"({SQUARES}) * 0.25 - (aachen + bergen + cork + delft + evora)^2 * 0.05",
}
TIME_LIMIT_S = 600


def halimede(*arguments: object) -> None:
    """Runs a command; its own messages explain failures."""
    words = ["halimede", "ckks", *map(str, arguments)]
    subprocess.run(words, check=True, stdout=subprocess.DEVNULL, timeout=TIME_LIMIT_S)


def rates(name: str, wards: int) -> list[float]:
    """The secret data of a hospital: the rate of infections in each ward."""
    patients = random.Random(name)
    counts = [(patients.randint(200, 900), patients.uniform(0.02, 0.3)) for _ in range(wards)]
    return [sum(patients.random() < risk for _ in range(count)) / count for count, risk in counts]


def hospital(name: str, folder: Path, wards: int, security: int, channel: Connection) -> None:
    """A hospital: answers each request of the aggregator with a file."""
    state, session = folder / f"{name}.party", folder.parent / "hospitals.session"
    values = folder / "rates.csv"
    values.write_text("".join(f"{rate!r}\n" for rate in rates(name, wards)))
    halimede("party", "join", session, "--name", name, "--state", state)
    while request := channel.recv():
        step, inputs = request
        out = folder / step
        if step == "keys":
            halimede("party", "keys", "--state", state, "--out", out, "--products", folder / "round")
        elif step == "reply":
            others = sent({other: path for other, path in inputs.items() if other != name})
            halimede("party", "reply", "--state", state, *others, "--out", out)
        elif step == "rates":
            public = ["--public", inputs["public"], "--bound", "0,1"]
            halimede("encrypt", *public, "--in", values, "--out", out)
        else:
            # The hospital knows what it answers for: the expression that all agreed on, over the
            # ciphertexts that all have seen.
            known = ["--expression", RESULTS[step], "--keys", inputs["keys"]]
            for other in NAMES:
                known += ["--input", f"{other}={inputs[other]}"]
            statement = ["--security", security, "--queries", len(RESULTS)]
            answer = ["--state", state, *statement, *known, "--out", out]
            halimede("party", "decrypt", inputs["result"], *answer)
        channel.send(out)


def sent(paths: dict[str, Path]) -> list[str]:
    """The options that name files and the parties that sent them."""
    return [word for name, path in paths.items() for word in ("--from", f"{name}={path}")]


def run(folder: Path, wards: int, security: int) -> dict[str, list[float]]:
    """Runs the aggregator, and returns the results."""
    session, parameters = folder / "hospitals.session", folder / "hospitals.params"
    needs = ["--slots", wards, "--depth", 2, "--precision", 36]
    halimede("params", *needs, "--out", parameters)
    parties = [word for name in NAMES for word in ("--party", name)]
    made = ["--params", parameters, *parties, "--multiply", "--out", session]
    halimede("party", "session", *made)
    channels, processes = {}, []
    for name in NAMES:
        (folder / name).mkdir(mode=0o700)
        channels[name], theirs = multiprocessing.Pipe()
        arguments = (name, folder / name, wards, security, theirs)
        process = multiprocessing.Process(target=hospital, args=arguments, daemon=True)
        process.start()
        theirs.close()
        processes.append(process)

    def ask(step: str, inputs: dict[str, Path]) -> dict[str, Path]:
        for channel in channels.values():
            channel.send((step, inputs))
        return {name: channel.recv() for name, channel in channels.items()}

    messages = ask("keys", {})
    replies = ask("reply", {name: folder / name / "round" for name in NAMES})
    keys = folder / "keys"
    halimede("party", "collect", session, *sent(messages), *sent(replies), "--dir", keys)
    ciphertexts = ask("rates", {"public": keys / "public.key"})
    named = [f"{name}={path}" for name, path in ciphertexts.items()]
    results = {}
    for step, expression in RESULTS.items():
        result, values = folder / f"{step}.ct", folder / f"{step}.csv"
        evaluation = keys / "evaluation.keys"
        halimede("eval", "--keys", evaluation, expression, *named, "--out", result)
        shares = ask(step, {"result": result, "keys": evaluation, **ciphertexts})
        halimede("party", "finish", session, result, *sent(shares), "--out", values)
        results[step] = [float(line) for line in values.read_text().split()]
    for channel in channels.values():
        channel.send(None)
    for process in processes:
        process.join(TIME_LIMIT_S)
    return results


def main() -> None:
    parser = argparse.ArgumentParser(description="private statistics over five hospitals")
    parser.add_argument("--wards", type=int, default=8)
    parser.add_argument("--security", type=int, default=10, help="bits, for the two decryptions")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        results = run(Path(folder), options.wards, options.security)
    columns = list(zip(*(rates(name, options.wards) for name in NAMES)))
    print("ward  mean     variance  (with all rates in one place)")
    for ward, column in enumerate(columns):
        mean, variance = results["mean"][ward], results["variance"][ward]
        exact = statistics.mean(column), statistics.variance(column)
        print(f"{ward:4}  {mean:.5f}  {variance:.5f}   {exact[0]:.5f}  {exact[1]:.5f}")
        if abs(mean - exact[0]) > 1e-3 or abs(variance - exact[1]) > 1e-3:
            raise SystemExit(f"ward {ward}: the results differ")


if __name__ == "__main__":
    main()
