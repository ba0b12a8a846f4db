#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 OR MIT
# Runs a short job of each engine by the command on PATH, with published answers or answers that follow from
# them, and inputs that must be refused. In an empty folder:
#
#     sh release/try-command.sh engines/zcash/vectors/zcash_block_346.hex
set -eu
block=$1

fail() {
    echo "error: $1" >&2
    exit 1
}
# same NAME ANSWER EXPECTED
same() {
    [ "$2" = "$3" ] || fail "$1: $2 instead of $3"
    echo "$1: right"
}

halimede tour

same poseidon "$(printf '0x1 0x2\n' | halimede batch poseidon.starknet_hash)" \
    0x05d44a3decb2b2e0cc71071f7b802f45dd792d064f0fc7316c46514f70f9891a
same blake3 "$(printf '\000\001\002' | halimede blake3)" \
    'e1be4d7a8ab5560aa4199eea339849ba8e293d55ca0a81006726d184519e647f  -'

halimede zcash verify-block "$block" --height 346 > report || fail "zcash: $(cat report)"
sed '1s/^\(.\{300\}\)[0-7]/\18/;t;1s/^\(.\{300\}\)./\10/' "$block" > changed
code=0
halimede zcash verify-block changed > report 2>&1 || code=$?
same 'zcash and equihash' "$code $(grep -c '^equihash *invalid' report)" '1 1'

key=F9308A019258C31049344F85F89D5229B531C845836F99B08601F113BCE036F9
signature=E907831F80848D1069A5371B402410364BDF1C5F8307B0084C55F1CE2DCA8215
signature=${signature}25F66A4A85EA8B71E482A74F382D2CE5EBEEE8FDB2172F477DF4900D310536C0
message=0000000000000000000000000000000000000000000000000000000000000000
line() {
    printf '{"key": "%s", "msg": "%s", "sig": "%s"}\n' "$key" "$1" "$2"
}
code=0
{ line $message $signature; line 01$message $signature; } | halimede batch secp256k1.verify_schnorr > verdicts 2> /dev/null || code=$?
same schnorr "$code $(cut -d: -f1 verdicts | tr '\n' ' ')" '1 valid invalid '

# The public key of the secret key 1 is the generator, and the signature of a message is its hash.
key=97f1d3a73197d7942695638c4fa9ac0fc3688c4f9774b905a14e3a3f171bac586c55e83ff97a1aeffb3af00adb22c6bb
domain=BLS_SIG_BLS12381G2_XMD:SHA-256_SSWU_RO_POP_
signature=$(echo '{"message": "616263"}' | halimede batch bls12_381.hash_to_curve --group g2 --domain $domain)
code=0
{ line 616263 "$signature"; line 616264 "$signature"; } | halimede batch bls12_381.verify_signature > verdicts 2> /dev/null || code=$?
same bls12_381 "$code $(cut -d: -f1 verdicts | tr '\n' ' ')" '1 valid invalid '

printf '1.5\n-2\n0.25\n' > x.csv
halimede ckks keygen --params n14 --dir keys --for 'x^2 + rot(x, 1)' --values 3 --bound 2 > /dev/null
halimede ckks encrypt --key keys/secret.key --in x.csv --bound 2 --out x.ct > /dev/null
halimede ckks eval --keys keys/evaluation.keys 'x^2 + rot(x, 1)' x=x.ct --out y.ct > /dev/null
same ckks "$(halimede ckks decrypt --key keys/secret.key --real --count 2 y.ct | xargs printf '%.3f ')" '0.250 4.250 '
code=0
head -c 1000 x.ct > short.ct
halimede ckks decrypt --key keys/secret.key short.ct > /dev/null 2>&1 || code=$?
same 'a ciphertext cut short' $code 2
