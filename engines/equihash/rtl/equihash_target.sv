// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// equihash_target: whether a header's hash meets its compact target (Zcash protocol specification,
// section 7.7.4; the encoding is Bitcoin's).
//
// Bits 31:24 are a size in bytes, 22:0 a mantissa, 23 a sign, which is not part of the mantissa: the
// target is mantissa * 256^(size - 3). A hash, read as a little-endian number, must not be above
// it. A target that is zero, negative, or that 256 bits do not hold is met by none.
//
// One a clock; latency 2 clocks.
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
  // Bytes of the mantissa, which the size moves up or down; what falls off below is cut, what
  // would stand above byte 31 is an overflow.
  logic [7:0]   size;
  logic [22:0]  mantissa;
  logic [279:0] wide;  // bytes 0 to 34
  logic         none;

  assign size     = bits_i[31:24];
  assign mantissa = bits_i[22:0];

  always_comb begin
    wide = '0;
    for (int unsigned s = 0; s < 35; s++) begin
      if (size == 8'(s)) begin
        wide = s < 3 ? 280'(mantissa >> (8 * (3 - s))) : 280'(mantissa) << (8 * (s - 3));
      end
    end
  end

  assign none = bits_i[23] || wide[279:256] != '0 || wide == '0;

  logic         valid_q, none_q;
  slot_t        slot_q;
  logic [255:0] target_q, number_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      valid_q <= 1'b0;
      valid_o <= 1'b0;
    end else begin
      valid_q <= valid_i;
      valid_o <= valid_q;
    end
  end

  always_ff @(posedge clk_i) begin
    if (valid_i) begin
      slot_q   <= slot_i;
      none_q   <= none;
      target_q <= wide[255:0];
      for (int unsigned i = 0; i < 32; i++) number_q[8*i+:8] <= digest_i[8*(31-i)+:8];
    end
    if (valid_q) begin
      slot_o   <= slot_q;
      missed_o <= none_q || number_q > target_q;
    end
  end
endmodule
