// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// bls_coprocessor_window: the host's view of the contexts' registers and memories
// (engines/bls12_381/coprocessor/README.md): words of 32 bits, in a window of 32 KiB per context.
//
// One request at a time: bus_ready_o is high when the next may come, and each read or write has one
// response. A write takes effect before its response. After a reset, and when the host clears a
// memory, the words are written one by one, those of a context in 512 clocks; no request is taken
// meanwhile.
//
// Cycles from a request: 4 for a register, 6 for an instruction, 7 for a slot if the sequencer does
// not use the memory's port.
module bls_coprocessor_window
  import bls_coprocessor_isa_pkg::*;
  import bls_coprocessor_pkg::*;
#(
  parameter int unsigned Contexts  = 4,
  parameter bit          Extension = 1'b1
) (
  input  logic               clk_i,
  input  logic               rst_ni,

  input  logic               bus_valid_i,
  output logic               bus_ready_o,
  input  logic               bus_write_i,
  input  logic [31:0]        bus_address_i,  // in bytes
  input  logic [31:0]        bus_value_i,
  output logic               bus_response_valid_o,
  output logic [31:0]        bus_response_value_o,  // 0 for a write

  // The memory of instructions, which only this module writes. A read takes place when read_ready_i
  // is high, and its word comes ReadClocks later.
  output logic               instruction_write_valid_o,
  output logic [63:0]        instruction_write_data_o,
  input  logic               instruction_read_ready_i,
  input  logic [63:0]        instruction_read_data_i,
  output logic [8:0]         instruction_place_o,

  // The memory of slots.
  output logic               data_write_valid_o,
  input  logic               data_write_ready_i,
  output slot_t              data_write_o,
  input  logic               data_read_ready_i,
  input  slot_t              data_read_i,
  output logic [7:0]         data_place_o,

  output context_t           context_o,      // the context of all these accesses

  // To and from the sequencer.
  output logic               clearing_o,     // after a reset: context_o's registers become 0
  output logic [Contexts-1:0] start_o,       // the pointer was written, pulse
  output logic [15:0]        start_pointer_o,
  output logic [Contexts-1:0] wake_o,        // an instruction was written, pulse
  output logic               limit_write_o,
  output logic [31:0]        limit_o,        // the value to write
  input  status_t            status_i,       // of context_o
  input  logic [31:0]        limit_i
);
  typedef enum logic [3:0] {
    Clear, Idle, Find, Act, Register, ReadInstruction, ReadData, Wait, Answer, WriteData
  } state_e;

  typedef enum logic [1:0] { PlaceNothing, PlaceRegister, PlaceInstruction, PlaceData } place_e;

  state_e      state_q;
  logic        is_reset_q;         // the clear after a reset: all contexts, both memories
  logic [1:0]  clear_q;            // bit 0 instructions, bit 1 slots
  logic [8:0]  index_q;
  context_t    context_q;
  logic        write_q, exists_q;
  logic [18:0] address_q;
  logic [31:0] value_q;
  place_e      found_q;
  logic [1:0]  wait_q;

  localparam context_t LastContext = context_t'(Contexts - 1);
  localparam int unsigned Words = ValueBytes / 4;  // of a slot, without that of the extension
  localparam int unsigned CommitWord = 32'(WindowDataCommit) / 4;

  // ---- The target of the address --------------------------------------------------------------
  logic [11:0] offset;       // of a register
  logic [3:0]  word;         // of a slot
  logic [2:0]  page;
  logic [1:0]  data_page;
  assign offset    = {address_q[11:2], 2'b00};
  assign word      = address_q[5:2];
  assign page      = address_q[14:12];
  assign data_page = page[1:0] - 2'd2;

  assign context_o           = context_q;
  assign instruction_place_o = state_q == Clear ? index_q : address_q[11:3];
  assign data_place_o        = state_q == Clear ? index_q[7:0] : {data_page, address_q[11:6]};

  // ---- Words that wait for the word that commits them -----------------------------------------
  logic [31:0] staged_instruction[Contexts];
  logic [Contexts-1:0] staged_high_q;
  logic [Words-2:0][31:0] staged_data;
  logic stage, commit_data;
  localparam int unsigned IndexBits = Contexts > 1 ? $clog2(Contexts) : 1;
  logic [IndexBits-1:0] context_index;
  assign context_index = context_q[IndexBits-1:0];
  assign stage       = state_q == Act && write_q;
  assign commit_data = stage && found_q == PlaceData && 32'(word) == CommitWord;

  for (genvar w = 0; w < Words - 1; w++) begin : gen_word
    logic [31:0] words[Contexts];
    always_ff @(posedge clk_i) begin
      if (clearing_o) words[context_index] <= '0;
      else if (stage && found_q == PlaceData && 32'(word) == w) words[context_index] <= value_q;
    end
    assign staged_data[w] = words[context_index];
  end
  always_ff @(posedge clk_i) begin
    if (clearing_o) begin
      staged_instruction[context_index] <= '0;
    end else if (stage && found_q == PlaceInstruction && !address_q[2]) begin
      staged_instruction[context_index] <= value_q;
    end
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      staged_high_q <= '0;
    end else if (commit_data) begin
      staged_high_q[context_index] <= 1'b0;
    end else if (stage && found_q == PlaceData && 32'(word) == Words) begin
      staged_high_q[context_index] <= Extension && value_q[0];
    end
  end

  // ---- Writes of slots and instructions -------------------------------------------------------
  slot_t committed_q;
  logic  known_q;    // its kind exists
  logic [3:0] kind;
  assign kind = {staged_high_q[context_index], value_q[31:29]};
  always_ff @(posedge clk_i) begin
    if (state_q == Act) begin
      committed_q <= '{kind: kind_e'(kind), number: {value_q[28:0], staged_data}};
      known_q     <= kind <= KindFe6;
    end
  end

  assign clearing_o                = state_q == Clear && is_reset_q;
  assign instruction_write_valid_o = (state_q == Clear && clear_q[0]) ||
                                     (stage && found_q == PlaceInstruction && address_q[2]);
  assign instruction_write_data_o  =
      state_q == Clear ? '0 : {value_q, staged_instruction[context_index]};
  assign data_write_valid_o        = (state_q == Clear && clear_q[1] && !index_q[8]) ||
                                     (state_q == WriteData && known_q);
  assign data_write_o              =
      state_q == Clear ? '{kind: KindScalar, number: '0} : committed_q;

  // ---- Registers ------------------------------------------------------------------------------
  logic [31:0] register, register_q;
  always_comb begin
    unique case (32'(offset))
      RegisterInstructionOffset:  register = WindowInstructions;
      RegisterDataOffset:         register = WindowData;
      RegisterInstructionSize:    register = 32'(Instructions * InstructionBytes);
      RegisterDataSize:           register = 32'(Slots * SlotBytes);
      RegisterInstructionPointer: register = 32'(status_i.pointer);
      RegisterLastClocks:         register = status_i.last_clocks;
      RegisterCapability:
        register = Extension ? {8'(Version), 8'd0, 8'(Contexts), 8'd1} : '0;
      RegisterError:              register = status_i.error;
      RegisterInstructionLimit:   register = limit_i;
      RegisterRetired:            register = status_i.retired;
      default:                    register = '0;
    endcase
  end

  logic write_register, write_pointer;
  assign write_register  = stage && found_q == PlaceRegister;
  assign write_pointer   = write_register && 32'(offset) == RegisterInstructionPointer;
  assign limit_write_o   = write_register && 32'(offset) == RegisterInstructionLimit;
  assign limit_o         = clearing_o ? '0 : value_q;
  assign start_pointer_o = value_q[31:16] != '0 ? '1 : value_q[15:0];
  always_comb begin
    start_o = '0;
    wake_o  = '0;
    start_o[context_index] = write_pointer;
    wake_o[context_index]  = instruction_write_valid_o && !is_reset_q;
  end

  // ---- Requests -------------------------------------------------------------------------------
  logic cleared;  // a word of the memories is cleared in this clock
  assign cleared = !data_write_valid_o || data_write_ready_i;
  logic [1:0] clears;
  assign clears = write_register && 32'(offset) == RegisterInstructionOffset ? value_q[1:0] : '0;

  assign bus_ready_o = state_q == Idle;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q    <= Clear;
      is_reset_q <= 1'b1;
      clear_q    <= '1;
      index_q    <= '0;
      context_q  <= '0;
      bus_response_valid_o <= 1'b0;
    end else begin
      bus_response_valid_o <= 1'b0;
      unique case (state_q)
        Clear:
          if (cleared) begin
            index_q <= index_q + 9'd1;
            if (index_q == '1) begin
              if (is_reset_q && context_q != LastContext) begin
                context_q <= context_q + context_t'(1);
              end else begin
                state_q    <= Idle;
                is_reset_q <= 1'b0;
                bus_response_valid_o <= !is_reset_q;
              end
            end
          end
        Idle:
          if (bus_valid_i) begin
            state_q   <= Find;
            context_q <= bus_address_i[15+:ContextBits];
          end
        Find: state_q <= Act;
        Act: begin
          clear_q <= clears;
          index_q <= '0;
          if (found_q == PlaceNothing) state_q <= Answer;
          else if (write_q) state_q <= commit_data ? WriteData : clears != '0 ? Clear : Answer;
          else if (found_q == PlaceRegister) state_q <= Register;
          else state_q <= found_q == PlaceInstruction ? ReadInstruction : ReadData;
        end
        WriteData: if (!known_q || data_write_ready_i) state_q <= Answer;
        Register: state_q <= Answer;
        ReadInstruction: begin
          wait_q <= 2'(ReadClocks - 1);
          if (instruction_read_ready_i) state_q <= Wait;
        end
        ReadData: begin
          wait_q <= 2'(ReadClocks - 1);
          if (data_read_ready_i) state_q <= Wait;
        end
        Wait: begin
          wait_q <= wait_q - 2'd1;
          if (wait_q == '0) state_q <= Answer;
        end
        default: begin  // Answer
          state_q <= Idle;
          bus_response_valid_o <= 1'b1;
        end
      endcase
    end
  end

  logic [15:0][31:0] slot_words;
  assign slot_words = {96'd0, 31'd0, data_read_i.kind[3], data_read_i.kind[2:0],
                       data_read_i.number};
  always_ff @(posedge clk_i) begin
    if (state_q == Idle) begin
      write_q   <= bus_write_i;
      address_q <= {bus_address_i[18:2], 2'b00};
      value_q   <= bus_value_i;
      exists_q  <= bus_address_i[31:19] == '0 && 32'(bus_address_i[18:15]) < Contexts;
    end
    found_q <= !exists_q ? PlaceNothing
             : page == 3'd0 ? PlaceRegister
             : page == 3'd1 ? PlaceInstruction
             : page <= 3'd5 ? PlaceData : PlaceNothing;
    register_q <= register;
    if (state_q == Wait) begin
      bus_response_value_o <= found_q == PlaceData ? slot_words[word]
                            : address_q[2] ? instruction_read_data_i[63:32]
                            : instruction_read_data_i[31:0];
    end else if (state_q == Answer && found_q == PlaceRegister && !write_q) begin
      bus_response_value_o <= register_q;
    end else if (state_q == Act) begin
      bus_response_value_o <= '0;
    end
  end

  logic unused;
  assign unused = ^{address_q[18:15], address_q[1:0], context_q, bus_address_i[1:0]};
endmodule
