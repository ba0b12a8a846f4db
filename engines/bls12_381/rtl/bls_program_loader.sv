// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// bls_program_loader: takes run_program frames (engines/bls12_381/engine.toml). Each is loaded into
// a free context through its window: both memories are cleared, then the limit, the instructions,
// the slots and, if the frame is sound, the pointer are written.
//
// A frame is taken only if a context is free. job_* reports its end, in the clock before the
// pointer is written, or why it is not written. The context has stopped before, so that nothing
// runs until then.
//
// Throughput: 512 clocks, and some seven clocks per word of 32 bits.
module bls_program_loader
  import bls_coprocessor_isa_pkg::*;
  import bls_coprocessor_pkg::*;
(
  input  logic        clk_i,
  input  logic        rst_ni,

  input  logic        req_valid_i,
  output logic        req_ready_o,
  input  logic [63:0] req_data_i,
  input  logic        req_last_i,

  input  logic        free_valid_i,
  input  context_t    free_context_i,
  output logic        take_o,          // a frame begins: free_context_i is its context

  output logic        job_valid_o,
  output context_t    job_context_o,
  output logic [63:0] job_index_o,
  output logic [15:0] job_start_o,
  output job_status_e job_status_o,

  // The word to write, held until bus_done_i.
  output logic        bus_valid_o,
  output logic [31:0] bus_address_o,
  output logic [31:0] bus_value_o,
  input  logic        bus_done_i
);
  typedef enum logic [3:0] {
    Header, Index, Counts, Start, Clear, Limit, Instruction, SlotHead, SlotLow, SlotExtension,
    SlotHigh, Checksum, Drain, Judge, Run
  } state_e;

  localparam int unsigned FixedBeats = 5;  // header, index, counts, start, checksum
  localparam int unsigned SlotBeats = ValueBytes / 8;

  state_e      state_q;
  context_t    context_q;
  logic [63:0] index_q;
  logic [31:0] length_q, limit_q;
  logic [15:0] instructions_q, slots_q, start_q;
  logic [31:0] expected_q;      // bytes of the frame
  logic        wrong_length_q, bad_q, corrupt_q;
  logic        high_q;          // the second word of an instruction
  logic [8:0]  place_q;         // of an instruction or a slot
  logic        extension_q;     // bit 3 of the slot's kind
  logic [2:0]  beat_q;          // of the slot
  logic        last_slot_q, last_instruction_q;
  logic [15:0] left_q;          // remaining slots or instructions
  logic [31:0] crc_q, crc;

  // ---- Beats ------------------------------------------------------------------------------------
  logic pop, ends;
  always_comb begin
    unique case (state_q)
      Header:                   req_ready_o = free_valid_i;
      Index, Counts, Start, SlotHead, Checksum, Drain: req_ready_o = 1'b1;
      Instruction:              req_ready_o = high_q && bus_done_i;
      SlotHigh:                 req_ready_o = bus_done_i;
      default:                  req_ready_o = 1'b0;
    endcase
  end
  assign pop    = req_valid_i && req_ready_o;
  assign ends   = pop && req_last_i;
  assign take_o = pop && state_q == Header;

  crc32c_beat u_crc (.state_i(crc_q), .data_i(req_data_i), .state_o(crc));

  // ---- Words ------------------------------------------------------------------------------------
  logic [14:0] offset;
  logic [11:0] slot_word;  // in bytes, within the slot
  always_comb begin
    unique case (state_q)
      SlotLow:  slot_word = 12'(beat_q) << 3;
      SlotHigh: slot_word = (12'(beat_q) << 3) | 12'd4;
      default:  slot_word = 12'(ValueBytes);  // SlotExtension
    endcase
    bus_valid_o = 1'b1;
    bus_value_o = req_data_i[31:0];
    offset      = 15'(WindowData) + {place_q[7:0], 6'd0} + 15'(slot_word);
    unique case (state_q)
      Clear: begin
        offset      = 15'(RegisterInstructionOffset);
        bus_value_o = 32'd3;
      end
      Limit: begin
        offset      = 15'(RegisterInstructionLimit);
        bus_value_o = limit_q;
      end
      Run: begin
        offset      = 15'(RegisterInstructionPointer);
        bus_value_o = 32'(start_q);
      end
      Instruction: begin
        offset      = 15'(WindowInstructions) + {3'd0, place_q, high_q, 2'd0};
        bus_value_o = high_q ? req_data_i[63:32] : req_data_i[31:0];
        bus_valid_o = req_valid_i;
      end
      SlotLow: bus_valid_o = req_valid_i;
      SlotExtension: begin
        bus_value_o = 32'(extension_q);
        bus_valid_o = req_valid_i;
      end
      SlotHigh: begin
        bus_value_o = req_data_i[63:32];
        bus_valid_o = req_valid_i;
      end
      default: bus_valid_o = 1'b0;
    endcase
  end
  assign bus_address_o = {13'd0, context_q, offset};

  // ---- The frame --------------------------------------------------------------------------------
  state_e behind_head, behind_instructions;
  assign behind_instructions = slots_q != '0 ? SlotHead : Checksum;
  assign behind_head         = instructions_q != '0 ? Instruction : behind_instructions;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q <= Header;
      crc_q   <= '1;
    end else begin
      if (pop) crc_q <= req_last_i ? '1 : crc;
      unique case (state_q)
        Header:   if (pop) state_q <= Index;
        Index:    if (pop) state_q <= Counts;
        Counts:   if (pop) state_q <= Start;
        Start:    if (pop) state_q <= Clear;
        Clear:    if (bus_done_i) state_q <= wrong_length_q || bad_q ? Drain : Limit;
        Limit:    if (bus_done_i) state_q <= behind_head;
        Instruction:
          if (bus_done_i && high_q && last_instruction_q) state_q <= behind_instructions;
        SlotHead: if (pop) state_q <= SlotLow;
        SlotLow:  if (bus_done_i) state_q <= 32'(beat_q) == SlotBeats - 1 ? SlotExtension : SlotHigh;
        SlotExtension: if (bus_done_i) state_q <= SlotHigh;
        SlotHigh:
          if (bus_done_i) begin
            state_q <= 32'(beat_q) != SlotBeats - 1 ? SlotLow : last_slot_q ? Checksum : SlotHead;
          end
        Checksum, Drain: if (ends) state_q <= Judge;
        Judge:    state_q <= job_status_o == JobOk ? Run : Header;
        default:  if (bus_done_i) state_q <= Header;  // Run
      endcase
      // (The decoder stops frames that end so early.)
      if (ends && !(state_q inside {Checksum, Drain})) state_q <= Judge;
    end
  end

  always_ff @(posedge clk_i) begin
    if (bus_done_i) high_q <= state_q == Instruction && !high_q;
    if (state_q == Header) high_q <= 1'b0;
    last_instruction_q <= 16'(place_q) + 16'd1 == instructions_q;
    last_slot_q        <= left_q == 16'd1;
    // 40 + 8 * instructions + 56 * slots.
    expected_q         <= 32'(8 * FixedBeats) + {13'd0, instructions_q, 3'd0}
                          + {10'd0, slots_q, 6'd0} - {13'd0, slots_q, 3'd0};
    unique case (state_q)
      Header: begin
        context_q      <= free_context_i;
        length_q       <= req_data_i[31:0];
        place_q        <= '0;
        wrong_length_q <= 1'b1;
        bad_q          <= 1'b0;
      end
      Index: index_q <= req_data_i;
      Counts: {slots_q, instructions_q, limit_q} <= req_data_i;
      Start: begin
        start_q <= req_data_i[15:0];
        left_q  <= slots_q;
      end
      Clear: begin
        wrong_length_q <= length_q != expected_q;
        bad_q          <= instructions_q > 16'(Instructions) || slots_q > 16'(Slots) ||
                          start_q >= 16'(Instructions);
      end
      Instruction: if (pop) place_q <= place_q + 9'd1;
      SlotHead: begin
        place_q     <= {1'b0, req_data_i[7:0]};
        extension_q <= req_data_i[16];
        beat_q      <= '0;
        if (pop && req_data_i[15:8] != '0) bad_q <= 1'b1;
      end
      SlotHigh:
        if (pop) begin
          beat_q <= beat_q + 3'd1;
          if (32'(beat_q) == SlotBeats - 1) begin
            left_q <= left_q - 16'd1;
            if ({extension_q, req_data_i[63:61]} > KindFe6) bad_q <= 1'b1;
          end
        end
      default: ;
    endcase
    if (ends) corrupt_q <= req_data_i != {32'd0, ~crc_q};
  end

  assign job_valid_o   = state_q == Judge;
  assign job_context_o = context_q;
  assign job_index_o   = index_q;
  assign job_start_o   = start_q;
  assign job_status_o  = corrupt_q ? JobCorrupt : wrong_length_q ? JobWrongLength
                       : bad_q ? JobBadRequest : JobOk;
endmodule
