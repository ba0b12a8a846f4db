# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The extension module: arrays of limbs, uint64[..., 4], or of bytes, uint8[n * 32]; buffers."""

from types import TracebackType
from typing import Any, TypeAlias, TypedDict, final

import numpy as np
from numpy.typing import NDArray
from typing_extensions import Buffer

__all__ = [
    "Blake3Hasher",
    "Device",
    "DeviceError",
    "ECDSA_OUTCOMES",
    "EcdsaVerifier",
    "StarknetHasher",
    "__version__",
    "blake3_hash",
    "blake3_hash_many",
    "devices",
    "equihash_header",
    "equihash_indices",
    "equihash_minimal",
    "equihash_solve",
    "equihash_verify",
    "filecoin_hash",
    "parameters",
    "permute",
    "starknet_hash",
    "starknet_hash_many",
    "starknet_hash_single",
    "tree_root",
    "tree_root_of_file",
    "zcash_verify_block",
    "zcash_verify_headers",
]

_Digits: TypeAlias = NDArray[np.uint64] | NDArray[np.uint8] | NDArray[Any]

ECDSA_OUTCOMES: list[str]
__version__: str

class DeviceError(RuntimeError):
    """A device is not there, cannot do what it was asked, or failed while doing it."""

@final
class Device:
    def __new__(
        cls, name: str = "cpu", *, fallback: str | None = None, time_limit: float | None = None
    ) -> Device: ...
    @property
    def name(self) -> str: ...
    @property
    def closed(self) -> bool: ...
    @property
    def capabilities(self) -> dict[str, Any]: ...
    def close(self) -> None: ...
    def __enter__(self) -> Device: ...
    def __exit__(
        self,
        kind: type[BaseException] | None = None,
        error: BaseException | None = None,
        trace: TracebackType | None = None,
    ) -> None: ...

def devices() -> list[dict[str, Any]]: ...

@final
class StarknetHasher:
    def __new__(cls) -> StarknetHasher: ...
    def update(self, elements: _Digits) -> None: ...
    def digest(self) -> NDArray[np.uint64]: ...
    def copy(self) -> StarknetHasher: ...

class _Parameters(TypedDict):
    instance: str
    field: str
    modulus: NDArray[np.uint64]
    width: int
    alpha: int
    full_rounds: int
    partial_rounds: int
    partial_sbox_index: int
    digest_index: int
    round_constants: NDArray[np.uint64]
    mds: NDArray[np.uint64]

def parameters(instance: str) -> _Parameters: ...
def permute(states: _Digits, instance: str, device: Device | None) -> Any: ...
def filecoin_hash(
    preimages: _Digits,
    arity: int | None,
    strength: str,
    hash_type: str,
    custom_id: int | None,
    device: Device | None,
) -> Any: ...
def tree_root(leaves: _Digits, arity: int, strength: str, device: Device | None) -> Any: ...
def tree_root_of_file(path: str, arity: int, strength: str, device: Device | None) -> bytes: ...
def starknet_hash(pairs: _Digits, device: Device | None) -> Any: ...
def starknet_hash_single(elements: _Digits, device: Device | None) -> Any: ...
def starknet_hash_many(
    elements: _Digits, offsets: NDArray[np.uint64] | None, device: Device | None
) -> Any: ...
def blake3_hash(
    data: Buffer,
    key: Buffer | None,
    context: str | None,
    length: int,
    seek: int,
    device: Device | None,
) -> bytes: ...
def blake3_hash_many(
    messages: Any,
    offsets: NDArray[np.uint64] | None,
    key: Buffer | None,
    context: str | None,
    device: Device | None,
) -> NDArray[np.uint8]: ...

@final
class Blake3Hasher:
    def __new__(cls, key: Buffer | None, context: str | None) -> Blake3Hasher: ...
    def update(self, data: Buffer) -> None: ...
    def digest(self, length: int, seek: int) -> bytes: ...
    def copy(self) -> Blake3Hasher: ...
    def reset(self) -> None: ...

class _Header(TypedDict):
    n: int
    k: int
    hash: str
    version: int
    previous: str
    merkle_root: str
    commitment: str
    time: int
    bits: int
    target: bytes | None
    meets_target: bool
    nonce: bytes
    input: bytes
    solution: bytes

def equihash_header(data: Buffer, n: int | None, k: int | None) -> _Header: ...
def equihash_indices(solution: Buffer, n: int, k: int) -> NDArray[np.uint32]: ...
def equihash_minimal(indices: NDArray[np.uint32], n: int, k: int) -> bytes: ...
def equihash_solve(input: Buffer, n: int, k: int, memory_limit: int | None) -> list[bytes]: ...
def equihash_verify(
    inputs: Any, solutions: Any, n: int, k: int, device: Device | None
) -> NDArray[np.uint8]: ...

@final
class EcdsaVerifier:
    def __new__(cls, format: str, low_s: bool, cached_keys: int) -> EcdsaVerifier: ...
    @property
    def cache_counts(self) -> tuple[int, int]: ...
    def verify(
        self, key: Buffer, digest: Buffer, signature: Buffer, device: Device | None
    ) -> tuple[int, str | None]: ...
    def verify_many(
        self, keys: Any, digests: Any, signatures: Any, device: Device | None
    ) -> tuple[NDArray[np.uint8], dict[int, str]]: ...

def zcash_verify_block(
    block: Buffer | str,
    network: str,
    spent: Buffer | str | None,
    height: int | None,
    branch: str | None,
    device: Device | None,
) -> Any: ...
def zcash_verify_headers(
    headers: Any, network: str, device: Device | None
) -> list[tuple[str, list[str]]]: ...
