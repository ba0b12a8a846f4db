# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Bytes and files of CKKS: saved values are loaded, damaged ones are refused."""

import functools
import os
import random
import subprocess
import sys
from pathlib import Path
from typing import Any, Callable

import numpy as np
import pytest
from ckks_setting import MOST, SLOTS, complexes, setting
from halimede import ckks


@functools.cache
def small() -> ckks.Client:
    return ckks.Client("n10-insecure")


def kinds() -> dict[str, tuple[bytes, Callable[[Any], Any]]]:
    """The bytes of one value of each kind, and the function that loads it."""
    client = small()
    keys = client.evaluation_keys(multiply=True, rotations=[3])
    sealed = client.encrypt(complexes(1, 512), bound=MOST)
    return {
        "parameters": (
            client.parameters.to_bytes(), lambda source: ckks.Parameters.load(source, insecure=True)
        ),
        "secret key": (
            client.secret_bytes(), lambda source: ckks.Client.load(source, insecure=True)
        ),
        "public key": (
            client.public_key().to_bytes(),
            lambda source: ckks.PublicKey.load(source, insecure=True),
        ),
        "evaluation keys": (
            keys.to_bytes(), lambda source: ckks.EvaluationKeys.load(source, insecure=True)
        ),
        "ciphertext": (
            sealed.to_bytes(), lambda source: ckks.Ciphertext.load(source, client.parameters)
        ),
    }


KINDS = list(kinds())


@pytest.mark.parametrize("kind", KINDS)
def test_damaged_bytes_are_refused(kind: str) -> None:
    content, load = kinds()[kind]
    generator = random.Random(kind)
    load(content)
    load(bytearray(content))
    load(np.frombuffer(content, np.uint8))
    for length in {0, 1, 8, 20, len(content) // 2, len(content) - 1}:
        with pytest.raises(ValueError, match="ends at byte|begin as one"):
            load(content[:length])
    with pytest.raises(ValueError, match="has bytes after its end"):
        load(content + b"\0")
    for _ in range(60):
        flipped = bytearray(content)
        flipped[generator.randrange(len(content))] ^= 1 << generator.randrange(8)
        with pytest.raises(ValueError, match=r"\w"):
            load(flipped)
    with pytest.raises(ValueError, match="not a CKKS file"):
        load(b"text, and more of it")


@pytest.mark.parametrize("kind", KINDS)
def test_files(kind: str, tmp_path: Path) -> None:
    content, load = kinds()[kind]
    path = tmp_path / "of this kind"
    path.write_bytes(content)
    path.chmod(0o600)
    again = load(path)
    load(os.fspath(path))
    if kind != "secret key":
        again.save(path)
        assert path.read_bytes() == again.to_bytes() == content
    path.write_bytes(content[:-1])
    with pytest.raises(ValueError, match="of this kind: the file ends at byte"):
        load(path)
    with pytest.raises(FileNotFoundError):
        load(tmp_path / "none")
    with pytest.raises(IsADirectoryError):
        load(tmp_path) if kind == "secret key" else again.save(tmp_path)


@pytest.mark.parametrize("kind", KINDS)
def test_other_kinds_and_parameters_are_refused(kind: str) -> None:
    content, load = kinds()[kind]
    for other, (bytes_of_other, _) in kinds().items():
        if other != kind:
            with pytest.raises(ValueError, match="expected .*, but the file holds"):
                load(bytes_of_other)
    s = setting()
    of_others = {
        "secret key": (s.client.secret_bytes, ckks.Client.load),
        "public key": (s.client.public_key().to_bytes, ckks.PublicKey.load),
        "evaluation keys": (s.client.evaluation_keys().to_bytes, ckks.EvaluationKeys.load),
        "ciphertext": (s.client.encrypt([1.0]).to_bytes, ckks.Ciphertext.load),
    }
    if kind in of_others:
        to_bytes, load_with = of_others[kind]
        with pytest.raises(ValueError, match="n13-insecure .* n10-insecure .* are in use"):
            load_with(to_bytes(), small().parameters)


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "ciphertext"])
def test_insecure_parameters_must_be_asked_for(kind: str) -> None:
    load = {
        "parameters": ckks.Parameters.load, "secret key": ckks.Client.load,
        "public key": ckks.PublicKey.load, "evaluation keys": ckks.EvaluationKeys.load,
    }[kind]
    with pytest.raises(ValueError, match="do not claim 128 bits of security.*: insecure=True"):
        load(kinds()[kind][0])


