// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// field_core_registers: the register banks P and S of all contexts, with five operand ports.
//
// Bank P is written by the multiply slot, bank S by the add slot and by job loading. Every operand
// port may read either bank, so each port has a copy of each bank; a copy that no instruction of
// the program reads (ReadMask) is left out. Operand k: a and b of the multiply slot (0, 1), op0,
// op1 and op2 of the add slot (2, 3, 4). An operand may be replaced by an external value (a
// constant, the product) at the selection of the bank, so that the operands leave directly from
// registers.
//
// Cycles: the operand addressed in clock t is at the output in clock t+3 (one clock for the memory,
// one for its output register, one for the selection); a replacement is requested in clock t and
// supplied in clock t+2. A word written in clock t is visible to reads from clock t+1 on.
//
// Each written word has a parity bit, as in memory_parity. It is checked after the selection, once
// per operand. memory_error_o reports used words, in clock t+5.
module field_core_registers #(
  parameter int unsigned Width    = 256,
  parameter int unsigned Words    = 512,  // registers per bank, of all contexts together
  parameter logic [9:0]  ReadMask = '1,   // bit 2k: operand k reads P somewhere; 2k+1: S
  parameter              MemoryStyle = "block",  // of field_core_memory
  localparam int unsigned AddressBits = $clog2(Words)
) (
  input  logic                   clk_i,

  input  logic                   p_write_valid_i,
  input  logic [AddressBits-1:0] p_write_address_i,
  input  logic [Width-1:0]       p_write_data_i,

  input  logic                   s_write_valid_i,
  input  logic [AddressBits-1:0] s_write_address_i,
  input  logic [Width-1:0]       s_write_data_i,

  input  logic                   read_from_s_i  [5],
  input  logic [AddressBits-1:0] read_address_i [5],
  input  logic                   used_i         [5],  // a turn's slot uses the operand
  input  logic                   replace_i      [5],
  input  logic [Width-1:0]       replacement_i  [5],
  output logic [Width-1:0]       operand_o      [5],
  output logic                   memory_error_o
);

  localparam int unsigned P = 0, S = 1;  // the banks

  logic                   write_valid[2], write_valid_q[2];
  logic [AddressBits-1:0] write_address[2], write_address_q[2];
  logic [Width-1:0]       write_data[2];
  logic                   write_parity[2];  // one clock later
  assign write_valid   = '{p_write_valid_i, s_write_valid_i};
  assign write_address = '{p_write_address_i, s_write_address_i};
  assign write_data    = '{p_write_data_i, s_write_data_i};

  for (genvar bank = 0; bank < 2; bank++) begin : gen_parity
    word_parity #(.Width(Width)) u_written (
      .clk_i,
      .enable_i(write_valid[bank]),
      .data_i  (write_data[bank]),
      .parity_o(write_parity[bank])
    );
    always_ff @(posedge clk_i) begin
      write_valid_q[bank]   <= write_valid[bank];
      write_address_q[bank] <= write_address[bank];
    end
  end

  // A turn of a context reads after the last write of its previous turn, and only written words: so
  // the used words are checked, whatever the ports read otherwise.
  logic [4:0] errors_q;
  assign memory_error_o = errors_q != '0;

  for (genvar k = 0; k < 5; k++) begin : gen_operand
    // The values of one, two, ... clocks before.
    logic [1:0] is_s_q, replace_q;
    logic [3:0] check_q;

    // The output register of the unselected bank is cleared, so that the selection is an OR.
    logic [Width-1:0] word_q[2];
    logic             parity_q[2], operand_parity;
    logic [1:0]       stored_q;

    for (genvar bank = 0; bank < 2; bank++) begin : gen_bank
      if (ReadMask[2*k+bank]) begin : gen_read
        logic [Width-1:0]       memory_word;
        logic [AddressBits-1:0] address_q;
        logic                   parities[Words];

        field_core_memory #(
          .Width      (Width),
          .Depth      (Words),
          .MemoryStyle(MemoryStyle)
        ) u_memory (
          .clk_i,
          .write_valid_i  (write_valid[bank]),
          .write_address_i(write_address[bank]),
          .write_data_i   (write_data[bank]),
          .read_enable_i  (1'b1),
          .read_address_i (read_address_i[k]),
          .read_data_o    (memory_word)
        );

        always_ff @(posedge clk_i) begin
          word_q[bank] <= !replace_q[0] && is_s_q[0] == (bank == S) ? memory_word : '0;
          if (write_valid_q[bank]) parities[write_address_q[bank]] <= write_parity[bank];
          address_q      <= read_address_i[k];
          parity_q[bank] <= parities[address_q];
        end
      end else begin : gen_not_read
        assign word_q[bank]   = '0;
        assign parity_q[bank] = 1'b0;
      end
    end

    word_parity #(.Width(Width)) u_operand (
      .clk_i, .enable_i(check_q[2]), .data_i(operand_o[k]), .parity_o(operand_parity)
    );

    always_ff @(posedge clk_i) begin
      is_s_q       <= {is_s_q[0], read_from_s_i[k]};
      replace_q    <= {replace_q[0], replace_i[k]};
      check_q      <= {check_q[2:0], used_i[k] && !replace_i[k]};
      operand_o[k] <= word_q[P] | word_q[S] | (replace_q[1] ? replacement_i[k] : '0);
      stored_q     <= {stored_q[0], parity_q[32'(is_s_q[1])]};
      errors_q[k]  <= check_q[3] && operand_parity != stored_q[1];
    end
  end

endmodule
