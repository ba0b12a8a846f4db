// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// field_core_rom: a table of constants in block RAM, with an output register. Port k's word
// data_o[k] belongs to its address of two clocks before. An address beyond the table returns zero
// or garbage, depending on the target.
//
// Two ports share one table: block RAM has two ports, so a table deeper than one block costs the
// same for two cores as for one.
//
// Pass Contents directly from a package, not through the parameters of intermediate modules, and
// assign it as a whole: otherwise tables of thousands of words take the tools minutes and
// gigabytes.
module field_core_rom #(
  parameter int unsigned Width       = 256,
  parameter int unsigned Depth       = 1,
  parameter int unsigned AddressBits = 14,   // of a port; the table may be shorter
  parameter int unsigned Ports       = 1,    // 1 or 2
  parameter logic [Width-1:0] Contents[Depth] = '{default: '0}
) (
  input  logic                              clk_i,
  input  logic [Ports-1:0][AddressBits-1:0] address_i,
  output logic [Ports-1:0][Width-1:0]       data_o
);

  localparam int unsigned IndexBits = Depth > 1 ? $clog2(Depth) : 1;

  // A memory that is never written, instead of an indexed parameter, which would become
  // multiplexers.
  logic [Width-1:0] words[Depth];
  initial words = Contents;

  for (genvar k = 0; k < Ports; k++) begin : gen_port
    logic [Width-1:0] word_q;
    always_ff @(posedge clk_i) begin
      word_q    <= words[address_i[k][IndexBits-1:0]];
      data_o[k] <= word_q;
    end

    if (AddressBits > IndexBits) begin : gen_unused
      logic unused_high_address;
      assign unused_high_address = ^address_i[k][AddressBits-1:IndexBits];
    end
  end

endmodule
