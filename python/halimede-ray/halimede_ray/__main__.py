# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The command `python -m halimede_ray`: sealing, trees and verification on a cluster."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence

from halimede import DeviceError
from halimede_ray import (
    KINDS, CapacityError, LocalPool, Pool, Verdicts, WorkError, connect, precommit2, tree_root, verify,
    verify_blocks,
)

_CODES = (
    "exit codes: 0 done, 1 something is invalid, 2 bad input, 3 no worker or a device failed, "
    "5 nothing is invalid but something is incomplete")


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command and returns the exit code."""
    options = _parser().parse_args(arguments)
    try:
        with _pool(options) as pool:
            return _JOBS[options.job](options, pool)
    except (CapacityError, ConnectionError, DeviceError, ImportError) as error:
        return _failed(error, 3)
    except (ValueError, WorkError, OSError) as error:
        return _failed(error, 2)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m halimede_ray", epilog=_CODES,
        description="Distributes work over the machines of a Ray cluster; see docs/spread.md.")
    jobs = parser.add_subparsers(dest="job", required=True)
    tree = jobs.add_parser(
        "tree", help="Poseidon root of a file, or of columns", epilog=_CODES,
        description="Prints the same root as `halimede poseidon tree` for the same files.")
    tree.add_argument("files", nargs="+", metavar="FILE", help="the leaves; with --columns, the layers")
    tree.add_argument("--columns", action="store_true", help="hash columns, one label per file, to leaves")
    tree.add_argument("--arity", type=int, default=8, help="arity of the tree (default 8)")
    tree.add_argument("--strength", choices=["standard", "strengthened"], default="standard")
    seal = jobs.add_parser(
        "precommit2", help="second phase of sealing a Filecoin sector", epilog=_CODES,
        description="Writes the same files as `halimede filecoin precommit2`, and prints the same line. All "
        "machines have the files at the same paths.")
    seal.add_argument("--sealed", required=True, metavar="FILE", help="the data, which become the replica")
    seal.add_argument("--cache", required=True, metavar="FOLDER", help="the folder of layers and trees")
    seal.add_argument("--pc1out", required=True, metavar="BASE64", help="the output of the first phase")
    check = jobs.add_parser(
        "verify", help="verdicts on records of a file, or on blocks", epilog=_CODES,
        description="Prints one line per item that is not valid, and then their number.")
    check.add_argument("kind", choices=[*KINDS, "zcash-blocks"], help="; ".join(
        f"{name}: {', '.join(f'{part} {size} B' for part, size in kind.fields.items())}"
        for name, kind in KINDS.items()) + "; zcash-blocks: one block per file")
    check.add_argument("files", nargs="+", metavar="FILE")
    check.add_argument("--allow-incomplete", action="store_true", help="do not fail for incomplete blocks")
    for job in (tree, check):
        job.add_argument("--journal", metavar="FOLDER", help="store results, and resume from them")
        job.add_argument("--send", action="store_true", help="send the contents, for workers without the files")
    for job in (tree, seal, check):
        _add_pool(job)
    return parser


def _add_pool(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--address", help="HOST:PORT of the cluster (default: RAY_ADDRESS, or this machine)")
    parser.add_argument("--local", action="store_true", help="run in this process, without Ray")
    parser.add_argument("--workers", type=int, help="number of workers (default: all that fit, with one CPU left)")
    parser.add_argument("--cpus", type=float, default=1, help="CPUs per worker (default 1)")
    parser.add_argument("--cards", type=int, default=0, help="units of halimede_card per worker (default 0)")
    parser.add_argument("--device", default="cpu", help="device that each worker opens (default cpu)")
    parser.add_argument("--range-mib", type=int, default=64, help="about the size of a part in MiB (default 64)")
    parser.add_argument("--quiet", action="store_true", help="no progress on stderr")


def _pool(options: argparse.Namespace) -> Pool | LocalPool:
    if options.local:
        return LocalPool(device=options.device)
    connect(options.address)
    return Pool(options.workers, cpus=options.cpus, cards=options.cards, device=options.device)


def _tree(options: argparse.Namespace, pool: Pool | LocalPool) -> int:
    if not options.columns and len(options.files) != 1:
        raise ValueError("a tree is over one file, or over the layers of --columns")
    root = tree_root(
        options.files if options.columns else options.files[0], options.arity, options.strength, pool=pool,
        journal=options.journal, by_reference=options.send, range_bytes=options.range_mib << 20,
        progress=not options.quiet)
    print(f"{root:#066x}")
    return 0


def _seal(options: argparse.Namespace, pool: Pool | LocalPool) -> int:
    sealed = precommit2(
        options.sealed, options.cache, options.pc1out, pool=pool, part_bytes=options.range_mib << 20,
        progress=not options.quiet)
    print(f"d:{sealed.unsealed_cid} r:{sealed.sealed_cid}")
    return 0


def _verify(options: argparse.Namespace, pool: Pool | LocalPool) -> int:
    items = bad = incomplete = 0
    for path, verdicts in _verdicts(options, pool):
        for number, reason in verdicts.bad.items():
            print(f"{path}: item {number}: {reason}")
        for number, reason in verdicts.incomplete.items():
            print(f"{path}: item {number}: incomplete, not checked: {reason}")
        items, bad = items + verdicts.items, bad + len(verdicts.bad)
        incomplete += len(verdicts.incomplete)
    print(f"{items} items, {bad} invalid, {incomplete} incomplete")
    if bad:
        return 1
    return 5 if incomplete and not options.allow_incomplete else 0


def _verdicts(options: argparse.Namespace, pool: Pool | LocalPool) -> Iterator[tuple[str, Verdicts]]:
    progress = not options.quiet
    if options.kind == "zcash-blocks":
        found = verify_blocks(
            options.files, pool=pool, journal=options.journal, by_reference=options.send, progress=progress)
        for verdicts in found:
            for number in sorted([*verdicts.bad, *verdicts.incomplete]):
                bad, incomplete = (
                    {number: found[number]} if number in found else {}
                    for found in (verdicts.bad, verdicts.incomplete))
                yield options.files[number], Verdicts(verdicts.source, number, 0, bad, incomplete)
            yield verdicts.source, verdicts._replace(bad={}, incomplete={})
        return
    for path in options.files:
        found = verify(
            options.kind, path, pool=pool, journal=options.journal, by_reference=options.send,
            range_bytes=options.range_mib << 20, progress=progress)
        yield from ((path, verdicts) for verdicts in found)


_JOBS = {"tree": _tree, "precommit2": _seal, "verify": _verify}


def _failed(error: Exception, code: int) -> int:
    print(f"error: {error}", file=sys.stderr)
    return code


if __name__ == "__main__":
    sys.exit(main())
