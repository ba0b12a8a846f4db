// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// blake3_pkg: the types between the parts of blake3_port, BLAKE3's constants (BLAKE3 paper, section
// 2), and the constants of the engine's wire format.
package blake3_pkg;
  // Each module uses some of these.
  /* verilator lint_off UNUSEDPARAM */
  localparam logic [31:0] ReplyHash = 32'h8000_0120;
  localparam logic [31:0] ReplyData = 32'h8000_0121;

  // Bytes of a request that are not message bytes: head, checksum and, in modes with one, a key.
  localparam logic [31:0] FixedBytes = 32'd40;
  localparam logic [31:0] KeyBytes   = 32'd32;
  // Bytes of a reply without its output.
  localparam logic [31:0] ReplyFixedBytes = 32'd32;
  localparam logic [15:0] MaxOutputBytes  = 16'd65472;

  localparam int unsigned Rounds = 7;
  localparam int unsigned PlaceBits = 54;  // chunks of 2^64 - 1 bytes are counted with 54 bits
  localparam int unsigned Levels = 64;     // of a message's stack: 54, and one for the right edge
  localparam logic [5:0]  EdgeLevel = 6'd63;

  localparam logic [6:0] FlagChunkStart = 7'd1;
  localparam logic [6:0] FlagChunkEnd   = 7'd2;
  localparam logic [6:0] FlagParent     = 7'd4;
  localparam logic [6:0] FlagRoot       = 7'd8;

  // The initial value, word 0 in the low bits.
  localparam logic [7:0][31:0] InitialValue = {
    32'h5be0cd19, 32'h1f83d9ab, 32'h9b05688c, 32'h510e527f,
    32'ha54ff53a, 32'h3c6ef372, 32'hbb67ae85, 32'h6a09e667
  };
  /* verilator lint_on UNUSEDPARAM */

  typedef enum logic [2:0] {
    StatusOk          = 3'd0,
    StatusWrongLength = 3'd1,
    StatusUnknownMode = 3'd2,
    StatusAbandoned   = 3'd3,
    StatusCorrupt     = 3'd4,
    StatusNoMessage   = 3'd5,
    StatusWrongPlace  = 3'd6,
    StatusWrongOutput = 3'd7
  } status_e;

  typedef enum logic [1:0] {
    ModeHash              = 2'd0,
    ModeKeyedHash         = 2'd1,
    ModeDeriveKeyContext  = 2'd2,
    ModeDeriveKeyMaterial = 2'd3
  } mode_e;

  typedef logic [7:0] slot_t;             // of a message or a chunk: at most 256 of each
  typedef logic [PlaceBits-1:0] place_t;  // of a chunk in its message, of a node in its level
  typedef logic [255:0] value_t;          // a chaining value or a key
  typedef logic [511:0] block_t;

  // A chunk whose bytes are all stored in the chunk memory.
  typedef struct packed {
    slot_t      chunk;
    slot_t      message;
    place_t     place;
    logic [3:0] last_block;  // blocks - 1
    logic [6:0] last_bytes;  // in the last block: 0 to 64
    mode_e      mode;
    logic       on_edge;     // the message's last
  } chunk_t;

  typedef enum logic [1:0] {
    KindChunk,  // a block of a chunk
    KindParent,
    KindOutput  // a block of the extended output, including the first
  } kind_e;

  // Accompanies a compression through the pipeline and identifies its result.
  typedef struct packed {
    kind_e      kind;
    chunk_t     chunk;  // of a parent: message, mode; place in its level; whether on the right edge
    logic [3:0] block;
    logic [5:0] level;  // of a parent; 0 for a chunk
  } tag_t;

  // The inputs of the compression function.
  typedef struct packed {
    value_t      value;
    block_t      block;
    logic [63:0] counter;
    logic [6:0]  bytes;
    logic [6:0]  flags;
  } input_t;

  // The inputs of a root's compression, except the counter.
  typedef struct packed {
    value_t     value;
    block_t     block;
    logic [6:0] bytes;
    logic [6:0] flags;
  } root_t;

  // Flags of every compression in a mode: KEYED_HASH, DERIVE_KEY_CONTEXT, DERIVE_KEY_MATERIAL.
  function automatic logic [6:0] mode_flags(input mode_e mode);
    unique case (mode)
      ModeKeyedHash:         return 7'd16;
      ModeDeriveKeyContext:  return 7'd32;
      ModeDeriveKeyMaterial: return 7'd64;
      default:               return 7'd0;
    endcase
  endfunction

  function automatic logic has_key(input mode_e mode);
    return mode == ModeKeyedHash || mode == ModeDeriveKeyMaterial;
  endfunction

  // Returns the message words in the order of the next round (BLAKE3 paper, table 2).
  function automatic logic [15:0][31:0] permute(input logic [15:0][31:0] words);
    return {words[8],  words[15], words[14], words[9],  words[5], words[12], words[11], words[1],
            words[13], words[4],  words[0],  words[7],  words[10], words[3], words[6], words[2]};
  endfunction
endpackage
