# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Several holders of one secret key, which none of them knows."""

from __future__ import annotations

import operator
import os
import secrets
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, NoReturn

from numpy.typing import NDArray

from halimede._native import (
    CkksDecryption, CkksExpected, CkksKeyCollector, CkksKeySwitch, CkksParameters, CkksParty,
    CkksRefresh, CkksSession,
)
from halimede.ckks._ciphertext import Ciphertext, sealed_of
from halimede.ckks._client import PublicKey
from halimede.ckks._server import EvaluationKeys

if TYPE_CHECKING:
    from typing_extensions import Buffer

__all__ = ["Decryption", "KeyCollector", "KeySwitch", "Party", "Refresh", "Session"]

SEED_BYTES = 32


class Session:
    """The agreement of several parties that share one secret key. It contains no secret.

    parameters: the parameters or the name of a preset.
    names: the names of all parties, in the agreed order.
    threshold: the number of parties that decrypt together; by default all.
    multiply, conjugate, rotations: the operations for which the parties make keys; see
        `Client.evaluation_keys`.
    seed: the common random string, 32 bytes, public and never used again; by default random.

    One party makes the session and sends `to_bytes` to the others: all must have the same `id`.

    >>> session = halimede.ckks.Session("n13-insecure", ["alice", "bob"], rotations=[1])
    >>> alice, bob = (halimede.ckks.Party(session, name) for name in session.names)
    >>> keys = halimede.ckks.KeyCollector(session)
    >>> for party in (alice, bob):
    ...     for message in party.key_messages():
    ...         keys.receive(party.name, message)
    >>> public, server = keys.public_key(), halimede.ckks.Server(keys.evaluation_keys())
    >>> y = server.bind(public.encrypt([0.5, -0.25])) << 1
    >>> decryption = halimede.ckks.Decryption(session, y)
    >>> for party in (alice, bob):
    ...     share = party.decryption_message(y, security_bits=6, queries=4)
    ...     decryption.receive(party.name, share)
    >>> np.allclose(decryption.finish(), [-0.25, 0.5], atol=1e-2)
    True
    """

    __slots__ = ("_native",)

    def __init__(
        self, parameters: CkksParameters | str, names: Iterable[str], *,
        threshold: int | None = None, multiply: bool = False, conjugate: bool = False,
        rotations: Iterable[int] = (), seed: bytes | None = None,
    ) -> None:
        if isinstance(parameters, str):
            parameters = CkksParameters.preset(parameters)
        chosen = _seed(seed)
        least = None if threshold is None else operator.index(threshold)
        steps = [operator.index(step) for step in rotations]
        self._native = CkksSession(
            parameters, list(names), least, multiply, conjugate, steps, chosen
        )

    @classmethod
    def _of(cls, native: CkksSession) -> Session:
        session = cls.__new__(cls)
        session._native = native
        return session

    @classmethod
    def load(
        cls, source: str | os.PathLike[str] | Buffer, *, insecure: bool = False
    ) -> Session:
        """Loads a session from a file (path) or its content (bytes). insecure: allow parameters of
        less than 128 bits of security."""
        return cls._of(CkksSession.load(source, insecure))

    def to_bytes(self) -> bytes:
        """Returns the content of a file."""
        return self._native.to_bytes()

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes a file atomically; replaces an existing one."""
        self._native.save(os.fspath(path))

    @property
    def parameters(self) -> CkksParameters:
        """The parameters of all keys and ciphertexts, with the number of parties."""
        return self._native.parameters

    @property
    def names(self) -> list[str]:
        """The names of all parties."""
        return self._native.names

    @property
    def threshold(self) -> int:
        """The number of parties that decrypt together."""
        return self._native.threshold

    @property
    def id(self) -> bytes:
        """The identity: a hash of everything that the parties agreed on."""
        return self._native.id

    @property
    def key_id(self) -> str:
        """The identifier of the collective secret key."""
        return self._native.key_id

    @property
    def epoch(self) -> int:
        """The number of re-sharings since the first session of the key."""
        return self._native.epoch

    def reshared(
        self, names: Iterable[str], *, threshold: int | None = None,
        quorum: Iterable[str] | None = None, seed: bytes | None = None,
    ) -> Session:
        """Returns the session after a re-sharing: other parties share the same secret key. The
        public key and the evaluation keys stay valid, and nobody makes new ones.

        names: the names of the new parties, in the agreed order.
        threshold: the number of new parties that decrypt together; by default all.
        quorum: the parties of this session that hand their shares over (`Party.hand_over_messages`);
            by default all, without a threshold.
        seed: 32 bytes, public and never used before; by default random.
        """
        least = None if threshold is None else operator.index(threshold)
        native = self._native.reshared(list(names), least, _names(quorum), _seed(seed))
        return Session._of(native)

    def __repr__(self) -> str:
        return f"<halimede.ckks.Session {self.id[:8].hex()} of {len(self.names)} parties>"

    def __reduce__(self) -> tuple[Any, ...]:
        return _loaded, (self.to_bytes(),)


def _loaded(content: bytes) -> Session:
    """Returns the session of a pickle, which is trusted."""
    return Session.load(content, insecure=True)


class Party:
    """A party of a session: makes messages and receives those of others, as bytes.

    The caller's channel authenticates the senders of messages. A message that is made again has the
    same bytes. Save the state after each call, before its message leaves, and never load an older
    copy: the party would answer twice for a ciphertext. The state is never pickled or copied, and a
    forked child cannot use its parent's party.
    """

    __slots__ = ("_native",)

    def __init__(self, session: Session, name: str) -> None:
        self._native = CkksParty(session._native, name)

    @classmethod
    def load(cls, source: str | os.PathLike[str] | Buffer, *, insecure: bool = False) -> Party:
        """Loads the state of a party from a file (path) or its content (bytes); the party continues
        in any round.

        Raises PermissionError for a file that not only its owner can read.
        """
        party = cls.__new__(cls)
        party._native = CkksParty.load(source, insecure)
        return party

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the state atomically to a file that only its owner can read (mode 0600); replaces
        an existing one."""
        self._native.save(os.fspath(path))

    def secret_bytes(self) -> bytes:
        """Returns the content of a file of the state, which contains the party's share of the
        secret key. Python does not wipe it from memory."""
        return self._native.secret_bytes()

    @property
    def session(self) -> Session:
        """The session."""
        return Session._of(self._native.session)

    @property
    def name(self) -> str:
        """The name of the party."""
        return self._native.name

    @property
    def answers(self) -> tuple[int, int | None]:
        """The number of decryptions and key switches to which the party contributed, and the
        smallest number that a statement has allowed."""
        return self._native.answers

    @property
    def missing_shares(self) -> list[str]:
        """The parties whose shares of secrets are missing; none without a threshold."""
        return self._native.missing_shares

    def key_messages(self) -> list[bytes]:
        """Makes the party's messages for a `KeyCollector`."""
        return self._native.key_messages(False)

    def product_messages(self) -> list[bytes]:
        """Makes the party's messages of the first round of the key for products, which all other
        parties `receive`; none if the session has no products."""
        return self._native.key_messages(True)

    def receive(self, sender: str, message: Buffer) -> bytes | None:
        """Receives a message of another party: of `product_messages`, after the party has made its
        own, of `share_messages`, or of `hand_over_messages`. After the last message of `product_messages`, returns the
        message of the second round for a `KeyCollector`.

        Raises ValueError, which names the sender, for a message that is refused.
        """
        return self._native.receive(sender, message)

    def share_messages(self) -> dict[str, bytes]:
        """Makes a message for each other party under a threshold. The messages are secret: the
        channels must be confidential."""
        return dict(self._native.share_messages())

    def hand_over_messages(self, next: Session) -> dict[str, bytes]:
        """Makes a message for each party of the session `next`, a `Session.reshared` of this one,
        which they `receive`. The messages are secret: the channels must be confidential. From now
        on the party answers no more. The same call returns the same bytes."""
        return dict(self._native.hand_over_messages(next._native))

    def retire(self, next: Session) -> None:
        """Wipes the party's secrets after a re-sharing. All old parties call this once all new ones
        have their shares (`missing_shares`); without those the key is lost."""
        self._native.retire(next._native)

    def refresh_message(
        self, ciphertext: Ciphertext, *, security_bits: int, values_at_most: float | None = None,
        quorum: Iterable[str] | None = None,
    ) -> bytes:
        """Makes the party's share of a refresh, for a `Refresh`: a ciphertext of the same values at
        the level of fresh ones. It reveals nothing and is not counted.

        security_bits: 1 to 128; a mask hides the values up to a probability of 2**-security_bits.
        values_at_most: a bound of the absolute values that the party knows; needed for a ciphertext
            that others computed.
        quorum: the names of the parties that answer, under a threshold.

        Raises ValueError if the level has no room for the mask, and names a level that has.
        """
        most = None if values_at_most is None else float(values_at_most)
        bits = operator.index(security_bits)
        if not 1 <= bits < 2**32:
            raise ValueError(f"security_bits: got {bits}, wanted 1 or more, below 2**32")
        return self._native.refresh_message(sealed_of(ciphertext), _names(quorum), bits, most)

    def decryption_message(
        self, ciphertext: Ciphertext, *, security_bits: int, queries: int,
        error_at_least: float | None = None, expected: CkksExpected | None = None,
        quorum: Iterable[str] | None = None,
    ) -> bytes:
        """Makes the party's share of a decryption, for a `Decryption`, and counts it.

        security_bits, queries, error_at_least, expected: see `Client.decrypt_for_sharing`; all
            parties state the same. The number of queries includes key switches.
        quorum: the names of the parties that answer, under a threshold.

        Answer only for the result of a computation that the parties agreed on. A party answers once
        for a ciphertext; the same call returns the same bytes and is not counted again.
        """
        statement = _statement(security_bits, queries, error_at_least, expected)
        return self._native.answer(sealed_of(ciphertext), None, _names(quorum), *statement)

    def switch_message(
        self, ciphertext: Ciphertext, receiver: PublicKey, *, security_bits: int, queries: int,
        error_at_least: float | None = None, expected: CkksExpected | None = None,
        quorum: Iterable[str] | None = None,
    ) -> bytes:
        """Makes the party's share of a key switch to the public key of a receiver, for a
        `KeySwitch`, and counts it; see `decryption_message`."""
        statement = _statement(security_bits, queries, error_at_least, expected)
        key = receiver._native
        return self._native.answer(sealed_of(ciphertext), key, _names(quorum), *statement)

    def precision_for_sharing(
        self, ciphertext: Ciphertext, *, security_bits: int, queries: int,
        error_at_least: float | None = None, expected: CkksExpected | None = None,
    ) -> float:
        """Returns the bits after the binary point that a decryption would leave."""
        statement = _statement(security_bits, queries, error_at_least, expected)
        return self._native.precision_for_sharing(sealed_of(ciphertext), *statement)

    def __repr__(self) -> str:
        return f"<halimede.ckks.Party {self.name!r}>"

    def __reduce_ex__(self, protocol: Any) -> NoReturn:
        raise TypeError("a party cannot be pickled or copied: it holds a secret; see Party.save")