def test_what_is_loaded_works(tmp_path: Path) -> None:
    s = setting()
    values = complexes(7, SLOTS)
    s.client.save(tmp_path / "secret.key")
    s.server.keys.save(tmp_path / "evaluation.keys")
    s.client.public_key().save(tmp_path / "public.key")
    public = ckks.PublicKey.load(tmp_path / "public.key", insecure=True)
    public.encrypt(values, bound=MOST).save(tmp_path / "x.ct")
    keys = ckks.EvaluationKeys.load(tmp_path / "evaluation.keys", s.client.parameters)
    assert keys.operations == s.server.keys.operations
    assert keys.rotations == s.server.keys.rotations
    server = ckks.Server(keys)
    x = server.load(tmp_path / "x.ct")
    (x * x << 1).save(tmp_path / "y.ct")
    client = ckks.Client.load(tmp_path / "secret.key", insecure=True)
    y = ckks.Ciphertext.load(tmp_path / "y.ct", client.parameters)
    assert y.server is None and (y.level, len(y), y.bound) == (7, SLOTS, MOST**2)
    assert np.abs(client.decrypt(y) - np.roll(values**2, -1)).max() < 1e-5


def test_a_secret_key_is_its_owners_alone(tmp_path: Path) -> None:
    path = tmp_path / "secret.key"
    small().save(path)
    assert path.stat().st_mode & 0o777 == 0o600
    with pytest.raises(FileExistsError):
        small().save(path)
    for mode in (0o640, 0o604, 0o666):
        path.chmod(mode)
        with pytest.raises(PermissionError, match=f"has the mode {mode:04o}"):
            ckks.Client.load(path, insecure=True)
    path.chmod(0o400)
    ckks.Client.load(path, insecure=True)
    assert path.read_bytes() == small().secret_bytes()


def test_fresh_ciphertexts_and_low_levels_are_small() -> None:
    client = small()
    x = client.encrypt(complexes(8, 512), bound=MOST)
    turned = client.server(rotations=[1]).bind(x) << 1
    fresh, computed = len(x.to_bytes()), len(turned.to_bytes())
    assert 1.8 * fresh < computed < 2.1 * fresh
    assert len(client.encrypt(complexes(8, 512), bound=MOST, level=0).to_bytes()) < fresh / 2
    high = len(client.evaluation_keys(multiply=True).to_bytes())
    assert len(client.evaluation_keys(multiply=True, level=1).to_bytes()) < high


SAVING = """
import sys
from halimede import ckks
client = ckks.Client("n13-insecure")
keys = client.evaluation_keys(multiply=True, rotations=range(1, 12))
print("ready", flush=True)
while True:
    keys.save(sys.argv[1])
    print("saved", flush=True)
"""


def test_a_file_is_whole_whenever_its_writer_is_killed(tmp_path: Path) -> None:
    path = tmp_path / "evaluation.keys"
    length = None
    for attempt in range(6):
        arguments = [sys.executable, "-c", SAVING, os.fspath(path)]
        with subprocess.Popen(arguments, stdout=subprocess.PIPE) as writer:
            assert writer.stdout is not None
            # Each time in the middle of another file, right after the last one.
            for _ in range(2 + attempt % 3):
                assert writer.stdout.readline()
            writer.kill()
        size = path.stat().st_size
        assert size == (length or size) and size > 1 << 20
        length = size
        ckks.EvaluationKeys.load(path, insecure=True)


def test_what_is_saved_replaces_what_links_lead_to(tmp_path: Path) -> None:
    link, file = tmp_path / "link", tmp_path / "file"
    file.write_bytes(b"old")
    file.chmod(0o640)
    link.symlink_to("file")
    x = small().encrypt([0.25], bound=1)
    x.save(link)
    assert link.is_symlink() and file.read_bytes() == x.to_bytes()
    assert file.stat().st_mode & 0o777 == 0o640
    assert sorted(tmp_path.iterdir()) == [file, link]
    full = tmp_path / "full"
    full.symlink_to("/dev/full")
    with pytest.raises(OSError, match="No space left"):
        x.save(full)
    assert full.is_symlink()
