// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// ckks_transform: the transform unit: limbs in banks, one row of all banks a clock, LogRadix stages
// a pass.
//
//   ckks_sequencer ─▶ read ─▶ ckks_exchange ─▶ ckks_radix ─▶ ckks_exchange ─▶ write
//                       └────────────── ckks_factors ┘
//
// A limb of N = 2^log_degree residues fills N / Lanes rows of the banks, in the layout of
// engines/ckks/model/layout.py; each bank has its own address. Forward: coefficients in order to
// values in bit-reversed order. Inverse: the opposite, N times too large.
//
// A job takes ceil(log_degree / LogRadix) passes of N / Lanes clocks; two jobs fill the unit if a
// pass has TransformLatency rows or more. Memory: read_row_o in clock t, read_word_i in clock t +
// 2; a word written in clock t is read by addresses of clock t + 1 and later.
module ckks_transform
  import ckks_pkg::*;
#(
  parameter  int unsigned LogLanes     = 5,
  parameter  int unsigned LogRadix     = 4,
  parameter  int unsigned MaxLogDegree = 16,
  parameter  int unsigned AddressBits  = 12,
  parameter  int unsigned TagBits      = 8,
  localparam int unsigned Lanes        = 1 << LogLanes,
  localparam int unsigned Ports        = 1 << LogRadix,
  localparam int unsigned Units        = Lanes / Ports,
  localparam int unsigned DegreeBits   = $clog2(MaxLogDegree + 1),
  localparam int unsigned RowBits      = MaxLogDegree - LogLanes,
  // Passes with lanes above them: each butterfly has its own factors.
  localparam int unsigned OwnPasses    = (LogLanes - 1) / LogRadix,
  localparam int unsigned OwnPassBits  = (OwnPasses > 1) ? $clog2(OwnPasses) : 0,
  localparam int unsigned OwnPassWidth = arith_pkg::maximum(OwnPassBits, 1),
  localparam int unsigned SharedBits   = RowBits + 2,
  localparam int unsigned OwnBits      = (OwnPasses == 0) ? 0 : 1 + OwnPassBits + RowBits,
  localparam int unsigned EntryBits    = arith_pkg::maximum(SharedBits, OwnBits)
) (
  input  logic                              clk_i,
  input  logic                              rst_ni,
  input  logic [DegreeBits-1:0]             log_degree_i,  // LogLanes < it; from a clock before the first job on

  input  logic                              job_valid_i,
  output logic                              job_ready_o,
  input  logic                              job_inverse_i,
  input  prime_t                            job_prime_i,
  input  logic                              job_buffer_i,
  input  logic [AddressBits-1:0]            job_source_i,  // of the limb's first row
  input  logic [AddressBits-1:0]            job_base_i,    // of the result's; may be the same
  input  logic [TagBits-1:0]                job_tag_i,
  output logic                              done_valid_o,
  output logic [TagBits-1:0]                done_tag_o,

  input  logic                              factor_valid_i,
  input  logic                              factor_shared_i,
  input  logic [Units-1:0]                  factor_units_i,  // of an own entry
  input  logic [EntryBits-1:0]              factor_entry_i,  // the buffer is its highest bit
  input  residue_t [Ports-1:0]              factor_words_i,

  output logic                              read_valid_o,
  output logic [Lanes-1:0][AddressBits-1:0] read_row_o,
  input  residue_t [Lanes-1:0]              read_word_i,
  output logic                              write_valid_o,
  output logic [Lanes-1:0][AddressBits-1:0] write_row_o,
  output residue_t [Lanes-1:0]              write_word_o
);
  localparam int unsigned Passes   = arith_pkg::ceil_div(MaxLogDegree, LogRadix);
  localparam int unsigned PassBits = $clog2(Passes + 1);

  // ---- A row, and its clocks -------------------------------------------------------------------
  localparam int unsigned AddressClocks = 1;  // from the row to its addresses
  localparam int unsigned ReadClocks    = 2;
  localparam int unsigned IntoStage     = AddressClocks + ReadClocks;       // into the first exchange
  localparam int unsigned RadixStage    = IntoStage + ExchangeLatency;
  localparam int unsigned OutStage      = RadixStage + radix_latency(LogRadix);
  localparam int unsigned WriteStage    = OutStage + ExchangeLatency;

  typedef struct packed {
    logic [PassBits-1:0]    pass;
    logic [LogRadix-1:0]    swap;
    logic [AddressBits-1:0] common;
  } place_t;

  logic                valid, inverse, which;
  logic [AddressBits-1:0] source;
  prime_t              prime;
  logic [RowBits-1:0]  row;
  logic [LogRadix-1:0] has_stage;
  place_t              place, into_place, out_place;
  logic [PassBits-1:0]    write_pass;
  logic [AddressBits-1:0] write_common;
  logic                write;

  ckks_sequencer #(
    .LogLanes(LogLanes), .LogRadix(LogRadix), .MaxLogDegree(MaxLogDegree),
    .AddressBits(AddressBits), .TagBits(TagBits)
  ) u_sequencer (
    .clk_i, .rst_ni, .log_degree_i,
    .job_valid_i, .job_ready_o, .job_inverse_i, .job_prime_i, .job_buffer_i, .job_source_i,
    .job_base_i, .job_tag_i,
    .valid_o(valid), .inverse_o(inverse), .prime_o(prime), .buffer_o(which),
    .pass_o(place.pass), .row_o(row), .common_o(place.common), .source_o(source),
    .swap_o(place.swap),
    .has_stage_o(has_stage),
    .written_i(write_valid_o), .done_valid_o, .done_tag_o
  );
  pipeline_delay #(.DataWidth($bits(place_t)), .Stages(IntoStage)) u_into (
    .clk_i, .data_i(place), .data_o(into_place)
  );
  pipeline_delay #(.DataWidth($bits(place_t)), .Stages(OutStage - IntoStage)) u_out (
    .clk_i, .data_i(into_place), .data_o(out_place)
  );
  pipeline_delay #(
    .DataWidth(PassBits + AddressBits), .Stages(WriteStage - 1 - OutStage)
  ) u_write (
    .clk_i, .data_i({out_place.pass, out_place.common}), .data_o({write_pass, write_common})
  );
  valid_delay #(.Stages(WriteStage - 1)) u_valid (.clk_i, .rst_ni, .valid_i(valid), .valid_o(write));

  // ---- Addresses of the banks ------------------------------------------------------------------
  // The bank's bits in the places of the pass's row bits.
  function automatic logic [AddressBits-1:0] of_bank(
      input int unsigned bank, input logic [PassBits-1:0] pass,
      input logic [MaxLogDegree-1:0] has_bit);
    of_bank = '0;
    for (int unsigned q = 0; q < Passes; q++) begin
      for (int unsigned i = q * LogRadix; i < (q + 1) * LogRadix && i < MaxLogDegree; i++) begin
        if (pass == PassBits'(q) && i >= LogLanes && has_bit[i]) begin
          of_bank[(i - LogLanes) % AddressBits] = ((bank >> (i % LogLanes)) & 1) == 1;
        end
      end
    end
  endfunction
  logic [MaxLogDegree-1:0] has_bit_q;  // of the index
  always_ff @(posedge clk_i) begin
    has_bit_q <= MaxLogDegree'((1 << log_degree_i) - 1);
    for (int unsigned b = 0; b < Lanes; b++) begin
      read_row_o[b]  <= source ^ of_bank(b, place.pass, has_bit_q);
      write_row_o[b] <= write_common ^ of_bank(b, write_pass, has_bit_q);
    end
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) {read_valid_o, write_valid_o} <= '0;
    else {read_valid_o, write_valid_o} <= {valid, write};
  end

  // ---- Factors ---------------------------------------------------------------------------------
  // An entry is shared by all butterflies if the pass reaches the end of the lanes.
  logic [PassBits-1:0]  pass;
  logic                 is_shared;
  logic [EntryBits-1:0] entry;
  assign pass = place.pass;
  // The rest of a shared entry: the block of the index above the pass, in place order.
  logic [Passes-1:0][EntryBits-1:0] blocks_q;
  always_ff @(posedge clk_i) begin
    for (int unsigned q = 0; q < Passes; q++) begin
      blocks_q[q] <= EntryBits'(1) << (int'(log_degree_i)
                   - arith_pkg::minimum((q + 1) * LogRadix, int'(log_degree_i)));
    end
  end
  always_comb begin
    is_shared = 1'b1;
    entry     = '0;
    for (int unsigned q = 0; q < Passes; q++) begin
      if (pass == PassBits'(q)) begin
        if ((q + 1) * LogRadix >= LogLanes) begin
          entry = blocks_q[q] | EntryBits'(row >> ((q + 1) * LogRadix - LogLanes));
          entry[SharedBits-1] = which;
        end else begin
          is_shared = 1'b0;
          entry = EntryBits'({OwnPassWidth'(q), row});
          entry[arith_pkg::maximum(OwnBits, 1)-1] = which;
        end
      end
    end
  end

  // Bit t of the ports needs its factors in the clock of its stage.
  logic [LogRadix-1:0]                is_shared_at;
  logic [LogRadix-1:0][EntryBits-1:0] entry_at;
  for (genvar t = 0; t < LogRadix; t++) begin : gen_bit
    localparam int unsigned Forward = RadixStage + (LogRadix - 1 - t) * RadixStageLatency
                                    - FactorsLatency;
    localparam int unsigned Inverse = RadixStage + AddLatency + t * RadixStageLatency
                                    - FactorsLatency;
    logic [EntryBits:0] forward, backward;
    pipeline_delay #(.DataWidth(EntryBits + 1), .Stages(Forward)) u_forward (
      .clk_i, .data_i({is_shared, entry}), .data_o(forward)
    );
    pipeline_delay #(.DataWidth(EntryBits + 1), .Stages(Inverse)) u_inverse (
      .clk_i, .data_i({is_shared, entry}), .data_o(backward)
    );
    assign {is_shared_at[t], entry_at[t]} = inverse ? backward : forward;
  end

  residue_t [Units-1:0][Ports-1:0] factors;
  ckks_factors #(
    .Units(Units), .LogRadix(LogRadix), .SharedBits(SharedBits), .OwnBits(OwnBits)
  ) u_factors (
    .clk_i, .write_valid_i(factor_valid_i), .write_shared_i(factor_shared_i),
    .write_units_i(factor_units_i), .write_entry_i(factor_entry_i), .write_words_i(factor_words_i),
    .read_shared_i(is_shared_at), .read_entry_i(entry_at), .words_o(factors)
  );

  // ---- Residues --------------------------------------------------------------------------------
  residue_t [Lanes-1:0] into_radix, from_radix;
  ckks_exchange #(
    .LogLanes(LogLanes), .LogRadix(LogRadix), .Passes(Passes), .ToPorts(1'b1)
  ) u_to_ports (
    .clk_i, .pass_i(into_place.pass), .inverse_i(inverse), .swap_i(into_place.swap),
    .word_i(read_word_i), .word_o(into_radix)
  );
  ckks_exchange #(
    .LogLanes(LogLanes), .LogRadix(LogRadix), .Passes(Passes), .ToPorts(1'b0)
  ) u_to_banks (
    .clk_i, .pass_i(out_place.pass), .inverse_i(inverse), .swap_i(out_place.swap),
    .word_i(from_radix), .word_o(write_word_o)
  );

  // Sums s skip their stage if the pass has fewer bits: forward those of the highest bits.
  prime_t              radix_prime;
  logic [LogRadix-1:0] skip, radix_skip;
  always_comb begin
    for (int unsigned s = 0; s < LogRadix; s++) begin
      skip[s] = inverse ? !has_stage[s] : !has_stage[LogRadix-1-s];
    end
  end
  pipeline_delay #(.DataWidth(PrimeBits + LogRadix), .Stages(RadixStage)) u_radix_row (
    .clk_i, .data_i({prime, skip}), .data_o({radix_prime, radix_skip})
  );

  for (genvar u = 0; u < Units; u++) begin : gen_unit
    residue_t [LogRadix-1:0][Ports/2-1:0] factor;
    for (genvar s = 0; s < LogRadix; s++) begin : gen_products
      localparam int unsigned Bit    = LogRadix - 1 - s;
      localparam int unsigned Before = (Bit + 1) % LogRadix;
      // Forward, these products serve bit Bit; inverse, the port's bit Before, which is bit Back.
      localparam int unsigned Back   = LogRadix - 1 - Before;
      for (genvar m = 0; m < Ports / 2; m++) begin : gen_factor
        localparam int unsigned Port   = port_with(m, Bit);
        localparam int unsigned Served = reversed(exchanged(Port, Bit, Before), LogRadix);
        assign factor[s][m] = inverse ? factors[u][(1 << (LogRadix - 1 - Back)) + (Served >> (Back + 1))]
                                      : factors[u][(1 << (LogRadix - 1 - Bit)) + (Port >> (Bit + 1))];
      end
    end
    ckks_radix #(.LogRadix(LogRadix)) u_radix (
      .clk_i, .inverse_i(inverse), .prime_i(radix_prime), .skip_i(radix_skip), .factor_i(factor),
      .word_i(into_radix[u*Ports+:Ports]), .word_o(from_radix[u*Ports+:Ports])
    );
  end
endmodule
