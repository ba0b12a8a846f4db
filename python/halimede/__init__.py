# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Halimede: an accelerator for cryptography, on the processor or on a card.

    >>> import halimede
    >>> hex(halimede.starknet.hash(1, 2))
    '0x5d44a3decb2b2e0cc71071f7b802f45dd792d064f0fc7316c46514f70f9891a'

`poseidon` has the permutations, Filecoin's hash and Merkle trees; `starknet` has Starknet's hashes;
`blake3` has BLAKE3 of one message, of many and of streams, and takes bytes. `equihash` checks
and finds Equihash solutions, `ecdsa` checks signatures over secp256k1 with kept keys, `secp256k1` checks
Schnorr signatures and recovers keys, `bls12_381`, `kzg` and `groth16` have signatures, points, openings and
proofs over BLS12-381, `zcash` verifies whole blocks and many headers; they take bytes too. `ckks` computes on encrypted vectors, with NumPy's operators, and `nn`
runs neural networks on them. `halimede.client` asks a service (`halimede serve`).

An element of a field is given in one of three kinds, and the answer is of the kind that was given:

- `numpy.uint64[..., 4]`: limbs of the canonical integer, the least significant first; as fast as
  it gets, for any number of rows at once;
- bytes, or anything with a buffer of them: 32 to an element, little-endian;
- Python integers.

Batches run on all cores (`RAYON_NUM_THREADS` sets how many) without the interpreter's lock; the
arrays that were given must not be changed meanwhile. A value that is not acceptable is a
ValueError, one of the wrong type a TypeError; a device that fails is a DeviceError. Nothing is
answered by halves.
"""

from halimede import (
    blake3, bls12_381, ckks, ecdsa, equihash, groth16, kzg, nn, poseidon, secp256k1, starknet, zcash,
)
from halimede._native import Device, DeviceError, Object, __version__, devices
from halimede._verdicts import OUTCOMES, Values, Verdict, Verdicts

__all__ = [
    "Device", "DeviceError", "OUTCOMES", "Object", "Values", "Verdict", "Verdicts", "__version__", "blake3", "bls12_381", "ckks", "devices", "ecdsa",
    "equihash", "groth16", "kzg", "nn", "poseidon", "secp256k1", "starknet", "zcash",
]
