// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// ckks_scoreboard: decides when instructions may begin. They come in the program's order, wait in
// the queue of their unit, and begin in the order of the queue as soon as every earlier instruction
// is done that writes one of their resources, or reads one that they write. Resources are slots of
// limbs, halves of the factors' memory, and regions of the card's memory.
//
// For each resource, a table has the number of the last instruction that writes it and, for each
// unit, the last one that reads it since. The number of an instruction is its place in its unit's
// queue, from 1 on. An instruction therefore waits for one number per unit; it begins when each
// unit has completed that number of instructions. A number of 0 waits for nothing. Units report
// completed instructions with done_i, in the order of their queues.
//
// Operands come in sequence, one in five clocks. Written operands come first: otherwise an
// instruction that reads and writes the same resource would wait for the previous one in its unit.
// The last operand comes with the instruction itself. clear_i empties the table, one resource a
// clock; nothing is taken until then. A program has fewer than 2^NumberBits instructions.
module ckks_scoreboard #(
  parameter  int unsigned Units        = 5,
  parameter  int unsigned Resources    = 64,
  parameter  int unsigned NumberBits   = 24,
  parameter  int unsigned QueueDepth   = 8,   // a power of two
  parameter  int unsigned PayloadBits  = 64,
  localparam int unsigned UnitBits     = (Units > 1) ? $clog2(Units) : 1,
  localparam int unsigned ResourceBits = $clog2(Resources)
) (
  input  logic                              clk_i,
  input  logic                              rst_ni,
  input  logic                              clear_i,  // while idle_o
  output logic                              idle_o,   // all that was taken is done

  input  logic                              operand_valid_i,
  output logic                              operand_ready_o,
  input  logic [UnitBits-1:0]               operand_unit_i,
  input  logic [ResourceBits-1:0]           operand_resource_i,
  input  logic                              operand_write_i,
  input  logic                              operand_last_i,
  input  logic [PayloadBits-1:0]            operand_payload_i,  // with the last one

  output logic [Units-1:0]                  begin_valid_o,
  input  logic [Units-1:0]                  begin_ready_i,
  output logic [Units-1:0][PayloadBits-1:0] begin_payload_o,
  input  logic [Units-1:0]                  done_i
);
  typedef logic [NumberBits-1:0] number_t;

  typedef struct packed {
    logic [UnitBits-1:0]     writer;
    number_t                 written;  // by this instruction of the writer
    number_t [Units-1:0]     read;
  } entry_t;

  typedef struct packed {
    logic [UnitBits-1:0]     unit;
    logic [ResourceBits-1:0] resource;
    logic                    write;
    logic                    last;
    logic [PayloadBits-1:0]  payload;
  } operand_t;

  // ---- Operands, in sequence -------------------------------------------------------------------
  typedef enum logic [2:0] {
    StateTake, StateRead, StateUpdate, StateWritten, StateReaders, StatePush, StateClear
  } state_e;
  state_e                  state_q;
  operand_t                operand_q;
  logic [ResourceBits-1:0] clear_q;
  logic                    takes, pushes, updates, clears;
  number_t [Units-1:0]     taken_q;   // instructions that their queue has had
  number_t [Units-1:0]     done_q;
  number_t                 number_q;  // the instruction's
  number_t [Units-1:0]     waits_q;   // instructions of each unit to wait for
  logic [Units-1:0]        full, empty;

  assign operand_ready_o = state_q == StateTake && !clear_i;
  assign takes           = operand_valid_i && operand_ready_o;
  assign clears          = clear_i && state_q == StateTake;
  assign updates         = state_q == StateUpdate;
  assign pushes          = state_q == StatePush && !full[operand_q.unit];

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q <= StateClear;
      clear_q <= '0;
    end else begin
      unique case (state_q)
        StateTake: begin
          if (clears) state_q <= StateClear;
          else if (operand_valid_i) state_q <= StateRead;
        end
        StateRead:    state_q <= StateUpdate;
        StateUpdate:  state_q <= StateWritten;
        StateWritten: state_q <= StateReaders;
        StateReaders: state_q <= operand_q.last ? StatePush : StateTake;
        StatePush:    if (pushes) state_q <= StateTake;
        default: begin
          clear_q <= clear_q + 1'b1;
          if (clear_q == ResourceBits'(Resources - 1)) begin
            clear_q <= '0;
            state_q <= StateTake;
          end
        end
      endcase
    end
  end
  always_ff @(posedge clk_i) begin
    if (takes) begin
      operand_q <= '{unit: operand_unit_i, resource: operand_resource_i, write: operand_write_i,
                     last: operand_last_i, payload: operand_payload_i};
      number_q  <= taken_q[operand_unit_i] + 1'b1;
    end
  end

  // ---- The table -------------------------------------------------------------------------------
  entry_t entry, updated;
  always_comb begin
    updated = entry;
    if (state_q == StateClear) begin
      updated = '0;
    end else if (operand_q.write) begin
      updated = '{writer: operand_q.unit, written: number_q, read: '0};
    end else begin
      updated.read[operand_q.unit] = number_q;
    end
  end
  field_core_memory #(
    .Width($bits(entry_t)), .Depth(Resources), .OutputRegister(1'b1)
  ) u_table (
    .clk_i, .write_valid_i(updates || state_q == StateClear),
    .write_address_i(updates ? operand_q.resource : clear_q), .write_data_i(updated),
    .read_enable_i(1'b1), .read_address_i(operand_resource_i), .read_data_o(entry)
  );

  // A resource that the instruction itself writes already waits for earlier writers. A read by the
  // instruction itself hides an earlier reader of its unit, so that it waits for all instructions
  // of the unit so far.
  number_t [Units-1:0] candidate_q, readers_q;
  always_ff @(posedge clk_i) begin
    for (int unsigned u = 0; u < Units; u++) begin
      if (updates) begin
        candidate_q[u] <= (entry.writer != UnitBits'(u)
                           || (operand_q.unit == UnitBits'(u) && entry.written == number_q))
                        ? '0 : entry.written;
        readers_q[u]   <= !operand_q.write ? '0
                        : (operand_q.unit == UnitBits'(u) && entry.read[u] == number_q)
                        ? number_q - 1'b1 : entry.read[u];
      end else begin
        candidate_q[u] <= readers_q[u];
      end
      if (pushes || state_q == StateClear) waits_q[u] <= '0;
      else if ((state_q == StateWritten || state_q == StateReaders)
               && candidate_q[u] > waits_q[u]) waits_q[u] <= candidate_q[u];
    end
  end

  // ---- The queues ------------------------------------------------------------------------------
  assign idle_o = state_q == StateTake && taken_q == done_q;
  for (genvar u = 0; u < Units; u++) begin : gen_queue
    localparam int unsigned PlaceBits = $clog2(QueueDepth);
    logic [PlaceBits:0]     head_q, tail_q;
    number_t [Units-1:0]    waits[QueueDepth];
    logic [PayloadBits-1:0] payload[QueueDepth];
    logic                   push, begins, free_q, met;

    assign push     = pushes && operand_q.unit == UnitBits'(u);
    assign empty[u] = head_q == tail_q;
    assign full[u]  = head_q[PlaceBits-1:0] == tail_q[PlaceBits-1:0] && !empty[u];
    assign begins   = free_q && begin_ready_i[u];
    always_comb begin
      met = !empty[u];
      for (int unsigned v = 0; v < Units; v++) begin
        if (done_q[v] < waits[head_q[PlaceBits-1:0]][v]) met = 1'b0;
      end
    end
    assign begin_valid_o[u]   = free_q;
    assign begin_payload_o[u] = payload[head_q[PlaceBits-1:0]];

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        head_q     <= '0;
        tail_q     <= '0;
        free_q     <= 1'b0;
        taken_q[u] <= '0;
        done_q[u]  <= '0;
      end else if (state_q == StateClear || clears) begin
        taken_q[u] <= '0;
        done_q[u]  <= '0;
      end else begin
        if (push) tail_q <= tail_q + 1'b1;
        if (begins) head_q <= head_q + 1'b1;
        // A condition that is met stays met: the numbers of completed instructions only grow.
        free_q     <= met && !begins;
        taken_q[u] <= taken_q[u] + number_t'(push);
        done_q[u]  <= done_q[u] + number_t'(done_i[u]);
      end
    end
    always_ff @(posedge clk_i) begin
      if (push) begin
        waits[tail_q[PlaceBits-1:0]]   <= waits_q;
        payload[tail_q[PlaceBits-1:0]] <= operand_q.payload;
      end
    end
  end
endmodule