class KeyCollector:
    """Adds up the messages of all parties to the public key and the evaluation keys. It has no
    secret."""

    __slots__ = ("_native",)

    def __init__(self, session: Session) -> None:
        self._native = CkksKeyCollector(session._native)

    def receive(self, sender: str, message: Buffer) -> None:
        """Receives a message of `Party.key_messages` or the reply of `Party.receive`. Raises
        ValueError, which names the sender, for a message that is refused."""
        self._native.receive(sender, message)

    @property
    def is_complete(self) -> bool:
        """True if all messages have arrived."""
        return self._native.is_complete

    def public_key(self) -> PublicKey:
        """Returns the public key, with which anybody encrypts. Raises ValueError, which names the
        parties whose messages are missing."""
        return PublicKey(self._native.public_key())

    def evaluation_keys(self) -> EvaluationKeys:
        """Returns the evaluation keys for a `Server`; see `public_key`."""
        return EvaluationKeys(self._native.evaluation_keys())


class Decryption:
    """Adds up the shares of a decryption. Anybody who has the shares can do that.

    quorum: the names of the parties that answer, under a threshold.
    """

    __slots__ = ("_native",)

    def __init__(
        self, session: Session, ciphertext: Ciphertext, *, quorum: Iterable[str] | None = None
    ) -> None:
        self._native = CkksDecryption(session._native, sealed_of(ciphertext), _names(quorum))

    def receive(self, sender: str, message: Buffer) -> None:
        """Receives a message of `Party.decryption_message`. Raises ValueError, which names the
        sender, for a message that is refused."""
        self._native.receive(sender, message)

    def finish(self) -> NDArray[Any]:
        """Returns the values with the noise of all parties: float64[length] for a real vector,
        complex128[length] for a complex one."""
        return self._native.finish()[0]

    def precision(self) -> float:
        """Returns the bits of the values that are correct after the binary point."""
        return self._native.finish()[1]


