// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// bls_program_loader_proof: a program is started only if its frame is sound, and as the frame says.
//
// Each frame begins only if a context is free, and writes only to that context, with words that are
// held until they are done. Its memories are cleared. If its length and counts are right, the limit
// follows, then each instruction and each slot at its place, with the word that commits a slot
// last. After the report job_* of a frame without errors, its pointer is written. Every frame has
// one report, after its last beat and before the next frame, with its index, its start and its
// error. Only frames whose report is ok write the pointer, and they do so once. Liveness: while a
// beat is offered within a frame, it is taken, a word is requested, or the report is given; between
// two beats there are at most four words.
//
// Covers and refutations use a few scenarios: frames with an instruction or a slot, whose beats
// come without a pause. Assumptions: an offered beat is held; a frame has the number of beats in
// its header, at least five (the decoder ensures both); a word is done while it is requested, but
// not in its first clock (a bus of three clocks lies between).
module bls_program_loader_proof
  import bls_coprocessor_isa_pkg::*;
  import bls_coprocessor_pkg::*;
#(
  parameter bit Invariants = 1'b1
) (
  input logic        clk_i,
  input logic        rst_ni,
  input logic        req_valid_i,
  input logic [63:0] req_data_i,
  input logic        free_valid_i,
  input context_t    free_context_i,
  input logic        done_i
);
  logic        req_ready, req_last, take, job_valid, bus_valid, done;
  context_t    job_context;
  logic [63:0] job_index;
  logic [15:0] job_start;
  job_status_e job_status;
  logic [31:0] bus_address, bus_value;

  bls_program_loader u_dut (
    .clk_i, .rst_ni,
    .req_valid_i, .req_ready_o(req_ready), .req_data_i, .req_last_i(req_last),
    .free_valid_i, .free_context_i, .take_o(take),
    .job_valid_o(job_valid), .job_context_o(job_context), .job_index_o(job_index),
    .job_start_o(job_start), .job_status_o(job_status),
    .bus_valid_o(bus_valid), .bus_address_o(bus_address), .bus_value_o(bus_value),
    .bus_done_i(done)
  );

  proof_reset u_reset (.rst_ni);
  proof_stable #(.DataWidth(64), .Assume(1'b1)) u_request (
    .clk_i, .rst_ni, .free_i(1'b0), .valid_i(req_valid_i), .ready_i(req_ready), .data_i(req_data_i)
  );
  proof_stable #(.DataWidth(64)) u_word (
    .clk_i, .rst_ni, .free_i(1'b0), .valid_i(bus_valid), .ready_i(done),
    .data_i({bus_address, bus_value})
  );

  // ---- The specification: the frame at hand ---------------------------------------------------
  logic        inside_q;     // a frame has begun and has no report yet
  logic        whole_q;      // its last beat has come
  logic        owes_q;       // its pointer must be written
  logic        asked_q;      // a word was requested in the previous clock
  logic        sound_q;      // the last beat is the checksum
  logic [31:0] taken_q;      // beats taken
  logic [31:0] length_q, limit_q, beats, instructions, slots;
  logic [31:0] expected;     // bytes of a frame with these counts
  logic [15:0] instructions_q, slots_q, start_q;
  logic [63:0] index_q;
  context_t    context_q;
  logic [31:0] crc_q, crc;
  logic        pop;
  assign pop          = req_valid_i && req_ready;
  assign done         = done_i && bus_valid && asked_q;
  assign instructions = 32'(instructions_q);
  assign slots        = 32'(slots_q);
  assign expected     = 32'd40 + {13'd0, instructions_q, 3'd0} + {10'd0, slots_q, 6'd0}
                      - {13'd0, slots_q, 3'd0};
  assign beats        = {3'd0, length_q[31:3]} + 32'(length_q[2:0] != '0);
  assign req_last     = inside_q && taken_q + 1 == beats;

  crc32c_beat u_crc (.state_i(crc_q), .data_i(req_data_i), .state_o(crc));

  // For a frame without errors so far: the position of the offered or the next beat.
  logic [1:0]  setup_q;      // words before those of the beats: clear, limit
  logic [1:0]  words_q;      // done words of this beat
  logic [2:0]  part_q;       // in a slot: 0 is the head, 1 to 6 the beats
  logic [31:0] slot_q;       // whole slots received
  logic [7:0]  place_q;      // of the current slot
  logic        extension_q;
  logic        wrong_slot_q; // a place or a kind that does not exist
  logic        wrong_length, counts_right, right, loads, is_instruction, is_slot;
  assign wrong_length   = length_q != expected;
  assign counts_right   = instructions_q <= 16'(Instructions) && slots_q <= 16'(Slots) &&
                          start_q < 16'(Instructions);
  assign right          = !wrong_length && counts_right;
  assign loads          = inside_q && !whole_q && taken_q >= 4;
  assign is_instruction = taken_q < 4 + instructions;
  assign is_slot        = !is_instruction && slot_q < slots;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      {inside_q, whole_q, owes_q, asked_q} <= '0;
      taken_q <= '0;
      crc_q   <= '1;
    end else begin
      asked_q <= bus_valid && !done;
      if (pop) begin
        inside_q <= 1'b1;
        taken_q  <= taken_q + 1;
        whole_q  <= req_last;
        crc_q    <= req_last ? '1 : crc;
      end
      if (job_valid) begin
        {inside_q, whole_q} <= '0;
        taken_q             <= '0;
        owes_q              <= job_status == JobOk;
      end
      if (owes_q && done) owes_q <= 1'b0;
    end
  end
  always_ff @(posedge clk_i) begin
    if (pop) begin
      sound_q <= req_data_i == {32'd0, ~crc_q};
      if (taken_q == 0) {context_q, length_q} <= {free_context_i, req_data_i[31:0]};
      if (taken_q == 1) index_q <= req_data_i;
      if (taken_q == 2) {slots_q, instructions_q, limit_q} <= req_data_i;
      if (taken_q == 3) begin
        start_q <= req_data_i[15:0];
        {setup_q, words_q, part_q, slot_q, wrong_slot_q} <= '0;
      end
      if (loads) words_q <= '0;
      if (loads && is_slot) begin
        part_q <= part_q == 3'd6 ? 3'd0 : part_q + 3'd1;
        if (part_q == 3'd0) begin
          {extension_q, place_q} <= {req_data_i[16], req_data_i[7:0]};
          if (req_data_i[15:8] != '0) wrong_slot_q <= 1'b1;
        end
        if (part_q == 3'd6) begin
          slot_q <= slot_q + 1;
          if ({extension_q, req_data_i[63:61]} > KindFe6) wrong_slot_q <= 1'b1;
        end
      end
    end else if (loads && done) begin
      if (setup_q != 2'd2) setup_q <= setup_q + 2'd1;
      else words_q <= words_q + 2'd1;
    end
  end

  // ---- Expected requests, and when a beat is taken --------------------------------------------
  logic        wants, is_last_word, takes;
  logic [14:0] offset, slot_word;
  logic [31:0] value;
  assign slot_word = 15'(WindowData) + {1'b0, place_q, 6'd0} + {9'd0, part_q - 3'd1, 3'd0};
  always_comb begin
    wants        = 1'b0;
    offset       = '0;
    value        = '0;
    is_last_word = 1'b0;
    takes        = 1'b0;
    if (owes_q) begin
      wants  = 1'b1;
      offset = 15'(RegisterInstructionPointer);
      value  = 32'(start_q);
    end else if (!inside_q) begin
      takes = free_valid_i;
    end else if (!loads) begin
      takes = !whole_q;
    end else if (setup_q == 2'd0) begin
      wants  = 1'b1;
      offset = 15'(RegisterInstructionOffset);
      value  = 32'd3;
    end else if (!right) begin
      takes = 1'b1;
    end else if (setup_q == 2'd1) begin
      wants  = 1'b1;
      offset = 15'(RegisterInstructionLimit);
      value  = limit_q;
    end else if (is_instruction) begin
      wants        = req_valid_i;
      offset       = 15'(WindowInstructions) + {taken_q[11:0] - 12'd4, words_q[0], 2'd0};
      value        = words_q[0] ? req_data_i[63:32] : req_data_i[31:0];
      is_last_word = words_q == 2'd1;
      takes        = is_last_word && done;
    end else if (is_slot && part_q != '0) begin
      // The second word of the last beat commits: kind and extension come before it.
      wants        = req_valid_i;
      is_last_word = words_q == (part_q == 3'd6 ? 2'd2 : 2'd1);
      offset       = words_q == 2'd0 ? slot_word : is_last_word ? slot_word + 15'd4 : slot_word + 15'd8;
      value        = words_q == 2'd0 ? req_data_i[31:0]
                   : is_last_word ? req_data_i[63:32] : 32'(extension_q);
      takes        = is_last_word && done;
    end else begin
      takes = 1'b1;  // a slot's head, the checksum
    end
  end

  always_comb begin
    if (rst_ni) begin
      if (req_valid_i && !inside_q) assume (req_data_i[31:0] >= 40);

      assert (req_ready == takes);
      assert (take == (pop && !inside_q));
      assert (bus_valid == wants);
      if (bus_valid) assert (bus_address == {13'd0, context_q, offset} && bus_value == value);

      assert (job_valid == whole_q);
      if (job_valid) begin
        assert (job_context == context_q && job_index == index_q && job_start == start_q);
        assert (job_status == (!sound_q ? JobCorrupt : wrong_length ? JobWrongLength :
                               !counts_right || wrong_slot_q ? JobBadRequest : JobOk));
      end

      cover (job_valid && job_status == JobOk && instructions_q == 16'd1);
      cover (done && setup_q == 2'd2 && part_q == 3'd2 && words_q == 2'd1);
      cover (job_valid && job_status == JobWrongLength);
      cover (owes_q && done && req_valid_i);
    end
  end

  // Covers and refutations use one of six scenarios with an instruction or a slot.
  if (!Invariants) begin : gen_story
    typedef enum logic [2:0] { Instruction, Harmed, Longer, Slot, BadPlace, BadKind } story_e;
    story_e      story_q;
    logic        first, has_slot;
    logic [2:0]  clock_q;
    logic [31:0] length;
    formal_first u_first (.first_o(first));
    always_ff @(posedge clk_i) story_q <= story_q;
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) clock_q <= '0;
      else clock_q <= clock_q + 3'd1;
    end
    assign has_slot = story_q >= Slot;
    assign length   = has_slot ? 32'd96 : story_q == Longer ? 32'd56 : 32'd48;
    always_comb begin
      assume (story_q <= BadKind);
      assume (rst_ni == !first && done_i && req_valid_i == !whole_q);
      assume (free_valid_i == (clock_q[1:0] != '0) && free_context_i == {1'b1, clock_q});
      if (req_last) assume (req_data_i == {32'd0, ~crc_q ^ 32'(story_q == Harmed)});
      else unique case (taken_q)
        0: assume (req_data_i == {32'h201, length});
        1: assume (req_data_i == 64'h0123_4567_89AB_CDEF);
        2: assume (req_data_i == {15'd0, has_slot, 15'd0, !has_slot, 32'd9});
        3: assume (req_data_i == 64'd3);
        4: assume (req_data_i == {47'd0, 1'b1, 7'd0, story_q == BadPlace, 8'h42});
        default: assume (req_data_i == {story_q == BadKind ? 3'b111 : 3'b000, 29'h135, taken_q});
      endcase
    end
  end

  // ---- Invariants of design and specification; states as numbers ------------------------------
  if (Invariants) begin : gen_invariants
    localparam logic [3:0] StateClear          = 4'd4;
    localparam logic [3:0] StateLimit          = 4'd5;
    localparam logic [3:0] StateInstruction    = 4'd6;
    localparam logic [3:0] StateSlotHead       = 4'd7;
    localparam logic [3:0] StateSlotLow        = 4'd8;
    localparam logic [3:0] StateSlotExtension  = 4'd9;
    localparam logic [3:0] StateSlotHigh       = 4'd10;
    localparam logic [3:0] StateChecksum       = 4'd11;
    localparam logic [3:0] StateDrain          = 4'd12;
    localparam logic [3:0] StateJudge          = 4'd13;
    localparam logic [3:0] StateRun            = 4'd14;
    logic [3:0] state;
    logic       in_slot;
    assign state   = u_dut.state_q;
    // The number of missing beats of slots. A frame without errors has at most 256 slots.
    logic [8:0]  slots_left;
    logic [11:0] slot_beats, total;
    assign total      = 12'd5 + 12'(instructions_q[9:0]) + {slots_q[8:0], 3'd0} - 12'(slots_q[8:0]);
    assign slots_left = 9'(slots_q) - slot_q[8:0];
    assign slot_beats = {slots_left, 3'd0} - 12'(slots_left) - 12'(part_q);
    assign in_slot = state == StateSlotLow || state == StateSlotExtension || state == StateSlotHigh;
    always_comb begin
      if (rst_ni) begin
        assert (state <= StateRun);
        assert (inside_q == (state != '0 && state != StateRun));
        assert (owes_q == (state == StateRun) && whole_q == (state == StateJudge));
        if (!inside_q) assert (taken_q == '0 && !whole_q);
        if (inside_q && taken_q < 4)
          assert (taken_q == 32'(state) && !whole_q && u_dut.place_q == '0);
        assert (loads == (state >= StateClear && state <= StateDrain));
        if (inside_q) begin
          assert (beats >= 5 && taken_q <= beats && whole_q == (taken_q == beats));
          assert (u_dut.length_q == length_q);
        end
        if (inside_q || owes_q) assert (u_dut.context_q == context_q);
        assert (u_dut.crc_q == crc_q);
        if (!inside_q || whole_q) assert (crc_q == '1);
        if (whole_q) assert (u_dut.corrupt_q == !sound_q);

        if (inside_q && taken_q >= 2) assert (u_dut.index_q == index_q);
        if (inside_q && taken_q >= 3) begin
          assert (u_dut.limit_q == limit_q);
          assert (u_dut.instructions_q == instructions_q && u_dut.slots_q == slots_q);
        end
        if (inside_q && taken_q >= 4 || owes_q) assert (u_dut.start_q == start_q);

        // Known facts about the frame's length and counts.
        if (inside_q && taken_q < 4 || state == StateClear && !asked_q) assert (u_dut.wrong_length_q);
        if (inside_q && taken_q < 4 || state == StateClear && !asked_q) assert (!u_dut.bad_q);
        if (inside_q && taken_q >= 4)
          assert (u_dut.expected_q == expected);
        if (state == StateClear && asked_q || state > StateClear && inside_q) begin
          assert (u_dut.wrong_length_q == wrong_length);
          assert (u_dut.bad_q == (!counts_right || (right && wrong_slot_q)));
        end

        // The position of a beat.
        if (state == StateClear) assert (setup_q == 2'd0 && !wrong_slot_q);
        if (state == StateLimit) assert (setup_q == 2'd1 && right);
        if (state == StateClear || state == StateLimit) assert (taken_q == 4 && words_q == 2'd0);
        if (state == StateClear || state == StateLimit)
          assert (slot_q == '0 && part_q == '0 && u_dut.place_q == '0);
        if (state > StateLimit && state < StateDrain) assert (setup_q == 2'd2 && right);
        if (state == StateDrain) assert (setup_q == 2'd1 && !right && taken_q >= 4);
        if (loads) assert (slot_q <= slots && part_q <= 3'd6);
        if (loads && right) begin
          assert (length_q == {17'd0, total, 3'd0});
          assert (u_dut.left_q == 16'(slots - slot_q));
          if (is_instruction) assert (slot_q == '0 && part_q == '0);
          else assert (taken_q[11:0] + slot_beats + 12'd1 == total);
          if (slot_q == slots) assert (part_q == '0);
          else assert (slot_q < slots);
        end
        if (state == StateInstruction) begin
          assert (is_instruction && words_q == 2'(u_dut.high_q));
          assert (32'(u_dut.place_q) == taken_q - 4);
          if (asked_q || u_dut.high_q)
            assert (u_dut.last_instruction_q == (taken_q == 3 + instructions));
        end
        if (state == StateSlotHead) assert (is_slot && part_q == '0 && words_q == '0);
        if (in_slot) begin
          assert (is_slot && part_q != '0 && u_dut.beat_q == part_q - 3'd1);
          assert (u_dut.place_q == {1'b0, place_q} && u_dut.extension_q == extension_q);
          assert (u_dut.last_slot_q == (slot_q + 1 == slots));
        end
        if (state == StateSlotLow) assert (words_q == 2'd0);
        if (state == StateSlotExtension) assert (words_q == 2'd1 && part_q == 3'd6);
        if (state == StateSlotHigh) assert (words_q == (part_q == 3'd6 ? 2'd2 : 2'd1));
        if (state == StateChecksum) assert (!is_instruction && !is_slot && words_q == '0);
        if (state == StateJudge && right) assert (slot_q == slots);
        if (asked_q) assert (bus_valid || !req_valid_i);
      end
    end
  end
endmodule
