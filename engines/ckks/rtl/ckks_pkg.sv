// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// ckks_pkg: residues, primes, ports and latencies of the CKKS units.
//
// A prime is q = k * 2^17 + 1 with k below 2^13, and is passed as k: -q^-1 is -1 modulo 2^17, so
// that a Montgomery step by 17 bits is T -> floor(T / 2^17) - (T mod 2^17) * k, one product of 17
// by 13 bits (ckks_montgomery_step). Two steps give T * 2^-34 modulo q.
package ckks_pkg;

  // verilator lint_off UNUSEDPARAM
  // A design seldom uses every constant here.
  localparam int unsigned ResidueBits = 30;
  localparam int unsigned StepBits    = 17;
  localparam int unsigned PrimeBits   = 13;  // of k

  // The largest number of products in a sum: 24 of residues, which is the largest number of sources
  // of a conversion, and one of a residue and a number below 2^5.
  localparam int unsigned MaxTerms = 25;
  // Two steps bring up to this number of products below q.
  localparam int unsigned EasyTerms = 16;
  localparam int unsigned ProductBits = 2 * ResidueBits;

  // The signed bits of the first factor in the multipliers, and those of the rest's product with
  // the second factor (ckks_rows). A DSP slice adds 48 bits.
  localparam int unsigned TileBits  = 27;
  localparam int unsigned RowsBits  = ResidueBits + ResidueBits - TileBits + 1;
  localparam int unsigned SliceBits = 48;

  // Bits of a sum of products.
  function automatic int unsigned sum_bits(input int unsigned terms);
    return ProductBits + $clog2(terms);
  endfunction

  // From operands to result.
  localparam int unsigned RowsLatency    = 2;
  localparam int unsigned ProductLatency = RowsLatency + 3;
  localparam int unsigned StepLatency    = 2;
  // From a reduction's first step to its second: a register feeds the multiplier.
  localparam int unsigned SecondStep     = StepLatency + 1;
  localparam int unsigned AddLatency     = 2;

  function automatic int unsigned reduce_latency(input int unsigned terms);
    return SecondStep + StepLatency + ((terms > EasyTerms) ? 2 : 1);
  endfunction

  localparam int unsigned MultiplyLatency = ProductLatency + reduce_latency(1);
  // A stage of ckks_radix, and all of them.
  localparam int unsigned RadixStageLatency = MultiplyLatency + AddLatency;
  function automatic int unsigned radix_latency(input int unsigned log_radix);
    return log_radix * RadixStageLatency;
  endfunction

  localparam int unsigned ExchangeLatency = 2;
  localparam int unsigned FactorsLatency  = 3;

  // From a sum's last product to its residue, for the first column: the sums, their parts in a row,
  // the reduction and the choice of a fraction.
  localparam int unsigned ColumnsLatency = 3 + 3 + reduce_latency(MaxTerms) + 1;

  // Bits after the point of the quotients that a conversion rounds, and of the integer part.
  localparam int unsigned FractionBits = 59;
  localparam int unsigned WholeBits    = 5;

  // ---- The first row of a slot in ckks_scratchpad: neighboring slots lie in different partitions, as
  // long as a partition has room for a limb.
  function automatic int unsigned first_row(input logic [11:0] slot, input int unsigned log_rows,
                                            input int unsigned address_bits,
                                            input int unsigned log_partitions);
    int unsigned room, number;
    room   = address_bits - log_partitions;
    number = 32'(slot);
    if (log_rows > room) return number << log_rows;
    return ((number & ((1 << log_partitions) - 1)) << room)
         | ((number >> log_partitions) << log_rows);
  endfunction

  // ---- Ports of ckks_radix. Forward, multiplier m serves the m-th port that has a bit.
  function automatic int unsigned port_with(input int unsigned multiplier, input int unsigned place);
    int unsigned low;
    low = multiplier & ((1 << place) - 1);
    return ((multiplier >> place) << (place + 1)) | (1 << place) | low;
  endfunction

  // The inverse of port_with.
  function automatic int unsigned multiplier_at(input int unsigned port, input int unsigned place);
    return ((port >> (place + 1)) << place) | (port & ((1 << place) - 1));
  endfunction

  // A port with two bits swapped.
  function automatic int unsigned exchanged(input int unsigned port, input int unsigned one,
                                            input int unsigned other);
    int unsigned differ;
    differ = ((port >> one) ^ (port >> other)) & 1;
    return (one == other) ? port : port ^ (differ << one) ^ (differ << other);
  endfunction

  // The lowest `count` bits of a number, reversed.
  function automatic int unsigned reversed(input int unsigned value, input int unsigned count);
    int unsigned found;
    found = 0;
    for (int unsigned i = 0; i < count; i++) found |= ((value >> i) & 1) << (count - 1 - i);
    return found;
  endfunction

  typedef logic [ResidueBits-1:0] residue_t;
  typedef logic [PrimeBits-1:0]   prime_t;
  typedef logic signed [PrimeBits:0] minus_t;  // -k
  // verilator lint_on UNUSEDPARAM

endpackage
