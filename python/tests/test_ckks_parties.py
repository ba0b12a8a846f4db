# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Several holders of one secret key."""

import copy
import os
import pickle
import stat
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from halimede import ckks

STATEMENT = {"security_bits": 6, "queries": 4}


def joined(names: list[str], **agreed: object) -> tuple[ckks.Session, dict[str, ckks.Party]]:
    session = ckks.Session("n10-insecure", names, **agreed)  # type: ignore[arg-type]
    return session, {name: ckks.Party(session, name) for name in names}


def collected(
    session: ckks.Session, parties: dict[str, ckks.Party]
) -> tuple[ckks.PublicKey, ckks.Server]:
    keys = ckks.KeyCollector(session)
    rounds = {name: party.product_messages() for name, party in parties.items()}
    for name, party in parties.items():
        for message in party.key_messages():
            keys.receive(name, message)
        for other, messages in rounds.items():
            for message in messages if other != name else []:
                reply = party.receive(other, message)
                if reply is not None:
                    keys.receive(name, reply)
    assert keys.is_complete
    return keys.public_key(), ckks.Server(keys.evaluation_keys())


def decrypted(
    session: ckks.Session, parties: dict[str, ckks.Party], y: ckks.Ciphertext,
    quorum: list[str] | None = None,
) -> np.ndarray:
    decryption = ckks.Decryption(session, y, quorum=quorum)
    for name in quorum or parties:
        share = parties[name].decryption_message(y, quorum=quorum, **STATEMENT)
        decryption.receive(name, share)
    assert 5 < decryption.precision() < 30
    values: np.ndarray = decryption.finish()
    return values


def test_three_parties_compute_a_product() -> None:
    session, parties = joined(["a", "b", "c"], multiply=True, rotations=[1])
    public, server = collected(session, parties)
    assert public.key_id == session.key_id
    x = np.array([0.5, -0.25, 0.75, 1.0])
    y = server.bind(public.encrypt(x))
    values = decrypted(session, parties, y * y + (y << 1))
    np.testing.assert_allclose(values, x * x + np.roll(x, -1), atol=0.02)
    assert parties["a"].answers == (1, 4)


def test_any_two_of_three_decrypt_and_switch() -> None:
    session, parties = joined(["a", "b", "c"], threshold=2)
    public, server = collected(session, parties)
    y = server.bind(public.encrypt([0.5, -0.25]))
    with pytest.raises(ValueError, match="the shares of a, b, c are missing"):
        parties["a"].decryption_message(y, quorum=["a", "b"], **STATEMENT)
    for name, party in parties.items():
        for to, message in party.share_messages().items():
            assert parties[to].receive(name, message) is None
    assert parties["a"].missing_shares == []
    np.testing.assert_allclose(
        decrypted(session, parties, y, ["c", "a"]), [0.5, -0.25], atol=0.02
    )
    client = ckks.Client("n10-insecure")
    receiver, z = client.public_key(), server.bind(public.encrypt([0.125]))
    switch = ckks.KeySwitch(session, z, receiver, quorum=["a", "b"])
    for name in ("a", "b"):
        share = parties[name].switch_message(z, receiver, quorum=["a", "b"], **STATEMENT)
        switch.receive(name, share)
    np.testing.assert_allclose(client.decrypt(switch.finish()), [0.125], atol=0.02)


def test_a_result_is_refreshed_and_the_key_moves() -> None:
    session, parties = joined(["a", "b"], multiply=True)
    public, server = collected(session, parties)
    x = np.array([0.5, -0.25, 0.75, 1.0])
    y = server.bind(public.encrypt(x)) ** 4
    top = public.encrypt(x).level
    assert y.level < top
    refresh = ckks.Refresh(session, y)
    with pytest.raises(ValueError, match="between 1 and 128"):
        parties["a"].refresh_message(y, security_bits=200)
    with pytest.raises(ValueError, match="security_bits"):
        parties["a"].refresh_message(y, security_bits=0)
    for name, party in parties.items():
        share = party.refresh_message(y, security_bits=20, values_at_most=1.0)
        with pytest.raises(ValueError, match="checksum"):
            refresh.receive(name, share[:-1] + bytes([share[-1] ^ 1]))
        refresh.receive(name, share)
        assert party.answers == (0, None)
    z = server.bind(refresh.finish())
    assert z.level == top
    following = session.reshared(["b", "c", "d"], threshold=2)
    assert (following.epoch, following.key_id) == (1, session.key_id)
    assert pickle.loads(pickle.dumps(following)).id == following.id
    new = {name: ckks.Party(following, name) for name in following.names}
    for name, party in parties.items():
        for to, message in party.hand_over_messages(following).items():
            assert new[to].receive(name, message) is None
    for party in parties.values():
        with pytest.raises(ValueError, match="handed its share over"):
            party.decryption_message(z, **STATEMENT)
        party.retire(following)
    values = decrypted(following, new, z * z, ["c", "b"])
    np.testing.assert_allclose(values, x**8, atol=0.05)
    with pytest.raises(ValueError, match="re-sharing"):
        new["c"].key_messages()


