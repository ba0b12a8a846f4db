// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// field_core_saved_accumulator_proof: the accumulator with saved carries is the plain sum. For an
// arbitrary context, whatever the others do in between, each turn's value with its carries is the
// product with its carries, or that plus the context's previous value, modulo 2^Width. Turns are
// two or at least four clocks apart, and a sum has at most MostProducts products. Widths are small:
// all segments are alike.
module field_core_saved_accumulator_proof #(
  parameter int unsigned Width = 7,
  parameter int unsigned Contexts = 4,
  parameter int unsigned MostProducts = 3,
  parameter int unsigned Segment = 3,
  parameter bit Invariants = 1'b1,
  localparam int unsigned ContextBits = $clog2(Contexts),
  localparam int unsigned Segments = arith_pkg::ceil_div(Width, Segment),
  localparam int unsigned CountBits = $clog2(2 * MostProducts + 1),
  localparam int unsigned SumBits = Width + (Segments - 1) * (CountBits + 1)
) (
  input logic                   clk_i,
  input logic                   rst_ni,
  input logic                   turn_valid_i,
  input logic [ContextBits-1:0] turn_context_i,
  input logic                   turn_add_i,
  input logic [Width-1:0]       product_i,
  input logic [Segments-1:1]    carries_i
);
  typedef logic [Width-1:0] value_t;
  typedef logic [Segments-1:1][CountBits-1:0] counts_t;

  value_t              value;
  counts_t             counts, totals;
  logic [Segments-1:1] carries;
  field_core_saved_accumulator #(
    .Width(Width), .Contexts(Contexts), .MostProducts(MostProducts), .Segment(Segment)
  ) u_dut (
    .clk_i, .rst_ni, .turn_valid_i, .turn_context_i, .turn_add_i, .product_i, .carries_i,
    .value_o(value), .counts_o(counts), .carries_o(carries), .memory_error_o()
  );

  proof_reset u_reset (.rst_ni);

  function automatic value_t whole(input value_t segments, input counts_t counts);
    whole = segments;
    for (int unsigned k = 1; k < Segments; k++) begin
      whole += value_t'(counts[k]) << (k * Segment);
    end
  endfunction

  // No reset and no other value: arbitrary and constant.
  logic [ContextBits-1:0] watched_q;
  always_ff @(posedge clk_i) watched_q <= watched_q;

  // The watched context's turns of the last clocks, the newest first.
  logic       turn;
  logic [4:1] turn_q;
  logic [2:1] add_q;
  assign turn = turn_valid_i && turn_context_i == watched_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) turn_q <= '0;
    else turn_q <= {turn_q[3:1], turn};
  end
  always_ff @(posedge clk_i) add_q <= {add_q[1], turn_add_i};

  // The plain sum and its number of products. After a reset it is set before it is added to.
  localparam int unsigned NumberBits = $clog2(MostProducts + 2);
  logic                  set_q;
  value_t                sum_q;
  logic [NumberBits-1:0] number_q, number;
  counts_t               product_counts;
  always_comb begin
    for (int unsigned k = 1; k < Segments; k++) begin
      product_counts[k] = CountBits'(carries_i[k]);
      totals[k]         = counts[k] + CountBits'(carries[k]);
    end
  end
  assign number = (add_q[2] ? number_q : '0) + 1'b1;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) set_q <= 1'b0;
    else if (turn_q[2]) set_q <= 1'b1;
  end
  always_ff @(posedge clk_i) begin
    if (turn_q[2]) begin
      sum_q    <= (add_q[2] ? sum_q : '0) + whole(product_i, product_counts);
      number_q <= number;
    end
  end

  always_comb begin
    if (rst_ni) begin
      if (turn) assume (!turn_q[1] && !turn_q[3]);
      // The previous turn has set the sum, or will have.
      if (turn_q[2] && add_q[2]) assume (set_q && number <= NumberBits'(MostProducts));
      if (turn_q[3]) assert (whole(value, totals) == sum_q);
      cover (turn_q[3] && number_q == NumberBits'(MostProducts) && totals[1] > 2);
    end
  end

  if (Invariants) begin : gen_invariants
    function automatic value_t whole_of(input logic [SumBits-1:0] bits);
      counts_t counts;
      for (int unsigned k = 1; k < Segments; k++) begin
        counts[k] = bits[Width+Segments-1+(k-1)*CountBits+:CountBits] +
                    CountBits'(bits[Width+k-1]);
      end
      return whole(bits[Width-1:0], counts);
    endfunction
    // Each product brings at most two carries; the carries of the last addition are not counted
    // yet.
    function automatic logic fits(input logic [SumBits-1:0] bits);
      fits = 1'b1;
      for (int unsigned k = 1; k < Segments; k++) begin
        fits &= 32'(bits[Width+Segments-1+(k-1)*CountBits+:CountBits]) < 2 * 32'(number_q);
      end
    endfunction
    logic [SumBits-1:0] word;
    assign word = u_dut.u_sums.u_memory.words[watched_q];

    always_comb begin
      if (rst_ni && set_q) begin
        assert (number_q != '0 && number_q <= NumberBits'(MostProducts));
        if (turn_q[3]) assert (fits(u_dut.sum) && whole_of(u_dut.sum) == sum_q);
        else assert (fits(word) && whole_of(word) == sum_q);
        if (turn_q[4] && !turn_q[3]) begin
          assert (fits(u_dut.sum_before_q) && whole_of(u_dut.sum_before_q) == sum_q);
        end
      end
    end
  end
endmodule
