// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// equihash_indices: the words of solutions in the minimal form (each index big-endian, in as few
// bits as it needs, without gaps) to indices, one a clock.
//
// Words hold eight bytes of the message, the first in the low bits; a solution's first word may
// begin with bytes that are not its own, and its last end with such. A solution's first index waits
// until ready_i has its slot: until what its hashes need is there. Between two solutions one clock
// is lost at most, if words wait.
module equihash_indices
  import equihash_pkg::*;
#(
  parameter logic [Sets-1:0] Built = 4'b0001
) (
  input  logic        clk_i,
  input  logic        rst_ni,

  input  logic        word_valid_i,
  output logic        word_ready_o,
  input  logic [63:0] word_data_i,
  input  logic        word_first_i,
  input  logic        word_last_i,
  input  set_t        word_set_i,
  input  slot_t       word_slot_i,

  input  logic [Slots-1:0] ready_i,

  output logic        index_valid_o,
  output leaf_t       index_o
);
  // A word is taken when what is left leaves room for it; that is less than an index at most.
  localparam int unsigned BufferBits = 64 + MaxIndexBits - 1;

  typedef logic [BufferBits-1:0] buffer_t;
  typedef logic [6:0] count_t;

  buffer_t    buffer_q, buffer_left, shifted;  // bits left on top
  count_t     held_q, held_left, width, word_bits;
  logic       ended_q;   // the solution's last word is in
  set_t       set_q;
  slot_t      slot_q;
  logic [8:0] place_q, last_place;
  index_t     index;
  logic       take, load, last;
  logic [63:0] word, own;

  // ---- The next index ------------------------------------------------------------------------
  always_comb begin
    width      = '0;
    last_place = '0;
    index      = '0;
    shifted    = '0;
    for (int unsigned s = 0; s < Sets; s++) begin
      if (Built[s] && set_q == set_t'(s)) begin
        width      = count_t'(index_bits(s));
        last_place = 9'((1 << SetK[s]) - 1);
        index      = index_t'(buffer_q >> (BufferBits - index_bits(s)));
        shifted    = buffer_q << index_bits(s);
      end
    end
  end

  assign take        = held_q != '0 && held_q >= width && ready_i[slot_q];
  assign last        = take && place_q == last_place;
  assign held_left   = last ? '0 : take ? held_q - width : held_q;
  assign buffer_left = last || held_q == '0 ? '0 : take ? shifted : buffer_q;

  // ---- The next word -------------------------------------------------------------------------
  for (genvar i = 0; i < 8; i++) begin : gen_byte
    assign word[8*(7-i)+:8] = word_data_i[8*i+:8];
  end

  always_comb begin
    own       = word;
    word_bits = 7'd64;
    for (int unsigned s = 0; s < Sets; s++) begin
      if (Built[s] && word_set_i == set_t'(s) && word_first_i) begin
        own       = word << (8 * ((HeaderBytes + prefix_bytes(s)) % 8));
        word_bits = 7'(64 - 8 * ((HeaderBytes + prefix_bytes(s)) % 8));
      end
    end
  end

  assign word_ready_o = (!ended_q || last) && held_left <= count_t'(BufferBits - 64);
  assign load         = word_valid_i && word_ready_o;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      held_q        <= '0;
      ended_q       <= 1'b0;
      place_q       <= '0;
      index_valid_o <= 1'b0;
    end else begin
      held_q        <= load ? held_left + word_bits : held_left;
      if (load) ended_q <= word_last_i;
      else if (last) ended_q <= 1'b0;
      if (last) place_q <= '0;
      else if (take) place_q <= place_q + 9'd1;
      index_valid_o <= take;
    end
  end

  always_ff @(posedge clk_i) begin
    buffer_q <= buffer_left | (load ? {own, {(BufferBits - 64){1'b0}}} >> held_left : '0);
    if (load && word_first_i) begin
      set_q  <= word_set_i;
      slot_q <= word_slot_i;
    end
    if (take) begin
      index_o <= '{slot: slot_q, set: set_q, first: place_q == '0, last: last, index: index};
    end
  end
endmodule
