// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// Makes vectors of circomlibjs' Poseidon and of Noir's Poseidon2 hash; see ../../vectors/README.md.
// Prints one line of JSON per vector.

import { createHash } from "node:crypto";
import { poseidon2Hash } from "@zkpassport/poseidon2";
import { buildPoseidon } from "circomlibjs";

const CASES = 8;
const MODULUS = 21888242871839275222246405745257275088548364400416034343698204186575808495617n;

/** Element `index` of a case: a number that the peers in other languages derive too. */
function number(instance, number, index) {
  if (number === 0) return BigInt(index);
  const digest = createHash("sha256").update(`halimede ${instance} ${number} ${index}`).digest("hex");
  return BigInt(`0x${digest}`) % MODULUS;
}

const text = (value) => `0x${value.toString(16).padStart(64, "0")}`;

function print(kind, instance, origin, input, output) {
  console.log(JSON.stringify({ kind, instance, origin, input: input.map(text), output: [text(output)] }));
}

const poseidon = await buildPoseidon();
for (let inputs = 1; inputs <= 16; inputs++) {
  const instance = `circom-${inputs}`;
  for (let number_ = 0; number_ <= CASES; number_++) {
    const input = Array.from({ length: inputs }, (_, index) => number(instance, number_, index));
    const digest = BigInt(poseidon.F.toString(poseidon(input)));
    print("circom", instance, "circomlibjs 0.1.7", input, digest);
  }
}
for (let number_ = 0; number_ <= CASES; number_++) {
  const input = Array.from({ length: number_ % 9 }, (_, index) => number("noir", number_, index));
  print("hash", "noir", "@zkpassport/poseidon2 0.6.2", input, poseidon2Hash(input));
}
