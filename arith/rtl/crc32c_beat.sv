// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// crc32c_beat: the state of a CRC-32C (Castagnoli; RFC 3720, section 12.1) after Bytes more bytes.
//
// The state before the first byte is all ones; the checksum is the state after the last byte,
// inverted. Bytes count from the low end of data_i, bits from the low end of a byte.
//
// A CRC is linear over GF(2): each bit of the next state is the parity of some bits of the state
// and of the data. The masks of those bits are computed at elaboration by sending every single bit
// through the serial form. Combinational: 32 parities of up to 8 * Bytes bits each (the state is
// only combined with the first four bytes by exclusive-or, or shifted out by fewer).
module crc32c_beat #(
  parameter int unsigned Bytes = 8,
  localparam int unsigned Bits = 8 * Bytes
) (
  input  logic [31:0]     state_i,
  input  logic [Bits-1:0] data_i,
  output logic [31:0]     state_o
);
  localparam logic [31:0] Polynomial = 32'h82f6_3b78;  // 0x1edc6f41, bits reflected

  // With fewer than four bytes, the rest of the state is shifted down.
  localparam int unsigned MixedBits = (Bits > 32) ? Bits : 32;

  typedef logic [31:0][MixedBits-1:0] masks_t;

  // The contributions of single bits: the last data bit is shifted once, each other bit once more
  // than the bit after it.
  function automatic masks_t find_masks();
    logic [31:0] left;
    for (int unsigned row = 0; row < 32; row++) find_masks[row] = '0;
    left = 32'd1;
    for (int unsigned behind = 1; behind <= Bits; behind++) begin
      left = (left >> 1) ^ (left[0] ? Polynomial : '0);
      for (int unsigned row = 0; row < 32; row++) find_masks[row][Bits-behind] = left[row];
    end
    for (int unsigned place = Bits; place < MixedBits; place++) begin
      find_masks[place-Bits][place] = 1'b1;
    end
  endfunction

  localparam masks_t Masks = find_masks();

  logic [MixedBits-1:0] mixed;
  assign mixed = MixedBits'(data_i) ^ MixedBits'(state_i);
  for (genvar row = 0; row < 32; row++) begin : gen_bit
    assign state_o[row] = ^(mixed & Masks[row]);
  end
endmodule
