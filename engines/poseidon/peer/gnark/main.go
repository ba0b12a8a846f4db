// SPDX-License-Identifier: Apache-2.0 OR MIT

// Makes vectors of gnark-crypto's Poseidon2; see ../../vectors/README.md. Prints one line of JSON
// per vector.
package main

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"log"
	"math/big"

	bls "github.com/consensys/gnark-crypto/ecc/bls12-381/fr"
	blsposeidon "github.com/consensys/gnark-crypto/ecc/bls12-381/fr/poseidon2"
	bn "github.com/consensys/gnark-crypto/ecc/bn254/fr"
	bnposeidon "github.com/consensys/gnark-crypto/ecc/bn254/fr/poseidon2"
	"github.com/consensys/gnark-crypto/hash"
)

const (
	cases  = 8
	origin = "gnark-crypto 0.19.2"
)

type vector struct {
	Kind     string   `json:"kind"`
	Instance string   `json:"instance"`
	Origin   string   `json:"origin"`
	Input    []string `json:"input"`
	Output   []string `json:"output"`
}

// Element index of a case: a number that the peers in other languages derive too.
func number(instance string, number, index int, modulus *big.Int) *big.Int {
	if number == 0 {
		return big.NewInt(int64(index))
	}
	digest := sha256.Sum256(fmt.Appendf(nil, "halimede %s %d %d", instance, number, index))
	value := new(big.Int).SetBytes(digest[:])
	return value.Mod(value, modulus)
}

func inputs(instance string, number_, count int, modulus *big.Int) []*big.Int {
	values := make([]*big.Int, count)
	for index := range values {
		values[index] = number(instance, number_, index, modulus)
	}
	return values
}

func texts(values []*big.Int) []string {
	result := make([]string, len(values))
	for index, value := range values {
		result[index] = fmt.Sprintf("0x%064x", value)
	}
	return result
}

func output(kind, instance string, input, result []*big.Int) {
	line, err := json.Marshal(vector{kind, instance, origin, texts(input), texts(result)})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(string(line))
}

func bn254(width, full, partial int) {
	instance := fmt.Sprintf("gnark-bn254-%d", width)
	permutation := bnposeidon.NewPermutation(width, full, partial)
	for number := 0; number <= cases; number++ {
		values := inputs(instance, number, width, bn.Modulus())
		state, result := make([]bn.Element, width), make([]*big.Int, width)
		for index, value := range values {
			state[index].SetBigInt(value)
		}
		if err := permutation.Permutation(state); err != nil {
			log.Fatal(err)
		}
		for index := range state {
			result[index] = state[index].BigInt(new(big.Int))
		}
		output("permute", instance, values, result)
	}
}

func bls12381(width, full, partial int) {
	instance := fmt.Sprintf("gnark-bls12-381-%d", width)
	permutation := blsposeidon.NewPermutation(width, full, partial)
	for number := 0; number <= cases; number++ {
		values := inputs(instance, number, width, bls.Modulus())
		state, result := make([]bls.Element, width), make([]*big.Int, width)
		for index, value := range values {
			state[index].SetBigInt(value)
		}
		if err := permutation.Permutation(state); err != nil {
			log.Fatal(err)
		}
		for index := range state {
			result[index] = state[index].BigInt(new(big.Int))
		}
		output("permute", instance, values, result)
	}
}

type compressor interface {
	Compress(left []byte, right []byte) ([]byte, error)
}

func compressions(instance string, modulus *big.Int, permutation compressor) {
	for number := 0; number <= cases; number++ {
		values := inputs(instance, number, 2, modulus)
		left, right := values[0].FillBytes(make([]byte, 32)), values[1].FillBytes(make([]byte, 32))
		digest, err := permutation.Compress(left, right)
		if err != nil {
			log.Fatal(err)
		}
		output("compress", instance, values, []*big.Int{new(big.Int).SetBytes(digest)})
	}
}

func hashes(instance string, modulus *big.Int, hasher hash.StateStorer) {
	for number := 0; number <= cases; number++ {
		values := inputs(instance, number, number%9, modulus)
		hasher.Reset()
		for _, value := range values {
			if _, err := hasher.Write(value.FillBytes(make([]byte, 32))); err != nil {
				log.Fatal(err)
			}
		}
		output("hash", instance, values, []*big.Int{new(big.Int).SetBytes(hasher.Sum(nil))})
	}
}

func main() {
	bn254(2, 6, 50)
	bn254(3, 8, 56)
	bls12381(2, 6, 50)
	compressions("gnark-bn254-2", bn.Modulus(), bnposeidon.NewPermutation(2, 6, 50))
	compressions("gnark-bls12-381-2", bls.Modulus(), blsposeidon.NewPermutation(2, 6, 50))
	hashes("gnark-bn254-2", bn.Modulus(), bnposeidon.NewMerkleDamgardHasher())
	hashes("gnark-bls12-381-2", bls.Modulus(), blsposeidon.NewMerkleDamgardHasher())
}
