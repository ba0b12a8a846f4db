# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The client of the service, against the command."""

import os
import shutil
import signal
import ssl
import subprocess
import urllib.error
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from test_ckks_example import example

import halimede
from halimede.client import Client, Refused

ROOT = Path(__file__).parents[2]
TOKEN = "0123456789abcdef-of-tests"


def command() -> str:
    """Returns the path of the built command, or of the installed one."""
    built = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / "debug" / "halimede"
    found = str(built) if built.exists() else shutil.which("halimede")
    if found is None:
        pytest.skip("the command halimede is neither built nor installed")
    return found


@contextmanager
def service(*options: str) -> Iterator[str]:
    """Yields the URL of a service, and ends the service afterwards."""
    server = subprocess.Popen(
        [command(), "serve", "--listen", "127.0.0.1:0", *options],
        stdout=subprocess.PIPE, text=True, env={**os.environ, "HALIMEDE_LOG": "warn"})
    assert server.stdout is not None
    line = server.stdout.readline()
    assert line.startswith("listening on http"), line
    yield line.split()[-1]
    server.send_signal(signal.SIGTERM)
    assert server.wait(60) == 0


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("service")
    tokens = folder / "tokens"
    tokens.write_text(f"tests {TOKEN}\n")
    tokens.chmod(0o600)
    with service("--tokens", str(tokens), "--store", str(folder / "store")) as url:
        yield url


@pytest.fixture
def client(url: str) -> Client:
    return Client(url, token=TOKEN, timeout=60)


def test_answers_are_those_of_the_package(client: Client) -> None:
    messages = [bytes((31 * place + number) % 256 for place in range(number))
                for number in range(0, 2000, 97)]
    answers = client.call("/v1/blake3/hash", [{"message": message} for message in messages])
    assert [answer["digest"] for answer in answers] == [
        halimede.blake3.hash(message).hex() for message in messages]
    pairs = [(number, 2**250 + number**3) for number in range(20)]
    answers = client.call("/v1/poseidon/starknet-hash", [{"elements": pair} for pair in pairs])
    assert [int(answer["digest"], 16) for answer in answers] == [
        halimede.starknet.hash(*pair) for pair in pairs]
    [answer] = client.call("/v1/blake3/hash", [{"message": b""}], length=64)
    assert len(bytes.fromhex(answer["digest"])) == 64


def test_bad_items_are_named(client: Client) -> None:
    items = [{"elements": [1, 2]}, {"elements": [1]}, {"elements": [2**256 - 1, 1]}]
    answers = client.call("/v1/poseidon/filecoin-hash", items, arity=2)
    assert "digest" in answers[0]
    assert [answer["item"] for answer in answers[1:]] == [1, 2]
    signature = {"key": bytes(range(32)), "message": b"abc", "signature": bytes(range(64))}
    assert client.verdicts("/v1/secp256k1/schnorr-verify", [signature]) == [False]
    with pytest.raises(ValueError, match="item 1: `key`"):
        short = {**signature, "key": b"short"}
        client.verdicts("/v1/secp256k1/schnorr-verify", [signature, short])
    for wrong in ({"elements": [-1]}, {"elements": [True]}):
        with pytest.raises((TypeError, ValueError)):
            client.call("/v1/poseidon/starknet-hash", [wrong])


def test_refusals_are_raised(url: str, client: Client) -> None:
    with pytest.raises(Refused, match="arity") as refused:
        client.call("/v1/poseidon/filecoin-hash", [])
    assert (refused.value.status, refused.value.code) == (400, "setting")
    with pytest.raises(Refused) as refused:
        Client(url).call("/v1/blake3/hash", [])
    assert (refused.value.status, refused.value.code) == (401, "token")
    with pytest.raises(ValueError, match="http"):
        Client("file:///etc/passwd")
    with pytest.raises(OSError):
        Client("http://127.0.0.1:1", timeout=5).document()


def test_objects_are_uploaded_once(client: Client) -> None:
    with pytest.raises(Refused) as refused:
        client.upload("groth16-key", b"no key")
    assert refused.value.code == "content"
    name = halimede.blake3.hash(b"another").hex()
    with pytest.raises(Refused) as refused:
        client.standing(name)
    assert (refused.value.status, refused.value.code) == (404, "object")
    with pytest.raises(Refused):
        client.remove(name)


def test_the_document_has_the_operations(client: Client) -> None:
    document = client.document()
    assert document["openapi"] == "3.1.0"
    for path, methods in document["paths"].items():
        operation = methods.get("post")
        if operation is None or "0" * 64 in operation.get("x-example-query", "0" * 64):
            continue
        request = operation["requestBody"]["content"]["application/json"]["example"]
        settings = dict(pair.split("=") for pair in operation["x-example-query"].split("&") if pair)
        if any("%" in value or "+" in value for value in settings.values()):
            continue
        expected = operation["responses"]["200"]["content"]["application/json"]["example"]
        assert client.call(path, request["items"], **settings) == expected["answers"], path


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_a_served_network_labels_encrypted_digits(tmp_path: Path) -> None:
    pytest.importorskip("onnx")
    pytest.importorskip("sklearn")
    examples = ROOT / "python" / "examples"
    example(examples / "encrypted_digits.py").write(tmp_path / "digits", seed=1)
    samples = sorted(str(path) for path in (tmp_path / "digits").glob("samples-*.csv"))
    network = tmp_path / "digits.network"
    subprocess.run(
        [command(), "ckks", "compile", tmp_path / "digits" / "digits.onnx", "--calibrate", *samples,
         "--params", "n13-insecure", "--degree", "3", "--no-guard", "--out", network],
        check=True, capture_output=True)
    with service("--store", str(tmp_path / "store"), "--network", str(network)) as url:
        client = Client(url, timeout=60)
        [name] = client.networks()
        assert client.network(name)["input_shape"] == [1, 8, 8]
        with pytest.raises(ValueError, match="security"):
            example(examples / "served_digits.py").run(url, 1)
        result = example(examples / "served_digits.py").run(url, 3, insecure=True)
        assert len(result.labels) == 3
        assert sum(a == b for a, b in zip(result.labels, result.digits)) >= 2
        with pytest.raises(Refused) as refused:
            client.run_result("0" * 32)
        assert (refused.value.status, refused.value.code) == (404, "run")


@pytest.mark.skipif(shutil.which("openssl") is None, reason="openssl makes the certificate")
def test_by_tls_the_service_proves_who_it_is(tmp_path: Path) -> None:
    key, certificate = tmp_path / "key.pem", tmp_path / "certificate.pem"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
         "-keyout", key, "-out", certificate, "-days", "2", "-subj", "/CN=localhost",
         "-addext", "subjectAltName=IP:127.0.0.1"], check=True, capture_output=True)
    key.chmod(0o600)
    options = ("--tls-certificate", str(certificate), "--tls-key", str(key))
    with service(*options) as url:
        assert url.startswith("https://")
        answers = Client(url, certificates=certificate, timeout=60).call(
            "/v1/blake3/hash", [{"message": b"abc"}])
        assert [answer["digest"] for answer in answers] == [halimede.blake3.hash(b"abc").hex()]
        with pytest.raises(urllib.error.URLError) as error:
            Client(url, timeout=60).call("/v1/blake3/hash", [{"message": b"abc"}])
        assert isinstance(error.value.reason, ssl.SSLCertVerificationError)
