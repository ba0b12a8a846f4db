// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// secp256k1_pkg: verify_secp256k1_sig and verify_secp256k1_sig_checked on the wire (docs/card.md),
// and the verdict of a lane.
package secp256k1_pkg;
  /* verilator lint_off UNUSEDPARAM */
  localparam logic [31:0] ReplyVerify        = 32'h8000_0101;
  localparam logic [31:0] ReplyVerifyChecked = 32'h8000_0103;

  // The bit of a request's command word that distinguishes the checked form.
  localparam int unsigned CheckedBit = 1;
  // The status of a checked reply if the request's checksum does not match.
  localparam logic [7:0] StatusCorrupt = 8'd4;

  // A request is header, index, and five numbers of 256 bits: s, r, digest, x, y; a checked one
  // ends in CRC-32C and four zero bytes.
  localparam int unsigned RequestBytes = 176;
  localparam int unsigned CheckedBytes = RequestBytes + 8;
  localparam int unsigned PayloadWords = RequestBytes / 8 - 1;
  /* verilator lint_on UNUSEDPARAM */

  typedef struct packed {
    logic [255:0] y;
    logic [255:0] x;
    logic [255:0] digest;
    logic [255:0] r;
    logic [255:0] s;
    logic [63:0]  index;
  } request_t;

  typedef struct packed {
    logic        checked;  // the form of the request, and so of the reply
    logic        corrupt;  // nothing was checked
    logic [63:0] index;
    logic [15:0] cycles;  // saturates at 65535
    logic [5:0]  mask;    // failures: engines/secp256k1/src/check.rs
  } verdict_t;
endpackage
