// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// field_core_lookup: the contexts' tables and scalars, and the digits with which a turn selects a
// word of its table or of the fixed table (arith/microcode/isa.toml, the lookup slot).
//
// A scalar's window of five bits is an odd digit: its highest bit is the sign, and the others,
// complemented if it is negative, are the row. A joint digit has five more bits, of the second
// scalar. Scalars 0 and 2 are in one memory, 1 and 3 in another, so that both halves of a joint
// digit are read at once.
//
// Cycles, counted from the turn: 0 scalars addressed; 2 windows selected; 3 tables addressed
// (fixed_address_o); 4 the digit's sign at negative_o; 5 fixed_data_i; 6 the word at word_o. Writes
// are visible to reads from the next clock on.
module field_core_lookup
  import field_core_isa_pkg::*;
#(
  parameter  int unsigned Width       = 256,
  parameter  int unsigned Contexts    = 64,
  parameter               MemoryStyle = "block",  // of field_core_memory, for the tables
  localparam int unsigned ContextBits = $clog2(Contexts),
  localparam int unsigned FixedBits   = LookupTableRowBits + LookupWindowBits + 1
) (
  input  logic                   clk_i,

  input  logic                   turn_valid_i,
  input  logic [ContextBits-1:0] turn_context_i,
  input  lookup_t                turn_i,          // digit is absolute
  output logic [FixedBits-1:0]   fixed_address_o,
  input  logic [Width-1:0]       fixed_data_i,
  output logic                   negative_o,
  output logic [Width-1:0]       word_o,

  input  logic                   write_valid_i,   // the turn's sum is available
  input  logic [ContextBits-1:0] write_context_i,
  input  lookup_t                write_turn_i,
  input  logic [Width-1:0]       write_data_i,

  output logic                   memory_error_o   // of two clocks before (memory_parity)
);

  localparam int unsigned ScalarBits = LookupWindows * LookupWindowBits;
  typedef logic [LookupWindowBits-1:0] window_t;

  // ---- Clock 0: scalars -----------------------------------------------------------------------
  logic [4:0]                 valid_q;  // the turns of one to five clocks before
  logic [1:0][ScalarBits-1:0] scalars;
  logic [1:0]                 scalar_used;
  logic [2:0]                 errors;
  assign memory_error_o = errors != '0;
  for (genvar k = 0; k < 2; k++) begin : gen_scalars
    checked_memory #(
      .Width         (ScalarBits),
      .Depth         (2 * Contexts),
      .OutputRegister(1'b1)
    ) u_scalars (
      .clk_i,
      .write_valid_i  (write_valid_i && write_turn_i.scalar_write &&
                       write_turn_i.scalar_dst[0] == 1'(k)),
      .write_address_i({write_context_i, write_turn_i.scalar_dst[1]}),
      .write_data_i   (write_data_i[ScalarBits:1]),
      .read_enable_i  (1'b1),
      .read_address_i ({turn_context_i, turn_i.lookup == LookupFixed}),
      .read_data_o    (scalars[k]),
      .check_i        (valid_q[1] && scalar_used[k]),
      .error_o        (errors[k])
    );
  end

  // ---- Clock 2: windows -----------------------------------------------------------------------
  lookup_t                turn_1_q, turn_2_q, turn_3_q;
  logic [ContextBits-1:0] context_1_q, context_2_q, context_3_q;
  window_t                window_3_q[2];

  // A digit uses one of the scalars, a joint digit both.
  assign scalar_used[0] = turn_2_q.lookup == LookupFixed ||
                          (turn_2_q.lookup == LookupDigit && !turn_2_q.digit_scalar);
  assign scalar_used[1] = turn_2_q.lookup == LookupFixed ||
                          (turn_2_q.lookup == LookupDigit && turn_2_q.digit_scalar);

  always_ff @(posedge clk_i) begin
    valid_q     <= {valid_q[3:0], turn_valid_i};
    turn_1_q    <= turn_i;
    turn_2_q    <= turn_1_q;
    turn_3_q    <= turn_2_q;
    context_1_q <= turn_context_i;
    context_2_q <= context_1_q;
    context_3_q <= context_2_q;
  end
  for (genvar k = 0; k < 2; k++) begin : gen_window
    // Numbers beyond the last window are meaningless.
    window_t windows[2**DigitBits];
    for (genvar w = 0; w < 2 ** DigitBits; w++) begin : gen_choice
      if (w < LookupWindows) begin : gen_real
        assign windows[w] = scalars[k][w*LookupWindowBits+:LookupWindowBits];
      end else begin : gen_none
        assign windows[w] = '0;
      end
    end
    always_ff @(posedge clk_i) window_3_q[k] <= windows[turn_2_q.digit];
  end

  // ---- Clock 3: the digit, and the tables' addresses ------------------------------------------
  window_t leading, joint;
  logic [LookupTableRowBits-1:0] row;
  logic negative;
  logic [TableWordBits-1:0] table_word;

  assign leading  = turn_3_q.lookup == LookupDigit && turn_3_q.digit_scalar ? window_3_q[1]
                                                                            : window_3_q[0];
  assign negative = !leading[LookupWindowBits-1];
  assign row      = leading[LookupTableRowBits-1:0] ^ {LookupTableRowBits{negative}};
  assign joint    = window_3_q[1] ^ {LookupWindowBits{negative}};
  assign fixed_address_o = {row, joint, turn_3_q.table_word[0]};
  always_comb begin
    table_word = turn_3_q.table_word;
    if (turn_3_q.lookup == LookupDigit) table_word[LookupTableRowBits-1:0] = row;
  end

  // ---- Clock 5: the word ----------------------------------------------------------------------
  logic [Width-1:0] table_data;
  lookup_e lookup_4_q, lookup_5_q;
  logic    table_used_q;

  checked_memory #(
    .Width         (Width),
    .Depth         (LookupTableWords * Contexts),
    .MemoryStyle   (MemoryStyle),
    .OutputRegister(1'b1)
  ) u_table (
    .clk_i,
    .write_valid_i  (write_valid_i && write_turn_i.table_write),
    .write_address_i({write_context_i, write_turn_i.table_dst}),
    .write_data_i,
    .read_enable_i  (1'b1),
    .read_address_i ({context_3_q, table_word}),
    .read_data_o    (table_data),
    .check_i        (valid_q[4] && table_used_q),
    .error_o        (errors[2])
  );

  always_ff @(posedge clk_i) begin
    lookup_4_q <= turn_3_q.lookup;
    lookup_5_q <= lookup_4_q;
    table_used_q <= lookup_4_q inside {LookupWord, LookupDigit};
    negative_o <= negative;
    word_o     <= lookup_5_q == LookupFixed ? fixed_data_i : table_data;
  end

  logic unused_fields;
  assign unused_fields = ^{turn_i, write_turn_i, write_data_i, turn_1_q, turn_2_q, turn_3_q};

endmodule
