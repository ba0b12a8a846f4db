// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// ckks_prime_table: a program's primes by their places, for several readers at a time.
//
// Eight entries are written at a time, as ckks_fetch delivers them. Each reader has a copy of the
// table; its prime comes 2 clocks after its place.
module ckks_prime_table
  import ckks_pkg::*;
#(
  parameter int unsigned Readers = 6
) (
  input  logic                    clk_i,
  input  logic                    write_valid_i,
  input  logic [4:0]              write_place_i,
  input  logic [7:0][31:0]        write_data_i,

  input  logic [Readers-1:0][7:0] place_i,
  output prime_t [Readers-1:0]    prime_o,
  output logic [Readers-1:0][4:0] bits_o
);
  import ckks_isa_pkg::*;
  typedef struct packed {
    logic [4:0] bits;
    prime_t     prime;
  } entry_t;
  entry_t [7:0] written;
  logic         unused;
  always_comb begin
    unused = 1'b0;
    for (int unsigned i = 0; i < 8; i++) begin
      written[i] = '{bits: write_data_i[i][EntryPrimeBitsLow+:EntryPrimeBitsBits],
                     prime: write_data_i[i][EntryPrimeKLow+:EntryPrimeKBits]};
      unused ^= ^write_data_i[i];
    end
  end
  for (genvar r = 0; r < Readers; r++) begin : gen_reader
    entry_t [7:0] eight;
    entry_t       chosen_q;
    logic [2:0]   place_q;
    field_core_memory #(.Width(8 * $bits(entry_t)), .Depth(32)) u_copy (
      .clk_i, .write_valid_i, .write_address_i(write_place_i), .write_data_i(written),
      .read_enable_i(1'b1), .read_address_i(place_i[r][7:3]), .read_data_o(eight)
    );
    always_ff @(posedge clk_i) begin
      place_q  <= place_i[r][2:0];
      chosen_q <= eight[place_q];
    end
    assign prime_o[r] = chosen_q.prime;
    assign bits_o[r]  = chosen_q.bits;
  end
endmodule
