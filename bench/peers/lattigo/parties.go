// SPDX-License-Identifier: Apache-2.0 OR MIT

// Several parties with one secret key, with Lattigo's package `multiparty`, at N = 2^15.
//
// Moduli: 15 primes (60 bits, then 40) and 4 of keys (57 bits): 848 bits, four digits. The secrets
// are ternary. Ciphertexts of decryptions, key switches and refreshes have level 2 (140 bits).
//
// A message is the bytes of a share. Its time includes the uniform half, which each party expands
// from the common reference string, and the encoding as bytes. The time of an aggregation includes
// reading the bytes. Protocols and shares are allocated before.
//
// After printing `ready logQP logQ(level 2)`, the program answers these lines:
//
//	time name count   does an operation `count` times: nanoseconds
//	bytes name        the bytes of the message that one party sends
//	error             log2 of the root of the mean square of a decryption's and a refresh's error
package main

import (
	"encoding"
	"fmt"
	"math"
	"math/cmplx"
	"strings"
	"time"

	"github.com/tuneinsight/lattigo/v6/core/rlwe"
	"github.com/tuneinsight/lattigo/v6/multiparty"
	"github.com/tuneinsight/lattigo/v6/multiparty/mpckks"
	"github.com/tuneinsight/lattigo/v6/ring"
	"github.com/tuneinsight/lattigo/v6/schemes/ckks"
	"github.com/tuneinsight/lattigo/v6/utils/sampling"
)

const (
	partiesLevels = 14
	lowLevel      = 2
	// Bits of the mask of a refresh, over those of the scale.
	maskBits = 40
	// Precision of the encoder in bits, which a refresh does not use.
	encoderBits = 53
)

func partiesParameters() ckks.Parameters {
	logQ := []int{60}
	for range partiesLevels {
		logQ = append(logQ, 40)
	}
	return must(ckks.NewParametersFromLiteral(ckks.ParametersLiteral{
		LogN: 15, LogQ: logQ, LogP: []int{57, 57, 57, 57}, LogDefaultScale: 40,
		Xs: ring.Ternary{P: 2.0 / 3.0},
	}))
}

// The parties, their collective keys, and a message of each kind of each party.
type partiesBench struct {
	params   ckks.Parameters
	count    int
	secrets  []*rlwe.SecretKey
	zero     *rlwe.SecretKey
	public   *rlwe.PublicKey
	receiver *rlwe.PublicKey
	encoder  *ckks.Encoder
	values   []complex128
	low      *rlwe.Ciphertext
	crs      sampling.PRNG
	noise    ring.DiscreteGaussian
	messages map[string][][]byte
	all      map[string]func()
	// The results of the last decryption and refresh.
	decrypted []complex128
	refreshed *rlwe.Ciphertext
}

func bytesOf(share encoding.BinaryMarshaler) []byte {
	return must(share.MarshalBinary())
}

func read(message []byte, share encoding.BinaryUnmarshaler) {
	check(share.UnmarshalBinary(message))
}

// Makes the keys of all parties, and checks that they fit.
func newPartiesBench(count int, deviation float64) *partiesBench {
	params := partiesParameters()
	keys := rlwe.NewKeyGenerator(params)
	b := &partiesBench{
		params: params, count: count,
		zero:     rlwe.NewSecretKey(params),
		receiver: keys.GenPublicKeyNew(keys.GenSecretKeyNew()),
		encoder:  ckks.NewEncoder(params),
		crs:      must(sampling.NewKeyedPRNG([]byte("common reference string"))),
		noise:    ring.DiscreteGaussian{Sigma: deviation, Bound: 6 * deviation},
		messages: map[string][][]byte{},
		all:      map[string]func(){},
	}
	for range count {
		b.secrets = append(b.secrets, keys.GenSecretKeyNew())
	}
	b.addPublicKey()
	b.values = make([]complex128, params.MaxSlots())
	for i := range b.values {
		b.values[i] = complex(float64(i%1009)/1009-0.5, float64(i%769)/769-0.5)
	}
	plaintext := ckks.NewPlaintext(params, lowLevel)
	check(b.encoder.Encode(b.values, plaintext))
	b.low = must(rlwe.NewEncryptor(params, b.public).EncryptNew(plaintext))
	b.addProducts()
	b.addRotation()
	b.addDecryption()
	b.addSwitch()
	b.addRefresh()
	b.addThreshold()
	return b
}

// Adds an operation that makes a message of the party with a number, and makes all parties' ones.
func (b *partiesBench) addMessage(name string, message func(number int) []byte) {
	b.all[name] = func() { message(0) }
	for number := range b.count {
		b.messages[name] = append(b.messages[name], message(number))
	}
}

func (b *partiesBench) add(name string, run func()) {
	b.all[name] = run
	run()
}

