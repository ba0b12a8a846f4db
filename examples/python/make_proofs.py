# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Writes a Groth16 key, circuit.vk, and proofs with one public input each, proofs.jsonl, in
bellman's format.

The key is made from the numbers below. Anybody who knows them can prove anything, so the key is
only for trying out a verifier. A proof (A, B, C) of the input x satisfies ab = αβ + (f + x·s)·γ +
c·δ, where A = a·G1, B = b·G2 and C = c·G1; f and s are the factors of the key's two terms. The last
proof has a wrong C.

    python3 make_proofs.py [COUNT]
"""

import json
import random
import sys

from halimede import bls12_381

ORDER = 0x73EDA753299D7D483339D80809A1D80553BDA402FFFE5BFEFFFFFFFF00000001
# The generators in the encoding of EIP-2537: elements of 64 bytes; the constant term of Fp2 is
# first.
G1 = (
    0x17F1D3A73197D7942695638C4FA9AC0FC3688C4F9774B905A14E3A3F171BAC586C55E83FF97A1AEFFB3AF00ADB22C6BB,
    0x08B3F481E3AAA0F1A09E30ED741D8AE4FCF5E095D5D00AF600DB18CB2C04B3EDD03CC744A2888AE40CAA232946C5E7E1,
)
G2 = (
    0x024AA2B2F08F0A91260805272DC51051C6E47AD4FA403B02B4510B647AE3D1770BAC0326A805BBEFD48056C8C121BDB8,
    0x13E02B6052719F607DACD3A088274F65596BD0D09920B61AB5DA61BBDC7F5049334CF11213945D57E5AC7D055D042B7E,
    0x0CE5D527727D6E118CC9CDC6DA2E351AADFD9BAA8CBDD3A76D429A695160D12C923AC9CC3BACA289E193548608B82801,
    0x0606C4A02EA734CC32ACD2B02BC28B99CB3E287E85A763AF267492AB572E99AB3F370D275CEC1DA1AAA9075FF05F79BE,
)
ALPHA, BETA, GAMMA, DELTA, FIRST, SECOND = 3, 5, 7, 11, 13, 17


def multiple(generator: tuple[int, ...], scalar: int) -> bytes:
    """Returns a multiple of a generator, uncompressed; the constant term of Fp2 is last."""
    call = b"".join(element.to_bytes(64, "big") for element in generator) + scalar.to_bytes(32, "big")
    output = bls12_381.precompile([call], name="g1msm" if len(generator) == 2 else "g2msm")[0]
    elements = [output[at + 16:at + 64] for at in range(0, len(output), 64)]
    order = (0, 1) if len(generator) == 2 else (1, 0, 3, 2)
    return b"".join(elements[place] for place in order)


def compressed(generator: tuple[int, ...], scalar: int) -> bytes:
    """Returns the same, compressed: x, and three bits above it. The last of these bits marks the
    larger y."""
    point = multiple(generator, scalar)
    half = len(point) // 2
    # Compares the first nonzero element of y, from the highest power down, with its negative.
    modulus = 0x1A0111EA397FE69A4B1BA7B6434BACD764774B84F38512BF6730D2A0F6B0F6241EABFFFEB153FFFFB9FEFFFFFFFFAAAB
    parts = [int.from_bytes(point[at:at + 48], "big") for at in range(half, len(point), 48)]
    y = next((part for part in parts if part), 0)
    return bytes([point[0] | 0x80 | (0x20 if y > modulus - y else 0)]) + point[1:half]


def proof(random_numbers: random.Random, spoilt: bool) -> dict[str, object]:
    """Makes a proof of a random input."""
    a, b, x = (random_numbers.randrange(1, ORDER) for _ in range(3))
    c = (a * b - ALPHA * BETA - (FIRST + x * SECOND) * GAMMA) * pow(DELTA, -1, ORDER)
    parts = compressed(G1, a) + compressed(G2, b) + compressed(G1, (c + spoilt) % ORDER)
    return {"proof": parts.hex(), "inputs": [f"{x:#066x}"]}


def main() -> None:
    """Writes both files."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 3
    points = (
        (G1, ALPHA), (G1, BETA), (G2, BETA), (G2, GAMMA), (G1, DELTA), (G2, DELTA),
    )
    terms = multiple(G1, FIRST) + multiple(G1, SECOND)
    with open("circuit.vk", "wb") as file:
        file.write(b"".join(multiple(*point) for point in points) + (2).to_bytes(4, "big") + terms)
    random_numbers = random.Random(1)
    with open("proofs.jsonl", "w", encoding="utf-8") as lines:
        for place in range(count):
            print(json.dumps(proof(random_numbers, place == count - 1)), file=lines)


if __name__ == "__main__":
    main()