class KeySwitch:
    """Adds up the shares of a key switch; see `Decryption`."""

    __slots__ = ("_native",)

    def __init__(
        self, session: Session, ciphertext: Ciphertext, receiver: PublicKey, *,
        quorum: Iterable[str] | None = None,
    ) -> None:
        sealed = sealed_of(ciphertext)
        self._native = CkksKeySwitch(session._native, sealed, _names(quorum), receiver._native)

    def receive(self, sender: str, message: Buffer) -> None:
        """Receives a message of `Party.switch_message`; see `Decryption.receive`."""
        self._native.receive(sender, message)

    def finish(self) -> Ciphertext:
        """Returns the ciphertext under the receiver's key."""
        return Ciphertext(self._native.finish())


class Refresh:
    """Adds up the shares of a refresh, the bootstrap of several parties; see `Decryption`."""

    __slots__ = ("_native",)

    def __init__(
        self, session: Session, ciphertext: Ciphertext, *, quorum: Iterable[str] | None = None
    ) -> None:
        self._native = CkksRefresh(session._native, sealed_of(ciphertext), _names(quorum))

    def receive(self, sender: str, message: Buffer) -> None:
        """Receives a message of `Party.refresh_message`; see `Decryption.receive`."""
        self._native.receive(sender, message)

    def finish(self) -> Ciphertext:
        """Returns the refreshed ciphertext."""
        return Ciphertext(self._native.finish())


def _seed(seed: bytes | None) -> bytes:
    """Returns the seed, or a random one."""
    chosen = secrets.token_bytes(SEED_BYTES) if seed is None else bytes(seed)
    if len(chosen) != SEED_BYTES:
        raise ValueError(f"seed: got {len(chosen)} bytes, wanted {SEED_BYTES}")
    return chosen


def _names(quorum: Iterable[str] | None) -> list[str] | None:
    return None if quorum is None else list(quorum)


def _statement(
    security_bits: int, queries: int, error_at_least: float | None, expected: CkksExpected | None
) -> tuple[int, int, float | None, CkksExpected | None]:
    for name, number in (("security_bits", security_bits), ("queries", queries)):
        if not 1 <= operator.index(number) < 2**32:
            raise ValueError(f"{name}: got {number}, wanted 1 or more, below 2**32")
    error = None if error_at_least is None else float(error_at_least)
    return operator.index(security_bits), operator.index(queries), error, expected