func (b *partiesBench) addPublicKey() {
	protocol := multiparty.NewPublicKeyGenProtocol(b.params)
	share, sum := protocol.AllocateShare(), protocol.AllocateShare()
	crp := protocol.SampleCRP(b.crs)
	b.addMessage("public-key", func(number int) []byte {
		protocol.SampleCRP(b.crs)
		protocol.GenShare(b.secrets[number], crp, &share)
		return bytesOf(share)
	})
	b.public = rlwe.NewPublicKey(b.params)
	b.add("collect-public-key", func() {
		protocol.SampleCRP(b.crs)
		read(b.messages["public-key"][0], &sum)
		for _, message := range b.messages["public-key"][1:] {
			read(message, &share)
			protocol.AggregateShares(sum, share, &sum)
		}
		protocol.GenPublicKey(sum, crp, b.public)
	})
}

// The first round goes to an aggregator, which sends the sum to all parties for the second round.
func (b *partiesBench) addProducts() {
	protocol := multiparty.NewRelinearizationKeyGenProtocol(b.params)
	crp := protocol.SampleCRP(b.crs)
	_, first, second := protocol.AllocateShare()
	_, firstSum, secondSum := protocol.AllocateShare()
	masks := make([]*rlwe.SecretKey, b.count)
	for number := range masks {
		masks[number], _, _ = protocol.AllocateShare()
	}
	b.addMessage("products", func(number int) []byte {
		protocol.SampleCRP(b.crs)
		protocol.GenShareRoundOne(b.secrets[number], crp, masks[number], &first)
		return bytesOf(first)
	})
	sum := func(messages [][]byte, share, sum *multiparty.RelinearizationKeyGenShare) {
		read(messages[0], sum)
		for _, message := range messages[1:] {
			read(message, share)
			protocol.AggregateShares(*sum, *share, sum)
		}
	}
	var between []byte
	b.add("collect-products", func() {
		sum(b.messages["products"], &first, &firstSum)
		between = bytesOf(firstSum)
	})
	b.messages["collect-products"] = [][]byte{between}
	b.addMessage("reply", func(number int) []byte {
		read(between, &first)
		protocol.GenShareRoundTwo(masks[number], b.secrets[number], first, &second)
		return bytesOf(second)
	})
	key := rlwe.NewRelinearizationKey(b.params)
	b.add("collect-reply", func() {
		sum(b.messages["reply"], &second, &secondSum)
		protocol.GenRelinearizationKey(firstSum, secondSum, key)
	})
}

func (b *partiesBench) addRotation() {
	protocol := multiparty.NewGaloisKeyGenProtocol(b.params)
	element := b.params.GaloisElement(1)
	crp := protocol.SampleCRP(b.crs)
	share, sum := protocol.AllocateShare(), protocol.AllocateShare()
	b.addMessage("rotation", func(number int) []byte {
		protocol.SampleCRP(b.crs)
		check(protocol.GenShare(b.secrets[number], element, crp, &share))
		return bytesOf(share)
	})
	key := rlwe.NewGaloisKey(b.params)
	b.add("collect-rotation", func() {
		protocol.SampleCRP(b.crs)
		read(b.messages["rotation"][0], &sum)
		for _, message := range b.messages["rotation"][1:] {
			read(message, &share)
			check(protocol.AggregateShares(sum, share, &sum))
		}
		check(protocol.GenGaloisKey(sum, crp, key))
	})
}

// A decryption is a key switch to the key 0.
func (b *partiesBench) addDecryption() {
	protocol := must(multiparty.NewKeySwitchProtocol(b.params, b.noise))
	share, sum := protocol.AllocateShare(lowLevel), protocol.AllocateShare(lowLevel)
	b.addMessage("decrypt", func(number int) []byte {
		protocol.GenShare(b.secrets[number], b.zero, b.low, &share)
		return bytesOf(share)
	})
	opened := ckks.NewCiphertext(b.params, 1, lowLevel)
	b.decrypted = make([]complex128, len(b.values))
	b.add("collect-decrypt", func() {
		read(b.messages["decrypt"][0], &sum)
		for _, message := range b.messages["decrypt"][1:] {
			read(message, &share)
			check(protocol.AggregateShares(sum, share, &sum))
		}
		protocol.KeySwitch(b.low, sum, opened)
		plaintext := must(rlwe.NewPlaintextAtLevelFromPoly(lowLevel, opened.Value[0]))
		plaintext.MetaData = opened.MetaData
		check(b.encoder.Decode(plaintext, b.decrypted))
	})
}

func (b *partiesBench) addSwitch() {
	protocol := must(multiparty.NewPublicKeySwitchProtocol(b.params, b.noise))
	share, sum := protocol.AllocateShare(lowLevel), protocol.AllocateShare(lowLevel)
	b.addMessage("switch", func(number int) []byte {
		protocol.GenShare(b.secrets[number], b.receiver, b.low, &share)
		return bytesOf(share)
	})
	switched := ckks.NewCiphertext(b.params, 1, lowLevel)
	b.add("collect-switch", func() {
		read(b.messages["switch"][0], &sum)
		for _, message := range b.messages["switch"][1:] {
			read(message, &share)
			check(protocol.AggregateShares(sum, share, &sum))
		}
		protocol.KeySwitch(b.low, sum, switched)
	})
}

