// SPDX-License-Identifier: Apache-2.0 OR MIT

// Bootstraps of 2^15 values with Lattigo's own parameters for a dense secret and an ephemeral
// secret of weight 32 (N16QP1767H32768H32, with 13 levels of 40 bits afterwards, or the requested
// number).
//
// After printing `ready logQP levels digits`, the program answers these lines:
//
//	bootstrap    the nanoseconds of one bootstrap
//	precision    log2 of the mean and of the largest error of the last bootstrap
//	memory       the peak memory of this process in bytes, including its keys
//	keys         the bytes of its evaluation keys in a file
package main

import (
	"fmt"
	"math"
	"math/cmplx"
	"math/rand"
	"os"
	"strings"
	"time"

	"github.com/tuneinsight/lattigo/v6/circuits/ckks/bootstrapping"
	"github.com/tuneinsight/lattigo/v6/core/rlwe"
	"github.com/tuneinsight/lattigo/v6/schemes/ckks"
)

// The levels after a bootstrap with N16QP1767H32768H32.
const defaultLevels = 13

// Real and imaginary parts lie in (-bound, bound), as on the other side of the benchmark.
const bound = 0.7

// Keys and a ciphertext of the lowest level.
type bootstrapBench struct {
	params    bootstrapping.Parameters
	evaluator *bootstrapping.Evaluator
	keyBytes  int
	encoder   *ckks.Encoder
	decryptor *rlwe.Decryptor
	values    []complex128
	sealed    *rlwe.Ciphertext
	last      *rlwe.Ciphertext // the result of the last bootstrap
}

// The set's parameters with fewer primes at the bottom. The primes of keys have 61 bits: 6 for 13
// levels, as in the set, and 5 for 9 levels, as in N16QP1546H192H32; both give five digits.
func bootstrapParameters(levels int) (ckks.Parameters, bootstrapping.Parameters) {
	set := bootstrapping.N16QP1767H32768H32
	scheme := set.SchemeParams
	scheme.LogQ = scheme.LogQ[:levels+1]
	if levels <= 9 {
		scheme.LogP = scheme.LogP[:5]
	}
	params := must(ckks.NewParametersFromLiteral(scheme))
	literal := set.BootstrappingParams
	literal.LogP = scheme.LogP
	return params, must(bootstrapping.NewParametersFromLiteral(params, literal))
}

func newBootstrapBench(levels int) *bootstrapBench {
	residual, params := bootstrapParameters(levels)
	secret := rlwe.NewKeyGenerator(residual).GenSecretKeyNew()
	keys, _, err := params.GenEvaluationKeys(secret)
	check(err)
	evaluator := must(bootstrapping.NewEvaluator(params, keys))
	random := rand.New(rand.NewSource(22))
	part := func() float64 { return bound * (2*random.Float64() - 1) }
	values := make([]complex128, residual.MaxSlots())
	for i := range values {
		values[i] = complex(part(), part())
	}
	encoder := ckks.NewEncoder(residual)
	plaintext := ckks.NewPlaintext(residual, 0)
	check(encoder.Encode(values, plaintext))
	sealed := must(rlwe.NewEncryptor(residual, secret).EncryptNew(plaintext))
	return &bootstrapBench{params, evaluator, keys.BinarySize(), encoder,
		rlwe.NewDecryptor(residual, secret), values, sealed, nil}
}

// Bootstraps a copy, since the library changes its input.
func (b *bootstrapBench) bootstrap() time.Duration {
	sealed := b.sealed.CopyNew()
	start := time.Now()
	b.last = must(b.evaluator.Bootstrap(sealed))
	return time.Since(start)
}

// log2 of the mean and of the largest difference from the input.
func (b *bootstrapBench) errors() (float64, float64) {
	values := make([]complex128, len(b.values))
	check(b.encoder.Decode(b.decryptor.DecryptNew(b.last), values))
	sum, largest := 0.0, 0.0
	for i, value := range values {
		distance := cmplx.Abs(value - b.values[i])
		sum += distance
		largest = max(largest, distance)
	}
	return math.Log2(sum / float64(len(values))), math.Log2(largest)
}

// The peak memory (VmHWM of Linux) in bytes.
func peakMemory() int {
	status := string(must(os.ReadFile("/proc/self/status")))
	for _, line := range strings.Split(status, "\n") {
		var kibibytes int
		if _, err := fmt.Sscanf(line, "VmHWM: %d kB", &kibibytes); err == nil {
			return 1024 * kibibytes
		}
	}
	return must(0, fmt.Errorf("no VmHWM in /proc/self/status"))
}

func serveBootstraps(levels int) {
	b := newBootstrapBench(levels)
	params := b.params.BootstrappingParameters
	digits := params.BaseRNSDecompositionVectorSize(params.MaxLevelQ(), params.MaxLevelP())
	fmt.Printf("ready %.1f %d %d\n", params.LogQP(), b.evaluator.OutputLevel(), digits)
	serve(func(line string) string {
		switch line {
		case "bootstrap":
			return fmt.Sprint(b.bootstrap().Nanoseconds())
		case "precision":
			if b.last == nil {
				refuse("nothing has been bootstrapped yet")
			}
			mean, largest := b.errors()
			return fmt.Sprintf("%.3f %.3f", mean, largest)
		case "memory":
			return fmt.Sprint(peakMemory())
		case "keys":
			return fmt.Sprint(b.keyBytes)
		}
		refuse("not bootstrap, precision, memory or keys: %q", line)
		return ""
	})
}
