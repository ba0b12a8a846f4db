// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// mod_divide: numerators / divisor modulo an odd Modulus, by shifts and subtractions.
//
// Binary division (engines/secp256k1/model/division.py): a, b = divisor, Modulus and, for each
// numerator, x, y = numerator, 0, with x * divisor = a * numerator and y * divisor = b * numerator
// modulo Modulus. A step halves an even a; otherwise it subtracts the smaller of a and b from the
// larger, so that the difference is even, and halves that. At the end a = 0, b = 1 and y is the
// quotient. Each step removes a bit from a or b, so 2 * Width - 1 steps suffice.
//
// One division at a time. A step takes three clocks, so that no clock has more than one sum:
// Subtract (both differences of a and b), Judge (the positive one, and the signs of the columns),
// then Halve (the difference, and the columns back into [0, Modulus)). At most 6 * Width - 2 clocks
// from the operands to the quotients.
//
// With SumClocks = 2, for wide numbers, each sum has two clocks, and an even a is halved without a
// difference: a step takes five or three clocks. For random numbers each case is half of the steps.
//
// numerators_i are in [0, Modulus); divisor_i is in [0, Modulus) and has no common factor with
// Modulus. The quotients by 0 are 0.
module mod_divide #(
  parameter int unsigned Width = 256,
  parameter logic [Width-1:0] Modulus =  // odd; the order of secp256k1
      256'hffffffffffffffff_fffffffffffffffe_baaedce6af48a03b_bfd25e8cd0364141,
  parameter int unsigned Columns = 2,    // numerators
  parameter int unsigned SumClocks = 1   // 1 or 2
) (
  input  logic                          clk_i,
  input  logic                          rst_ni,

  input  logic                          in_valid_i,
  output logic                          in_ready_o,
  input  logic [Width-1:0]              divisor_i,
  input  logic [Columns-1:0][Width-1:0] numerators_i,

  output logic                          out_valid_o,
  input  logic                          out_ready_i,
  output logic [Columns-1:0][Width-1:0] quotients_o
);
  localparam bit Late = SumClocks == 2;

  typedef enum logic [2:0] {
    Idle,
    Subtract,
    Judge,
    Halve,
    Done
  } state_e;

  state_e           state_q;
  logic [Width-1:0] a_q, b_q;
  logic [Columns-1:0][Width-1:0] x_q, y_q;
  logic             summed;    // the sums are available
  logic             zero;      // a is 0
  logic             skips;     // an even a, which is halved unchanged

  // From an even a, 0 is subtracted. If the sides are swapped, every bit of the columns'
  // differences is inverted from the state Judge on: the negative lacks 1, which Halve adds.
  logic                        odd, swap_q;
  logic [Width:0]              difference_q, difference;             // signed
  logic [Width-1:0]            reverse_q, reverse;  // b - a, used if it is positive
  logic [Columns-1:0][Width:0] differences_q;  // signed, in (-Modulus, Modulus)

  assign odd         = a_q[0];
  assign in_ready_o  = state_q == Idle;
  assign out_valid_o = state_q == Done;
  assign quotients_o = y_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q <= Idle;
    end else begin
      unique case (state_q)
        Idle:     if (in_valid_i) state_q <= Subtract;
        Subtract:
          if (zero) state_q <= Done;
          else if (skips) state_q <= Halve;
          else if (summed) state_q <= Judge;
        Judge:    state_q <= Halve;
        Halve:    if (summed) state_q <= Subtract;
        default:  if (out_ready_i) state_q <= Idle;
      endcase
    end
  end

  logic [Width:0]   subtrahend;
  logic [Width-1:0] minuend;
  assign subtrahend = {1'b1, ~(b_q & {Width{odd}})};
  assign minuend    = ~a_q;

  if (Late) begin : gen_late
    // 1 if a was 0 a clock ago. In the first clock of Subtract that is the a of the previous step:
    // so a 0 is halved once more, which changes neither it nor y.
    localparam int unsigned Parts = arith_pkg::ceil_div(Width, 16);
    logic [Parts-1:0] parts_q;
    logic             summed_q;  // the operands have been stable for a clock
    always_ff @(posedge clk_i) begin
      for (int unsigned k = 0; k < Parts; k++) begin
        parts_q[k] <= state_q == Idle || 16'((16*Parts)'(a_q) >> (16 * k)) != '0;
      end
    end
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) summed_q <= 1'b0;
      else summed_q <= !summed_q && (state_q == Halve || (state_q == Subtract && !skips));
    end
    assign summed = summed_q;
    assign zero   = parts_q == '0;
    assign skips  = !odd;

    registered_add #(.Width(Width + 1)) u_difference (
      .clk_i, .a_i({1'b0, a_q}), .b_i(subtrahend), .carry_i(1'b1), .sum_o(difference)
    );
    registered_add #(.Width(Width)) u_reverse (
      .clk_i, .a_i(b_q), .b_i(minuend), .carry_i(1'b1), .sum_o(reverse)
    );
  end else begin : gen_early
    assign summed   = 1'b1;
    assign zero     = a_q == '0;
    assign skips    = 1'b0;

    select_add #(.Width(Width + 1)) u_difference (
      .a_i({1'b0, a_q}), .b_i(subtrahend), .carry_i(1'b1), .sum_o(difference)
    );
    select_add #(.Width(Width)) u_reverse (
      .a_i(b_q), .b_i(minuend), .carry_i(1'b1), .sum_o(reverse)
    );
  end

  always_ff @(posedge clk_i) begin
    unique case (state_q)
      Idle: begin
        a_q <= divisor_i;
        b_q <= Modulus;
      end
      Subtract: begin
        {difference_q, reverse_q} <= {skips ? {1'b0, a_q} : difference, reverse};
        if (skips) swap_q <= 1'b0;
      end
      Judge: begin
        swap_q <= difference_q[Width];
        if (difference_q[Width]) difference_q <= {1'b0, reverse_q};
      end
      Halve: if (summed) begin
        a_q <= Width'(difference_q >> 1);
        if (swap_q) b_q <= a_q;
      end
      default: ;
    endcase
  end

  for (genvar k = 0; k < Columns; k++) begin : gen_column
    // The value to halve, v = d or -d: v, v + Modulus or v + 2 * Modulus is even and not negative.
    logic             odd_q, negative_q;
    logic [Width:0]   column_difference, column_subtrahend;
    logic [Width+1:0] added, total;
    assign column_subtrahend = {1'b1, ~(y_q[k] & {Width{odd}})};
    always_comb begin
      if (odd_q) added = (Width+2)'(Modulus);
      else if (negative_q) added = (Width+2)'(Modulus) << 1;
      else added = '0;
    end

    if (Late) begin : gen_late
      registered_add #(.Width(Width + 1)) u_difference (
        .clk_i, .a_i({1'b0, x_q[k]}), .b_i(column_subtrahend), .carry_i(1'b1),
        .sum_o(column_difference)
      );
      registered_add #(.Width(Width + 2)) u_total (
        .clk_i, .a_i({differences_q[k][Width], differences_q[k]}), .b_i(added), .carry_i(swap_q),
        .sum_o(total)
      );
    end else begin : gen_early
      select_add #(.Width(Width + 1)) u_difference (
        .a_i({1'b0, x_q[k]}), .b_i(column_subtrahend), .carry_i(1'b1), .sum_o(column_difference)
      );
      select_add #(.Width(Width + 2)) u_total (
        .a_i({differences_q[k][Width], differences_q[k]}), .b_i(added), .carry_i(swap_q),
        .sum_o(total)
      );
    end

    always_ff @(posedge clk_i) begin
      unique case (state_q)
        Idle: begin
          x_q[k] <= numerators_i[k];
          y_q[k] <= '0;
        end
        Subtract: begin
          differences_q[k] <= skips ? {1'b0, x_q[k]} : column_difference;
          if (skips) {odd_q, negative_q} <= {x_q[k][0], 1'b0};
        end
        Judge: begin
          odd_q      <= differences_q[k][0];
          negative_q <= difference_q[Width]
              ? !differences_q[k][Width] && differences_q[k] != '0 : differences_q[k][Width];
          differences_q[k] <= differences_q[k] ^ {(Width + 1){difference_q[Width]}};
        end
        Halve: if (summed) begin
          x_q[k] <= total[Width:1];
          if (swap_q) y_q[k] <= x_q[k];
        end
        default: ;
      endcase
    end
    logic unused_ends;
    assign unused_ends = ^{total[Width+1], total[0]};
  end

  if (SumClocks < 1 || SumClocks > 2) begin : gen_bad_clocks
    $error("mod_divide: SumClocks = %0d is not 1 or 2", SumClocks);
  end
endmodule
