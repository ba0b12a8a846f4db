// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// bls_coprocessor_pkg: types shared by the parts of the coprocessor.
package bls_coprocessor_pkg;
  import bls_coprocessor_isa_pkg::*;

  /* verilator lint_off UNUSEDPARAM */  // no user needs the whole package
  localparam int unsigned ContextBits = 4;
  // A context's data memory: its slots, followed by scratch words of the sequencer.
  localparam int unsigned PlaceBits = 9;
  // Clocks from the address of a read to its word, for both memories.
  localparam int unsigned ReadClocks = 2;
  // Beats of the longest interrupt: a header of two, and six per slot.
  localparam int unsigned LongestInterrupt = 2 + 12 * 6;
  localparam logic [31:0] InterruptCommand = 32'h8000_0200;
  /* verilator lint_on UNUSEDPARAM */

  typedef logic [ContextBits-1:0] context_t;
  typedef logic [PlaceBits-1:0]   place_t;   // of a slot, or from 256 on of a scratch word

  typedef struct packed {
    kind_e                 kind;
    logic [DataBits-1:0]   number;
  } slot_t;

  // The tag that is returned with the words of a job's result.
  typedef struct packed {
    context_t context_id;
    place_t   place;  // of the first word
    kind_e    kind;
  } tag_t;

  // A job's program, its results and their place.
  typedef struct packed {
    logic [6:0] entry;
    logic [3:0] outputs;
    tag_t       tag;
  } job_t;

  // A context's registers in the sequencer.
  typedef struct packed {
    logic [15:0] pointer;
    logic [31:0] last_clocks;
    logic [31:0] error;
    logic [31:0] retired;
  } status_t;

  // The status of a reply to run_program (engines/bls12_381/engine.toml).
  typedef enum logic [7:0] {
    JobOk          = 8'd0,
    JobBadRequest  = 8'd1,
    JobResults     = 8'd2,
    JobWrongLength = 8'd3,
    JobCorrupt     = 8'd4,
    JobTimedOut    = 8'd5
  } job_status_e;

  function automatic logic is_affine(input kind_e kind);
    return kind == KindFpAf || kind == KindFp2Af;
  endfunction

  // The number of words of an element of a field, or of a coordinate of a point.
  function automatic logic [3:0] unit_of(input kind_e kind);
    unique case (kind)
      KindFe2, KindFp2Af, KindFp2Jb: return 4'd2;
      KindFe6:                       return 4'd6;
      KindFe12:                      return 4'd12;
      default:                       return 4'd1;
    endcase
  endfunction

  // The index of the program for the unit, among the programs with one name.
  function automatic logic [1:0] degree_of(input kind_e kind);
    unique case (kind)
      KindFe2, KindFp2Af, KindFp2Jb: return 2'd1;
      KindFe6:                       return 2'd2;
      KindFe12:                      return 2'd3;
      default:                       return 2'd0;
    endcase
  endfunction

  // A product with a factor of few bits, by masked rows: a multiplier without registers would be
  // too deep.
  function automatic logic [12:0] small_product(input logic [3:0] few, input logic [8:0] value);
    logic [12:0] row;
    small_product = '0;
    for (int unsigned k = 0; k < 4; k++) begin
      row           = few[k] ? 13'(value) << k : '0;
      small_product = small_product + row;
    end
  endfunction

  function automatic logic is_read(input operand_e operand);
    return operand inside {OperandSlot, OperandElement, OperandCounter, OperandProduct, OperandList,
                           OperandPairs};
  endfunction

  function automatic logic is_written(input operand_e operand);
    return operand inside {OperandToSlot, OperandResult, OperandResults, OperandCounter,
                           OperandProduct};
  endfunction

endpackage