func (b *partiesBench) addRefresh() {
	protocol := must(mpckks.NewRefreshProtocol(b.params, encoderBits, b.noise))
	bound := uint(maskBits + b.params.LogDefaultScale())
	level := b.params.MaxLevel()
	crp := protocol.SampleCRP(level, b.crs)
	share, sum := protocol.AllocateShare(lowLevel, level), protocol.AllocateShare(lowLevel, level)
	b.addMessage("refresh", func(number int) []byte {
		protocol.SampleCRP(level, b.crs)
		check(protocol.GenShare(b.secrets[number], bound, b.low, crp, &share))
		return bytesOf(share)
	})
	b.refreshed = ckks.NewCiphertext(b.params, 1, level)
	b.add("collect-refresh", func() {
		protocol.SampleCRP(level, b.crs)
		read(b.messages["refresh"][0], &sum)
		for _, message := range b.messages["refresh"][1:] {
			read(message, &share)
			check(protocol.AggregateShares(&sum, &share, &sum))
		}
		check(protocol.Finalize(b.low, crp, sum, b.refreshed))
	})
}

// A majority decrypts.
func (b *partiesBench) addThreshold() {
	threshold := b.count/2 + 1
	points := make([]multiparty.ShamirPublicPoint, b.count)
	for number := range points {
		points[number] = multiparty.ShamirPublicPoint(number + 1)
	}
	thresholdizer := multiparty.NewThresholdizer(b.params)
	share, sum := thresholdizer.AllocateThresholdSecretShare(), thresholdizer.AllocateThresholdSecretShare()
	// The messages for all other parties. The party keeps its own share.
	shares := func(number int) [][]byte {
		polynomial := must(thresholdizer.GenShamirPolynomial(threshold, b.secrets[number]))
		messages := make([][]byte, 0, b.count)
		for _, point := range points {
			thresholdizer.GenShamirSecretShare(point, polynomial, &share)
			messages = append(messages, bytesOf(share))
		}
		return messages
	}
	received := make([][]byte, b.count)
	for number := range b.count {
		received[number] = shares(number)[0]
	}
	b.messages["shares"] = received
	b.add("shares", func() { shares(0) })
	b.add("collect-shares", func() {
		read(received[0], &sum)
		for _, message := range received[1:] {
			read(message, &share)
			check(thresholdizer.AggregateShares(sum, share, &sum))
		}
	})
	combiner := multiparty.NewCombiner(*b.params.GetRLWEParameters(), points[0], points, threshold)
	protocol := must(multiparty.NewKeySwitchProtocol(b.params, b.noise))
	summand, answer := rlwe.NewSecretKey(b.params), protocol.AllocateShare(lowLevel)
	message := func() []byte {
		check(combiner.GenAdditiveShare(points[:threshold], points[0], sum, summand))
		protocol.GenShare(summand, b.zero, b.low, &answer)
		return bytesOf(answer)
	}
	b.messages["decrypt-by-some"] = [][]byte{message()}
	b.add("decrypt-by-some", func() { message() })
}

// log2 of the errors of the last decryption, and of the last refresh by the sum of all secrets.
func (b *partiesBench) errors() (float64, float64) {
	sum := b.secrets[0].CopyNew()
	for _, secret := range b.secrets[1:] {
		b.params.RingQP().Add(sum.Value, secret.Value, sum.Value)
	}
	values := make([]complex128, len(b.values))
	decryptor := rlwe.NewDecryptor(b.params, sum)
	check(b.encoder.Decode(decryptor.DecryptNew(b.refreshed), values))
	return b.errorOf(b.decrypted), b.errorOf(values)
}

func (b *partiesBench) errorOf(values []complex128) float64 {
	sum := 0.0
	for i, value := range values {
		sum += math.Pow(cmplx.Abs(value-b.values[i]), 2)
	}
	return math.Log2(sum/float64(len(values))) / 2
}

func (b *partiesBench) time(name string, count int) time.Duration {
	operation, isThere := b.all[name]
	if !isThere || count < 1 {
		refuse("no operation and count: %q, %d", name, count)
	}
	start := time.Now()
	for range count {
		operation()
	}
	return time.Since(start)
}

func serveParties(count int, noiseBits float64) {
	b := newPartiesBench(count, math.Exp2(noiseBits))
	low := 0.0
	for _, prime := range b.params.Q()[:lowLevel+1] {
		low += math.Log2(float64(prime))
	}
	fmt.Printf("ready %.1f %.1f\n", b.params.LogQP(), low)
	serve(func(line string) string {
		words := strings.Fields(line)
		var name string
		var times int
		switch {
		case line == "error":
			decryption, refresh := b.errors()
			return fmt.Sprintf("%.2f %.2f", decryption, refresh)
		case len(words) == 2 && words[0] == "bytes" && len(b.messages[words[1]]) > 0:
			return fmt.Sprint(len(b.messages[words[1]][0]))
		case len(words) == 3:
			if _, err := fmt.Sscanf(line, "time %s %d", &name, &times); err == nil {
				return fmt.Sprint(b.time(name, times).Nanoseconds())
			}
		}
		refuse("not time, bytes or error: %q", line)
		return ""
	})
}
