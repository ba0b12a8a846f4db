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
// One division at a time. A step takes two clocks, so that no clock has more than one carry chain:
// Subtract (the difference and its sign), then Halve (its absolute value, and the columns back into
// [0, Modulus)). At most 4 * Width + 1 clocks from the operands to the quotients.
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

  typedef enum logic [1:0] {
    Idle,
    Subtract,
    Halve,
    Done
  } state_e;

  state_e           state_q;
  logic [Width-1:0] a_q, b_q;
  logic [Columns-1:0][Width-1:0] x_q, y_q;

  // What is subtracted: nothing from an even a.
  logic           odd;
  logic [Width:0] difference_q;                // signed
  logic [Columns-1:0][Width:0] differences_q;  // signed, in (-Modulus, Modulus)
  logic           swap;

  assign odd         = a_q[0];
  assign swap        = difference_q[Width];
  assign in_ready_o  = state_q == Idle;
  assign out_valid_o = state_q == Done;
  assign quotients_o = y_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q <= Idle;
    end else begin
      unique case (state_q)
        Idle:     if (in_valid_i) state_q <= Subtract;
        Subtract: state_q <= a_q == '0 ? Done : Halve;
        Halve:    state_q <= Subtract;
        default:  if (out_ready_i) state_q <= Idle;
      endcase
    end
  end

  logic [Width-1:0] halved;
  logic             unused_low;
  logic [Width-1:0] magnitude;
  assign magnitude  = swap ? Width'(-difference_q) : difference_q[Width-1:0];
  assign halved     = magnitude >> 1;
  assign unused_low = magnitude[0];

  always_ff @(posedge clk_i) begin
    unique case (state_q)
      Idle: begin
        a_q <= divisor_i;
        b_q <= Modulus;
      end
      Subtract: difference_q <= {1'b0, a_q} - (odd ? {1'b0, b_q} : '0);
      Halve: begin
        a_q <= halved;
        if (swap) b_q <= a_q;
      end
      default: ;
    endcase
  end

  for (genvar k = 0; k < Columns; k++) begin : gen_column
    // The value to halve, v = d or -d: v, v + Modulus or v + 2 * Modulus is even and not negative.
    logic             negative, zero;
    logic [Width+1:0] value, added, total;
    assign zero     = differences_q[k] == '0;
    assign negative = swap ? !differences_q[k][Width] && !zero : differences_q[k][Width];
    assign value    = {differences_q[k][Width], differences_q[k]};
    always_comb begin
      if (differences_q[k][0]) added = (Width+2)'(Modulus);
      else if (negative) added = (Width+2)'(Modulus) << 1;
      else added = '0;
    end
    assign total = added + (swap ? ~value : value) + (Width+2)'(swap);

    always_ff @(posedge clk_i) begin
      unique case (state_q)
        Idle: begin
          x_q[k] <= numerators_i[k];
          y_q[k] <= '0;
        end
        Subtract: differences_q[k] <= {1'b0, x_q[k]} - (odd ? {1'b0, y_q[k]} : '0);
        Halve: begin
          x_q[k] <= total[Width:1];
          if (swap) y_q[k] <= x_q[k];
        end
        default: ;
      endcase
    end
    logic unused_ends;
    assign unused_ends = ^{total[Width+1], total[0]};
  end

endmodule
