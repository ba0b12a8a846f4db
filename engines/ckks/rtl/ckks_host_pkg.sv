// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// ckks_host_pkg: the host's commands to the card's memory and to the core
// (engines/ckks/engine.toml).
package ckks_host_pkg;
  // A package offers more than any single design uses.
  /* verilator lint_off UNUSEDPARAM */
  localparam int unsigned MostData    = 16384;  // bytes of a write or a read
  localparam int unsigned HostBytes   = 32;     // of a beat; addresses and sizes are multiples of it
  localparam int unsigned JobBytes    = 64;     // the address of a job is a multiple of it
  localparam int unsigned SizeBits    = $clog2(MostData + 1);

  typedef enum logic [1:0] {KindWrite = 2'd0, KindRead = 2'd1, KindRun = 2'd2} kind_e;

  typedef enum logic [7:0] {
    StatusOk          = 8'd0,
    StatusBeyond      = 8'd1,
    StatusUnaligned   = 8'd2,
    StatusWrongLength = 8'd3,
    StatusCorrupt     = 8'd4,
    StatusMemoryError = 8'd5,
    StatusFault       = 8'd6
  } status_e;

  // A frame's header is its length and its command; the two lowest bits of the command are kind_e.
  localparam logic [29:0] ReplyHigh = 30'(32'h8000_0300 >> 2);
  /* verilator lint_on UNUSEDPARAM */
endpackage
