// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// fold_saved_proof: the residue is that of the number, and the high half of an offset product is
// the product's. The number is any quotient * Modulus + residue below 2^ValueBits, in any division
// into segments and pending carries. Widths are small; the modulus 2^10 - 3 has a constant of two
// digits.
module fold_saved_proof #(
  parameter int unsigned Width = 10,
  parameter logic [Width-1:0] Modulus = 10'd1021,
  parameter int unsigned CountBits = 1,
  parameter int unsigned Segment = 6,
  // The proof has no invariants.
  parameter bit Invariants = 1'b1,  // verilator lint_off UNUSEDPARAM
  localparam int unsigned ValueBits = 2 * Width + 2,
  localparam int unsigned Segments = arith_pkg::ceil_div(ValueBits, Segment)
) (
  input logic                               clk_i,
  input logic                               rst_ni,
  input logic [ValueBits-Width-1:0]         quotient_i,
  input logic [Width-1:0]                   residue_i,
  input logic [Segments-1:1][CountBits-1:0] counts_i,
  input logic [Segments-1:1]                carries_i
);
  localparam int unsigned Latency = arith_pkg::SavedFoldLatency;

  logic [ValueBits:0] number, pending;
  logic [Width-1:0]   result, high;
  always_comb begin
    number  = (ValueBits+1)'(quotient_i) * (ValueBits+1)'(Modulus) + (ValueBits+1)'(residue_i);
    pending = '0;
    for (int unsigned k = 1; k < Segments; k++) begin
      pending += ((ValueBits+1)'(counts_i[k]) + (ValueBits+1)'(carries_i[k])) << (k * Segment);
    end
  end

  fold_saved #(
    .Width(Width), .Modulus(Modulus), .ValueBits(ValueBits), .CountBits(CountBits),
    .Segment(Segment)
  ) u_dut (
    .clk_i, .value_i(ValueBits'(number - pending)), .counts_i, .carries_i, .result_o(result), .high_o(high)
  );

  proof_reset u_reset (.rst_ni);

  // The expected values of the last clocks.
  logic [Latency:1]            valid_q, offset_q;
  logic [Latency:1][Width-1:0] residue_q, high_q;
  logic [Width:0]              upper;
  assign upper = (Width+1)'(number >> Width) - (Width+1)'(Modulus);
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) valid_q <= '0;
    else valid_q <= {valid_q[Latency-1:1], 1'b1};
  end
  always_ff @(posedge clk_i) begin
    residue_q <= {residue_q[Latency-1:1], residue_i};
    high_q    <= {high_q[Latency-1:1], upper[Width-1:0]};
    offset_q  <= {offset_q[Latency-1:1],
                  number >> Width >= (ValueBits+1)'(Modulus) &&
                  number >> (Width + 1) < (ValueBits+1)'(Modulus)};
  end

  always_comb begin
    assume (residue_i < Modulus);
    assume (!number[ValueBits] && pending <= number);
    if (rst_ni && valid_q[Latency]) begin
      assert (result == residue_q[Latency]);
      if (offset_q[Latency]) assert (high == high_q[Latency]);
      cover (offset_q[Latency] && high == '1 && result == Modulus - 1'b1);
    end
  end
endmodule
