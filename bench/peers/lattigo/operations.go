// SPDX-License-Identifier: Apache-2.0 OR MIT

// Basic operations at the highest level.
//
// Moduli: 28 primes (60 bits, then 45) and 7 of keys (61 bits): 1,702 bits, four digits.
package main

import (
	"fmt"
	"time"

	"github.com/tuneinsight/lattigo/v6/core/rlwe"
	"github.com/tuneinsight/lattigo/v6/ring"
	"github.com/tuneinsight/lattigo/v6/schemes/ckks"
)

const (
	logN     = 16
	mains    = 28
	specials = 7
)

// A ciphertext of the highest level, the other operands, and the results.
type bench struct {
	params    ckks.Parameters
	evaluator *ckks.Evaluator
	a, b, out *rlwe.Ciphertext
	plaintext *rlwe.Plaintext
	product   *rlwe.Ciphertext // not rescaled yet
	limb      ring.Poly
	limbRing  *ring.Ring
	rotations []int
}

func parameters() ckks.Parameters {
	logQ := []int{60}
	for len(logQ) < mains {
		logQ = append(logQ, 45)
	}
	logP := []int{}
	for len(logP) < specials {
		logP = append(logP, 61)
	}
	return must(ckks.NewParametersFromLiteral(ckks.ParametersLiteral{
		LogN: logN, LogQ: logQ, LogP: logP, LogDefaultScale: 45,
	}))
}

func newBench() *bench {
	params := parameters()
	keys := rlwe.NewKeyGenerator(params)
	secret := keys.GenSecretKeyNew()
	rotations := []int{1, 2, 3, 4, 5, 6, 7, 8}
	galois := keys.GenGaloisKeysNew(params.GaloisElements(rotations), secret)
	set := rlwe.NewMemEvaluationKeySet(keys.GenRelinearizationKeyNew(secret), galois...)
	evaluator := ckks.NewEvaluator(params, set)
	encoder, encryptor := ckks.NewEncoder(params), rlwe.NewEncryptor(params, secret)
	values := make([]complex128, params.MaxSlots())
	for i := range values {
		values[i] = complex(float64(i%1009)/1009, float64(i%769)/769-0.5)
	}
	plaintext := ckks.NewPlaintext(params, params.MaxLevel())
	check(encoder.Encode(values, plaintext))
	encrypt := func() *rlwe.Ciphertext { return must(encryptor.EncryptNew(plaintext)) }
	generator := ring.NewNTTFriendlyPrimesGenerator(60, 2<<logN)
	prime := must(generator.NextDownstreamPrimes(1))
	limbRing := must(ring.NewRing(1<<logN, prime))
	limb := limbRing.NewPoly()
	for i := range limb.Coeffs[0] {
		limb.Coeffs[0][i] = uint64(i) * 0x9e3779b97f4a7c15 % prime[0]
	}
	a, b := encrypt(), encrypt()
	product := must(evaluator.MulRelinNew(a, b))
	return &bench{params, evaluator, a, b, ckks.NewCiphertext(params, 1, params.MaxLevel()),
		plaintext, product, limb, limbRing, rotations}
}

func (b *bench) operations() map[string]func() {
	return map[string]func(){
		"ntt":     func() { b.limbRing.NTT(b.limb, b.limb) },
		"add":     func() { check(b.evaluator.Add(b.a, b.b, b.out)) },
		"pmult":   func() { check(b.evaluator.Mul(b.a, b.plaintext, b.out)) },
		"rescale": func() { check(b.evaluator.Rescale(b.product, b.out)) },
		"cmult":   func() { check(b.evaluator.MulRelin(b.a, b.b, b.out)) },
		"cmult-rescale": func() {
			b.out.Resize(1, b.params.MaxLevel())
			check(b.evaluator.MulRelin(b.a, b.b, b.out))
			check(b.evaluator.Rescale(b.out, b.out))
		},
		"rotate":  func() { check(b.evaluator.Rotate(b.a, 1, b.out)) },
		"hoisted": func() { must(b.evaluator.RotateHoistedNew(b.a, b.rotations)) },
	}
}

func serveOperations() {
	b := newBench()
	operations := b.operations()
	fmt.Printf("ready %.1f\n", b.params.LogQP())
	serve(func(line string) string {
		var name string
		var count int
		if _, err := fmt.Sscan(line, &name, &count); err != nil || count < 1 {
			refuse("not an operation and a count: %q", line)
		}
		operation, isThere := operations[name]
		if !isThere {
			refuse("no operation is called %q", name)
		}
		b.out.Resize(1, b.params.MaxLevel())
		start := time.Now()
		for range count {
			operation()
		}
		return fmt.Sprint(time.Since(start).Nanoseconds())
	})
}
