/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/*
 * KZG commitments and proofs of blobs (EIP-4844) and their cells (EIP-7594), computed by Halimede,
 * with the names, types and results of the interface of c-kzg-4844 2.1. A client of that library
 * links libhalimede_ckzg instead.
 *
 * Points are compressed points of G1, 48 bytes; field elements have 32 bytes, big-endian. All data
 * are public: the time depends on them. Functions that take a KZGSettings may run in several threads
 * with the same one. They share the work among the threads of a pool, as many as there are
 * processors or as RAYON_NUM_THREADS says. After a fork, the child may not call them.
 *
 * A pointer is NULL only where a comment says so; every other NULL pointer gives C_KZG_BADARGS.
 */

#ifndef HALIMEDE_CKZG_H
#define HALIMEDE_CKZG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

#define BYTES_PER_COMMITMENT 48
#define BYTES_PER_PROOF 48
#define BYTES_PER_FIELD_ELEMENT 32
#define FIELD_ELEMENTS_PER_BLOB 4096
#define BYTES_PER_BLOB (FIELD_ELEMENTS_PER_BLOB * BYTES_PER_FIELD_ELEMENT)
#define FIELD_ELEMENTS_PER_EXT_BLOB (2 * FIELD_ELEMENTS_PER_BLOB)
#define FIELD_ELEMENTS_PER_CELL 64
#define BYTES_PER_CELL (FIELD_ELEMENTS_PER_CELL * BYTES_PER_FIELD_ELEMENT)
#define CELLS_PER_BLOB (FIELD_ELEMENTS_PER_BLOB / FIELD_ELEMENTS_PER_CELL)
#define CELLS_PER_EXT_BLOB (FIELD_ELEMENTS_PER_EXT_BLOB / FIELD_ELEMENTS_PER_CELL)

/** The result of a function. */
typedef enum {
    C_KZG_OK = 0,  /**< The outputs are written. */
    C_KZG_BADARGS, /**< An input is invalid. */
    C_KZG_ERROR,   /**< An internal error. */
    C_KZG_MALLOC,  /**< Memory is exhausted. Not used: the process ends. */
} C_KZG_RET;

/** 32 bytes, such as a field element. */
typedef struct {
    uint8_t bytes[32];
} Bytes32;

/** 48 bytes, such as a compressed point of G1. */
typedef struct {
    uint8_t bytes[48];
} Bytes48;

/** A valid commitment. */
typedef Bytes48 KZGCommitment;

/** A proof. */
typedef Bytes48 KZGProof;

/** The values of a polynomial at 4,096 roots of unity, in bit-reversed order. */
typedef struct {
    uint8_t bytes[BYTES_PER_BLOB];
} Blob;

/** 64 of the 8,192 values of an extended blob. */
typedef struct {
    uint8_t bytes[BYTES_PER_CELL];
} Cell;

/** A trusted setup. Its size is that of the struct of c-kzg-4844 2.1. */
typedef struct {
    void *setup;       /**< NULL if nothing is loaded. */
    void *reserved[9]; /**< NULL. */
} KZGSettings;

/**
 * Loads a setup from compressed points: 4,096 powers in G1, the same number in Lagrange form, and 65
 * powers in G2. All points are checked, and the tables computed: 43 MB with AVX-512 IFMA, 110 MB
 * without. `precompute`, from 0 to 15, has no effect.
 */
C_KZG_RET load_trusted_setup(
    KZGSettings *out,
    const uint8_t *g1_monomial_bytes,
    uint64_t num_g1_monomial_bytes,
    const uint8_t *g1_lagrange_bytes,
    uint64_t num_g1_lagrange_bytes,
    const uint8_t *g2_monomial_bytes,
    uint64_t num_g2_monomial_bytes,
    uint64_t precompute
);

/** As load_trusted_setup, from the text of the ceremony, which is read to the end of the file. */
C_KZG_RET load_trusted_setup_file(KZGSettings *out, FILE *in, uint64_t precompute);

/** Frees a setup. It may be NULL or not loaded. */
void free_trusted_setup(KZGSettings *s);

/** Computes the commitment to a blob. */
C_KZG_RET blob_to_kzg_commitment(KZGCommitment *out, const Blob *blob, const KZGSettings *s);

/** Computes the value of a blob's polynomial at z, and its proof. */
C_KZG_RET compute_kzg_proof(
    KZGProof *proof_out,
    Bytes32 *y_out,
    const Blob *blob,
    const Bytes32 *z_bytes,
    const KZGSettings *s
);

/** Computes the proof of a blob, whose commitment must be a point of G1 and is not compared. */
C_KZG_RET compute_blob_kzg_proof(
    KZGProof *out, const Blob *blob, const Bytes48 *commitment_bytes, const KZGSettings *s
);

/** Verifies that a committed polynomial has the value y at z. */
C_KZG_RET verify_kzg_proof(
    bool *ok,
    const Bytes48 *commitment_bytes,
    const Bytes32 *z_bytes,
    const Bytes32 *y_bytes,
    const Bytes48 *proof_bytes,
    const KZGSettings *s
);

/** Verifies the proof of a blob. */
C_KZG_RET verify_blob_kzg_proof(
    bool *ok,
    const Blob *blob,
    const Bytes48 *commitment_bytes,
    const Bytes48 *proof_bytes,
    const KZGSettings *s
);

/** Verifies the proofs of n blobs together. The arrays may be NULL if n is 0, which is valid. */
C_KZG_RET verify_blob_kzg_proof_batch(
    bool *ok,
    const Blob *blobs,
    const Bytes48 *commitments_bytes,
    const Bytes48 *proofs_bytes,
    uint64_t n,
    const KZGSettings *s
);

/**
 * Computes the 128 cells of a blob and their proofs. One of `cells` and `proofs` may be NULL; without
 * proofs it is much faster.
 */
C_KZG_RET compute_cells_and_kzg_proofs(
    Cell *cells, KZGProof *proofs, const Blob *blob, const KZGSettings *s
);

/**
 * Recovers the 128 cells of a blob and their proofs from 64 to 128 cells, whose indices are in
 * ascending order. `recovered_proofs` may be NULL.
 */
C_KZG_RET recover_cells_and_kzg_proofs(
    Cell *recovered_cells,
    KZGProof *recovered_proofs,
    const uint64_t *cell_indices,
    const Cell *cells,
    uint64_t num_cells,
    const KZGSettings *s
);

/** Verifies cells together. The arrays may be NULL if num_cells is 0, which is valid. */
C_KZG_RET verify_cell_kzg_proof_batch(
    bool *ok,
    const Bytes48 *commitments_bytes,
    const uint64_t *cell_indices,
    const Cell *cells,
    const Bytes48 *proofs_bytes,
    uint64_t num_cells,
    const KZGSettings *s
);

#ifdef __cplusplus
}
#endif

#endif /* HALIMEDE_CKZG_H */
