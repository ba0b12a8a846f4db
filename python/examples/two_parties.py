# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Two parties in two processes share a secret key, and learn the mean product of their vectors
without showing them to each other.

Each process has one half of the data and one share of the key. The messages between them are
bytes over a pipe, in place of an authenticated channel. Both collect the keys and compute, so that
each knows where the result comes from.

    python python/examples/two_parties.py
"""

from __future__ import annotations

import multiprocessing
from multiprocessing.connection import Connection

import numpy as np
from halimede import ckks

PRESET, LENGTH = "n14", 1024


def vector(name: str) -> np.ndarray:
    """The private data of a party, from -1 to 1: a common season and its own changes."""
    season = 0.7 * np.sin(np.arange(LENGTH) * 2 * np.pi / 365)
    own: np.ndarray = season + np.random.default_rng(len(name)).uniform(-0.3, 0.3, LENGTH)
    return own


def party(name: str, other: str, agreement: bytes, channel: Connection) -> None:
    session = ckks.Session.load(agreement)
    me = ckks.Party(session, name)

    def exchange(mine: list[bytes]) -> list[bytes]:
        channel.send(mine)
        theirs: list[bytes] = channel.recv()
        return theirs

    keys = ckks.KeyCollector(session)
    mine = me.key_messages()
    theirs = exchange(mine)
    replies = [me.receive(other, message) for message in exchange(me.product_messages())]
    mine += [reply for reply in replies if reply is not None]
    theirs += exchange(mine[-len(replies):])
    for sender, messages in ((name, mine), (other, theirs)):
        for message in messages:
            keys.receive(sender, message)
    public, server = keys.public_key(), ckks.Server(keys.evaluation_keys())

    sealed = public.encrypt(vector(name))
    loaded = ckks.Ciphertext.load(exchange([sealed.to_bytes()])[0], session.parameters)
    # Both add up in the same order, so that both have the same ciphertext.
    first, second = (sealed, loaded) if name < other else (loaded, sealed)
    pair = [ckks.Ciphertext.load(each.to_bytes(), session.parameters) for each in (first, second)]
    result = server.bind(pair[0]) @ server.bind(pair[1]) * (1 / LENGTH)

    # The error that a file claims is not trusted. Fresh values have errors of 2**-24, and a mean of
    # products of them has no larger ones.
    share = me.decryption_message(result, security_bits=8, queries=1, error_at_least=2.0**-22)
    decryption = ckks.Decryption(session, result)
    decryption.receive(name, share)
    decryption.receive(other, exchange([share])[0])
    channel.send(float(decryption.finish()[0]))


def main() -> None:
    names = ["alice", "bo"]
    rotations = ckks.sum_rotations(LENGTH)
    session = ckks.Session(PRESET, names, multiply=True, rotations=rotations)
    channels = {}
    for name, other in (names, names[::-1]):
        channels[name], theirs = multiprocessing.Pipe()
        arguments = (name, other, session.to_bytes(), theirs)
        multiprocessing.get_context("spawn").Process(
            target=party, args=arguments, daemon=True
        ).start()
    # Passes the messages on until both have the result.
    while True:
        sent = {name: channel.recv() for name, channel in channels.items()}
        if isinstance(sent["alice"], float):
            break
        for name, other in (names, names[::-1]):
            channels[other].send(sent[name])
    exact = float(vector("alice") @ vector("bo")) / LENGTH
    print(f"mean of products: {sent['alice']:.3f}; from the plain vectors {exact:.3f}")
    if sent["alice"] != sent["bo"] or abs(sent["alice"] - exact) > 0.03:
        raise SystemExit("the results differ")


if __name__ == "__main__":
    main()
