// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// mul_saved_proof: the segments and the pending carries are the product plus its offset, as plain
// integers. Widths are small: limbs of two bits, whose leaves overlap as in wide products.
module mul_saved_proof #(
  parameter int unsigned Width = 8,
  parameter int unsigned Segment = 5,
  // The proof has no invariants.
  parameter bit Invariants = 1'b1,  // verilator lint_off UNUSEDPARAM
  localparam int unsigned ValueBits = 2 * Width + 3,
  localparam int unsigned Segments = arith_pkg::ceil_div(ValueBits, Segment)
) (
  input logic             clk_i,
  input logic             rst_ni,
  input logic [Width-1:0] a_i,
  input logic [Width-1:0] b_i
);
  localparam logic [Width-1:0] Offset = '1;
  localparam int unsigned Latency = arith_pkg::saved_mul_latency(Width, 26, 17);

  logic [ValueBits-1:0] value;
  logic [Segments-1:1]  carries;
  mul_saved #(
    .Width(Width), .ValueBits(ValueBits), .Offset(Offset), .Segment(Segment)
  ) u_dut (
    .clk_i, .a_i, .b_i, .value_o(value), .carries_o(carries)
  );

  proof_reset u_reset (.rst_ni);

  logic [Latency:1] valid_q;
  logic [Latency:1][Width-1:0] a_q, b_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) valid_q <= '0;
    else valid_q <= {valid_q[Latency-1:1], 1'b1};
  end
  always_ff @(posedge clk_i) begin
    a_q <= {a_q[Latency-1:1], a_i};
    b_q <= {b_q[Latency-1:1], b_i};
  end

  logic [ValueBits:0] whole, expected;
  always_comb begin
    whole = (ValueBits+1)'(value);
    for (int unsigned k = 1; k < Segments; k++) begin
      whole += (ValueBits+1)'(carries[k]) << (k * Segment);
    end
    expected = (ValueBits+1)'(a_q[Latency]) * (ValueBits+1)'(b_q[Latency]) +
               ((ValueBits+1)'(Offset) << Width);
    if (rst_ni && valid_q[Latency]) begin
      assert (whole == expected);
      cover (carries == '1);
    end
  end
endmodule
