// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// secp256k1_divide: numerators / divisor modulo an odd Modulus, by shifts and subtractions.
//
// Binary division (engines/secp256k1/model/division.py): a, b = divisor, Modulus and, for each
// numerator, x, y = numerator, 0, with x * divisor = a * numerator and y * divisor = b * numerator
// modulo Modulus. A step halves an even a; otherwise it takes the smaller of a and b from the
// larger, which leaves it even, and halves that. At the end a = 0, b = 1 and y is the quotient.
// Each step takes a bit from a or b, so 2 * Width - 1 steps are enough.
//
// One division at a time. A step takes three clocks, so that no clock has more than one sum:
// Subtract (the differences, both ways of a and b), Judge (which one is positive, and the signs of
// the columns), then Halve (that one, and the columns back into [0, Modulus)). At most 6 * Width -
// 2 clocks from the operands to the quotients.
//
// numerators_i lie in [0, Modulus), divisor_i in [1, Modulus) and has no factor with Modulus.
module secp256k1_divide #(
  parameter int unsigned Width = 256,
  parameter logic [Width-1:0] Modulus =
      256'hffffffffffffffff_fffffffffffffffe_baaedce6af48a03b_bfd25e8cd0364141,
  parameter int unsigned Columns = 2
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

  // What is subtracted from an even a is nothing. From the state Judge on the columns' differences
  // stand with every bit inverted if the sides are swapped: the negative lacks its one, which Halve
  // adds.
  logic                        odd, swap_q;
  logic [Width:0]              difference_q, difference;             // signed
  logic [Width-1:0]            reverse_q, reverse;  // b - a, of use where that is positive
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
        Subtract: state_q <= a_q == '0 ? Done : Judge;
        Judge:    state_q <= Halve;
        Halve:    state_q <= Subtract;
        default:  if (out_ready_i) state_q <= Idle;
      endcase
    end
  end

  select_add #(.Width(Width + 1)) u_difference (
    .a_i({1'b0, a_q}), .b_i({1'b1, ~(b_q & {Width{odd}})}), .carry_i(1'b1), .sum_o(difference)
  );
  select_add #(.Width(Width)) u_reverse (
    .a_i(b_q), .b_i(~a_q), .carry_i(1'b1), .sum_o(reverse)
  );

  always_ff @(posedge clk_i) begin
    unique case (state_q)
      Idle: begin
        a_q <= divisor_i;
        b_q <= Modulus;
      end
      Subtract: {difference_q, reverse_q} <= {difference, reverse};
      Judge: begin
        swap_q <= difference_q[Width];
        if (difference_q[Width]) difference_q <= {1'b0, reverse_q};
      end
      Halve: begin
        a_q <= Width'(difference_q >> 1);
        if (swap_q) b_q <= a_q;
      end
      default: ;
    endcase
  end

  for (genvar k = 0; k < Columns; k++) begin : gen_column
    // The value to halve, v = d or -d: v, v + Modulus or v + 2 * Modulus is even and not negative.
    logic             odd_q, negative_q;
    logic [Width:0]   column_difference;
    logic [Width+1:0] added, total;
    always_comb begin
      if (odd_q) added = (Width+2)'(Modulus);
      else if (negative_q) added = (Width+2)'(Modulus) << 1;
      else added = '0;
    end

    select_add #(.Width(Width + 1)) u_difference (
      .a_i({1'b0, x_q[k]}), .b_i({1'b1, ~(y_q[k] & {Width{odd}})}), .carry_i(1'b1),
      .sum_o(column_difference)
    );
    select_add #(.Width(Width + 2)) u_total (
      .a_i({differences_q[k][Width], differences_q[k]}), .b_i(added), .carry_i(swap_q),
      .sum_o(total)
    );

    always_ff @(posedge clk_i) begin
      unique case (state_q)
        Idle: begin
          x_q[k] <= numerators_i[k];
          y_q[k] <= '0;
        end
        Subtract: differences_q[k] <= column_difference;
        Judge: begin
          odd_q      <= differences_q[k][0];
          negative_q <= difference_q[Width]
              ? !differences_q[k][Width] && differences_q[k] != '0 : differences_q[k][Width];
          differences_q[k] <= differences_q[k] ^ {(Width + 1){difference_q[Width]}};
        end
        Halve: begin
          x_q[k] <= total[Width:1];
          if (swap_q) y_q[k] <= x_q[k];
        end
        default: ;
      endcase
    end
    logic unused_ends;
    assign unused_ends = ^{total[Width+1], total[0]};
  end

endmodule
