// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// ckks_factors: the factors of the transforms of two primes or directions, in two buffers.
//
// An entry has a word of 30 bits for each port of a butterfly: word 2^(k-1-t) + j, where k is
// LogRadix, is the factor of bit t of the ports whose bits above t are j; word 0 is not used. All
// are times 2^34. If no lane lies above a pass, all butterflies of a row have the same factors, and
// one entry is enough (shared); if one does, each butterfly has an entry per row (own).
//
// The words of a bit are read separately, since a row reaches the bits in sequence. Cycles: address
// of a bit in clock t, its factors at the output in clock t + FactorsLatency.
module ckks_factors
  import ckks_pkg::*;
#(
  parameter  int unsigned Units      = 2,
  parameter  int unsigned LogRadix   = 4,
  parameter  int unsigned SharedBits = 8,  // log2 of the entries
  parameter  int unsigned OwnBits    = 8,  // the same of each butterfly; 0: no own entries
  localparam int unsigned Ports      = 1 << LogRadix,
  localparam int unsigned EntryBits  = arith_pkg::maximum(SharedBits, OwnBits)
) (
  input  logic                                clk_i,

  input  logic                                write_valid_i,
  input  logic                                write_shared_i,
  input  logic [Units-1:0]                    write_units_i,  // of an own entry
  input  logic [EntryBits-1:0]                write_entry_i,
  input  residue_t [Ports-1:0]                write_words_i,

  // For each bit of the ports.
  input  logic [LogRadix-1:0]                 read_shared_i,
  input  logic [LogRadix-1:0][EntryBits-1:0]  read_entry_i,
  // For each butterfly an entry; the words of bit t are those of that bit's address.
  output residue_t [Units-1:0][Ports-1:0]     words_o
);
  logic unused;
  assign unused = ^{write_words_i[0], write_units_i};
  for (genvar u = 0; u < Units; u++) begin : gen_unused
    assign words_o[u][0] = '0;
  end

  for (genvar t = 0; t < LogRadix; t++) begin : gen_bit
    localparam int unsigned First = 1 << (LogRadix - 1 - t);
    localparam int unsigned Bits  = First * ResidueBits;
    residue_t [First-1:0] shared_words;
    logic [1:0]           shared_q;
    always_ff @(posedge clk_i) shared_q <= {shared_q[0], read_shared_i[t]};

    field_core_memory #(.Width(Bits), .Depth(1 << SharedBits), .OutputRegister(1'b1)) u_shared (
      .clk_i, .write_valid_i(write_valid_i && write_shared_i),
      .write_address_i(write_entry_i[SharedBits-1:0]),
      .write_data_i(write_words_i[First+:First]),
      .read_enable_i(1'b1), .read_address_i(read_entry_i[t][SharedBits-1:0]),
      .read_data_o(shared_words)
    );

    for (genvar u = 0; u < Units; u++) begin : gen_unit
      residue_t [First-1:0] chosen_q;
      if (OwnBits == 0) begin : gen_no_own
        always_ff @(posedge clk_i) chosen_q <= shared_words;
        logic unused_shared;
        assign unused_shared = shared_q[1];
      end else begin : gen_own
        residue_t [First-1:0] own_words;
        field_core_memory #(.Width(Bits), .Depth(1 << OwnBits), .OutputRegister(1'b1)) u_own (
          .clk_i,
          .write_valid_i(write_valid_i && !write_shared_i && write_units_i[u]),
          .write_address_i(write_entry_i[OwnBits-1:0]),
          .write_data_i(write_words_i[First+:First]),
          .read_enable_i(1'b1), .read_address_i(read_entry_i[t][OwnBits-1:0]),
          .read_data_o(own_words)
        );
        always_ff @(posedge clk_i) chosen_q <= shared_q[1] ? shared_words : own_words;
      end
      assign words_o[u][First+:First] = chosen_q;
    end
  end
endmodule
