// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// ckks_exchange: moves the residues of all banks to the ports of the transform's butterflies, or
// back (engines/ckks/model/layout.py).
//
// Pass q handles the bits q*k to q*k + k - 1 of the index, where k is LogRadix. Bit i of the index
// moves bit i of the bank if it is a lane's bit, and bit (i - l) mod l if it is a row's, where l is
// LogLanes: i mod l in both cases. The bank's bits that the pass moves are the place in a
// butterfly, xor swap_i; the others are the butterfly's number. An inverse transform has the bits
// of the places reversed. This is therefore a fixed wiring per pass and direction, and a choice
// between neighbors per bit of swap_i.
//
// To the butterflies (ToPorts): from banks to ports, unit * 2^k + port; otherwise from ports to
// banks. One row a clock, 2 clocks (ExchangeLatency). pass_i, inverse_i and swap_i belong to the
// row; all of them are those of the clock in which it comes in.
module ckks_exchange
  import ckks_pkg::*;
#(
  parameter  int unsigned LogLanes = 5,
  parameter  int unsigned LogRadix = 4,
  parameter  int unsigned Passes   = 4,
  parameter  bit          ToPorts  = 1'b1,
  localparam int unsigned Lanes    = 1 << LogLanes,
  localparam int unsigned PassBits = $clog2(Passes + 1)
) (
  input  logic                 clk_i,
  input  logic [PassBits-1:0]  pass_i,
  input  logic                 inverse_i,
  input  logic [LogRadix-1:0]  swap_i,
  input  residue_t [Lanes-1:0] word_i,
  output residue_t [Lanes-1:0] word_o
);
  localparam int unsigned Ports = 1 << LogRadix;

  // The bank of a place of a butterfly in a pass.
  function automatic int unsigned bank_of(input int unsigned position, input int unsigned pass);
    int unsigned unit, found;
    logic [LogLanes-1:0] moved;
    unit  = position >> LogRadix;
    found = 0;
    moved = '0;
    for (int unsigned i = 0; i < LogRadix; i++) begin
      moved[(pass * LogRadix + i) % LogLanes] = 1'b1;
      found |= ((position >> i) & 1) << ((pass * LogRadix + i) % LogLanes);
    end
    for (int unsigned i = 0; i < LogLanes; i++) begin
      if (!moved[i]) begin
        found |= (unit & 1) << i;
        unit = unit >> 1;
      end
    end
    return found;
  endfunction
  // The same bank for a physical port of an inverse transform.
  function automatic int unsigned reversed_port(input int unsigned position);
    return (position & ~(Ports - 1)) | reversed(position & (Ports - 1), LogRadix);
  endfunction
  // The passes with different wirings: bank_of depends only on pass * k modulo l.
  function automatic int unsigned wiring_of(input int unsigned pass);
    for (int unsigned i = 0; i < pass; i++) begin
      if ((i * LogRadix) % LogLanes == (pass * LogRadix) % LogLanes) return i;
    end
    return pass;
  endfunction

  // The residues that a wiring leads to each place of a butterfly, or to each bank.
  function automatic residue_t [Lanes-1:0] wired(
      input residue_t [Lanes-1:0] words, input logic [PassBits-1:0] pass, input logic inverse);
    residue_t [Lanes-1:0] found;
    found = '0;
    for (int unsigned q = 0; q < Passes; q++) begin
      if (wiring_of(q) == q) begin
        for (int unsigned i = 0; i < Lanes; i++) begin
          for (int unsigned r = 0; r < 2; r++) begin
            int unsigned position;
            position = (r == 1) ? reversed_port(i) : i;
            if (is_wiring(q, pass) && inverse == (r == 1)) begin
              if (ToPorts) found[i] |= words[bank_of(position, q)];
              else found[bank_of(position, q)] |= words[i];
            end
          end
        end
      end
    end
    return found;
  endfunction
  function automatic logic is_wiring(input int unsigned wiring, input logic [PassBits-1:0] pass);
    is_wiring = 1'b0;
    for (int unsigned q = 0; q < Passes; q++) begin
      if (wiring_of(q) == wiring && pass == PassBits'(q)) is_wiring = 1'b1;
    end
  endfunction

  // Swaps neighbors in each bit of swap; an inverse transform's bits are reversed.
  function automatic residue_t [Lanes-1:0] swapped(
      input residue_t [Lanes-1:0] words, input logic [LogRadix-1:0] swap, input logic inverse);
    residue_t [Lanes-1:0] last, found;
    found = words;
    for (int unsigned bit_ = 0; bit_ < LogRadix; bit_++) begin
      last = found;
      for (int unsigned i = 0; i < Lanes; i++) begin
        found[i] = (inverse ? swap[LogRadix-1-bit_] : swap[bit_]) ? last[i ^ (1 << bit_)]
                                                                  : last[i];
      end
    end
    return found;
  endfunction

  residue_t [Lanes-1:0] first_q, second_q;
  if (ToPorts) begin : gen_to_ports
    logic [LogRadix-1:0] swap_q;
    logic                inverse_q;
    always_ff @(posedge clk_i) begin
      first_q   <= wired(word_i, pass_i, inverse_i);
      swap_q    <= swap_i;
      inverse_q <= inverse_i;
      second_q  <= swapped(first_q, swap_q, inverse_q);
    end
  end else begin : gen_to_banks
    logic [PassBits-1:0] pass_q;
    logic                inverse_q;
    always_ff @(posedge clk_i) begin
      first_q   <= swapped(word_i, swap_i, inverse_i);
      pass_q    <= pass_i;
      inverse_q <= inverse_i;
      second_q  <= wired(first_q, pass_q, inverse_q);
    end
  end
  assign word_o = second_q;
endmodule
