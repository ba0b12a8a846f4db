// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// arith_pkg: moduli, and constant functions shared by the arithmetic modules and their users.
//
// A latency is the number of clocks from the clock in which operands are sampled to the clock in
// which the result can be sampled. The structure of a module and its latency function depend on the
// same few decisions below (the width of an addition in one clock, when a product is split into
// tiles, which constants are multiplied by shifts and adds), so a user never counts registers.
package arith_pkg;

  // verilator lint_off UNUSEDPARAM
  // verilator lint_off UNUSEDSIGNAL
  // A design rarely uses every constant here, nor a function every bit of a modulus.

  // BLS12-381 scalar field: r = x^4 - x^2 + 1 with x = -0xd201000000010000.
  localparam logic [255:0] FrModulus =
      256'h73eda753299d7d48_3339d80809a1d805_53bda402fffe5bfe_ffffffff00000001;
  // Stark field: p = 2^251 + 17 * 2^192 + 1.
  localparam logic [255:0] FeltModulus =
      256'h0800000000000011_0000000000000000_0000000000000000_0000000000000001;
  // The field of secp256k1: p = 2^256 - 2^32 - 977.
  localparam logic [255:0] Secp256k1Modulus =
      256'hffffffffffffffff_ffffffffffffffff_ffffffffffffffff_fffffffefffffc2f;
  // BLS12-381 base field: 3p = u^6 + 2 u^5 - 2 u^3 - u + 1 with u = 0xd201000000010000.
  localparam logic [383:0] Bls12BaseModulus =
      {192'h1a0111ea397fe69a_4b1ba7b6434bacd7_64774b84f38512bf,
       192'h6730d2a0f6b0f624_1eabfffeb153ffff_b9feffffffffaaab};

`ifdef HALIMEDE_LONG_CARRIES
  // For slow clocks: fewer registers, no selection among sums, and trees of carry chains, which
  // need less than half the wires of carry-save levels.
  localparam int unsigned SegmentWidth = 264;
  localparam int unsigned ChainWidth = 264;
  localparam bit PairTrees = 1'b1;
`else
  // The widest addition in one clock: 132 bits is the product of two 66-bit Karatsuba leaves.
  localparam int unsigned SegmentWidth = 132;
  // The longest carry chain within a clock; wider additions select among sums (select_add).
  localparam int unsigned ChainWidth = 72;
  localparam bit PairTrees = 1'b0;
`endif
  // Levels of 3:2 carry-save adders (one LUT each) between two registers.
  localparam int unsigned CompressLevels = 4;
  // A constant with at most this many non-zero digits is multiplied by shifts and adds.
  localparam int unsigned ShiftAddDigits = 4;

  localparam int unsigned TileLatency = 2;

  // The widest constant of the functions below.
  localparam int unsigned ConstantWidth = 400;
  typedef logic [ConstantWidth-1:0] constant_t;

  function automatic int unsigned ceil_div(input int unsigned a, input int unsigned b);
    return (a + b - 1) / b;
  endfunction

  function automatic int unsigned minimum(input int unsigned a, input int unsigned b);
    return (a < b) ? a : b;
  endfunction

  function automatic int unsigned maximum(input int unsigned a, input int unsigned b);
    return (a > b) ? a : b;
  endfunction

  // Number of bits of a constant without leading zeros; 0 for 0.
  function automatic int unsigned bit_length(input constant_t value);
    int unsigned length;
    length = 0;
    for (int unsigned i = 0; i < ConstantWidth; i++) if (value[i]) length = i + 1;
    return length;
  endfunction

  // The state of a CRC-32C (crc32c_beat) after a frame, its checksum and `zero_bytes` zero bytes.
  // It is the same for every frame, since the checksum cancels the state.
  function automatic logic [31:0] crc32c_residue(input int unsigned zero_bytes);
    crc32c_residue = '1;
    for (int unsigned i = 0; i < 8 * (4 + zero_bytes); i++) begin
      crc32c_residue = (crc32c_residue >> 1) ^ (crc32c_residue[0] ? 32'h82f6_3b78 : '0);
    end
  endfunction

  // ---- Non-adjacent form: constant = naf_plus - naf_minus, no two neighboring digits non-zero.

  function automatic constant_t naf_plus(input constant_t value);
    constant_t half, sum;
    half = value >> 1;
    sum  = value + half;
    return sum & ~half;
  endfunction

  function automatic constant_t naf_minus(input constant_t value);
    constant_t half, sum;
    half = value >> 1;
    sum  = value + half;
    return half & ~sum;
  endfunction

  // Non-zero digits below position `width`: those that matter for a product modulo 2^width.
  function automatic int unsigned naf_weight(input constant_t value, input int unsigned width);
    constant_t digits;
    int unsigned weight;
    digits = naf_plus(value) | naf_minus(value);
    weight = 0;
    for (int unsigned i = 0; i < ConstantWidth; i++) if (i < width && digits[i]) weight++;
    return weight;
  endfunction

  // The position of a non-zero digit; digit 0 is the lowest.
  function automatic int unsigned naf_position(input constant_t value, input int unsigned index);
    constant_t digits;
    int unsigned seen;
    digits = naf_plus(value) | naf_minus(value);
    seen = 0;
    naf_position = 0;
    for (int unsigned i = 0; i < ConstantWidth; i++) begin
      if (digits[i]) begin
        if (seen == index) naf_position = i;
        seen++;
      end
    end
  endfunction

  // The number that the digits from a position on represent.
  function automatic constant_t naf_above(input constant_t value, input int unsigned position);
    return ((naf_plus(value) >> position) << position)
           - ((naf_minus(value) >> position) << position);
  endfunction

  // ---- Sums.

  // Operands left after `levels` levels of 3:2 adders; never fewer than 2 (1 stays 1).
  function automatic int unsigned compressed(input int unsigned operands,
                                             input int unsigned levels);
    int unsigned left;
    left = operands;
    for (int unsigned i = 0; i < levels; i++) left = left - left / 3;
    return left;
  endfunction

  // The levels that leave two operands.
  function automatic int unsigned compress_levels(input int unsigned operands);
    int unsigned left;
    left            = operands;
    compress_levels = 0;
    while (left > 2) begin
      left = left - left / 3;
      compress_levels++;
    end
  endfunction

  function automatic int unsigned compress_latency(input int unsigned operands);
    int unsigned left, clocks;
    left   = operands;
    clocks = 0;
    while (left > 2) begin
      left = compressed(left, CompressLevels);
      clocks++;
    end
    return clocks;
  endfunction

  // 1 if a sum is a tree of additions of two operands, each with one chain.
  function automatic bit adds_in_pairs(input int unsigned operands, input int unsigned width);
    return PairTrees && operands > 3 && width <= SegmentWidth;
  endfunction

  // Three operands need no extra clock: one 3:2 level precedes the carry chain.
  function automatic int unsigned adder_tree_latency(input int unsigned operands,
                                                     input int unsigned width);
    int unsigned left, clocks;
    if (adds_in_pairs(operands, width)) begin
      left   = operands;
      clocks = 1;
      while (left > 3) begin
        left = (left + 1) / 2;
        clocks++;
      end
      return clocks;
    end
    return ((operands > 3) ? compress_latency(operands) : 0) + ceil_div(width, SegmentWidth);
  endfunction

  // ---- Products.

  // Tiles of a schoolbook product with a cut into pieces of tile_a bits and b into tile_b.
  function automatic int unsigned grid_tiles(input int unsigned width_a, input int unsigned width_b,
                                             input int unsigned tile_a, input int unsigned tile_b);
    return ceil_div(width_a, tile_a) * ceil_div(width_b, tile_b);
  endfunction

  // 1 if fewer tiles are needed when b, not a, is cut into the wide pieces.
  function automatic bit grid_swapped(input int unsigned width_a, input int unsigned width_b,
                                      input int unsigned tile_a, input int unsigned tile_b);
    return grid_tiles(width_b, width_a, tile_a, tile_b) <
           grid_tiles(width_a, width_b, tile_a, tile_b);
  endfunction

  // Rows of tiles. Each row gives two vectors, its even and its odd tiles.
  function automatic int unsigned grid_rows(input int unsigned width_a, input int unsigned width_b,
                                            input int unsigned tile_a, input int unsigned tile_b);
    return ceil_div(grid_swapped(width_a, width_b, tile_a, tile_b) ? width_a : width_b, tile_b);
  endfunction

  function automatic int unsigned mul_grid_latency(
      input int unsigned width_a, input int unsigned width_b, input int unsigned tile_a,
      input int unsigned tile_b);
    return TileLatency + compress_latency(2 * grid_rows(width_a, width_b, tile_a, tile_b));
  endfunction

  function automatic int unsigned mul_leaf_latency(
      input int unsigned width_a, input int unsigned width_b, input int unsigned interval,
      input int unsigned tile_a, input int unsigned tile_b);
    int unsigned slice;
    slice = ceil_div(width_b, interval);
    return mul_grid_latency(width_a, slice, tile_a, tile_b)
           + ((interval > 1) ? interval + 1 : 0) + ceil_div(width_a + width_b, SegmentWidth);
  endfunction

  // Products with an operand up to this width are schoolbook: below it Karatsuba saves no tile.
  function automatic int unsigned leaf_width(input int unsigned tile_a, input int unsigned tile_b);
    return maximum(2 * tile_a, 4 * tile_b);
  endfunction

  // Clocks from the operands to the three half products, at mul_wide's combination. The product of
  // the sums is the last: it starts a clock later, is the widest, and is folded the most.
  function automatic int unsigned karatsuba_latency(
      input int unsigned width, input int unsigned interval, input int unsigned tile_a,
      input int unsigned tile_b);
    int unsigned middle;
    middle = (width + 1) / 2 + 1;
    return 1 + mul_wide_latency(middle, middle, interval, tile_a, tile_b);
  endfunction

  // Follows the product of the sums down to its leaf. (A loop: Verilator evaluates a recursive
  // constant function with one set of local variables for all its calls.)
  function automatic int unsigned mul_wide_latency(
      input int unsigned width_a, input int unsigned width_b, input int unsigned interval,
      input int unsigned tile_a, input int unsigned tile_b);
    int unsigned a, b, width, clocks;
    a = width_a;
    b = width_b;
    clocks = 0;
    while (minimum(a, b) > leaf_width(tile_a, tile_b)) begin
      width  = maximum(a, b);
      clocks = clocks + 1 + adder_tree_latency(5, 2 * width - (width + 1) / 2);
      a = (width + 1) / 2 + 1;
      b = a;
    end
    return clocks + mul_leaf_latency(a, b, interval, tile_a, tile_b);
  endfunction

  // The clocks from segment 0 of a product to its last one: a skewed product comes that much
  // earlier (mul_wide).
  function automatic int unsigned skewed_product_clocks(input int unsigned width);
    return ceil_div(2 * width - (width + 1) / 2, SegmentWidth) - 1;
  endfunction

  // ---- Products by a constant.

  // Operands of the sum that replaces a product by a constant with few digits: the digits, the
  // correction for negative ones, and the addend.
  function automatic int unsigned shift_add_operands(
      input constant_t constant, input int unsigned out_width, input bit has_addend);
    constant_t minus;
    minus = naf_minus(constant) & ((constant_t'(1) << out_width) - constant_t'(1));
    return naf_weight(constant, out_width) + ((minus != '0) ? 1 : 0) + (has_addend ? 1 : 0);
  endfunction

  function automatic bit is_shift_add(input constant_t constant, input int unsigned out_width);
    return naf_weight(constant, out_width) <= ShiftAddDigits;
  endfunction

  function automatic int unsigned const_mul_latency(
      input int unsigned width, input constant_t constant, input int unsigned out_width,
      input bit has_addend, input int unsigned interval, input int unsigned tile_a,
      input int unsigned tile_b);
    if (is_shift_add(constant, out_width)) begin
      return adder_tree_latency(shift_add_operands(constant, out_width, has_addend), out_width);
    end
    return mul_wide_latency(bit_length(constant), width, interval, tile_a, tile_b)
           + (has_addend ? adder_tree_latency(2, out_width) : 0);
  endfunction

  // On skewed numbers: a balanced tree over the digits, of sums of up to `operands` numbers.
  function automatic int unsigned skew_scale_latency(
      input constant_t constant, input int unsigned out_width, input int unsigned operands = 2);
    int unsigned reached, clocks;
    reached = 1;
    clocks  = 0;
    while (reached < naf_weight(constant, out_width)) begin
      reached = reached * operands;
      clocks++;
    end
    return clocks;
  endfunction

  // ---- Reduction.

  // Bits removed in a round of the Montgomery reduction: more if the modulus is 1 in that many low
  // bits, since the quotient then needs no product.
  function automatic int unsigned montgomery_round_width(input constant_t modulus);
    return (modulus[127:0] == 128'd1) ? 128 : 64;
  endfunction

  // -modulus^-1 mod 2^bits by Newton's iteration; each step doubles the number of correct bits.
  function automatic constant_t negative_inverse(input constant_t modulus,
                                                 input int unsigned bits);
    constant_t inverse, mask;
    mask    = (constant_t'(1) << bits) - constant_t'(1);
    inverse = constant_t'(1);
    for (int unsigned i = 0; i < 9; i++) begin
      inverse = (inverse * (constant_t'(2) - modulus * inverse)) & mask;
    end
    return (constant_t'(0) - inverse) & mask;
  endfunction

  // The product q * (modulus >> bits) in a round is a carry-save pair from bare tiles.
  function automatic bit montgomery_uses_grid(input constant_t modulus, input int unsigned width,
                                              input int unsigned interval);
    return interval == 1 && !is_shift_add(modulus >> montgomery_round_width(modulus), width);
  endfunction

  // Clocks from the quotient to the two products by the parts of the modulus.
  function automatic int unsigned montgomery_product_latency(
      input int unsigned width, input constant_t modulus, input int unsigned interval,
      input int unsigned tile_a, input int unsigned tile_b);
    constant_t high, low;
    int unsigned bits;
    bits = montgomery_round_width(modulus);
    high = modulus >> bits;
    low  = modulus & ((constant_t'(1) << bits) - constant_t'(1));
    return maximum(
        montgomery_uses_grid(modulus, width, interval)
            ? mul_grid_latency(bit_length(high), bits, tile_a, tile_b)
            : const_mul_latency(bits, high, bits + bit_length(high), 1'b0, interval, tile_a,
                                tile_b),
        const_mul_latency(bits, low, bits + bit_length(low) + 2, 1'b1, interval, tile_a, tile_b));
  endfunction

  function automatic int unsigned montgomery_quotient_latency(
      input constant_t modulus, input int unsigned interval, input int unsigned tile_a,
      input int unsigned tile_b);
    int unsigned bits;
    bits = montgomery_round_width(modulus);
    return const_mul_latency(bits, negative_inverse(modulus, bits), bits, 1'b0, interval, tile_a,
                             tile_b);
  endfunction

  function automatic int unsigned montgomery_round_latency(
      input int unsigned width, input constant_t modulus, input int unsigned interval,
      input int unsigned tile_a, input int unsigned tile_b);
    return adder_tree_latency(3, montgomery_round_width(modulus) + 2)
           + montgomery_quotient_latency(modulus, interval, tile_a, tile_b)
           + montgomery_product_latency(width, modulus, interval, tile_a, tile_b)
           + compress_latency(6);
  endfunction

  // Without tiles, the reduction by FrModulus is a special one with shifts and additions.
  localparam int unsigned Bls12ScaleLatency = 2;
  localparam int unsigned Bls12ReduceLatency = 18;

  function automatic bit uses_bls12_reduce(input int unsigned width, input constant_t modulus,
                                           input bit reduce_tiles);
    return !reduce_tiles && width == 256 && modulus == constant_t'(FrModulus);
  endfunction

  // The same by Bls12BaseModulus (bls12_base_reduce), in two rounds of a digit each.
  localparam int unsigned Bls12BaseSegment = 64;
  localparam int unsigned Bls12BaseDigit = 192;
  localparam int unsigned Bls12BaseScaleLatency = 2;
  localparam int unsigned Bls12BaseRoundLatency = 21;
  localparam int unsigned Bls12BaseReduceLatency = 47;

  function automatic bit uses_bls12_base_reduce(input int unsigned width, input constant_t modulus,
                                                input bit reduce_tiles);
    return !reduce_tiles && width == 384 && modulus == constant_t'(Bls12BaseModulus);
  endfunction

  // 1 / (3 * Bls12BaseModulus) mod 2^Bls12BaseDigit.
  function automatic constant_t bls12_base_inverse();
    return (constant_t'(1) << Bls12BaseDigit)
           - negative_inverse(constant_t'(3) * constant_t'(Bls12BaseModulus), Bls12BaseDigit);
  endfunction

  // The multiple of the modulus that bounds the input of the last subtraction, after the rounds on
  // a value < 2^extra_bits * modulus^2. As modulus < 2^bit_length, the value's high half is below
  // 2^(extra_bits - width + bit_length) * modulus; added to it are 3 times the modulus, or once.
  function automatic int unsigned montgomery_multiples(
      input int unsigned width, input constant_t modulus, input int unsigned extra_bits,
      input bit reduce_tiles);
    return (uses_bls12_base_reduce(width, modulus, reduce_tiles) ? 3 : 1)
           + maximum(1, (1 << extra_bits) >> (width - bit_length(modulus)));
  endfunction

  function automatic int unsigned montgomery_reduce_latency(
      input int unsigned width, input constant_t modulus, input int unsigned extra_bits,
      input int unsigned interval, input int unsigned tile_a, input int unsigned tile_b,
      input bit reduce_tiles);
    if (uses_bls12_reduce(width, modulus, reduce_tiles)) begin
      return Bls12ReduceLatency + small_reduce_latency(width);
    end
    if (uses_bls12_base_reduce(width, modulus, reduce_tiles)) begin
      return Bls12BaseReduceLatency + small_reduce_latency(width);
    end
    return (width / montgomery_round_width(modulus))
           * montgomery_round_latency(width, modulus, interval, tile_a, tile_b)
           + adder_tree_latency(2, width + extra_bits + 1) + small_reduce_latency(width);
  endfunction

  // Table, two parallel subtractions, selection.
  function automatic int unsigned small_reduce_latency(input int unsigned width);
    return 1 + adder_tree_latency(2, width + 1) + 1;
  endfunction

  // 2^width modulo a modulus of `width` bits.
  function automatic constant_t fold_constant(input int unsigned width, input constant_t modulus);
    return (constant_t'(1) << width) - modulus;
  endfunction

  // The vectors of a fold: the low half, and the high half once for each bit of the constant.
  function automatic int unsigned fold_operands(input int unsigned width, input constant_t modulus);
    constant_t rest;
    int unsigned count;
    rest  = fold_constant(width, modulus);
    count = 1;
    for (int unsigned i = 0; i < ConstantWidth; i++) if (rest[i]) count = count + 1;
    return count;
  endfunction

  // Width of the result of the first fold of 2 * width + extra_bits bits.
  function automatic int unsigned fold_width(input int unsigned width, input constant_t modulus,
                                             input int unsigned extra_bits);
    return width + extra_bits + bit_length(fold_constant(width, modulus)) + 1;
  endfunction

  function automatic int unsigned fold_reduce_latency(
      input int unsigned width, input constant_t modulus, input int unsigned extra_bits);
    int unsigned operands;
    operands = fold_operands(width, modulus);
    return adder_tree_latency(operands, fold_width(width, modulus, extra_bits))
           + compress_latency(operands) + adder_tree_latency(3, width + 1) + 1;
  endfunction

  // ---- Products and sums with saved carries (mul_saved): by folds, or by Montgomery's reduction.

  // The bits that are added without a carry from below.
  localparam int unsigned SavedSegment = 132;
  // The chains of an addition of a whole residue within a clock (fold_finish).
  localparam int unsigned FinishChainWidth = 52;
  localparam int unsigned FoldFinishLatency = 2;
  localparam int unsigned SavedFoldLatency = 2 + FoldFinishLatency;
  localparam int unsigned SavedSumLatency = 3 + FoldFinishLatency;
  // The chains of mul_saved if its limbs are longer than ChainWidth.
  localparam int unsigned LimbChainWidth = 52;
  // The chains of montgomery_saved and quotient_finish.
  localparam int unsigned QuotientChainWidth = 52;
  localparam int unsigned QuotientFinishLatency = 3;
  // The factor of the modulus in five clocks, its product in three.
  localparam int unsigned SavedMontgomeryLatency = 8 + QuotientFinishLatency;
  localparam int unsigned SavedMontgomerySumLatency = 1 + QuotientFinishLatency;
  localparam int unsigned SavedAccumulatorLatency = 1;

  // Sums of limbs, the leaves (tiles and an addition), a compression, an addition.
  function automatic int unsigned saved_mul_latency(
      input int unsigned width, input int unsigned tile_a, input int unsigned tile_b);
    return 1 + mul_grid_latency(width / 4 + 2, width / 4 + 2, tile_a, tile_b) + 3;
  endfunction

  function automatic int unsigned saved_reduce_latency(input bit folds);
    return folds ? SavedFoldLatency : SavedMontgomeryLatency;
  endfunction

  function automatic int unsigned saved_sum_latency(input bit folds);
    return folds ? SavedSumLatency : SavedMontgomerySumLatency;
  endfunction

  // The multiple of the modulus that bounds the sum of montgomery_saved: that of a sum of products
  // below 2^extra_bits * modulus^2, and of an offset of modulus * 2^width for each of them.
  function automatic int unsigned saved_multiples(
      input int unsigned width, input constant_t modulus, input int unsigned extra_bits,
      input int unsigned products);
    return montgomery_multiples(width, modulus, extra_bits, 1'b1) + products;
  endfunction

  // Clocks from a product to its sum with the accumulated value (field_core_accumulator), or to the
  // sum's first segment.
  function automatic int unsigned accumulator_latency(
      input int unsigned width, input int unsigned extra_bits, input bit skewed = 1'b0);
    return skewed ? 1 : ceil_div(2 * width + extra_bits, SegmentWidth);
  endfunction

  // Coefficients, sum of eight vectors (up to 25 times the modulus), reduction.
  function automatic int unsigned linear_sum_latency(input int unsigned width = 256);
    return 1 + adder_tree_latency(8, width + 5) + small_reduce_latency(width);
  endfunction

  function automatic int unsigned mod_mul_latency(
      input int unsigned width, input constant_t modulus, input int unsigned interval,
      input int unsigned tile_a, input int unsigned tile_b, input bit reduce_tiles);
    return mul_wide_latency(width, width, interval, tile_a, tile_b)
           + montgomery_reduce_latency(width, modulus, 0, interval, tile_a, tile_b, reduce_tiles);
  endfunction

  localparam int unsigned ModAddLatency = 2;

  // verilator lint_on UNUSEDSIGNAL
  // verilator lint_on UNUSEDPARAM
endpackage
