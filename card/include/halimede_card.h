// SPDX-License-Identifier: Apache-2.0 OR MIT
// Generated from card/spec/card.toml by `python -m card.spec.generate`: do not edit.
//
// The numbers of the card's protocol. A frame is a little-endian u32 length (header included),
// a u32 command, the payload, and zero bytes up to a multiple of HALIMEDE_CARD_ALIGNMENT_BYTES.
#ifndef HALIMEDE_CARD_H
#define HALIMEDE_CARD_H

/* Version and limits */
#define HALIMEDE_CARD_VERSION 0x00030002u /* major << 16 | minor */
#define HALIMEDE_CARD_HEADER_BYTES 8u /* length and command, at the start of every frame */
#define HALIMEDE_CARD_ALIGNMENT_BYTES 8u /* the narrowest stream's beat; a frame starts at a multiple of the card's stream_bytes */
#define HALIMEDE_CARD_MAX_ALIGNMENT_BYTES 64u /* the widest stream's beat: where a frame may start on every card */
#define HALIMEDE_CARD_MAX_FRAME_BYTES 65536u /* longest frame that is taken whole; a longer length is ignored */
#define HALIMEDE_CARD_BLAKE3_FRAME_DATA_BYTES 64512u /* most message bytes in a frame, a whole number of chunks */
#define HALIMEDE_CARD_BLAKE3_MAX_OUTPUT_BYTES 65472u /* most output bytes of one reply, a whole number of blocks */
#define HALIMEDE_CARD_ELEMENT_BYTES 32u /* one field element on the wire, little-endian, canonical */

/* Capability bits */
#define HALIMEDE_CARD_CAPABILITY_EQUIHASH (1u << 0) /* Equihash solutions and the difficulty of their headers */
#define HALIMEDE_CARD_CAPABILITY_SECP256K1 (1u << 1) /* ECDSA signature check over secp256k1 */
#define HALIMEDE_CARD_CAPABILITY_POSEIDON (1u << 2) /* Poseidon permutations over BLS12-381 Fr and the Stark field */
#define HALIMEDE_CARD_CAPABILITY_BLAKE3 (1u << 3) /* BLAKE3 hashing */
#define HALIMEDE_CARD_CAPABILITY_BLS12_381 (1u << 4) /* BLS12-381 coprocessor, driven by registers at 0x1000 */
#define HALIMEDE_CARD_CAPABILITY_CKKS (1u << 5) /* CKKS homomorphic encryption programs on card memory */

/* Command words */
#define HALIMEDE_CARD_COMMAND_RESET_FPGA 0x00000000u /* Reset the engines and empty their queues. Frames already being sent are finished whole. */
#define HALIMEDE_CARD_COMMAND_GET_FPGA_STATUS 0x00000001u /* Ask what the card is and what it has done. */
#define HALIMEDE_CARD_COMMAND_REGISTER_READ 0x00000002u /* Read a register, for links without a register window. */
#define HALIMEDE_CARD_COMMAND_REGISTER_WRITE 0x00000003u /* Write a register. */
#define HALIMEDE_CARD_COMMAND_VERIFY_EQUIHASH 0x00000100u /* Check a block header's Equihash solution and its difficulty, every check by itself. The frame's length tells the parameter set; where it fits none, or where the solution's length field does not agree, the frame is ignored. Replies come in the order of the requests. */
#define HALIMEDE_CARD_COMMAND_VERIFY_SECP256K1_SIG 0x00000101u /* Check an ECDSA signature over secp256k1. Replies may come in any order; the index tells them apart. */
#define HALIMEDE_CARD_COMMAND_VERIFY_EQUIHASH_CHECKED 0x00000102u /* Do what verify_equihash does, with a checksum on the request and on the reply; to be preferred where the card's minor version is at least 2. Both forms may be mixed: all replies come in the order of the requests. */
#define HALIMEDE_CARD_COMMAND_VERIFY_SECP256K1_SIG_CHECKED 0x00000103u /* Do what verify_secp256k1_sig does, with a checksum on the request and on the reply; to be preferred where the card's minor version is at least 2. Both forms may be mixed. */
#define HALIMEDE_CARD_COMMAND_POSEIDON_HASH 0x00000110u /* Permute one Poseidon state. Replies may come in any order; the index tells them apart. */
#define HALIMEDE_CARD_COMMAND_BLAKE3_HASH 0x00000120u /* Hash one message, whose first bytes come with it and the rest by blake3_data. Replies may come in any order; the index tells them apart. */
#define HALIMEDE_CARD_COMMAND_BLAKE3_DATA 0x00000121u /* More bytes of the message that blake3_hash has begun last; answered only where they cannot be taken. What is wrong with them otherwise, the message's own reply tells. */
#define HALIMEDE_CARD_COMMAND_CKKS_MEMORY_WRITE 0x00000300u /* Write card memory. */
#define HALIMEDE_CARD_COMMAND_CKKS_MEMORY_READ 0x00000301u /* Read card memory. */
#define HALIMEDE_CARD_COMMAND_CKKS_RUN 0x00000302u /* Run a program that lies in card memory. */

