// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// axi4_stream_pkg: the windows of axi4_stream_bridge, and the AXI4 codes that it uses.
/* verilator lint_off UNUSEDPARAM */
package axi4_stream_pkg;
  // Bits WindowBits and WindowBits + 1 of an address.
  localparam logic [1:0] WindowRequests = 2'd0;  // written: the ring of requests to the card
  localparam logic [1:0] WindowReplies  = 2'd1;  // read: the ring of the card's replies
  localparam logic [1:0] WindowControl  = 2'd2;  // both
  localparam logic [1:0] WindowNone     = 2'd3;

  // Words of 32 bits of the control window.
  localparam int unsigned WordConsumed  = 4;
  localparam int unsigned WordPublished = 5;
  localparam int unsigned ControlBits   = 256;

  localparam logic [1:0] BurstIncr = 2'b01;
  localparam logic [1:0] RespOkay = 2'b00;
  localparam logic [1:0] RespSlaveError = 2'b10;
  localparam logic [1:0] RespDecodeError = 2'b11;
endpackage
