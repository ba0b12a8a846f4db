// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// ckks_burst: a run of beats of the card's memory as AXI4 bursts.
//
// A burst ends at the next multiple of MaxBeats beats or at the end of the run: so all but the
// first and the last are full, and none crosses 4 KiB or has more than 256 beats (AMBA AXI,
// A3.4.1), as long as MaxBeats beats divide 4 KiB. One burst a clock, from the clock behind the
// run's; a run is taken with the last burst of the one before.
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
  localparam int unsigned RoomBits = $clog2(MaxBeats) + 1;

  if (MaxBeats > 256 || MaxBeats * BeatBytes > 4096 || MaxBeats != 1 << $clog2(MaxBeats)
      || MaxBeats < 2) begin : gen_bad_beats
    $error("ckks_burst: MaxBeats is a power of two, at most 256 and 4 KiB");
  end

  typedef logic [AddressBits-BeatBits-1:0] place_t;
  typedef logic [RoomBits-1:0]             room_t;

  logic                 valid_q, ends, moves;
  place_t               place_q;  // in beats
  logic [CountBits-1:0] left_q;
  room_t                room, beats;

  // Up to the next multiple of MaxBeats.
  assign room  = room_t'(MaxBeats) - {1'b0, place_q[RoomBits-2:0]};
  assign ends  = left_q <= CountBits'(room);
  assign beats = ends ? room_t'(left_q) : room;
  assign moves = valid_q && burst_ready_i;

  assign run_ready_o     = !valid_q || (moves && ends);
  assign burst_valid_o   = valid_q;
  assign burst_address_o = {place_q, BeatBits'(0)};
  assign burst_length_o  = 8'(beats - 1'b1);
  assign burst_last_o    = ends;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) valid_q <= 1'b0;
    else if (run_ready_o) valid_q <= run_valid_i;
  end
  always_ff @(posedge clk_i) begin
    if (run_ready_o) begin
      place_q <= run_address_i[AddressBits-1:BeatBits];
      left_q  <= run_beats_i;
    end else if (moves) begin
      place_q <= place_q + place_t'(room);
      left_q  <= left_q - CountBits'(room);
    end
  end

  logic unused;
  assign unused = ^run_address_i[BeatBits-1:0];
endmodule
