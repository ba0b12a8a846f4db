// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// memory_parity: stores the parity of each word of a memory, and checks the words that are read. It
// has the same ports as the memory, does not affect it, and reports each checked word with an odd
// number of flipped bits.
//
// With check_i the user states that data_i is a word of this memory that had been written and was
// not being written when it was read. Other reads (of an unwritten word, or of one that is being
// written) may return anything, and are not checked. Neither reset nor flush affects it: the parity
// of a written word is always stored one clock after the word.
//
// Cycles: error_o reports the data_i of two clocks before. Everything happens one clock after the
// memory, so that the memory's own paths grow by only one level, at its data inputs and outputs.
module memory_parity #(
  parameter  int unsigned Width       = 256,
  parameter  int unsigned Depth       = 512,
  // Clocks from the address of a read to data_i; each is held while read_enable_i is low.
  parameter  int unsigned ReadClocks  = 1,  // 0 to 2
  localparam int unsigned AddressBits = Depth > 1 ? $clog2(Depth) : 1
) (
  input  logic                   clk_i,
  input  logic                   write_valid_i,
  input  logic [AddressBits-1:0] write_address_i,
  input  logic [Width-1:0]       write_data_i,
  input  logic                   read_enable_i,
  input  logic [AddressBits-1:0] read_address_i,
  input  logic                   check_i,
  input  logic [Width-1:0]       data_i,
  output logic                   error_o
);
  if (ReadClocks > 2) begin : gen_bad_clocks
    $error("memory_parity: ReadClocks = %0d is above 2", ReadClocks);
  end

  logic                   parities[Depth];
  logic                   write_valid_q, read_enable_q, check_q;
  logic [AddressBits-1:0] write_address_q, read_address_q;
  logic                   written_parity, data_parity, stored;

  word_parity #(.Width(Width)) u_written (
    .clk_i, .enable_i(write_valid_i), .data_i(write_data_i), .parity_o(written_parity)
  );
  word_parity #(.Width(Width)) u_read (
    .clk_i, .enable_i(check_i), .data_i, .parity_o(data_parity)
  );

  always_ff @(posedge clk_i) begin
    write_valid_q   <= write_valid_i;
    write_address_q <= write_address_i;
    read_enable_q   <= read_enable_i;
    read_address_q  <= read_address_i;
    check_q         <= check_i;
    error_o         <= check_q && data_parity != stored;
    if (write_valid_q) parities[write_address_q] <= written_parity;
  end

  if (ReadClocks == 0) begin : gen_at_once
    assign stored = parities[read_address_q];
    logic unused_enable;
    assign unused_enable = read_enable_q;
  end else begin : gen_registered
    logic [ReadClocks-1:0] stored_q;
    always_ff @(posedge clk_i) begin
      if (read_enable_q) stored_q <= ReadClocks'({stored_q, parities[read_address_q]});
    end
    assign stored = stored_q[ReadClocks-1];
  end
endmodule
