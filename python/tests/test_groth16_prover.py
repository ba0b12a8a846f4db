# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Proofs of the circuit of the vectors: from its `.zkey`, by files and by their contents."""

import json
import random
import threading
from pathlib import Path

import pytest
from halimede import Object, groth16
from halimede.groth16 import ProvingKey

FOLDER = Path(__file__).resolve().parents[2] / "engines/bls12_381/vectors/circom"
ZKEY, WITNESS, CIRCUIT = (FOLDER / f"small.{kind}" for kind in ("zkey", "wtns", "r1cs"))
PUBLIC = [int(number) for number in json.loads((FOLDER / "public.json").read_text())]
KEY = ProvingKey(ZKEY)


def test_proofs_verify_and_never_repeat() -> None:
    verifying_key = Object("groth16-key", KEY.verifying_key)
    sources = [(KEY, WITNESS), (KEY, str(WITNESS)), (ProvingKey(ZKEY, CIRCUIT), WITNESS.read_bytes())]
    made = [key.prove(witness) for key, witness in sources]
    assert all(inputs == PUBLIC and len(inputs) == KEY.inputs for _, inputs in made)
    proofs = [proof for proof, _ in made]
    assert len(set(proofs)) == len(proofs) and {len(proof) for proof in proofs} == {192}
    assert groth16.verify(verifying_key, proofs, [PUBLIC] * len(proofs)).all()
    others = [PUBLIC[:-1] + [PUBLIC[-1] + 1]] * len(proofs)
    assert not groth16.verify(verifying_key, proofs, others).valid.any()


def test_threads_share_a_key() -> None:
    proofs: list[bytes] = []
    threads = [
        threading.Thread(target=lambda: proofs.append(KEY.prove(WITNESS)[0])) for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    verifying_key = Object("groth16-key", KEY.verifying_key)
    assert groth16.verify(verifying_key, proofs, [PUBLIC] * 4).all() and len(set(proofs)) == 4


def test_a_wrong_witness_makes_no_proof() -> None:
    """A `.zkey` alone has no products, so that the finished proof fails; an `.r1cs` names the constraint."""
    witness = bytearray(WITNESS.read_bytes())
    witness[-32] ^= 1
    with pytest.raises(ValueError, match="witness: the proof that was made is not valid"):
        KEY.prove(bytes(witness))
    with pytest.raises(ValueError, match=r"witness: the witness does not satisfy constraint \d"):
        ProvingKey(ZKEY, CIRCUIT).prove(bytes(witness))


@pytest.mark.parametrize("path", [ZKEY, WITNESS, CIRCUIT])
def test_damaged_files_are_refused(path: Path) -> None:
    """Truncated anywhere, or with a bit flipped: ValueError, or the same proof as before."""
    content = path.read_bytes()
    generator = random.Random(path.name)

    def use(content: bytes) -> list[int]:
        key = ProvingKey(content if path == ZKEY else ZKEY, content if path == CIRCUIT else None)
        return key.prove(content if path == WITNESS else WITNESS)[1]

    assert use(content) == PUBLIC
    for _ in range(10):
        with pytest.raises(ValueError, match=r"^(source|circuit|witness): "):
            use(content[: generator.randrange(len(content))])
    for _ in range(20):
        damaged = bytearray(content)
        damaged[generator.randrange(len(content))] ^= 1 << generator.randrange(8)
        try:
            assert use(bytes(damaged)) == PUBLIC
        except ValueError as error:
            assert str(error).startswith(("source: ", "circuit: ", "witness: "))


def test_bad_sources() -> None:
    with pytest.raises(ValueError, match="source: not a proving key"):
        ProvingKey(WITNESS)
    with pytest.raises(ValueError, match="circuit: not an .r1cs file"):
        ProvingKey(ZKEY, WITNESS)
    with pytest.raises(ValueError, match="witness: not a .wtns file"):
        KEY.prove(CIRCUIT)
    with pytest.raises(OSError):
        ProvingKey(FOLDER / "absent.zkey")
    with pytest.raises(OSError):
        KEY.prove(FOLDER / "absent.wtns")
    with pytest.raises(TypeError):
        ProvingKey(7)  # type: ignore[arg-type]