def test_a_party_continues_from_its_file(tmp_path: Path) -> None:
    session, parties = joined(["a", "b"], multiply=True)
    path = tmp_path / "a.party"
    for name, party in list(parties.items()):
        messages = party.key_messages() + party.product_messages()
        party.save(path)
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        parties[name] = ckks.Party.load(path, insecure=True)
        assert parties[name].name == name and parties[name].session.id == session.id
        assert parties[name].key_messages() + parties[name].product_messages() == messages
    public, server = collected(session, parties)
    y = server.bind(public.encrypt([0.5]))
    first = parties["a"].decryption_message(y, **STATEMENT)
    again = ckks.Party.load(parties["a"].secret_bytes(), insecure=True)
    assert again.decryption_message(y, **STATEMENT) == first
    assert again.answers == (1, 4)
    with pytest.raises(ValueError, match="answered"):
        again.decryption_message(y, security_bits=7, queries=4)
    os.chmod(path, 0o644)
    with pytest.raises(PermissionError):
        ckks.Party.load(path, insecure=True)


def test_wrong_messages_are_refused() -> None:
    session, parties = joined(["a", "b"])
    keys = ckks.KeyCollector(session)
    message = parties["a"].key_messages()[0]
    for sender, wrong, said in [
        ("b", message, "forged"), ("a", message[:-1], "ends at byte"),
        ("a", message + b"x", "after its end"), ("c", message, "not a party"),
        ("a", message[:-1] + bytes([message[-1] ^ 1]), "checksum"), ("a", b"", "ends at byte"),
    ]:
        with pytest.raises(ValueError, match=said):
            keys.receive(sender, wrong)
    keys.receive("a", memoryview(message))
    with pytest.raises(ValueError, match="a second time"):
        keys.receive("a", message)
    with pytest.raises(ValueError, match="those of b"):
        keys.public_key()
    with pytest.raises(TypeError, match="message"):
        keys.receive("a", 3)  # type: ignore[arg-type]
    for names in (["a"], ["a", "a"], ["", "a"]):
        with pytest.raises(ValueError):
            ckks.Session("n10-insecure", names)
    with pytest.raises(ValueError, match="32"):
        ckks.Session("n10-insecure", ["a", "b"], seed=b"short")
    with pytest.raises(ValueError, match="queries"):
        parties["a"].decryption_message(
            ckks.Client("n10-insecure").encrypt([1.0]), security_bits=6, queries=0
        )


def test_sessions_are_pickled_and_parties_are_not() -> None:
    session, parties = joined(["a", "b"], rotations=[1, -2])
    assert pickle.loads(pickle.dumps(session)).id == session.id
    assert ckks.Session.load(session.to_bytes(), insecure=True).names == ["a", "b"]
    with pytest.raises(ValueError, match="insecure=True"):
        ckks.Session.load(session.to_bytes())
    for move in (pickle.dumps, copy.copy, copy.deepcopy):
        with pytest.raises(TypeError, match="secret"):
            move(parties["a"])


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
def test_a_forked_child_cannot_answer() -> None:
    _, parties = joined(["a", "b"])
    child = os.fork()
    if child == 0:
        try:
            parties["a"].key_messages()
        except ValueError:
            os._exit(7)
        os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7


def test_the_example_of_two_processes() -> None:
    path = Path(__file__).resolve().parents[2] / "python" / "examples" / "two_parties.py"
    ran = subprocess.run(
        [sys.executable, path], capture_output=True, text=True, timeout=300, check=False
    )
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.startswith("mean of products: ")
