// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// ckks_load: moves limbs from beats of the card's memory to the banks.
//
// A beat has Words words of 32 bits, one residue each, in the order of the limb; a row has Lanes /
// Words groups of Words residues. A limb may be shortened in memory, with one residue for
// 2^job_run_i places of a row: a beat then serves 2^job_run_i groups, and a limb of less than a
// beat has one beat. Each clock writes Words residues of one row and group to the banks of
// engines/ckks/model/layout.py, where only the row's fold changes a lane's group and its place in
// the group. Writes wait for write_ready_i.
//
// A limb with a beat that was marked with an error is still written, and the error is reported at
// its end. Cycles: a beat's first write comes three clocks after it.
module ckks_load
  import ckks_pkg::*;
#(
  parameter  int unsigned LogLanes     = 3,
  parameter  int unsigned MaxLogDegree = 16,
  parameter  int unsigned AddressBits  = 12,
  parameter  int unsigned TagBits      = 8,
  localparam int unsigned Lanes        = 1 << LogLanes,
  localparam int unsigned Words        = arith_pkg::minimum(Lanes, 16),
  localparam int unsigned Groups       = Lanes / Words,
  localparam int unsigned GroupBits    = (Groups > 1) ? $clog2(Groups) : 1,
  localparam int unsigned DegreeBits   = $clog2(MaxLogDegree + 1)
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,
  input  logic [DegreeBits-1:0]  log_degree_i,  // LogLanes < it; stable while a job is present

  input  logic                   job_valid_i,
  output logic                   job_ready_o,
  input  logic [DegreeBits-1:0]  job_run_i,     // at most log_degree_i
  input  logic [AddressBits-1:0] job_result_i,
  input  logic [TagBits-1:0]     job_tag_i,
  output logic                   done_valid_o,
  output logic [TagBits-1:0]     done_tag_o,
  output logic                   done_error_o,

  input  logic                   in_valid_i,
  output logic                   in_ready_o,
  input  logic [32*Words-1:0]    in_data_i,
  input  logic                   in_error_i,

  output logic                   write_valid_o,
  input  logic                   write_ready_i,
  output logic [AddressBits-1:0] write_row_o,
  output logic [GroupBits-1:0]   write_group_o,
  output residue_t [Words-1:0]   write_word_o
);
  localparam int unsigned LogWords  = $clog2(Words);
  localparam int unsigned PlaceBits = MaxLogDegree - LogWords;  // of groups in a limb
  localparam int unsigned RowBits   = MaxLogDegree - LogLanes;
  typedef logic [PlaceBits-1:0]    place_t;
  typedef residue_t [Words-1:0]    words_t;

  // ---- The job, a group a clock ----------------------------------------------------------------
  logic                   busy_q, moves, takes;
  logic                   is_last_q;      // of the limb's places
  logic                   is_repeated_q;  // the last time that a beat serves
  logic [LogWords-1:0]    doubles_q;      // steps of `repeated`, by the run
  logic [DegreeBits-1:0]  align_q;
  logic [AddressBits-1:0] result_q;
  logic [TagBits-1:0]     tag_q;
  place_t                 place_q, place_next, repeat_last_q, last_place;
  assign job_ready_o = !busy_q;
  assign moves       = !write_valid_o || write_ready_i;
  assign takes       = busy_q && in_valid_i && moves;
  assign place_next  = place_q + 1'b1;
  assign in_ready_o  = takes && (is_repeated_q || is_last_q);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) busy_q <= 1'b0;
    else if (!busy_q) busy_q <= job_valid_i;
    else if (takes && is_last_q) busy_q <= 1'b0;
  end
  always_ff @(posedge clk_i) begin
    last_place <= place_t'((1 << (log_degree_i - DegreeBits'(LogWords))) - 1);
    if (!busy_q) begin
      align_q       <= DegreeBits'(MaxLogDegree) - job_run_i;
      repeat_last_q <= place_t'((1 << job_run_i) - 1);
      result_q      <= job_result_i;
      tag_q         <= job_tag_i;
      place_q       <= '0;
      is_last_q     <= 1'b0;  // a limb has two rows at least
      is_repeated_q <= job_run_i == '0;
      for (int unsigned s = 0; s < LogWords; s++) doubles_q[s] <= DegreeBits'(s) < job_run_i;
    end else if (takes) begin
      place_q       <= place_next;
      is_last_q     <= place_next == last_place;
      is_repeated_q <= (~place_next & repeat_last_q) == '0;
    end
  end

  // ---- Each residue 2^run times ----------------------------------------------------------------
  // A step doubles the residues of one half, selected by a bit of the place, from bit run - 1 down.
  function automatic words_t repeated(input words_t words, input logic [LogWords-1:0] doubles,
                                      input logic [LogWords-1:0] upper);
    words_t came;
    repeated = words;
    for (int unsigned s = 0; s < LogWords; s++) begin
      came = repeated;
      for (int unsigned i = 0; i < Words; i++) begin
        if (doubles[s]) repeated[i] = came[(upper[LogWords-1-s] ? Words / 2 : 0) + i / 2];
      end
    end
  endfunction
  typedef struct packed {
    logic                   last;
    logic                   error;
    logic [TagBits-1:0]     tag;
    logic [AddressBits-1:0] result;
    place_t                 place;
  } group_t;
  logic                  came_valid_q, valid_q, failed_q, error;
  logic [LogWords-1:0]   upper_q, came_doubles_q;
  words_t                came_q, repeated_q, swapped;
  group_t                came_group_q, group_q;
  assign error   = in_error_i || (failed_q && place_q != '0);

  // ---- To the banks ----------------------------------------------------------------------------
  logic                write_last_q, write_error_q;
  logic [TagBits-1:0]  write_tag_q;
  logic [RowBits-1:0]  row;
  logic [LogLanes-1:0] folded;
  assign row = RowBits'(group_q.place >> (LogLanes - LogWords));
  always_comb begin
    folded = '0;
    for (int unsigned i = 0; i < RowBits; i++) folded[i%LogLanes] ^= row[i];
  end
  ckks_bank_swap #(.Words(Words)) u_swap (
    .swap_i(folded[LogWords-1:0]), .word_i(repeated_q), .word_o(swapped)
  );

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      came_valid_q  <= 1'b0;
      valid_q       <= 1'b0;
      write_valid_o <= 1'b0;
      done_valid_o  <= 1'b0;
      failed_q      <= 1'b0;
    end else begin
      if (moves) begin
        came_valid_q  <= takes;
        valid_q       <= came_valid_q;
        write_valid_o <= valid_q;
      end
      done_valid_o <= write_valid_o && write_ready_i && write_last_q;
      if (takes) failed_q <= error;
    end
  end
  always_ff @(posedge clk_i) begin
    done_tag_o   <= write_tag_q;
    done_error_o <= write_error_q;
    if (moves) begin
      for (int unsigned i = 0; i < Words; i++) came_q[i] <= residue_t'(in_data_i[32*i+:32]);
      upper_q      <= LogWords'((MaxLogDegree'(place_q) << align_q) >> (MaxLogDegree - LogWords));
      came_group_q <= '{last: is_last_q, error: error, tag: tag_q, result: result_q,
                        place: place_q};
      repeated_q   <= repeated(came_q, came_doubles_q, upper_q);
      group_q      <= came_group_q;
      if (valid_q) begin
        write_row_o   <= group_q.result | AddressBits'(row);
        write_word_o  <= swapped;
        write_last_q  <= group_q.last;
        write_error_q <= group_q.error;
        write_tag_q   <= group_q.tag;
      end
      came_doubles_q <= doubles_q;
    end
  end
  if (Groups > 1) begin : gen_group
    always_ff @(posedge clk_i) begin
      if (moves) write_group_o <= GroupBits'(group_q.place) ^ folded[LogLanes-1:LogWords];
    end
  end else begin : gen_one_group
    assign write_group_o = '0;
  end
  logic unused;
  always_comb begin
    unused = 1'b0;
    for (int unsigned i = 0; i < Words; i++) unused ^= ^in_data_i[32*i+30+:2];
  end
endmodule
