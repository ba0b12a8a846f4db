// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// bls_window_access: takes access_window frames (engines/bls12_381/engine.toml): reads or writes
// one word of a context's window, and replies with the value read. A frame whose checksum does not
// match, or whose address belongs to no window of a context below WindowContexts, has no effect.
//
// One frame at a time, in order.
module bls_window_access
  import bls_coprocessor_isa_pkg::*;
  import bls_coprocessor_pkg::*;
#(
  parameter int unsigned WindowContexts = 1
) (
  input  logic        clk_i,
  input  logic        rst_ni,

  input  logic        req_valid_i,
  output logic        req_ready_o,
  input  logic [63:0] req_data_i,
  input  logic        req_last_i,

  // The word, held until bus_done_i, which comes with the value.
  output logic        bus_valid_o,
  output logic        bus_write_o,
  output logic [31:0] bus_address_o,
  output logic [31:0] bus_value_o,
  input  logic        bus_done_i,
  input  logic [31:0] bus_value_i,

  // The last beat waits for its checksum.
  output logic        rpl_valid_o,
  input  logic        rpl_ready_i,
  output logic [63:0] rpl_data_o,
  output logic        rpl_last_o,
  output logic        error_o      // pulse: a reply with another status than ok
);
  localparam logic [63:0] ReplyHeader = {32'h8000_0202, 32'd40};

  typedef enum logic [3:0] {
    Header, Index, Word, Write, Checksum, Judge, Branch, Access, ReplyHead, ReplyIndex, ReplyWord, ReplyStatus,
    ReplySum
  } state_e;

  state_e      state_q;
  logic [63:0] index_q;
  logic [31:0] address_q, value_q, crc_q, crc;
  logic        write_q, corrupt_q, takes, pop;
  job_status_e status_q;

  assign takes       = state_q inside {Header, Index, Word, Write, Checksum};
  assign req_ready_o = takes;
  assign pop         = req_valid_i && takes;
  crc32c_beat u_crc (.state_i(crc_q), .data_i(req_data_i), .state_o(crc));

  assign bus_valid_o   = state_q == Access;
  assign bus_write_o   = write_q;
  assign bus_address_o = address_q;
  assign bus_value_o   = value_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q <= Header;
      crc_q   <= '1;
    end else begin
      if (pop) crc_q <= req_last_i ? '1 : crc;
      unique case (state_q)
        Judge:       state_q <= Branch;
        Branch:      state_q <= status_q == JobOk ? Access : ReplyHead;
        Access:      if (bus_done_i) state_q <= ReplyHead;
        ReplyHead, ReplyIndex, ReplyWord, ReplyStatus: if (rpl_ready_i) state_q <= state_e'(state_q + 4'd1);
        ReplySum:    if (rpl_ready_i) state_q <= Header;
        default:     if (pop) state_q <= req_last_i ? Judge : state_e'(state_q + 4'd1);
      endcase
    end
  end

  always_ff @(posedge clk_i) begin
    unique case (state_q)
      Index: index_q <= req_data_i;
      Word:  {value_q, address_q} <= req_data_i;
      Write: write_q <= req_data_i[0];
      Access: if (bus_done_i) value_q <= bus_value_i;
      default: ;
    endcase
    if (pop && req_last_i) corrupt_q <= req_data_i != {32'd0, ~crc_q} || state_q != Checksum;
    if (state_q == Judge) begin
      status_q <= corrupt_q ? JobCorrupt
                : 32'(address_q[31:15]) + 1 > WindowContexts ? JobBadRequest : JobOk;
    end
  end

  assign rpl_valid_o = state_q inside {ReplyHead, ReplyIndex, ReplyWord, ReplyStatus, ReplySum};
  assign rpl_last_o  = state_q == ReplySum;
  always_comb begin
    unique case (state_q)
      ReplyHead:   rpl_data_o = ReplyHeader;
      ReplyIndex:  rpl_data_o = index_q;
      ReplyWord:   rpl_data_o = {status_q == JobOk ? value_q : 32'd0, address_q};
      ReplyStatus: rpl_data_o = 64'(status_q);
      default:     rpl_data_o = '0;
    endcase
  end
  assign error_o = state_q == ReplyHead && rpl_ready_i && status_q != JobOk;
endmodule
