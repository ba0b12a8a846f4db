# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Halimede: an accelerator for cryptography, on the processor or on a card.

    >>> import halimede
    >>> hex(halimede.starknet.hash(1, 2))
    '0x5d44a3decb2b2e0cc71071f7b802f45dd792d064f0fc7316c46514f70f9891a'

Hashes and Merkle trees:

- `poseidon`: permutations, Filecoin's hash and Merkle trees;
- `circom`, `poseidon2`: circomlib's Poseidon, and Poseidon2 with published parameters;
- `starknet`: Starknet's hashes;
- `blake3`: BLAKE3 of one message, of many messages and of streams, as bytes.

Verification, of bytes:

- `equihash`: finds and checks Equihash solutions;
- `ecdsa`: checks signatures over secp256k1, with a cache of keys;
- `secp256k1`: checks Schnorr signatures and recovers keys;
- `bls12_381`, `kzg`, `groth16`: signatures, points, openings and proofs over BLS12-381;
- `zcash`: verifies blocks and headers.

Files of sectors: `filecoin` runs the second phase of sealing.

Encrypted data: `ckks` computes on encrypted vectors with NumPy's operators, and `nn` runs neural
networks on them. `halimede.client` sends requests to a service (`halimede serve`).

A field element has one of three representations, and the result has the same one:

- `numpy.uint64[..., 4]`: limbs of the canonical integer, the least significant first; the fastest,
  with any number of rows at once;
- bytes, or any object with a buffer of bytes: 32 bytes per element, little-endian;
- Python integers.

Batches run on all cores (`RAYON_NUM_THREADS` sets the number of threads) without the interpreter's
lock; do not change an array while a call uses it. An invalid value raises ValueError, a wrong type
TypeError, and a device that fails DeviceError. A call returns all of its results or raises.
"""

from halimede import (
    blake3, bls12_381, circom, ckks, ecdsa, equihash, filecoin, groth16, kzg, nn, poseidon, poseidon2,
    secp256k1, starknet, zcash,
)
from halimede._native import Device, DeviceError, Object, __version__, devices
from halimede._verdicts import OUTCOMES, Values, Verdict, Verdicts

__all__ = [
    "Device", "DeviceError", "OUTCOMES", "Object", "Values", "Verdict", "Verdicts", "__version__", "blake3", "bls12_381", "circom", "ckks", "devices", "ecdsa",
    "equihash", "filecoin", "groth16", "kzg", "nn", "poseidon", "poseidon2", "secp256k1", "starknet", "zcash",
]
