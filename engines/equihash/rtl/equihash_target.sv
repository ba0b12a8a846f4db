// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// equihash_target: checks a header's hash against its compact target (Zcash protocol specification,
// section 7.7.4; the encoding is Bitcoin's).
//
// Bits 31:24 are a size in bytes, 22:0 a mantissa, 23 a sign, which is not part of the mantissa:
// the target is mantissa * 256^(size - 3). A hash, read as a little-endian number, must not exceed
// it. No hash meets a target that is zero, negative, or exceeds 256 bits.
//
// One check a clock; latency 5 clocks: input register, decoding of the size, placement of the
// target, comparison part by part, and the verdict.
module equihash_target
  import equihash_pkg::*;
(
  input  logic         clk_i,
  input  logic         rst_ni,
  input  logic         valid_i,
  input  slot_t        slot_i,
  input  logic [31:0]  bits_i,
  input  logic [255:0] digest_i,  // its first byte on top
  output logic         valid_o,
  output slot_t        slot_o,
  output logic         missed_o
);
  // The hash is compared in parts of PartBits bits, in parallel.
  localparam int unsigned PartBits = 32;
  localparam int unsigned Parts = 256 / PartBits;

  logic         valid_q, sized_q, placed_q, compared_q;
  slot_t        slot_q, sized_slot_q, placed_slot_q, compared_slot_q;
  logic [31:0]  bits_q;
  logic [255:0] number_q, sized_number_q, placed_number_q;

  // ---- The target ----------------------------------------------------------------------------
  // The size shifts the bytes of the mantissa up or down; bytes below byte 0 are dropped, bytes
  // above byte 31 are an overflow.
  logic [34:0]  size_q;  // one bit for each size that keeps a byte of the mantissa
  logic [22:0]  mantissa_q;
  logic [279:0] wide, wide_q;  // bytes 0 to 34
  logic         sized_negative_q, negative_q;

  always_comb begin
    wide = '0;
    for (int unsigned s = 0; s < 35; s++) begin
      if (size_q[s]) begin
        wide |= s < 3 ? 280'(mantissa_q >> (8 * (3 - s))) : 280'(mantissa_q) << (8 * (s - 3));
      end
    end
  end

  // ---- The comparison ------------------------------------------------------------------------
  logic             none_q;
  logic [Parts-1:0] above_q, below_q;  // of the hash's parts against the target's
  logic             missed;

  always_comb begin
    missed = 1'b0;
    for (int unsigned k = 0; k < Parts; k++) begin
      if (above_q[k]) missed = 1'b1;
      else if (below_q[k]) missed = 1'b0;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      valid_q    <= 1'b0;
      sized_q    <= 1'b0;
      placed_q   <= 1'b0;
      compared_q <= 1'b0;
      valid_o    <= 1'b0;
    end else begin
      valid_q    <= valid_i;
      sized_q    <= valid_q;
      placed_q   <= sized_q;
      compared_q <= placed_q;
      valid_o    <= compared_q;
    end
  end

  always_ff @(posedge clk_i) begin
    if (valid_i) begin
      slot_q <= slot_i;
      bits_q <= bits_i;
      for (int unsigned i = 0; i < 32; i++) number_q[8*i+:8] <= digest_i[8*(31-i)+:8];
    end
    if (valid_q) begin
      sized_slot_q     <= slot_q;
      sized_number_q   <= number_q;
      sized_negative_q <= bits_q[23];
      mantissa_q       <= bits_q[22:0];
      for (int unsigned s = 0; s < 35; s++) size_q[s] <= bits_q[31:24] == 8'(s);
    end
    if (sized_q) begin
      placed_slot_q   <= sized_slot_q;
      placed_number_q <= sized_number_q;
      negative_q      <= sized_negative_q;
      wide_q          <= wide;
    end
    if (placed_q) begin
      compared_slot_q <= placed_slot_q;
      none_q          <= negative_q || wide_q[279:256] != '0 || wide_q == '0;
      for (int unsigned k = 0; k < Parts; k++) begin
        above_q[k] <= placed_number_q[k*PartBits+:PartBits] > wide_q[k*PartBits+:PartBits];
        below_q[k] <= placed_number_q[k*PartBits+:PartBits] < wide_q[k*PartBits+:PartBits];
      end
    end
    if (compared_q) begin
      slot_o   <= compared_slot_q;
      missed_o <= none_q || missed;
    end
  end
endmodule
