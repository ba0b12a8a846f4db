// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// ckks_decode: the instructions of a program (engines/ckks/card/isa.toml), one word at a time,
// checked and decoded for ckks_scoreboard.
//
// Each word is checked before any part of it is passed on: its opcode and unused bits, its slots,
// primes, regions and other operands, and whether the TERMs of a sum follow it. The first fault
// ends the program; the number of its word and the fault are held until start_i. Words after the
// END, and a program without an END, are faults too.
//
// Operands are passed to the scoreboard as resources: a slot by its number, then the two halves of
// the factors' memory, then the regions of memory by their lowest bits. An instruction is passed to
// the queue of its unit with the last operand, and with the place of its first TERM. TERMs are
// written to the table of ckks_sums, as a ring, as long as it has places that no unfinished sum
// needs. FENCE and END wait until all instructions are done.
//
// Units by number: 0 loads limbs and factors, 1 stores, 2 expands, 3 transforms, 4 products, 5 sums
// and permutations. A word takes 3 clocks, 5 with a region of memory, and the scoreboard's clocks
// for its operands. A word with a region is passed on with its address in memory, in transfers from
// the beginning, instead of its offset in the region.
module ckks_decode
  import ckks_isa_pkg::*;
#(
  parameter  int unsigned CardSlots    = 4096,  // that the card has room for at most
  parameter  int unsigned Columns      = 3,     // of ckks_sums
  parameter  int unsigned TableBits    = 6,     // log2 of the places of its table
  parameter  int unsigned LogRegions   = 4,     // regions that the scoreboard distinguishes
  parameter  int unsigned LogRadix     = 3,
  parameter  int unsigned MemoryBits   = 34,
  localparam int unsigned Resources    = CardSlots + 2 + (1 << LogRegions),
  localparam int unsigned ResourceBits = $clog2(Resources),
  localparam int unsigned PayloadBits  = TableBits + InstructionBits,
  localparam int unsigned TransferBits = $clog2(TransferBytes),
  localparam int unsigned PlaceBits    = MemoryBits - TransferBits
) (
  input  logic                    clk_i,
  input  logic                    rst_ni,

  // The program: the values of its header, held until its end.
  input  logic                    start_i,
  input  logic                    stop_i,        // something else has failed: takes nothing more
  input  logic [4:0]              log_degree_i,
  input  logic [12:0]             slots_i,
  input  logic [8:0]              primes_i,
  input  logic [12:0]             segments_i,
  input  logic [31:0]             words_i,       // at least 1

  input  logic                    word_valid_i,
  output logic                    word_ready_o,
  input  instruction_t            word_i,

  // The start of a region, one clock after its number (ckks_job).
  output logic [11:0]             region_o,
  input  logic [PlaceBits-1:0]    region_place_i,
  input  logic                    region_absent_i,
  input  logic                    region_beyond_i,

  output logic                    operand_valid_o,
  input  logic                    operand_ready_i,
  output logic [2:0]              operand_unit_o,
  output logic [ResourceBits-1:0] operand_resource_o,
  output logic                    operand_write_o,
  output logic                    operand_last_o,
  output logic [PayloadBits-1:0]  operand_payload_o,  // the first TERM's place, and the word
  input  logic                    idle_i,             // of the scoreboard

  output logic                    term_valid_o,
  output logic [TableBits-1:0]    term_place_o,
  output instruction_t            term_o,
  input  logic                    product_done_i,     // a product, in their order

  output logic                    end_o,              // a pulse: the program is done
  output fault_e                  fault_o,            // none, or the first one
  output logic [31:0]             number_o,           // of the current or the faulty word
  output logic                    memory_error_o      // of a queue: a word with a flipped bit
);
  typedef enum logic [2:0] {
    StateStop, StateWord, StateCheck, StateRegion, StateReach, StateJudge, StateOperands, StateWait
  } state_e;
  state_e       state_q;
  instruction_t word_q;
  logic [5:0]   opcode;
  assign opcode = field_opcode(word_q);

  // ---- Properties of the word: registered, since everything else depends on them ---------------
  typedef struct packed {
    logic       is_sum, is_term, is_limb, is_end, waits_for_idle, is_product;
    logic       has_a, has_b, has_x, has_prime, has_segment, has_exponent;
    logic       has_numbers;  // primes of columns
    logic [2:0] columns;
    logic [3:0] has_column;   // of its slots and primes
  } facts_t;
  facts_t facts_q;
  logic       waits_for_terms_q;
  logic [4:0] terms_left_q;
  logic [2:0] columns_q;  // of the sum

  // The fields of a word, by the bits that each one uses.
  function automatic facts_t facts_of(input instruction_t word, input logic [2:0] sum_columns);
    logic [5:0]   op;
    // verilator lint_off UNUSEDSIGNAL
    instruction_t used;  // a bit of each field is looked at
    // verilator lint_on UNUSEDSIGNAL
    facts_t       facts;
    op   = field_opcode(word);
    used = used_bits(op);
    facts.is_sum         = op inside {OpConv, OpMacp, OpWhole};
    facts.is_term        = op == OpTerm;
    facts.is_limb        = facts.is_term && field_limb(word);
    facts.is_end         = op == OpEnd;
    facts.waits_for_idle = op inside {OpEnd, OpFence};
    facts.is_product     = unit_of(op) == UnitProduct;
    facts.has_a          = used[24];
    facts.has_b          = used[36];
    facts.has_x          = used[64];
    facts.has_prime      = used[48] && !facts.is_sum;
    facts.has_segment    = op inside {OpLoad, OpStore, OpFactors, OpExpand};
    facts.has_exponent   = op == OpPerm;
    facts.has_numbers    = op inside {OpConv, OpMacp};
    facts.columns        = facts.has_numbers ? field_columns(word)
                         : facts.is_term ? sum_columns : 3'd1;
    for (int unsigned c = 0; c < 4; c++) facts.has_column[c] = 3'(c) < facts.columns;
    return facts;
  endfunction
  instruction_t used;
  assign used = used_bits(opcode);
  always_ff @(posedge clk_i) begin
    if (word_ready_o && word_valid_i) facts_q <= facts_of(word_i, columns_q);
  end

  logic [3:0][11:0] x;
  logic [3:0][7:0]  p;
  assign x = {field_x3(word_q), field_x2(word_q), field_x1(word_q), field_x0(word_q)};
  assign p = {field_p3(word_q), field_p2(word_q), field_p1(word_q), field_p0(word_q)};

  // ---- Its place in memory, and how far it reaches ---------------------------------------------
  // Transfers of a limb and of a table of factors (engines/ckks/card/README.md).
  typedef logic [17:0] length_t;
  localparam int unsigned WordsBits = TransferBits - 2;
  length_t limb_q, table_words, table_q, length_q;
  always_comb begin
    table_words = '0;
    for (int unsigned q = 0; q * LogRadix < 17; q++) begin
      if (int'(log_degree_i) > (q + 1) * LogRadix) begin
        table_words += length_t'(1 << (int'(log_degree_i) - q * LogRadix));
      end else if (int'(log_degree_i) > q * LogRadix) begin
        table_words += length_t'(1 << LogRadix);
      end
    end
  end
  logic [32:0] begins_q;  // of the memory's beginning
  logic        absent_q, beyond_region_q, beyond_memory_q;
  assign region_o = field_segment(word_q);
  always_ff @(posedge clk_i) begin
    limb_q  <= length_t'(32'd1 << log_degree_i) >> WordsBits;
    table_q <= (table_words + length_t'((1 << WordsBits) - 1)) >> WordsBits;
    // At least one transfer.
    unique case (opcode)
      OpLoad:    length_q <= length_t'(arith_pkg::maximum(int'(limb_q) >> field_run(word_q), 1));
      OpStore:   length_q <= length_t'(arith_pkg::maximum(int'(limb_q), 1));
      OpFactors: length_q <= table_q;
      default:   length_q <= length_t'(1);
    endcase
    if (state_q == StateRegion) begin
      begins_q        <= 33'(region_place_i) + 33'(field_offset(word_q));
      absent_q        <= region_absent_i;
      beyond_region_q <= region_beyond_i;
    end
    beyond_memory_q <= 34'(begins_q) + 34'(length_q) > (34'd1 << PlaceBits);
  end

  // ---- Its faults: a register for each kind, then the first of them ----------------------------
  logic         stray_q, slot_q, prime_q, segment_q, order_q, early_q, address, faulty;
  logic         is_last_word, bad_slot, bad_prime;
  // Slots and primes of columns that the word does not have, the conditions of sums and TERMs, and
  // others.
  logic [3:0]   operands_q, bad_operands;
  logic [17:0]  beyond_q;  // bits of an exponent from 2N on
  fault_e       fault_q, judged;
  logic [31:0]  number_q;
  assign is_last_word = number_q == words_i - 1'b1;
  always_comb begin
    bad_slot = (facts_q.has_a && 13'(field_a(word_q)) >= slots_i)
            || (facts_q.has_b && 13'(field_b(word_q)) >= slots_i);
    bad_prime = facts_q.has_prime && 9'(field_p0(word_q)) >= primes_i;
    bad_operands = '0;
    for (int unsigned c = 0; c < 4; c++) begin
      // For a TERM with numbers the slots are zero, and for one with limbs the numbers.
      if (facts_q.has_column[c] && facts_q.has_x && (!facts_q.is_term || facts_q.is_limb)) bad_slot |= 13'(x[c]) >= slots_i;
      else if (x[c] != '0 && facts_q.has_x) bad_operands[0] = 1'b1;
      if (facts_q.has_numbers) begin
        if (facts_q.has_column[c]) bad_prime |= 9'(p[c]) >= primes_i;
        else if (p[c] != '0) bad_operands[1] = 1'b1;
      end
    end
    if (facts_q.is_limb && (word_q[255:128] != '0 || field_halves(word_q))) bad_operands[2] = 1'b1;
    if (facts_q.is_term && field_halves(word_q) && columns_q != 3'd1) bad_operands[2] = 1'b1;
    if (facts_q.is_sum && (field_terms(word_q) == '0 || 32'(field_terms(word_q)) > IsaTerms
                   || facts_q.columns == '0 || 32'(facts_q.columns) > Columns)) bad_operands[2] = 1'b1;
    if (opcode == OpLoad && 5'(field_run(word_q)) > log_degree_i) bad_operands[3] = 1'b1;
    if (opcode == OpFactors && field_transfers(word_q) != 32'(table_q)) bad_operands[3] = 1'b1;
    // This card has one pair of halves.
    if (opcode inside {OpFactors, OpNtt, OpIntt} && field_pair(word_q)) bad_operands[3] = 1'b1;
    if (facts_q.has_exponent && (!field_exponent(word_q)[0] || field_a(word_q) == x[0]
                         || (field_exponent(word_q) & beyond_q) != '0)) begin
      bad_operands[3] = 1'b1;
    end
  end
  always_ff @(posedge clk_i) begin
    beyond_q   <= ~18'((32'd2 << log_degree_i) - 32'd1);
    stray_q    <= used == '0 || (word_q & ~used) != '0;
    slot_q     <= bad_slot;
    prime_q    <= bad_prime;
    segment_q  <= facts_q.has_segment && 13'(field_segment(word_q)) >= segments_i;
    operands_q <= bad_operands;
    order_q    <= facts_q.is_term != waits_for_terms_q;
    early_q    <= facts_q.is_end != is_last_word;
  end
  assign address = facts_q.has_segment && (beyond_memory_q || beyond_region_q);
  assign faulty  = stray_q || order_q || slot_q || prime_q || segment_q || operands_q != '0
                || early_q || (facts_q.has_segment && absent_q) || address;
  always_comb begin
    judged = FaultNone;
    if (address) judged = FaultAddress;
    if (facts_q.has_segment && absent_q) judged = FaultAbsent;
    if (early_q) judged = FaultTruncated;
    if (operands_q != '0) judged = FaultOperands;
    if (segment_q) judged = FaultSegment;
    if (prime_q) judged = FaultPrime;
    if (slot_q) judged = FaultSlot;
    if (order_q) judged = FaultOrder;
    if (stray_q) judged = FaultOpcode;
  end
  assign fault_o  = fault_q;
  assign number_o = number_q;

  // ---- Its operands: written ones first --------------------------------------------------------
  localparam int unsigned Operands = 12;
  typedef logic [Operands-1:0] operands_t;
  operands_t                             wanted, wanted_q;
  operands_t                             lowest_q, rest_q;  // the current one, and the later ones
  operands_t                             coming;
  logic                                  ends_word;  // a TERM with numbers has no operand
  logic [Operands-1:0][ResourceBits-1:0] resource, resource_q;
  logic [ResourceBits-1:0]               chosen;
  logic writes_x, writes_region;
  assign writes_x      = facts_q.has_x && !facts_q.is_term;
  assign writes_region = opcode == OpStore;
  always_comb begin
    for (int unsigned c = 0; c < 4; c++) begin
      resource[c]   = ResourceBits'(x[c]);
      resource[6+c] = ResourceBits'(x[c]);
      wanted[c]     = writes_x && facts_q.has_column[c];
      wanted[6+c]   = facts_q.is_limb && facts_q.has_column[c];
    end
    resource[4]  = ResourceBits'(CardSlots) + ResourceBits'(field_buffer(word_q));
    resource[5]  = ResourceBits'(CardSlots + 2)
                 + ResourceBits'(field_segment(word_q) % 12'(1 << LogRegions));
    resource[10] = ResourceBits'(field_a(word_q));
    resource[11] = ResourceBits'(field_b(word_q));
    wanted[4]    = opcode inside {OpFactors, OpNtt, OpIntt};
    wanted[5]    = facts_q.has_segment;
    wanted[10]   = facts_q.has_a;
    wanted[11]   = facts_q.has_b;
  end
  // The word is held for two clocks before its first operand is passed on.
  always_ff @(posedge clk_i) begin
    wanted_q   <= wanted;
    resource_q <= resource;
  end

  // In groups of four, so that no operand depends on a chain through all those before it.
  function automatic operands_t lowest_of(input operands_t set);
    for (int unsigned g = 0; g < Operands / 4; g++) begin
      logic [3:0] four;
      four = set[4*g+:4];
      lowest_of[4*g+:4] = {four[3] && four[2:0] == '0, four[2] && four[1:0] == '0,
                           four[1] && !four[0], four[0]};
    end
    if (set[3:0] != '0) lowest_of[11:4] = '0;
    if (set[7:4] != '0) lowest_of[11:8] = '0;
  endfunction
  assign ends_word = rest_q == '0;
  assign coming    = (state_q == StateJudge) ? wanted_q : rest_q;
  always_comb begin
    chosen = '0;
    for (int unsigned i = 0; i < Operands; i++) if (lowest_q[i]) chosen |= resource_q[i];
  end
  always_ff @(posedge clk_i) begin
    if (state_q == StateJudge || (operand_valid_o && operand_ready_i)) begin
      lowest_q <= lowest_of(coming);
      rest_q   <= coming & ~lowest_of(coming);
    end
  end

  function automatic logic [2:0] number_of(input logic [5:0] of_opcode);
    unique case (unit_of(of_opcode))
      UnitMemory:    return (of_opcode == OpStore) ? 3'd1 : 3'd0;
      UnitExpand:    return 3'd2;
      UnitTransform: return 3'd3;
      UnitProduct:   return 3'd4;
      default:       return 3'd5;
    endcase
  endfunction

  instruction_t        sum_q;    // whose TERMs come
  logic [TableBits-1:0] place_q;  // of the next TERM
  logic [TableBits-1:0] first_q;  // of the sum's
  assign operand_valid_o    = state_q == StateOperands;
  assign operand_unit_o     = facts_q.is_term ? 3'd4 : number_of(opcode);
  assign operand_resource_o = chosen;
  assign operand_write_o    = |lowest_q[3:0] || (lowest_q[4] && opcode == OpFactors)
                           || (lowest_q[5] && writes_region);
  assign operand_last_o     = ends_word && !facts_q.is_sum && (!facts_q.is_term || terms_left_q == 5'd1);
  assign operand_payload_o  = facts_q.is_term ? {first_q, sum_q} : {place_q, word_q};

  // ---- The table of TERMs: places that no unfinished sum needs ---------------------------------
  logic [TableBits:0] free_q;
  logic [4:0]         ended_terms;
  logic               unused_ready, unused_valid, counts, goes;
  // Every product reports the number of its TERMs; products that are not sums report 0.
  stream_fifo #(.DataWidth(5), .Depth(1 << TableBits)) u_terms (
    .clk_i, .rst_ni, .clear_i(start_i), .in_valid_i(counts), .in_ready_o(unused_ready),
    .in_data_i(facts_q.is_sum ? field_terms(word_q) : 5'd0), .out_valid_o(unused_valid),
    .out_ready_i(product_done_i), .out_data_o(ended_terms),
    .memory_error_o
  );
  assign goes   = state_q == StateJudge && !faulty && (!facts_q.is_term || free_q != '0);
  assign counts = goes && facts_q.is_product;
  assign term_valid_o = goes && facts_q.is_term;
  assign term_place_o = place_q;
  assign term_o       = word_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      free_q <= (TableBits + 1)'(1 << TableBits);
    end else if (start_i) begin
      free_q <= (TableBits + 1)'(1 << TableBits);
    end else begin
      free_q <= free_q - (TableBits + 1)'(term_valid_o)
              + (product_done_i ? (TableBits + 1)'(ended_terms) : '0);
    end
  end

  // ---- One word at a time ----------------------------------------------------------------------
  assign word_ready_o = state_q == StateWord;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q           <= StateStop;
      fault_q           <= FaultNone;
      waits_for_terms_q <= 1'b0;
      end_o             <= 1'b0;
    end else if (start_i) begin
      state_q           <= StateWord;
      fault_q           <= FaultNone;
      waits_for_terms_q <= 1'b0;
      end_o             <= 1'b0;
    end else begin
      end_o <= 1'b0;
      unique case (state_q)
        StateWord:  if (word_valid_i) state_q <= StateCheck;
        StateCheck:  state_q <= facts_q.has_segment ? StateRegion : StateJudge;
        StateRegion: state_q <= StateReach;
        StateReach:  state_q <= StateJudge;
        StateJudge: begin
          if (faulty) begin
            fault_q <= judged;
            state_q <= StateStop;
          end else if (goes) begin
            state_q <= facts_q.waits_for_idle ? StateWait : StateOperands;
            if (facts_q.is_sum) waits_for_terms_q <= 1'b1;
          end
        end
        StateOperands: begin
          if (operand_ready_i && ends_word) begin
            state_q <= StateWord;
            if (facts_q.is_term && terms_left_q == 5'd1) waits_for_terms_q <= 1'b0;
          end
        end
        StateWait: begin
          if (idle_i) begin
            state_q <= facts_q.is_end ? StateStop : StateWord;
            end_o   <= facts_q.is_end;
          end
        end
        default: ;
      endcase
      if (stop_i) begin
        state_q <= StateStop;
        end_o   <= 1'b0;
      end
    end
  end
  always_ff @(posedge clk_i) begin
    if (start_i) begin
      number_q <= '0;
      place_q  <= '0;
    end else begin
      if (word_ready_o && word_valid_i) word_q <= word_i;
      if (state_q == StateReach) word_q[160+:32] <= 32'(begins_q);
      if (state_q == StateOperands && operand_ready_i && ends_word) begin
        number_q <= number_q + 1'b1;
        if (facts_q.is_term) terms_left_q <= terms_left_q - 1'b1;
      end
      if (state_q == StateWait && idle_i && !facts_q.is_end) number_q <= number_q + 1'b1;
      if (term_valid_o) place_q <= place_q + 1'b1;
      if (goes && facts_q.is_sum) begin
        sum_q        <= word_q;
        first_q      <= place_q;
        terms_left_q <= field_terms(word_q);
        columns_q    <= facts_q.columns;
      end
    end
  end
endmodule
