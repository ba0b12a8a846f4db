// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// crc32c_beat: the state of a CRC-32C (Castagnoli; RFC 3720, section 12.1) after eight more bytes.
//
// The state before the first byte is all ones; the checksum is the state after the last byte,
// inverted. Bytes count from the low end of data_i, bits from the low end of a byte.
//
// A CRC is linear over GF(2): each bit of the next state is the parity of some bits of the state
// and of the data. The masks of those bits are found when the design is elaborated, by sending
// every single bit through the serial form. Combinational: 32 parities of up to 64 bits each (the
// state only ever meets the low half of the data, by exclusive-or).
module crc32c_beat (
  input  logic [31:0] state_i,
  input  logic [63:0] data_i,
  output logic [31:0] state_o
);
  localparam logic [31:0] Polynomial = 32'h82f6_3b78;  // 0x1edc6f41, bits reflected

  typedef logic [31:0][63:0] masks_t;

  // What 64 bits leave behind, shifted bit by bit through a register of zeros.
  function automatic logic [31:0] serial(logic [63:0] data);
    logic feedback;
    serial = '0;
    for (int unsigned bit_of = 0; bit_of < 64; bit_of++) begin
      feedback = serial[0] ^ data[bit_of];
      serial = (serial >> 1) ^ (feedback ? Polynomial : '0);
    end
  endfunction

  function automatic masks_t find_masks();
    logic [31:0] column;
    find_masks = '0;
    for (int unsigned bit_of = 0; bit_of < 64; bit_of++) begin
      column = serial(64'd1 << bit_of);
      for (int unsigned row = 0; row < 32; row++) find_masks[row][bit_of] = column[row];
    end
  endfunction

  localparam masks_t Masks = find_masks();

  logic [63:0] mixed;
  assign mixed = data_i ^ {32'd0, state_i};
  for (genvar row = 0; row < 32; row++) begin : gen_bit
    assign state_o[row] = ^(mixed & Masks[row]);
  end
endmodule
