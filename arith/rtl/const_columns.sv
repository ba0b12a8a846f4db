// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// const_columns: the columns Low to High - 1 of x_i * Constant, from tiles, as 2 * Rows vectors to
// be added: bit b of a vector has the weight 2^(Low + b).
//
// One product per clock, arith_pkg::TileLatency clocks. x_i is cut into columns of TileA bits, the
// constant into rows of TileB. Tiles two columns apart do not overlap, so a row is two vectors (as
// in mul_grid). Tiles without a bit in these columns are left out.
//
// Each vector is its tiles' plain sum, without the bits below Low, which are less than 2^Low per
// vector, and modulo 2^High. So, with Low = 0 the vectors' sum is the product modulo 2^High.
// Otherwise with High above the product it is less than the product by less than 2 * Rows * 2^Low.
module const_columns #(
  parameter  int unsigned             InWidth      = 384,
  parameter  int unsigned             ConstantBits = 381,
  parameter  logic [ConstantBits-1:0] Constant     = ConstantBits'(arith_pkg::Bls12BaseModulus),
  parameter  int unsigned             Low          = 378,
  parameter  int unsigned             High         = 769,
  parameter  int unsigned             TileA        = 26,
  parameter  int unsigned             TileB        = 17,
  localparam int unsigned             Rows         = arith_pkg::ceil_div(ConstantBits, TileB)
) (
  input  logic                            clk_i,
  input  logic [InWidth-1:0]              x_i,
  output logic [2*Rows-1:0][High-Low-1:0] vectors_o
);
  localparam int unsigned Columns = arith_pkg::ceil_div(InWidth, TileA);

  if (TileB > TileA || Low >= High || Columns < 2) begin : gen_check
    $error("const_columns: tiles %0d x %0d, columns %0d to %0d", TileA, TileB, Low, High);
  end

  // The end of a tile, and 1 if it has bits in the columns.
  function automatic int unsigned top_of(input int unsigned row, input int unsigned column);
    return arith_pkg::minimum((column + 1) * TileA, InWidth) +
           arith_pkg::minimum((row + 1) * TileB, ConstantBits);
  endfunction
  function automatic bit is_kept(input int unsigned row, input int unsigned column);
    return column * TileA + row * TileB < High && top_of(row, column) > Low;
  endfunction
  // The first kept tile of a vector; Columns or more if it has none.
  function automatic int unsigned first_of(input int unsigned row, input int unsigned parity);
    int unsigned column;
    column = parity;
    while (column < Columns && !is_kept(row, column)) column = column + 2;
    return column;
  endfunction

  for (genvar row = 0; row < Rows; row++) begin : gen_row
    localparam int unsigned RowLow = row * TileB;
    localparam int unsigned BitsB = arith_pkg::minimum(ConstantBits - RowLow, TileB);

    for (genvar parity = 0; parity < 2; parity++) begin : gen_parity
      localparam int unsigned First = first_of(row, parity);
      if (First >= Columns) begin : gen_empty
        assign vectors_o[2*row+parity] = '0;
      end else begin : gen_below
        localparam int unsigned Start = First * TileA + RowLow;
        if (Start > Low) begin : gen_zeros
          assign vectors_o[2*row+parity][Start-Low-1:0] = '0;
        end
      end
    end

    for (genvar column = 0; column < Columns; column++) begin : gen_column
      if (is_kept(row, column)) begin : gen_kept
        localparam int unsigned ColumnLow = column * TileA;
        localparam int unsigned BitsA = arith_pkg::minimum(InWidth - ColumnLow, TileA);
        localparam int unsigned TileLow = ColumnLow + RowLow;
        localparam int unsigned From = arith_pkg::maximum(TileLow, Low);
        localparam int unsigned To = arith_pkg::minimum(top_of(row, column), High);
        // Up to the next tile of the same parity.
        localparam int unsigned End =
            column + 2 < Columns ? arith_pkg::minimum(TileLow + 2 * TileA, High) : High;

        logic [BitsA+BitsB-1:0] product;
        mul_tile #(.WidthA(BitsA), .WidthB(BitsB)) u_tile (
          .clk_i, .a_i(x_i[ColumnLow+:BitsA]), .b_i(Constant[RowLow+:BitsB]), .product_o(product)
        );
        assign vectors_o[2*row+column%2][From-Low+:End-From] =
            (End - From)'(product[To-TileLow-1:From-TileLow]);
        logic unused_product;
        assign unused_product = ^product;
      end
    end
  end

  logic unused_x;
  assign unused_x = ^x_i;
endmodule
