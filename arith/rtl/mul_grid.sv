// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// mul_grid: a schoolbook product of tiles as a carry-save pair: sum_o + carry_o = a_i * b_i as
// integers (the sum of the two is below 2^(WidthA+WidthB)).
//
// One product per clock, arith_pkg::mul_grid_latency(...) clocks. One operand is cut into columns
// of TileA bits, the other into rows of TileB <= TileA, in the way that needs fewer tiles. Tiles
// two columns apart do not overlap, so a row of any length is two vectors: even and odd columns.
module mul_grid #(
  parameter int unsigned WidthA = 66,
  parameter int unsigned WidthB = 66,
  parameter int unsigned TileA = 26,
  parameter int unsigned TileB = 17
) (
  input  logic                     clk_i,
  input  logic [WidthA-1:0]        a_i,
  input  logic [WidthB-1:0]        b_i,
  output logic [WidthA+WidthB-1:0] sum_o,
  output logic [WidthA+WidthB-1:0] carry_o
);
  localparam bit Swapped = arith_pkg::grid_swapped(WidthA, WidthB, TileA, TileB);
  localparam int unsigned ColumnBits = Swapped ? WidthB : WidthA;
  localparam int unsigned RowBits = Swapped ? WidthA : WidthB;
  localparam int unsigned Columns = arith_pkg::ceil_div(ColumnBits, TileA);
  localparam int unsigned Rows = arith_pkg::ceil_div(RowBits, TileB);
  localparam int unsigned OutWidth = WidthA + WidthB;

  if (TileB > TileA) begin : gen_check
    $error("mul_grid: TileB (%0d) must not exceed TileA (%0d)", TileB, TileA);
  end

  logic [ColumnBits-1:0] x;
  logic [RowBits-1:0] y;
  logic [2*Rows-1:0][OutWidth-1:0] vectors;

  if (Swapped) begin : gen_swap
    assign {x, y} = {b_i, a_i};
  end else begin : gen_straight
    assign {x, y} = {a_i, b_i};
  end

  for (genvar row = 0; row < Rows; row++) begin : gen_row
    localparam int unsigned RowLow = row * TileB;
    localparam int unsigned BitsB = (row == Rows - 1) ? RowBits - RowLow : TileB;

    for (genvar column = 0; column < Columns; column++) begin : gen_column
      localparam int unsigned ColumnLow = column * TileA;
      localparam int unsigned BitsA = (column == Columns - 1) ? ColumnBits - ColumnLow : TileA;
      localparam int unsigned Vector = 2 * row + column % 2;
      // The bits of this tile's vector from here up to the next tile of the same parity.
      localparam int unsigned Low = RowLow + ColumnLow;
      localparam int unsigned Top = (column + 2 < Columns) ? Low + 2 * TileA : OutWidth;

      logic [BitsA+BitsB-1:0] product;
      mul_tile #(.WidthA(BitsA), .WidthB(BitsB)) u_tile (
        .clk_i, .a_i(x[ColumnLow+:BitsA]), .b_i(y[RowLow+:BitsB]), .product_o(product)
      );
      assign vectors[Vector][Top-1:Low] = (Top - Low)'(product);
      if (column < 2 && Low > 0) begin : gen_below
        assign vectors[Vector][Low-1:0] = '0;
      end
    end
    if (Columns == 1) begin : gen_no_odd
      assign vectors[2*row+1] = '0;
    end
  end

  compress #(.Operands(2 * Rows), .Width(OutWidth)) u_compress (
    .clk_i, .operands_i(vectors), .sum_o, .carry_o
  );
endmodule