/* Command words of replies */
#define HALIMEDE_CARD_REPLY_RESET_FPGA 0x80000000u
#define HALIMEDE_CARD_REPLY_GET_FPGA_STATUS 0x80000001u
#define HALIMEDE_CARD_REPLY_REGISTER_READ 0x80000003u
#define HALIMEDE_CARD_REPLY_REGISTER_WRITE 0x80000004u
#define HALIMEDE_CARD_REPLY_VERIFY_EQUIHASH 0x80000100u
#define HALIMEDE_CARD_REPLY_VERIFY_SECP256K1_SIG 0x80000101u
#define HALIMEDE_CARD_REPLY_VERIFY_EQUIHASH_CHECKED 0x80000102u
#define HALIMEDE_CARD_REPLY_VERIFY_SECP256K1_SIG_CHECKED 0x80000103u
#define HALIMEDE_CARD_REPLY_POSEIDON_HASH 0x80000110u
#define HALIMEDE_CARD_REPLY_BLAKE3_HASH 0x80000120u
#define HALIMEDE_CARD_REPLY_BLAKE3_DATA 0x80000121u
#define HALIMEDE_CARD_REPLY_CKKS_MEMORY_WRITE 0x80000300u
#define HALIMEDE_CARD_REPLY_CKKS_MEMORY_READ 0x80000301u
#define HALIMEDE_CARD_REPLY_CKKS_RUN 0x80000302u
#define HALIMEDE_CARD_REPLY_FPGA_IGNORE_RPL 0x80000002u /* The card could not take a frame: unknown command, no such engine, or a bad length. */
#define HALIMEDE_CARD_REPLY_BLS12_381_INTERRUPT 0x80000200u /* The coprocessor asks for attention. */

/* Outcome of a register command. */
#define HALIMEDE_CARD_REGISTER_OK 0u /* done */
#define HALIMEDE_CARD_REGISTER_NO_SUCH_REGISTER 1u /* no register has this address */
#define HALIMEDE_CARD_REGISTER_READ_ONLY 2u /* the register cannot be written */

/* Outcome of a poseidon_hash command. */
#define HALIMEDE_CARD_POSEIDON_OK 0u /* the elements follow */
#define HALIMEDE_CARD_POSEIDON_INSTANCE_ABSENT 1u /* this card does not have the instance */
#define HALIMEDE_CARD_POSEIDON_NOT_CANONICAL 2u /* an element is not below the field's modulus */
#define HALIMEDE_CARD_POSEIDON_WRONG_LENGTH 3u /* the frame's length does not fit the instance */
#define HALIMEDE_CARD_POSEIDON_CORRUPT 4u /* the checksum does not fit the frame; goes before every other status */

/* What a poseidon_hash command wants back. */
#define HALIMEDE_CARD_POSEIDON_OUTPUTS_STATE 0u /* every element of the permuted state */
#define HALIMEDE_CARD_POSEIDON_OUTPUTS_DIGEST 1u /* one element: 1 for Filecoin instances, 0 for Stark instances */

