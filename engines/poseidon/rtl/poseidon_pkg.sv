// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// poseidon_pkg: the types between the parts of poseidon_port, and the constants of its wire format.
//
// An instance's code on the wire is family << 4 | width: family 0 Filecoin, 1 Filecoin
// strengthened, 2 Stark. The programs (poseidon_programs_pkg) determine which instances exist.
package poseidon_pkg;
  import poseidon_programs_pkg::*;

  // Each module uses some of these.
  /* verilator lint_off UNUSEDPARAM */
  localparam logic [31:0] ReplyCommand = 32'h8000_0110;
  localparam int unsigned FixedBytes = 32;  // of a request or reply, without its elements
  localparam int unsigned ElementBytes = 32;
  localparam int unsigned LongestState = 12;  // elements of the widest instance of the wire format
  /* verilator lint_on UNUSEDPARAM */

  typedef enum logic [2:0] {
    StatusOk              = 3'd0,
    StatusUnknownInstance = 3'd1,
    StatusNotCanonical    = 3'd2,
    StatusWrongLength     = 3'd3,
    StatusCorrupt         = 3'd4
  } status_e;

  // Travels with a job through the core: the index of the request, and the words of the state to
  // send.
  typedef struct packed {
    logic [63:0] index;
    logic [3:0]  first_word;
    logic [3:0]  last_word;
  } tag_t;

  // The properties of an instance that the request parser needs.
  typedef struct packed {
    logic       known;
    logic       lane;
    logic [3:0] entry;  // of the lane's programs
    logic [3:0] width;  // elements of the state
  } instance_t;

  // Returns the instance with this code; `enabled` marks the lanes that have cores.
  function automatic instance_t find_instance(input logic [7:0]       code,
                                              input logic [Lanes-1:0] enabled,
                                              input programs_e        programs);
    find_instance = '0;
    for (int unsigned lane = 0; lane < Lanes; lane++) begin
      for (int unsigned i = 0; i < MaxEntries; i++) begin
        /* verilator lint_off UNUSEDSIGNAL */
        entry_t entry;
        /* verilator lint_on UNUSEDSIGNAL */
        entry = program_entry(lane, programs, i);
        if (enabled[1'(lane)] && entry.inputs != 4'd0 && entry.code == code) begin
          find_instance = '{known: 1'b1, lane: 1'(lane), entry: 4'(i), width: entry.inputs};
        end
      end
    end
  endfunction

  // Returns the index of the digest in the state, by family: 1 for Filecoin, 0 for Stark.
  function automatic logic [3:0] digest_word(input logic [3:0] family);
    return family == 4'd2 ? 4'd0 : 4'd1;
  endfunction

  // Returns a mask whose bit i is set if instance i of the wire format's list is available here.
  function automatic logic [11:0] instance_mask(input logic [Lanes-1:0] enabled,
                                                input programs_e        programs);
    logic [11:0][7:0] codes;
    codes = {8'h29, 8'h25, 8'h24, 8'h23, 8'h1c, 8'h19, 8'h15, 8'h13, 8'h0c, 8'h09, 8'h05, 8'h03};
    for (int unsigned i = 0; i < 12; i++) begin
      /* verilator lint_off UNUSEDSIGNAL */
      instance_t found;
      /* verilator lint_on UNUSEDSIGNAL */
      found = find_instance(codes[i], enabled, programs);
      instance_mask[i] = found.known;
    end
  endfunction

endpackage
