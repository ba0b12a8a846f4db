// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// crc32c_beat: the state of a CRC-32C (Castagnoli; RFC 3720, section 12.1) after Bytes more bytes.
//
// The state before the first byte is all ones; the checksum is the state after the last byte,
// inverted. Bytes count from the low end of data_i, bits from the low end of a byte.
//
// A CRC is linear over GF(2): each bit of the next state is the parity of some bits of the state
// and of the data. The masks of those bits are found when the design is elaborated. Combinational:
// 32 parities of up to 8 * Bytes bits each (the state only ever meets the first 32 bits of the data,
// by exclusive-or).
module crc32c_beat #(
  parameter int unsigned Bytes = 8  // at least 4
) (
  input  logic [31:0]        state_i,
  input  logic [8*Bytes-1:0] data_i,
  output logic [31:0]        state_o
);
  localparam int unsigned Bits = 8 * Bytes;
  localparam logic [31:0] Polynomial = 32'h82f6_3b78;  // 0x1edc6f41, bits reflected

  // The bits of the data that bit `row` of the next state is the parity of. What a single bit leaves
  // behind in a register of zeros is, of the last one, the polynomial, and of each bit before it what
  // the one behind leaves, a step of the serial form later.
  function automatic logic [Bits-1:0] mask_of(logic [4:0] row);
    logic [31:0] column;
    mask_of = '0;
    column = Polynomial;
    for (int unsigned bit_of = Bits; bit_of > 0; bit_of--) begin
      mask_of[bit_of-1] = column[row];
      column = (column >> 1) ^ (column[0] ? Polynomial : '0);
    end
  endfunction

  logic [Bits-1:0] mixed;
  assign mixed = data_i ^ Bits'(state_i);
  for (genvar row = 0; row < 32; row++) begin : gen_bit
    localparam logic [Bits-1:0] Mask = mask_of(5'(row));
    assign state_o[row] = ^(mixed & Mask);
  end
endmodule