/* Outcome of a blake3_hash or blake3_data command. */
#define HALIMEDE_CARD_BLAKE3_OK 0u /* the output follows */
#define HALIMEDE_CARD_BLAKE3_WRONG_LENGTH 1u /* the message's data is longer than it declared, or a frame before its last holds no whole number of chunks */
#define HALIMEDE_CARD_BLAKE3_UNKNOWN_MODE 2u /* no mode has this number */
#define HALIMEDE_CARD_BLAKE3_ABANDONED 3u /* another message began before this one's data was complete */
#define HALIMEDE_CARD_BLAKE3_CORRUPT 4u /* the checksum does not fit the frame; goes before every other status */
#define HALIMEDE_CARD_BLAKE3_NO_MESSAGE 5u /* data for a message that is not open */
#define HALIMEDE_CARD_BLAKE3_WRONG_PLACE 6u /* data that does not follow what came before */
#define HALIMEDE_CARD_BLAKE3_WRONG_OUTPUT 7u /* no output, or more than one reply holds */

/* What a blake3_hash command computes. */
#define HALIMEDE_CARD_BLAKE3_MODE_HASH 0u /* hash */
#define HALIMEDE_CARD_BLAKE3_MODE_KEYED_HASH 1u /* keyed_hash; the key is 32 bytes before the data */
#define HALIMEDE_CARD_BLAKE3_MODE_DERIVE_KEY_CONTEXT 2u /* first stage of derive_key: the message is the context string */
#define HALIMEDE_CARD_BLAKE3_MODE_DERIVE_KEY_MATERIAL 3u /* second stage of derive_key: the message is the key material; the context's hash is 32 bytes before the data */

/* Outcome of a verify_equihash_checked or verify_secp256k1_sig_checked command. */
#define HALIMEDE_CARD_VERIFY_OK 0u /* the mask tells which checks failed */
#define HALIMEDE_CARD_VERIFY_CORRUPT 4u /* the checksum does not fit the frame: nothing was checked, and the mask is 0 */

/* Poseidon instance codes */
#define HALIMEDE_CARD_POSEIDON_INSTANCE_FILECOIN_3 0x03u /* bit 0 of poseidon_instances */
#define HALIMEDE_CARD_POSEIDON_INSTANCE_FILECOIN_5 0x05u /* bit 1 of poseidon_instances */
#define HALIMEDE_CARD_POSEIDON_INSTANCE_FILECOIN_9 0x09u /* bit 2 of poseidon_instances */
#define HALIMEDE_CARD_POSEIDON_INSTANCE_FILECOIN_12 0x0Cu /* bit 3 of poseidon_instances */
#define HALIMEDE_CARD_POSEIDON_INSTANCE_STRENGTHENED_3 0x13u /* bit 4 of poseidon_instances */
#define HALIMEDE_CARD_POSEIDON_INSTANCE_STRENGTHENED_5 0x15u /* bit 5 of poseidon_instances */
#define HALIMEDE_CARD_POSEIDON_INSTANCE_STRENGTHENED_9 0x19u /* bit 6 of poseidon_instances */
#define HALIMEDE_CARD_POSEIDON_INSTANCE_STRENGTHENED_12 0x1Cu /* bit 7 of poseidon_instances */
#define HALIMEDE_CARD_POSEIDON_INSTANCE_STARK_3 0x23u /* bit 8 of poseidon_instances */
#define HALIMEDE_CARD_POSEIDON_INSTANCE_STARK_4 0x24u /* bit 9 of poseidon_instances */
#define HALIMEDE_CARD_POSEIDON_INSTANCE_STARK_5 0x25u /* bit 10 of poseidon_instances */
#define HALIMEDE_CARD_POSEIDON_INSTANCE_STARK_9 0x29u /* bit 11 of poseidon_instances */

