// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// bls_coprocessor_decode: the operands that an instruction reads and writes, and the manual's
// checks 3 to 8, which need only the kinds of the first slots.
//
// Cycles: instruction_i is held. The places are valid at once; the kinds at the places that are
// read must be given by clock 5 after the first (kinds_i); all other outputs are valid from clock
// 11.
module bls_coprocessor_decode
  import bls_coprocessor_isa_pkg::*;
  import bls_coprocessor_pkg::*;
#(
  parameter bit Extension = 1'b1
) (
  input  logic         clk_i,
  /* verilator lint_off UNUSEDSIGNAL */  // a target has 9 bits, a slot 8
  input  instruction_t instruction_i,
  /* verilator lint_on UNUSEDSIGNAL */
  input  kind_e        kinds_i[3],      // of the slots at a, b, c

  output fault_e       fault_o,
  output logic [2:0]   reads_o,         // operands a, b, c
  output logic [2:0]   in_range_o,      // operands whose numbers must be below p
  output logic         pairs_o,         // a is a list of pairs
  output logic [8:0]   extents_o[3],    // slots of each operand, if it is in slots
  output kind_e        result_kind_o,
  output kind_e        key_o            // the kind that selects the steps
);
  // ---- Roles of the operands ------------------------------------------------------------------
  opcode_e  opcode_q;
  logic     known_q;
  operand_e roles_q[3];
  logic [15:0] operands[3];
  assign operands = '{instruction_i.a, instruction_i.b, instruction_i.c};

  opcode_e opcode;
  assign opcode = opcode_e'(instruction_i.code);
  always_ff @(posedge clk_i) begin
    opcode_q <= opcode;
    known_q  <= is_known(instruction_i.code, Extension);
    roles_q  <= '{operand_a(opcode), operand_b(opcode), operand_c(opcode)};
  end

  // ---- Numbers and places ---------------------------------------------------------------------
  logic [2:0] reads_q, slots_q, low_q, target_q, count_q, power_q, beyond_target_q, bad_count_q,
              bad_power_q;
  logic       free_q;    // numbers are not checked
  logic       pairs_q, second_q;  // operand b selects the kind
  logic [8:0] most_count_q;
  always_ff @(posedge clk_i) begin
    most_count_q <= opcode_q == OpMultiMiller ? 9'(Pairs) : 9'(Slots);
    pairs_q      <= opcode_q == OpMultiMiller;
    second_q     <= opcode_q == OpPointMult;
    free_q       <= opcode_q inside {OpCopyReg, OpCopyElement, OpJumpIfEq, OpSendInterrupt,
                                     OpJumpNonzeroSub};
    for (int unsigned k = 0; k < 3; k++) begin
      reads_q[k]         <= is_read(roles_q[k]);
      slots_q[k]         <= is_read(roles_q[k]) || is_written(roles_q[k]);
      low_q[k]           <= operands[k][15:8] == '0;
      target_q[k]        <= roles_q[k] == OperandTarget;
      count_q[k]         <= roles_q[k] == OperandCount;
      power_q[k]         <= roles_q[k] == OperandPower;
      beyond_target_q[k] <= operands[k][15:9] != '0;
      bad_count_q[k]     <= operands[k] == '0 || operands[k] > 16'(most_count_q);
      bad_power_q[k]     <= operands[k] >= 16'd12;
    end
  end
  logic pointer_q, operand_q, slot_q;
  always_ff @(posedge clk_i) begin
    pointer_q <= (target_q & beyond_target_q) != '0;
    operand_q <= (count_q & bad_count_q) != '0 || (power_q & bad_power_q) != '0;
    slot_q    <= (slots_q & ~low_q) != '0;
  end
  assign reads_o = reads_q;
  assign pairs_o = pairs_q;

  // ---- Kinds: by all rules, and by the rule of the instruction ------------------------------------
  logic [3:0] fit_rule_q, result_rule_q;
  fits_t      by_rule_q;
  results_t   results_q;
  logic       fits_q;
  kind_e      kinds_q[3];
  always_ff @(posedge clk_i) begin
    fit_rule_q    <= fit_rule(opcode_q);
    result_rule_q <= result_rule(opcode_q);
    by_rule_q     <= fits(kinds_i[0], kinds_i[1], kinds_i[2]);
    results_q     <= results(kinds_i[0], kinds_i[1], kinds_i[2]);
    fits_q        <= by_rule_q[fit_rule_q];
    result_kind_o <= results_q[result_rule_q];
    kinds_q       <= kinds_i;
    key_o         <= second_q ? kinds_q[1] : kinds_q[0];
    for (int unsigned k = 0; k < 3; k++) begin
      in_range_o[k] <= !free_q && (pairs_q || kinds_q[k] != KindScalar);
    end
  end

  // ---- Sizes: operand b is the number of elements of a list, at most 256 ---------------------------
  logic [3:0]  size_q[3];
  logic [8:0]  elements_q[3];
  logic [12:0] extent_q[3], end_q[3];
  logic [2:0]  past_q;
  always_ff @(posedge clk_i) begin
    for (int unsigned k = 0; k < 3; k++) begin
      unique case (roles_q[k])
        OperandSlot, OperandToSlot:     size_q[k] <= 4'd1;
        OperandPairs:                   size_q[k] <= 4'd6;
        OperandResult, OperandResults:  size_q[k] <= slots_of(result_kind_o);
        default:                        size_q[k] <= slots_of(kinds_q[k]);
      endcase
      elements_q[k] <= roles_q[k] inside {OperandList, OperandResults, OperandPairs}
          ? instruction_i.b[8:0] : 9'd1;
      extent_q[k]   <= small_product(size_q[k], elements_q[k]);
      end_q[k]      <= extent_q[k] + 13'(operands[k][7:0]);
      past_q[k]     <= end_q[k] > 13'(Slots);
      extents_o[k]  <= extent_q[k][8:0];
    end
  end
  logic past_end;
  assign past_end = (past_q & slots_q) != '0;

  assign fault_o = !known_q   ? FaultOpcode
                 : pointer_q  ? FaultPointer
                 : operand_q  ? FaultOperand
                 : slot_q     ? FaultSlot
                 : !fits_q    ? FaultKind
                 : past_end   ? FaultSlot : FaultNone;
endmodule
