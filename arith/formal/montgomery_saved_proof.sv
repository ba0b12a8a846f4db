// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// montgomery_saved_proof: with V the number of value, counts and carries, the result is (V + q *
// Modulus) / 2^Width modulo Modulus, and q is V * -1/Modulus modulo 2^Width, so that the division
// is exact. For every number of a small width, in five segments.
//
// Part selects one of six statements, which is proved with those before it as assumptions: none
// needs a later one. The stages are proved clock by clock, each for arbitrary values of the
// registers before it:
// - q's vectors, their compression and the quotient have the sum V * -1/Modulus modulo 2^Width, and
//   V + q * Modulus is a multiple of 2^Width.
// - If it is one, the upper columns without their Guard lowest bits are (V + q * Modulus) /
//   2^Width.
// - The result is that number modulo Modulus.
// carry_save is arbitrary, except for the statements that carry_save_proof shows.
module montgomery_saved_proof #(
  parameter int unsigned Width = 12,
  parameter logic [Width-1:0] Modulus = Width'('hd03),
  parameter int unsigned ValueBits = 2 * Width + 2,
  parameter int unsigned CountBits = 1,
  parameter int unsigned Multiples = 6,
  parameter int unsigned Segment = 6,
  parameter int unsigned Part = 1,
  parameter bit Invariants = 1'b1,
  localparam int unsigned Segments = arith_pkg::ceil_div(ValueBits, Segment)
) (
  input logic                               clk_i,
  input logic                               rst_ni,
  input logic [ValueBits-1:0]               value_i,
  input logic [Segments-1:1][CountBits-1:0] counts_i,
  input logic [Segments-1:1]                carries_i
);
  localparam int unsigned Clocks = arith_pkg::SavedMontgomeryLatency;
  localparam int unsigned Finish = arith_pkg::QuotientFinishLatency;
  localparam int unsigned WholeBits = ValueBits + 2;
  localparam logic [Width-1:0] Inverse =
      Width'(arith_pkg::negative_inverse(arith_pkg::constant_t'(Modulus), Width));
  typedef logic [WholeBits-1:0] whole_t;
  typedef logic [Width-1:0]     value_t;

  proof_reset u_reset (.rst_ni);

  value_t result;
  montgomery_saved #(
    .Width(Width), .Modulus(Modulus), .ValueBits(ValueBits), .CountBits(CountBits),
    .Multiples(Multiples), .TileA(5), .TileB(4), .Segment(Segment)
  ) u_dut (
    .clk_i, .value_i, .counts_i, .carries_i, .result_o(result)
  );

  // valid[k], values[k] and pending[k]: the number of which the registers of k clocks have values.
  localparam int unsigned TotalBits = CountBits + 1;
  localparam int unsigned Below = arith_pkg::ceil_div(Width, Segment) - 1;
  typedef logic [ValueBits-1:0] part_t;
  typedef logic [Segments-1:1][TotalBits-1:0] totals_t;
  logic [Clocks:0] valid;
  part_t           values[Clocks+1];
  totals_t         pending[Clocks+1];
  whole_t          numbers[Clocks+1];
  assign valid[0] = 1'b1;
  assign values[0] = value_i;
  for (genvar k = 1; k < Segments; k++) begin : gen_total
    assign pending[0][k] = TotalBits'(counts_i[k]) + TotalBits'(carries_i[k]);
  end
  for (genvar k = 1; k <= Clocks; k++) begin : gen_clock
    valid_delay #(.Stages(1)) u_valid (.clk_i, .rst_ni, .valid_i(valid[k-1]), .valid_o(valid[k]));
    always_ff @(posedge clk_i) begin
      values[k]  <= values[k-1];
      pending[k] <= pending[k-1];
    end
  end
  always_comb begin
    for (int unsigned k = 0; k <= Clocks; k++) begin
      numbers[k] = whole_t'(values[k]);
      for (int unsigned i = 1; i < Segments; i++) begin
        numbers[k] += whole_t'(pending[k][i]) << (i * Segment);
      end
    end
    assume (numbers[0] < whole_t'(1) << ValueBits);
  end
  // The module's own delays have the same numbers.
  if (Invariants) begin : gen_invariants
    for (genvar k = 1; k <= 7; k++) begin : gen_value
      always_comb begin
        if (rst_ni && valid[k]) begin
          assert (numbers[k] < whole_t'(1) << ValueBits);
          assert (u_dut.u_value.gen_stages.stage_q[k-1] ==
                  (values[k] >> u_dut.Column));
          if (k == 1) assert (u_dut.totals_q == pending[k]);
        end
      end
    end
    for (genvar k = 2; k <= 7; k++) begin : gen_totals
      always_comb begin
        if (rst_ni && valid[k]) begin
          assert (u_dut.u_totals.gen_stages.stage_q[k-2] ==
                  pending[k][Segments-1:Below+1]);
        end
      end
    end
  end

  // ---- q ------------------------------------------------------------------------------------------
  value_t vectors, left;
  always_comb begin
    vectors = '0;
    left    = '0;
    for (int unsigned i = 0; i < u_dut.QuotientRows; i++) vectors += u_dut.quotient_rows[i];
    for (int unsigned i = 0; i < u_dut.QuotientLeft; i++) left += u_dut.quotient_left_q[i];
  end
  function automatic value_t quotient_of(input whole_t number);
    return value_t'(number) * Inverse;
  endfunction

  // ---- V + q * Modulus ------------------------------------------------------------------------------
  whole_t whole_q, whole_qq, upper, upper_left, exact;
  assign exact = numbers[5] + whole_t'(u_dut.quotient_q) * whole_t'(Modulus);
  always_ff @(posedge clk_i) begin
    whole_q  <= exact;
    whole_qq <= whole_q;
  end
  always_comb begin
    upper      = '0;
    upper_left = '0;
    for (int unsigned i = 0; i < u_dut.SumRows; i++) upper += whole_t'(u_dut.rows[i]);
    for (int unsigned i = 0; i < u_dut.SumLeft; i++) upper_left += whole_t'(u_dut.left_q[i]);
  end

  // ---- The residue --------------------------------------------------------------------------------
  whole_t sum, sum_q, residue;
  always_ff @(posedge clk_i) sum_q <= whole_qq >> Width;
  pipeline_delay #(.DataWidth(WholeBits), .Stages(Finish)) u_sum (
    .clk_i, .data_i(sum_q), .data_o(sum)
  );
  always_comb begin
    residue = sum;
    for (int unsigned i = Multiples - 1; i > 0; i--) begin
      if (sum >= whole_t'(Modulus) * whole_t'(i) && residue == sum) begin
        residue = sum - whole_t'(Modulus) * whole_t'(i);
      end
    end
  end

  logic [5:0] holds;
  assign holds[0] = !valid[2] || vectors == quotient_of(numbers[2]);
  assign holds[1] = !valid[3] || left == quotient_of(numbers[3]);
  assign holds[2] = !valid[5] || (u_dut.quotient_q == quotient_of(numbers[5]) &&
                                  value_t'(exact) == '0);
  assign holds[3] = !valid[7] || (value_t'(whole_qq) == '0 &&
                                  upper >> u_dut.Guard == whole_qq >> Width);
  assign holds[4] = !valid[8] || (upper_left >> u_dut.Guard == sum_q &&
                                  sum_q < whole_t'(Modulus) * whole_t'(Multiples));
  assign holds[5] = !valid[Clocks] || (result < Modulus && whole_t'(result) == residue);
  always_comb begin
    if (rst_ni) begin
      for (int unsigned k = 0; k < 6; k++) begin
        if (Part == k + 1) assert (holds[k]);
        else if (Part > k + 1) assume (holds[k]);
      end
      cover (valid[3]);
    end
  end
  logic unused;
  assign unused = Invariants;
endmodule