/* Registers: byte addresses */
#define HALIMEDE_CARD_REGISTER_ID 0x0000u /* ro: "HALI" in ASCII, H in the low byte */
#define HALIMEDE_CARD_REGISTER_VERSION 0x0004u /* ro: major << 16 | minor of this protocol */
#define HALIMEDE_CARD_REGISTER_BUILD_ID 0x0008u /* ro: identifies the build */
#define HALIMEDE_CARD_REGISTER_CAPABILITIES 0x000Cu /* ro: mask of capability bits: engines built in and enabled */
#define HALIMEDE_CARD_REGISTER_MAX_FRAME_BYTES 0x0010u /* ro: longest frame that is taken whole */
#define HALIMEDE_CARD_REGISTER_CONTROL 0x0014u /* w1: bit 0: soft reset of the engines and their queues */
#define HALIMEDE_CARD_REGISTER_STREAM_BYTES 0x0018u /* ro: bytes of a beat of the stream: a frame starts at a multiple of it */
#define HALIMEDE_CARD_REGISTER_CLOCKS_LO 0x0020u /* ro: clocks since the hardware reset, low word */
#define HALIMEDE_CARD_REGISTER_CLOCKS_HI 0x0024u /* ro: high word, as of the last read of clocks_lo */
#define HALIMEDE_CARD_REGISTER_FRAMES_IN 0x0028u /* ro: frames taken from the stream, ignored ones included */
#define HALIMEDE_CARD_REGISTER_FRAMES_OUT 0x002Cu /* ro: frames sent, replies of every kind */
#define HALIMEDE_CARD_REGISTER_FRAMES_IGNORED 0x0030u /* ro: frames answered with fpga_ignore_rpl */
#define HALIMEDE_CARD_REGISTER_ENGINE_ERRORS 0x0034u /* ro: requests that an engine answered with a status other than ok */
#define HALIMEDE_CARD_REGISTER_MULTIPLIER_BUSY_LO 0x0038u /* ro: products issued by the engines' multipliers, low word */
#define HALIMEDE_CARD_REGISTER_MULTIPLIER_BUSY_HI 0x003Cu /* ro: high word, as of the last read of multiplier_busy_lo */
#define HALIMEDE_CARD_REGISTER_REPLIES_STALLED_LO 0x0040u /* ro: clocks in which a reply waited for the host to take it, low word */
#define HALIMEDE_CARD_REGISTER_REPLIES_STALLED_HI 0x0044u /* ro: high word, as of the last read of replies_stalled_lo */
#define HALIMEDE_CARD_REGISTER_POSEIDON_INSTANCES 0x0100u /* ro: mask of Poseidon instances, in the order of their table */
#define HALIMEDE_CARD_REGISTER_POSEIDON_CORES 0x0104u /* ro: bits 7:0 cores over BLS12-381 Fr, 15:8 cores over the Stark field, 31:16 jobs in flight a core */
#define HALIMEDE_CARD_REGISTER_POSEIDON_STARVED_FR_LO 0x0108u /* ro: clocks in which a core over BLS12-381 Fr could have begun a job and no request was there, low word */
#define HALIMEDE_CARD_REGISTER_POSEIDON_STARVED_FR_HI 0x010Cu /* ro: high word, as of the last read of poseidon_starved_fr_lo */
#define HALIMEDE_CARD_REGISTER_POSEIDON_STARVED_FELT_LO 0x0110u /* ro: the same of the cores over the Stark field, low word */
#define HALIMEDE_CARD_REGISTER_POSEIDON_STARVED_FELT_HI 0x0114u /* ro: high word, as of the last read of poseidon_starved_felt_lo */
#define HALIMEDE_CARD_REGISTER_BLAKE3_SHAPE 0x0200u /* ro: bits 7:0 stages of the BLAKE3 pipeline, 15:8 pipelines, 31:16 chunks that wait or are at work */
#define HALIMEDE_CARD_REGISTER_BLAKE3_BLOCKS_LO 0x0208u /* ro: blocks that the BLAKE3 pipeline has begun, low word */
#define HALIMEDE_CARD_REGISTER_BLAKE3_BLOCKS_HI 0x020Cu /* ro: high word, as of the last read of blake3_blocks_lo */
#define HALIMEDE_CARD_REGISTER_BLAKE3_STARVED_LO 0x0210u /* ro: clocks in which the BLAKE3 pipeline could have begun a block and had none, low word */
#define HALIMEDE_CARD_REGISTER_BLAKE3_STARVED_HI 0x0214u /* ro: high word, as of the last read of blake3_starved_lo */
#define HALIMEDE_CARD_REGISTER_EQUIHASH_SHAPE 0x0300u /* ro: bits 7:0 mask of Equihash parameter sets, 15:8 lanes of SHA-256, 23:16 stages of the BLAKE2b pipeline */
#define HALIMEDE_CARD_REGISTER_SECP256K1_SHAPE 0x0400u /* ro: bits 7:0 cores over secp256k1, 31:16 signatures in flight a core */

