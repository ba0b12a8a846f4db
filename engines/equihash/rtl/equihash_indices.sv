// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// equihash_indices: converts the words of solutions in the minimal form (each index big-endian, in
// the fewest bits, without gaps) to indices, one a clock.
//
// Words hold eight bytes of the message, the first in the low bits; a solution's first and last
// words may contain bytes that are not part of the solution. A solution's first index waits until
// ready_i is set for its slot, that is, until the inputs of its hashes are available. Between two
// solutions one clock is lost if words wait, and two if the last index begins in the last word but
// one.
//
// An index lies in one word or in two consecutive words. It is extracted in two steps, each of
// which ends in a register: 32 bits from a byte boundary, then the index within them. An index
// comes out at least two clocks after its word has become the current one.
module equihash_indices
  import equihash_pkg::*;
#(
  parameter logic [MostSets-1:0] Built = 4'b0001
) (
  input  logic        clk_i,
  input  logic        rst_ni,

  input  logic        word_valid_i,
  output logic        word_ready_o,
  input  logic [63:0] word_data_i,
  input  logic        word_first_i,
  input  set_t        word_set_i,
  input  slot_t       word_slot_i,

  input  logic [Slots-1:0] ready_i,

  output logic        index_valid_o,
  output leaf_t       index_o
);
  typedef logic [5:0] offset_t;
  typedef logic [6:0] end_t;
  typedef logic [MaxLevels-1:0] count_t;

  function automatic int unsigned offset_of(input int unsigned set);
    return 8 * ((HeaderBytes + prefix_bytes(set)) % 8);
  endfunction

  // ---- Words: the current one and the waiting one --------------------------------------------
  logic [63:0] word, word_q;  // the first bit on top
  logic        held_q;        // a current word is present
  logic        open_q;        // a solution's first word has arrived, its last index has not left
  logic        allowed_q;     // its indices may leave
  set_t        set_q;
  slot_t       slot_q;

  for (genvar i = 0; i < 8; i++) begin : gen_byte
    assign word[8*(7-i)+:8] = word_data_i[8*i+:8];
  end

  // ---- The next index ------------------------------------------------------------------------
  offset_t offset_q;        // of its first bit in the word
  end_t    end_q;           // of the first bit after it, which may be in the next word
  end_t    width_q;
  count_t  left_q;          // indices after it
  logic    first_q, last_q;  // of its solution
  logic    spills_q;        // it ends in the next word
  logic    take, done, load;

  function automatic logic spills(input end_t bits_end);
    return bits_end[6] && bits_end[5:0] != '0;
  endfunction

  assign take = held_q && allowed_q && (!spills_q || word_valid_i);
  // The current word is no longer needed. (After a solution's last index that spills into the
  // waiting word, neither word is needed.)
  assign done         = take && (end_q[6] || last_q);
  assign word_ready_o = !held_q || done;
  assign load         = word_valid_i && word_ready_o && !(held_q && last_q && spills_q);

  offset_t first_offset;
  end_t    first_end, first_width, next_end;
  count_t  first_left;
  always_comb begin
    first_offset = '0;
    first_end    = '0;
    first_width  = '0;
    first_left   = '0;
    for (int unsigned s = 0; s < MostSets; s++) begin
      if (Built[s] && word_set_i == set_t'(s)) begin
        first_offset = offset_t'(offset_of(s));
        first_end    = end_t'(offset_of(s) + index_bits(s));
        first_width  = end_t'(index_bits(s));
        first_left   = count_t'((1 << SetK[s]) - 1);
      end
    end
  end

  assign next_end = {1'b0, end_q[5:0]} + width_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      held_q    <= 1'b0;
      open_q    <= 1'b0;
      allowed_q <= 1'b0;
    end else begin
      if (word_ready_o) held_q <= load;
      open_q    <= (load && word_first_i) || (open_q && !(take && last_q));
      allowed_q <= open_q && ready_i[slot_q] && !(take && last_q);
    end
  end

  always_ff @(posedge clk_i) begin
    if (load) word_q <= word;
    if (load && word_first_i) begin
      set_q    <= word_set_i;
      slot_q   <= word_slot_i;
      width_q  <= first_width;
      offset_q <= first_offset;
      end_q    <= first_end;
      spills_q <= spills(first_end);
      left_q   <= first_left;
      first_q  <= 1'b1;
      last_q   <= 1'b0;
    end else if (take) begin
      offset_q <= end_q[5:0];
      end_q    <= next_end;
      spills_q <= spills(next_end);
      left_q   <= left_q - count_t'(1);
      first_q  <= 1'b0;
      last_q   <= left_q == count_t'(1);
    end
  end

  // ---- 32 bits from a byte boundary, then the index ------------------------------------------
  logic [127:0] pair;
  logic [31:0]  part, part_q;
  logic [2:0]   bit_q;
  logic         part_valid_q;
  leaf_t        part_leaf_q;
  logic [MaxIndexBits-1:0] top;
  index_t       index;

  assign pair = {word_q, word};
  always_comb begin
    part = '0;
    for (int unsigned i = 0; i < 8; i++) begin
      if (offset_q[5:3] == 3'(i)) part = pair[127-8*i-:32];
    end
  end

  assign top  = MaxIndexBits'((part_q << bit_q) >> (32 - MaxIndexBits));

  always_comb begin
    index = '0;
    for (int unsigned s = 0; s < MostSets; s++) begin
      if (Built[s] && part_leaf_q.set == set_t'(s)) begin
        index = top >> (MaxIndexBits - index_bits(s));
      end
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      part_valid_q  <= 1'b0;
      index_valid_o <= 1'b0;
    end else begin
      part_valid_q  <= take;
      index_valid_o <= part_valid_q;
    end
  end

  always_ff @(posedge clk_i) begin
    if (take) begin
      part_q      <= part;
      bit_q       <= offset_q[2:0];
      part_leaf_q <= '{slot: slot_q, set: set_q, first: first_q, last: last_q, index: '0};
    end
    if (part_valid_q) begin
      index_o       <= part_leaf_q;
      index_o.index <= index;
    end
  end
endmodule
