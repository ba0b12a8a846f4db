// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// field_core_registers: the register banks P and S of all contexts, with five operand ports.
//
// Bank P is written by the multiply slot, bank S by the add slot and by job loading. Every
// operand port may read either bank, so each port has a copy of each bank; a copy that no
// instruction of the program reads (ReadMask) is left out. Operand k: a and b of the multiply
// slot (0, 1), op0, op1 and op2 of the add slot (2, 3, 4). An operand may come from outside
// instead (a constant, the product): it joins at the choice of the bank, so that the operands
// leave straight from registers.
//
// Cycles: the operand addressed in clock t is at the output in clock t+3 (one clock for the
// memory, one for its output register, one for the choice); a replacement is asked for in clock t
// and given in clock t+2. A word written in clock t is seen by reads of clock t+1 and later.
// memory_error_o tells of used words (memory_parity), in clock t+4.
module field_core_registers #(
  parameter int unsigned Width    = 256,
  parameter int unsigned Words    = 512,  // registers of a bank, of all contexts together
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
  input  logic                   used_i         [5],  // a turn's slot takes the operand
  input  logic                   replace_i      [5],
  input  logic [Width-1:0]       replacement_i  [5],
  output logic [Width-1:0]       operand_o      [5],
  output logic                   memory_error_o
);

  // A context's turn reads after the last write of its turn before, and what it uses was written:
  // so used words are checked, whatever else the ports read.
  logic [9:0] errors;
  assign memory_error_o = errors != '0;

  for (genvar k = 0; k < 5; k++) begin : gen_operand
    logic [Width-1:0] from_p, from_s;
    logic [1:0]       is_s_q, replace_q, used_q;  // of one and of two clocks before

    if (ReadMask[2*k]) begin : gen_p
      checked_memory #(
        .Width         (Width),
        .Depth         (Words),
        .MemoryStyle   (MemoryStyle),
        .OutputRegister(1'b1)
      ) u_bank_p (
        .clk_i,
        .write_valid_i  (p_write_valid_i),
        .write_address_i(p_write_address_i),
        .write_data_i   (p_write_data_i),
        .read_enable_i  (1'b1),
        .read_address_i (read_address_i[k]),
        .read_data_o    (from_p),
        .check_i        (used_q[1] && !replace_q[1] && !is_s_q[1]),
        .error_o        (errors[2*k])
      );
    end else begin : gen_no_p
      assign from_p = '0;
      assign errors[2*k] = 1'b0;
      logic unused;
      assign unused = ^{
        used_q, p_write_valid_i, p_write_address_i, p_write_data_i, read_address_i[k]
      };
    end

    if (ReadMask[2*k+1]) begin : gen_s
      checked_memory #(
        .Width         (Width),
        .Depth         (Words),
        .MemoryStyle   (MemoryStyle),
        .OutputRegister(1'b1)
      ) u_bank_s (
        .clk_i,
        .write_valid_i  (s_write_valid_i),
        .write_address_i(s_write_address_i),
        .write_data_i   (s_write_data_i),
        .read_enable_i  (1'b1),
        .read_address_i (read_address_i[k]),
        .read_data_o    (from_s),
        .check_i        (used_q[1] && !replace_q[1] && is_s_q[1]),
        .error_o        (errors[2*k+1])
      );
    end else begin : gen_no_s
      assign from_s = '0;
      assign errors[2*k+1] = 1'b0;
      logic unused;
      assign unused = ^{
        used_q, s_write_valid_i, s_write_address_i, s_write_data_i, read_address_i[k]
      };
    end

    always_ff @(posedge clk_i) begin
      is_s_q       <= {is_s_q[0], read_from_s_i[k]};
      replace_q    <= {replace_q[0], replace_i[k]};
      used_q       <= {used_q[0], used_i[k]};
      operand_o[k] <= replace_q[1] ? replacement_i[k] : is_s_q[1] ? from_s : from_p;
    end
  end

endmodule