/* Reserved address ranges */
#define HALIMEDE_CARD_REGION_BLS12_381_COPROCESSOR_FIRST 0x1000u /* registers of the BLS12-381 coprocessor */
#define HALIMEDE_CARD_REGION_BLS12_381_COPROCESSOR_LAST 0x1FFFu /* registers of the BLS12-381 coprocessor */

/* Byte offsets of payload fields, counted from the end of the header */
#define HALIMEDE_CARD_OFFSET_RESET_FPGA_REQUEST_NONCE 0u /* u64: returned by the reply, to tell it from replies of earlier resets */
#define HALIMEDE_CARD_OFFSET_RESET_FPGA_REPLY_NONCE 0u /* u64: the request's nonce, 0 if it had none */
#define HALIMEDE_CARD_OFFSET_GET_FPGA_STATUS_REPLY_VERSION 0u /* u32: major << 16 | minor */
#define HALIMEDE_CARD_OFFSET_GET_FPGA_STATUS_REPLY_BUILD_ID 4u /* u32: identifies the build */
#define HALIMEDE_CARD_OFFSET_GET_FPGA_STATUS_REPLY_CAPABILITIES 8u /* u32: mask of capability bits */
#define HALIMEDE_CARD_OFFSET_GET_FPGA_STATUS_REPLY_MAX_FRAME_BYTES 12u /* u32: longest frame the card takes */
#define HALIMEDE_CARD_OFFSET_GET_FPGA_STATUS_REPLY_CLOCKS 16u /* u64: clocks since the hardware reset */
#define HALIMEDE_CARD_OFFSET_GET_FPGA_STATUS_REPLY_MULTIPLIER_BUSY 24u /* u64: products issued by the engines' multipliers */
#define HALIMEDE_CARD_OFFSET_GET_FPGA_STATUS_REPLY_FRAMES_IGNORED 32u /* u32: frames answered with fpga_ignore_rpl */
#define HALIMEDE_CARD_OFFSET_GET_FPGA_STATUS_REPLY_POSEIDON_INSTANCES 36u /* u32: mask of Poseidon instances */
#define HALIMEDE_CARD_OFFSET_GET_FPGA_STATUS_REPLY_POSEIDON_STARVED_FR 40u /* u64: clocks in which a core over BLS12-381 Fr could have begun a job and no request was there */
#define HALIMEDE_CARD_OFFSET_GET_FPGA_STATUS_REPLY_POSEIDON_STARVED_FELT 48u /* u64: the same of the cores over the Stark field */
#define HALIMEDE_CARD_OFFSET_GET_FPGA_STATUS_REPLY_REPLIES_STALLED 56u /* u64: clocks in which a reply waited for the host */
#define HALIMEDE_CARD_OFFSET_GET_FPGA_STATUS_REPLY_BLAKE3_BLOCKS 64u /* u64: blocks that the BLAKE3 pipeline has begun */
#define HALIMEDE_CARD_OFFSET_GET_FPGA_STATUS_REPLY_BLAKE3_STARVED 72u /* u64: clocks in which the BLAKE3 pipeline could have begun a block and had none */
#define HALIMEDE_CARD_OFFSET_GET_FPGA_STATUS_REPLY_STREAM_BYTES 80u /* u32: bytes of a beat of the stream: a frame starts at a multiple of it */
#define HALIMEDE_CARD_OFFSET_GET_FPGA_STATUS_REPLY_EQUIHASH_SETS 84u /* u32: mask of Equihash parameter sets (n, k): bit 0 (200, 9), 1 (144, 5), 2 (96, 5), 3 (48, 5) */
#define HALIMEDE_CARD_OFFSET_GET_FPGA_STATUS_REPLY_CHECKSUM 88u /* u32: CRC-32C of the frame before it */
#define HALIMEDE_CARD_OFFSET_REGISTER_READ_REQUEST_ADDRESS 0u /* u32: byte address */
#define HALIMEDE_CARD_OFFSET_REGISTER_READ_REPLY_ADDRESS 0u /* u32: the request's address */
#define HALIMEDE_CARD_OFFSET_REGISTER_READ_REPLY_STATUS 4u /* u32: register status */
#define HALIMEDE_CARD_OFFSET_REGISTER_READ_REPLY_VALUE 8u /* u32: what was read, 0 unless ok */
#define HALIMEDE_CARD_OFFSET_REGISTER_WRITE_REQUEST_ADDRESS 0u /* u32: byte address */
#define HALIMEDE_CARD_OFFSET_REGISTER_WRITE_REQUEST_VALUE 4u /* u32: what to write */
#define HALIMEDE_CARD_OFFSET_REGISTER_WRITE_REPLY_ADDRESS 0u /* u32: the request's address */
#define HALIMEDE_CARD_OFFSET_REGISTER_WRITE_REPLY_STATUS 4u /* u32: register status */
#define HALIMEDE_CARD_OFFSET_REGISTER_WRITE_REPLY_VALUE 8u /* u32: the request's value */
#define HALIMEDE_CARD_OFFSET_VERIFY_EQUIHASH_REQUEST_INDEX 0u /* u64: returned by the reply */
#define HALIMEDE_CARD_OFFSET_VERIFY_EQUIHASH_REQUEST_HEADER_AND_SOLUTION 8u /* data[]: the block header as it is hashed: 140 bytes, the solution's length (compactSize), the solution in its minimal form */
#define HALIMEDE_CARD_OFFSET_VERIFY_EQUIHASH_REPLY_INDEX 0u /* u64: the request's index */
#define HALIMEDE_CARD_OFFSET_VERIFY_EQUIHASH_REPLY_MASK 8u /* u8: failures: bit 0 difficulty, 1 xor (the leaves do not XOR to zero), 2 index order, 3 zero order (a level's bits do not collide), 4 duplicate; 0 is a valid solution */
#define HALIMEDE_CARD_OFFSET_VERIFY_SECP256K1_SIG_REQUEST_INDEX 0u /* u64: returned by the reply */
#define HALIMEDE_CARD_OFFSET_VERIFY_SECP256K1_SIG_REQUEST_S 8u /* bytes32: signature, little-endian */
#define HALIMEDE_CARD_OFFSET_VERIFY_SECP256K1_SIG_REQUEST_R 40u /* bytes32: signature, little-endian */
#define HALIMEDE_CARD_OFFSET_VERIFY_SECP256K1_SIG_REQUEST_HASH 72u /* bytes32: message hash, little-endian */
#define HALIMEDE_CARD_OFFSET_VERIFY_SECP256K1_SIG_REQUEST_QX 104u /* bytes32: public key x, little-endian */
#define HALIMEDE_CARD_OFFSET_VERIFY_SECP256K1_SIG_REQUEST_QY 136u /* bytes32: public key y, little-endian */
#define HALIMEDE_CARD_OFFSET_VERIFY_SECP256K1_SIG_REPLY_INDEX 0u /* u64: the request's index */
#define HALIMEDE_CARD_OFFSET_VERIFY_SECP256K1_SIG_REPLY_MASK 8u /* u8: failures: bit 0 r range, 1 s range, 2 infinity, 3 mismatch, 4 time-out, 5 key not on the curve; 0 is a valid signature */
#define HALIMEDE_CARD_OFFSET_VERIFY_SECP256K1_SIG_REPLY_CYCLES 10u /* u16: clocks from the check's start in the engine to its end; 65535 for that many or more, as where the whole equation is checked (some 80,000) */
#define HALIMEDE_CARD_OFFSET_VERIFY_EQUIHASH_CHECKED_REQUEST_INDEX 0u /* u64: returned by the reply */
#define HALIMEDE_CARD_OFFSET_VERIFY_EQUIHASH_CHECKED_REQUEST_HEADER_AND_SOLUTION 8u /* data[]: as in verify_equihash; the checksum stands directly behind it, wherever in a beat that is */
#define HALIMEDE_CARD_OFFSET_VERIFY_EQUIHASH_CHECKED_REPLY_INDEX 0u /* u64: the request's index */
#define HALIMEDE_CARD_OFFSET_VERIFY_EQUIHASH_CHECKED_REPLY_MASK 8u /* u8: failures, as in verify_equihash; means something only if the status is ok */
#define HALIMEDE_CARD_OFFSET_VERIFY_EQUIHASH_CHECKED_REPLY_STATUS 9u /* u8: verify status */
#define HALIMEDE_CARD_OFFSET_VERIFY_EQUIHASH_CHECKED_REPLY_CHECKSUM 16u /* u32: CRC-32C of the frame before it */
#define HALIMEDE_CARD_OFFSET_VERIFY_SECP256K1_SIG_CHECKED_REQUEST_INDEX 0u /* u64: returned by the reply */
#define HALIMEDE_CARD_OFFSET_VERIFY_SECP256K1_SIG_CHECKED_REQUEST_S 8u /* bytes32: signature, little-endian */
#define HALIMEDE_CARD_OFFSET_VERIFY_SECP256K1_SIG_CHECKED_REQUEST_R 40u /* bytes32: signature, little-endian */
#define HALIMEDE_CARD_OFFSET_VERIFY_SECP256K1_SIG_CHECKED_REQUEST_HASH 72u /* bytes32: message hash, little-endian */
#define HALIMEDE_CARD_OFFSET_VERIFY_SECP256K1_SIG_CHECKED_REQUEST_QX 104u /* bytes32: public key x, little-endian */
#define HALIMEDE_CARD_OFFSET_VERIFY_SECP256K1_SIG_CHECKED_REQUEST_QY 136u /* bytes32: public key y, little-endian */
#define HALIMEDE_CARD_OFFSET_VERIFY_SECP256K1_SIG_CHECKED_REQUEST_CHECKSUM 168u /* u32: CRC-32C of the frame before it */
#define HALIMEDE_CARD_OFFSET_VERIFY_SECP256K1_SIG_CHECKED_REPLY_INDEX 0u /* u64: the request's index */
#define HALIMEDE_CARD_OFFSET_VERIFY_SECP256K1_SIG_CHECKED_REPLY_MASK 8u /* u8: failures, as in verify_secp256k1_sig; means something only if the status is ok */
#define HALIMEDE_CARD_OFFSET_VERIFY_SECP256K1_SIG_CHECKED_REPLY_STATUS 9u /* u8: verify status */
#define HALIMEDE_CARD_OFFSET_VERIFY_SECP256K1_SIG_CHECKED_REPLY_CYCLES 10u /* u16: as in verify_secp256k1_sig; 0 unless the status is ok */
#define HALIMEDE_CARD_OFFSET_VERIFY_SECP256K1_SIG_CHECKED_REPLY_CHECKSUM 16u /* u32: CRC-32C of the frame before it */
#define HALIMEDE_CARD_OFFSET_POSEIDON_HASH_REQUEST_INDEX 0u /* u64: returned by the reply */
#define HALIMEDE_CARD_OFFSET_POSEIDON_HASH_REQUEST_INSTANCE 8u /* u8: Poseidon instance code */
#define HALIMEDE_CARD_OFFSET_POSEIDON_HASH_REQUEST_OUTPUTS 9u /* u8: 0 whole state, 1 digest only */
#define HALIMEDE_CARD_OFFSET_POSEIDON_HASH_REQUEST_ELEMENTS 16u /* element[]: the state: as many elements as the instance is wide */
#define HALIMEDE_CARD_OFFSET_POSEIDON_HASH_REPLY_INDEX 0u /* u64: the request's index */
#define HALIMEDE_CARD_OFFSET_POSEIDON_HASH_REPLY_STATUS 8u /* u8: Poseidon status */
#define HALIMEDE_CARD_OFFSET_POSEIDON_HASH_REPLY_ELEMENTS 16u /* element[]: the permuted state or the digest; none unless the status is ok */
#define HALIMEDE_CARD_OFFSET_BLAKE3_HASH_REQUEST_INDEX 0u /* u64: returned by the reply */
#define HALIMEDE_CARD_OFFSET_BLAKE3_HASH_REQUEST_LENGTH 8u /* u64: bytes of the whole message */
#define HALIMEDE_CARD_OFFSET_BLAKE3_HASH_REQUEST_MODE 16u /* u8: BLAKE3 mode */
#define HALIMEDE_CARD_OFFSET_BLAKE3_HASH_REQUEST_OUTPUT_BYTES 18u /* u16: bytes of output, 1 to blake3_max_output_bytes */
#define HALIMEDE_CARD_OFFSET_BLAKE3_HASH_REQUEST_FIRST_OUTPUT_BLOCK 20u /* u32: where in the extended output that begins, in blocks of 64 bytes */
#define HALIMEDE_CARD_OFFSET_BLAKE3_HASH_REQUEST_KEY_AND_DATA 24u /* data[]: 32 bytes of key in the modes that have one, then the message's first bytes: all, or a whole number of chunks of 1,024 */
#define HALIMEDE_CARD_OFFSET_BLAKE3_HASH_REPLY_INDEX 0u /* u64: the request's index */
#define HALIMEDE_CARD_OFFSET_BLAKE3_HASH_REPLY_STATUS 8u /* u8: BLAKE3 status */
#define HALIMEDE_CARD_OFFSET_BLAKE3_HASH_REPLY_OUTPUT 16u /* data[]: the output; none unless the status is ok */
#define HALIMEDE_CARD_OFFSET_BLAKE3_DATA_REQUEST_INDEX 0u /* u64: the message's index */
#define HALIMEDE_CARD_OFFSET_BLAKE3_DATA_REQUEST_OFFSET 8u /* u64: bytes of the message before these */
#define HALIMEDE_CARD_OFFSET_BLAKE3_DATA_REQUEST_DATA 24u /* data[]: the rest of the message, or a whole number of chunks of 1,024 */
#define HALIMEDE_CARD_OFFSET_BLAKE3_DATA_REPLY_INDEX 0u /* u64: the request's index */
#define HALIMEDE_CARD_OFFSET_BLAKE3_DATA_REPLY_STATUS 8u /* u8: BLAKE3 status: no_message, or corrupt where no message is open */
#define HALIMEDE_CARD_OFFSET_BLAKE3_DATA_REPLY_CHECKSUM 16u /* u32: CRC-32C of the frame before it */

/* Payload fields behind an open-ended one: bytes from the field to the payload's end */
#define HALIMEDE_CARD_FROM_END_VERIFY_EQUIHASH_CHECKED_REQUEST_CHECKSUM 8u /* u32: CRC-32C of the frame before it */
#define HALIMEDE_CARD_FROM_END_POSEIDON_HASH_REQUEST_CHECKSUM 8u /* u32: CRC-32C of the frame before it */
#define HALIMEDE_CARD_FROM_END_POSEIDON_HASH_REPLY_CHECKSUM 8u /* u32: CRC-32C of the frame before it */
#define HALIMEDE_CARD_FROM_END_BLAKE3_HASH_REQUEST_CHECKSUM 8u /* u32: CRC-32C of the frame before it */
#define HALIMEDE_CARD_FROM_END_BLAKE3_HASH_REPLY_CHECKSUM 8u /* u32: CRC-32C of the frame before it */
#define HALIMEDE_CARD_FROM_END_BLAKE3_DATA_REQUEST_CHECKSUM 8u /* u32: CRC-32C of the frame before it */

#endif
