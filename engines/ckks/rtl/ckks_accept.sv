// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// ckks_accept: selects the words of blocks that are below q when cut to q's bits, in order, and
// outputs them 16 at a time: the rejection rule of uniform residues
// (engines/ckks/src/sampling/uniform.rs).
//
// It takes one block of 16 words a clock and gives at most one chunk of 16 residues. Six stages all
// wait while a chunk is not taken: words are cut and compared; the rejected words before each word
// are counted; the accepted words close up, by one and two places and then by four and eight; the
// residues move to the end of those of earlier blocks; they fill the chunk, and the remainder
// begins the next chunk. clear_i empties it.
module ckks_accept
  import ckks_pkg::*;
(
  input  logic              clk_i,
  input  logic              rst_ni,
  input  logic              clear_i,

  input  prime_t            prime_i,  // held while blocks are inside
  input  logic [4:0]        bits_i,   // of q

  input  logic              block_valid_i,
  output logic              block_ready_o,
  input  logic [15:0][31:0] block_i,

  output logic              chunk_valid_o,
  input  logic              chunk_ready_i,
  output residue_t [15:0]   chunk_o
);
  localparam int unsigned Stages = 6;
  typedef residue_t [15:0] words_t;

  logic              moves;
  logic [Stages-1:1] valid_q;
  assign moves         = !chunk_valid_o || chunk_ready_i;
  assign block_ready_o = moves;

  // ---- Cut and compared ------------------------------------------------------------------------
  typedef struct packed {
    logic       good;
    logic [3:0] refused;  // words before it that are not
    residue_t   word;
  } place_t;
  typedef place_t [15:0] places_t;

  residue_t    mask, q;
  words_t      cut_q;
  logic [15:0] good_q;
  assign q = {prime_i, StepBits'(1)};
  always_ff @(posedge clk_i) begin
    mask <= residue_t'((32'd1 << bits_i) - 32'd1);
    if (moves) begin
      for (int unsigned i = 0; i < 16; i++) begin
        cut_q[i]  <= residue_t'(block_i[i]) & mask;
        good_q[i] <= (residue_t'(block_i[i]) & mask) < q;
      end
    end
  end

  // ---- Refused words before each, and in all ---------------------------------------------------
  // Groups of four keep the sums short.
  function automatic logic [2:0] ones(input logic [3:0] flags);
    logic two;
    two = (flags[0] && flags[1]) || (flags[2] && flags[3])
       || ((flags[0] || flags[1]) && (flags[2] || flags[3]));
    return {&flags, two && !(&flags), ^flags};
  endfunction
  places_t         counted, counted_q;
  logic [3:0][4:0] refused;  // before each four
  logic [4:0]      total, counted_refused_q;
  always_comb begin
    total = '0;
    for (int unsigned i = 0; i < 4; i++) begin
      refused[i] = total;
      total      = total + 5'(ones(~good_q[4*i+:4]));
    end
    for (int unsigned i = 0; i < 16; i++) begin
      logic [3:0] others;  // of its four, before it
      others     = ~good_q[i/4*4+:4] & 4'((1 << i % 4) - 1);
      counted[i] = '{good: good_q[i], word: cut_q[i],
                     refused: 4'(refused[i/4]) + 4'(ones(others))};
    end
  end

  // ---- Closing up: the low bits of the distance first, so that no two words meet ---------------
  function automatic places_t closer(input places_t places, input int unsigned place_bit);
    for (int unsigned i = 0; i < 16; i++) begin
      int unsigned from;
      from           = (i + (1 << place_bit)) % 16;
      closer[i]      = places[i];
      closer[i].good = places[i].good && !places[i].refused[place_bit];
      if (from > i && places[from].good && places[from].refused[place_bit]) begin
        closer[i] = places[from];
      end
    end
  endfunction
  places_t    closed_q, closed_more;
  words_t     closed_more_q;
  logic [4:0] closed_refused_q;
  assign closed_more = closer(closer(closed_q, 2), 3);
  always_ff @(posedge clk_i) begin
    if (moves) begin
      counted_q         <= counted;
      counted_refused_q <= total;
      closed_q          <= closer(closer(counted_q, 0), 1);
      closed_refused_q  <= counted_refused_q;
      for (int unsigned i = 0; i < 16; i++) closed_more_q[i] <= closed_more[i].word;
    end
  end

  // ---- To where the residues before end --------------------------------------------------------
  logic [4:0] more_refused_q, moved_refused_q;
  logic [3:0] fill_q, moved_fill_q;
  words_t     moved, moved_q;
  always_comb begin
    for (int unsigned i = 0; i < 16; i++) moved[i] = closed_more_q[4'(i) - fill_q];
  end
  always_ff @(posedge clk_i) begin
    if (moves) begin
      more_refused_q  <= closed_refused_q;
      moved_refused_q <= more_refused_q;
      moved_fill_q    <= fill_q;
      moved_q         <= moved;
    end
  end

  // ---- The chunk -------------------------------------------------------------------------------
  words_t chunk_q, rest_q, joined;
  logic   fills;
  // 16 minus the rejected words fill it if at least that number was present.
  assign fills = 5'(moved_fill_q) >= moved_refused_q;
  always_comb begin
    for (int unsigned i = 0; i < 16; i++) begin
      joined[i] = (4'(i) < moved_fill_q) ? rest_q[i] : moved_q[i];
    end
  end
  always_ff @(posedge clk_i) begin
    if (moves && valid_q[5]) begin
      rest_q  <= fills ? moved_q : joined;
      chunk_q <= joined;
    end
  end
  assign chunk_o = chunk_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      valid_q       <= '0;
      chunk_valid_o <= 1'b0;
      fill_q        <= '0;
    end else if (clear_i) begin
      valid_q       <= '0;
      chunk_valid_o <= 1'b0;
      fill_q        <= '0;
    end else if (moves) begin
      valid_q       <= {valid_q[Stages-2:1], block_valid_i};
      chunk_valid_o <= valid_q[5] && fills;
      if (valid_q[4]) fill_q <= fill_q - more_refused_q[3:0];
    end
  end
endmodule
