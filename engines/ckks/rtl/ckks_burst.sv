// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// ckks_burst: splits a run of beats of the card's memory into AXI4 bursts.
//
// A burst ends at the next multiple of MaxBeats beats or at the end of the run. All bursts except
// the first and the last are therefore full, and none crosses 4 KiB or has more than 256 beats
// (AMBA AXI, A3.4.1), if MaxBeats beats divide 4 KiB. One burst a clock, from the clock after the
// run's; a run is taken with the last burst of the previous one.
module ckks_burst #(
  parameter  int unsigned AddressBits = 34,
  parameter  int unsigned BeatBytes   = 64,
  parameter  int unsigned CountBits   = 16,  // of the beats of a run
  parameter  int unsigned MaxBeats    = 64,  // a power of two, at most 256 and 4 KiB
  localparam int unsigned BeatBits    = $clog2(BeatBytes)
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,

  input  logic                   run_valid_i,
  output logic                   run_ready_o,
  input  logic [AddressBits-1:0] run_address_i,  // a multiple of BeatBytes
  input  logic [CountBits-1:0]   run_beats_i,    // at least 1

  output logic                   burst_valid_o,
  input  logic                   burst_ready_i,
  output logic [AddressBits-1:0] burst_address_o,
  output logic [7:0]             burst_length_o,  // beats less one, as AXI counts them
  output logic                   burst_last_o     // of its run
);
  localparam int unsigned OffsetBits = $clog2(MaxBeats);  // of a beat after a multiple of MaxBeats
  localparam int unsigned ReachBits  = arith_pkg::maximum(CountBits, OffsetBits + 1) + 1;

  if (MaxBeats > 256 || MaxBeats * BeatBytes > 4096 || MaxBeats != 1 << $clog2(MaxBeats)
      || MaxBeats < 2) begin : gen_bad_beats
    $error("ckks_burst: MaxBeats is a power of two, at most 256 and 4 KiB");
  end

  typedef logic [AddressBits-BeatBits-1:0] place_t;
  typedef logic [OffsetBits-1:0]           offset_t;
  typedef logic [OffsetBits+1:0]           near_t;
  typedef logic [ReachBits-1:0]            reach_t;

  // All outputs of a burst come from registers, so that the receiver has the whole clock.
  logic    valid_q, moves, takes_run;
  place_t  place_q;   // in beats
  reach_t  reach_q;   // of the run, from the multiple of MaxBeats before place_q
  offset_t length_q;
  logic    ends_q;
  assign moves     = !valid_q || burst_ready_i;
  assign takes_run = !valid_q || ends_q;

  assign run_ready_o     = moves && takes_run;
  assign burst_valid_o   = valid_q;
  assign burst_address_o = {place_q, BeatBits'(0)};
  assign burst_length_o  = 8'(length_q);
  assign burst_last_o    = ends_q;

  // `true` if a burst ends its run, which then reaches at most the next multiple of MaxBeats: that
  // of the next run, or that of the current burst. (The low bits of the run's sum are enough, so
  // that the comparison does not wait for a long carry.)
  offset_t run_offset;
  near_t   run_near;
  reach_t  run_reach;
  logic    run_ends, more_ends, ends_next;
  assign run_offset = run_address_i[BeatBits+:OffsetBits];
  assign run_reach  = reach_t'(run_beats_i) + reach_t'(run_offset);
  assign run_near   = near_t'((OffsetBits + 1)'(run_beats_i)) + near_t'(run_offset);
  assign run_ends   = (run_beats_i >> (OffsetBits + 1)) == '0
                   && ((run_near >> OffsetBits) == '0 || run_near == near_t'(MaxBeats));
  assign more_ends  = (reach_q >> (OffsetBits + 1)) == '0 || reach_q == reach_t'(2 * MaxBeats);
  assign ends_next  = takes_run ? run_ends : more_ends;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) valid_q <= 1'b0;
    else if (run_ready_o) valid_q <= run_valid_i;
  end
  always_ff @(posedge clk_i) begin
    if (moves) begin
      place_q <= takes_run ? run_address_i[AddressBits-1:BeatBits]
               : {place_q[$bits(place_t)-1:OffsetBits] + 1'b1, OffsetBits'(0)};
      reach_q <= takes_run ? run_reach : reach_q - reach_t'(MaxBeats);
      ends_q  <= ends_next;
      // Up to its end, or to the next multiple of MaxBeats.
      if (!ends_next) length_q <= takes_run ? ~run_offset : '1;
      else length_q <= (takes_run ? offset_t'(run_beats_i) : offset_t'(reach_q)) - 1'b1;
    end
  end

  logic unused;
  assign unused = ^run_address_i[BeatBits-1:0];
endmodule
