module poseidon-peer

go 1.24

require github.com/consensys/gnark-crypto v0.19.2

require (
	github.com/bits-and-blooms/bitset v1.20.0 // indirect
	golang.org/x/crypto v0.35.0 // indirect
	golang.org/x/sys v0.30.0 // indirect
)
