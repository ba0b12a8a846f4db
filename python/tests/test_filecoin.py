# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The second phase of sealing gives the files of filecoin-proofs."""

import base64
import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

import halimede

ROOT = Path(__file__).resolve().parents[2]
VECTORS = json.loads((ROOT / "engines/filecoin/vectors/real.json").read_text())["sectors"]


def write_sector(vector: dict[str, Any], folder: Path) -> str:
    """Writes the files of the first phase; returns its output."""
    (folder / "cache").mkdir()
    for name in ("sc-02-data-layer-1.dat", "sc-02-data-layer-2.dat"):
        (folder / "cache" / name).write_bytes(bytes.fromhex(vector["files"][name]))
    row = bytes.fromhex(vector["data"])
    (folder / "sealed").write_bytes(row)
    tree_d = row
    while len(row) > 32:
        hashes = [bytearray(hashlib.sha256(row[at:at + 64]).digest()) for at in range(0, len(row), 64)]
        for node in hashes:
            node[-1] &= 0x3f
        row = b"".join(hashes)
        tree_d += row
    (folder / "cache" / "sc-02-data-tree-d.dat").write_bytes(tree_d)
    return base64.b64encode(json.dumps(vector["phase1"]).encode()).decode()


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: str(vector["number"]))
def test_a_sector_has_the_files_of_filecoin_proofs(
    vector: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
) -> None:
    pc1out = write_sector(vector, tmp_path)
    monkeypatch.chdir(tmp_path)
    sealed = halimede.filecoin.precommit2(Path("sealed"), "cache", pc1out.encode())
    assert sealed.comm_r.hex() == vector["comm_r"]
    assert sealed.comm_d == bytes(vector["phase1"]["comm_d"])
    assert (sealed.comm_c + sealed.comm_r_last).hex() == vector["files"]["p_aux"]
    assert sealed.sealed_cid.startswith("bagboea4b5abc")
    assert (sealed.reused_trees, sealed.continued_replica) == (0, False)
    assert (tmp_path / "sealed").read_bytes().hex() == vector["sealed"]
    for name, content in vector["files"].items():
        assert (tmp_path / "cache" / name).read_bytes().hex() == content, name
    with pytest.raises(ValueError, match="sealed already"):
        halimede.filecoin.precommit2("sealed", "cache", pc1out)


def test_bad_input_is_refused(tmp_path: Path) -> None:
    pc1out = write_sector(VECTORS[1], tmp_path)
    sealed, cache = tmp_path / "sealed", tmp_path / "cache"
    with pytest.raises(ValueError, match="pc1out: not base64"):
        halimede.filecoin.precommit2(sealed, cache, "%")
    with pytest.raises(FileNotFoundError):
        halimede.filecoin.precommit2(sealed, tmp_path / "none", pc1out)
    with pytest.raises(halimede.DeviceError):
        halimede.filecoin.precommit2(sealed, cache, pc1out, device=halimede.Device("uart:/none"))
    with pytest.raises(TypeError):
        halimede.filecoin.precommit2(sealed, cache, None)  # type: ignore[arg-type]
    layer = cache / "sc-02-data-layer-2.dat"
    layer.write_bytes(layer.read_bytes()[:-1])
    with pytest.raises(ValueError, match="expected a layer of 2048 bytes, got 2047 bytes"):
        halimede.filecoin.precommit2(sealed, cache, pc1out)
