// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// ckks_bank_pair: two banks of the scratchpad that always have the same address, as one memory: an
// UltraRAM has words of 72 bits. Each bank is written separately.
//
// A read takes two clocks. A word written in clock t is seen by reads of clock t + 1 and later.
module ckks_bank_pair #(
  parameter  int unsigned Width       = 31,    // of a bank: 36 at most
  parameter  int unsigned Depth       = 4096,  // >= 2
  // verilator lint_off UNUSEDPARAM
  parameter               MemoryStyle = "auto",  // as in field_core_memory
  // verilator lint_on UNUSEDPARAM
  localparam int unsigned AddressBits = $clog2(Depth)
) (
  input  logic                   clk_i,
  input  logic [1:0]             write_valid_i,
  input  logic [AddressBits-1:0] write_address_i,
  input  logic [1:0][Width-1:0]  write_data_i,
  input  logic [AddressBits-1:0] read_address_i,
  output logic [1:0][Width-1:0]  read_data_o
);
  if (Width > 36) begin : gen_check
    $error("ckks_bank_pair: Width = %0d is above 36", Width);
  end

  // A bank has four bytes of nine bits, which the families' memories can write separately.
  (* ram_style = MemoryStyle *) logic [1:0][35:0] words[Depth];
  logic [1:0][35:0] word_q, output_q;
  always_ff @(posedge clk_i) begin
    for (int unsigned bank = 0; bank < 2; bank++) begin
      if (write_valid_i[bank]) words[write_address_i][bank] <= 36'(write_data_i[bank]);
    end
    word_q   <= words[read_address_i];
    output_q <= word_q;
  end

  logic unused;
  always_comb begin
    unused = 1'b0;
    for (int unsigned bank = 0; bank < 2; bank++) begin
      read_data_o[bank] = Width'(output_q[bank]);
      unused ^= ^(output_q[bank] >> Width);
    end
  end
endmodule
