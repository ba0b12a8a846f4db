// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// fold_saved_proof: the result is the number modulo Modulus, and the high half is floor(number /
// 2^Width) - Modulus, for every number of a small width: one of four segments, with a constant of
// two digits.
//
// The folds are proved clock by clock, each for arbitrary values of the registers before it. With c
// = 2^Width - Modulus, a part h * 2^Width of a number is replaced by h * c, which takes h * Modulus
// from it:
// - The first pair has the sum of the number's low part, c times the value above Width, and c times
//   the counts and carries of the segments above Width.
// - The second pair has the sum of the low parts of the first, and c times their high parts. It is
//   below 3 * Modulus.
// - The result is the second pair's sum, less 0, 1 or 2 times the modulus, and below it.
// carry_save is arbitrary, except for the statements that carry_save_proof shows.
module fold_saved_proof #(
  parameter int unsigned Width = 16,
  parameter logic [Width-1:0] Modulus = Width'((1 << Width) - 3),
  parameter int unsigned ValueBits = 2 * Width + 5,
  parameter int unsigned CountBits = 3,
  parameter int unsigned Segment = 10,
  parameter bit Invariants = 1'b1,
  localparam int unsigned Segments = arith_pkg::ceil_div(ValueBits, Segment)
) (
  input logic                               clk_i,
  input logic                               rst_ni,
  input logic [ValueBits-1:0]               value_i,
  input logic [Segments-1:1][CountBits-1:0] counts_i,
  input logic [Segments-1:1]                carries_i
);
  localparam int unsigned Constant = (1 << Width) - 32'(Modulus);
  localparam int unsigned FirstBits = ValueBits - Width + $clog2(Constant + 1) + 1;
  localparam int unsigned WholeBits = ValueBits + 2;
  localparam int unsigned Clocks = arith_pkg::SavedFoldLatency;
  typedef logic [WholeBits-1:0] whole_t;
  localparam whole_t Once = whole_t'(Modulus);

  proof_reset u_reset (.rst_ni);

  logic [Width-1:0] result, high;
  fold_saved #(
    .Width(Width), .Modulus(Modulus), .ValueBits(ValueBits), .CountBits(CountBits),
    .Segment(Segment)
  ) u_dut (
    .clk_i, .value_i, .counts_i, .carries_i, .result_o(result), .high_o(high)
  );

  // ---- The number, and the sum of the first pair ----------------------------------------------
  whole_t number_i, first_i;
  always_comb begin
    number_i = whole_t'(value_i);
    first_i  = whole_t'(value_i[Width-1:0]) +
               whole_t'(Constant) * whole_t'(value_i[ValueBits-1:Width]);
    for (int unsigned k = 1; k < Segments; k++) begin
      number_i += (whole_t'(counts_i[k]) + whole_t'(carries_i[k])) << (k * Segment);
      first_i  += (whole_t'(counts_i[k]) + whole_t'(carries_i[k])) *
                  (k == 1 ? whole_t'(1) << Segment
                          : whole_t'(Constant) << (k * Segment - Width));
    end
    assume (number_i < whole_t'(1) << ValueBits);
  end

  // valid[k]: the registers of k clocks have values of a number.
  logic [Clocks:0]              valid;
  logic [Clocks:0][Width-1:0]   highs;
  assign valid[0] = 1'b1;
  assign highs[0] = Width'((number_i >> Width) - whole_t'(Modulus));
  for (genvar k = 1; k <= Clocks; k++) begin : gen_clock
    valid_delay #(.Stages(1)) u_valid (.clk_i, .rst_ni, .valid_i(valid[k-1]), .valid_o(valid[k]));
    pipeline_delay #(.DataWidth(Width), .Stages(1)) u_high (
      .clk_i, .data_i(highs[k-1]), .data_o(highs[k])
    );
  end

  // ---- The second pair, and the result --------------------------------------------------------
  whole_t first_q, second, second_q, result_q, result_qq;
  function automatic whole_t fold_of(input logic [FirstBits-1:0] part);
    return whole_t'(part[Width-1:0]) + whole_t'(Constant) * whole_t'(part[FirstBits-1:Width]);
  endfunction
  assign second = whole_t'(u_dut.second_q[0]) + whole_t'(u_dut.second_q[1]);
  always_ff @(posedge clk_i) begin
    first_q   <= first_i;
    second_q  <= fold_of(u_dut.first_q[0]) + fold_of(u_dut.first_q[1]);
    result_q  <= second - (second >= 2 * Once ? 2 * Once : second >= Once ? Once : '0);
    result_qq <= result_q;
  end

  always_comb begin
    if (rst_ni) begin
      if (valid[1]) assert (whole_t'(u_dut.first_q[0]) + whole_t'(u_dut.first_q[1]) == first_q);
      if (valid[2]) begin
        assert (second == second_q);
        assert (second < 3 * Once);
      end
      if (valid[4]) begin
        assert (whole_t'(result) == result_qq && result < Modulus);
        assert (high == highs[Clocks]);
      end
      cover (valid[Clocks] && result == '0 && high == '0);
    end
  end
  logic unused;
  assign unused = Invariants;
endmodule
