// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// poseidon_request: takes request frames apart, checks them, and makes jobs of them.
//
// Frame (64-bit beats, little-endian): header {command, length in bytes}; index; {.., outputs
// (bit 8), instance (bits 7:0)}; then the elements of the state, four beats each, canonical; then
// {0, CRC-32C of all beats before}. The other bits of the third beat are ignored.
//
// Four beats become one word of the field's job stream. A frame is judged at its last beat: good,
// and the last word leaves with `last`, or bad, and job_drop_o takes back the words of the frame
// (the lane's queue holds them until the `last`) while {index, status} goes to the refusals. So
// nothing of a bad frame is ever started, and the parser is free again after the last beat of any
// frame. A frame without the beat of the index is refused with index 0.
//
// A checksum that does not fit goes before all else that may be wrong: nothing of such a frame
// can be believed.
//
// The frame's source guarantees that its last beat agrees with the length of its header; where it
// did not, the frame would be refused for its length.
//
// Cycles: one beat a clock; a word leaves in the clock of the beat behind its fourth.
module poseidon_request
  import poseidon_pkg::*;
  import poseidon_programs_pkg::*;
#(
  parameter logic [Lanes-1:0] Enabled  = '1,  // lanes that have cores
  parameter programs_e        Programs = ProgramsOptimised
) (
  input  logic             clk_i,
  input  logic             rst_ni,

  input  logic             req_valid_i,
  output logic             req_ready_o,
  input  logic [63:0]      req_data_i,
  input  logic             req_last_i,

  output logic [Lanes-1:0] job_valid_o,
  input  logic [Lanes-1:0] job_ready_i,
  output logic [255:0]     job_data_o,
  output logic             job_last_o,
  output logic [3:0]       job_entry_o,
  output tag_t             job_tag_o,
  output logic [Lanes-1:0] job_drop_o,

  output logic             refusal_valid_o,
  input  logic             refusal_ready_i,
  output logic [63:0]      refusal_index_o,
  output status_e          refusal_status_o,

  output logic             frame_begins_o  // a first beat is taken in this clock
);

  typedef enum logic [1:0] {
    BeatHeader,
    BeatIndex,
    BeatInstance,
    BeatElements
  } beat_e;

  localparam core_shape_t FrShape = core_shape(LaneFr, Programs);
  localparam core_shape_t FeltShape = core_shape(LaneFelt, Programs);

  beat_e            beat_q;
  logic [31:0]      length_q;
  tag_t             tag_q;
  instance_t        instance_q;
  logic             fits_q;       // the declared length is that of the instance
  logic [3:0]       word_q;       // element that is coming in, 15 for all behind the 14th
  logic [1:0]       limb_q;       // ... and its 64-bit part, lowest first
  logic [3:0][63:0] limbs_q;      // the last four parts, lowest in 0
  logic [31:0]      crc_q, crc;   // before and after this beat
  logic             below_q;      // they are below those of the modulus
  logic             too_large_q;  // an element of this frame is not below the modulus

  logic             take, in_elements, good_so_far, word_waits, complete, below, pushes;
  logic [1:0][3:0][63:0] moduli_limbs;
  logic [63:0]      modulus_limb;
  status_e          status;

  assign moduli_limbs = {FeltShape.modulus, FrShape.modulus};
  assign modulus_limb = moduli_limbs[instance_q.lane][limb_q];
  assign below = req_data_i < modulus_limb || (req_data_i == modulus_limb && below_q);

  assign in_elements    = beat_q == BeatElements;
  assign good_so_far    = in_elements && instance_q.known && fits_q && !too_large_q;
  assign word_waits     = limb_q == 2'd0 && word_q != '0;
  assign complete       = limb_q == 2'd0 && word_q == instance_q.width;

  crc32c_beat u_crc (
    .state_i(crc_q),
    .data_i (req_data_i),
    .state_o(crc)
  );

  // What to answer, if this is the frame's last beat.
  instance_t instance_here;
  assign instance_here = find_instance(req_data_i[7:0], Enabled, Programs);
  always_comb begin
    if (req_data_i != {32'd0, ~crc_q}) begin
      status = StatusCorrupt;
    end else if (!in_elements) begin
      status = StatusWrongLength;  // no room for an instance and a checksum
    end else if (!instance_q.known) begin
      status = StatusUnknownInstance;
    end else if (!fits_q || !complete) begin
      status = StatusWrongLength;
    end else if (too_large_q) begin
      status = StatusNotCanonical;
    end else begin
      status = StatusOk;
    end
  end

  // A word is passed on unless the frame ends with it and is bad.
  assign pushes      = good_so_far && word_waits && !(req_last_i && status != StatusOk) &&
                       word_q <= instance_q.width;
  assign take        = req_valid_i && req_ready_o;
  assign req_ready_o = (!pushes || job_ready_i[instance_q.lane]) &&
                       (!req_last_i || refusal_ready_i);

  always_comb begin
    job_valid_o = '0;
    job_valid_o[instance_q.lane] = req_valid_i && pushes && (!req_last_i || refusal_ready_i);
    job_drop_o = '0;
    job_drop_o[instance_q.lane] = take && in_elements && req_last_i && status != StatusOk;
  end
  assign job_data_o  = limbs_q;
  assign job_last_o  = req_last_i;
  assign job_entry_o = instance_q.entry;
  assign job_tag_o   = tag_q;

  assign refusal_valid_o  = req_valid_i && req_last_i && status != StatusOk;
  assign refusal_status_o = status;
  assign refusal_index_o  = beat_q == BeatHeader ? '0 :
                            beat_q == BeatIndex ? req_data_i : tag_q.index;
  assign frame_begins_o   = take && beat_q == BeatHeader;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      beat_q <= BeatHeader;
      crc_q  <= '1;
    end else if (take) begin
      crc_q <= req_last_i ? '1 : crc;
      if (req_last_i) begin
        beat_q <= BeatHeader;
      end else begin
        unique case (beat_q)
          BeatHeader:   beat_q <= BeatIndex;
          BeatIndex:    beat_q <= BeatInstance;
          default:      beat_q <= BeatElements;
        endcase
      end
    end
  end

  logic [31:0] length_here;  // of a frame of the instance named in this beat
  assign length_here = 32'(FixedBytes + ElementBytes * 32'(instance_here.width));

  always_ff @(posedge clk_i) begin
    if (take) begin
      unique case (beat_q)
        BeatHeader: length_q <= req_data_i[31:0];
        BeatIndex:  tag_q.index <= req_data_i;
        BeatInstance: begin
          instance_q       <= instance_here;
          fits_q           <= length_q == length_here;
          tag_q.first_word <= req_data_i[8] ? digest_word(req_data_i[7:4]) : '0;
          tag_q.last_word  <= req_data_i[8] ? digest_word(req_data_i[7:4]) :
                                              instance_here.width - 4'd1;
          word_q           <= '0;
          limb_q           <= '0;
          below_q          <= 1'b0;
          too_large_q      <= 1'b0;
        end
        BeatElements: begin
          limb_q  <= limb_q + 2'd1;
          limbs_q <= {req_data_i, limbs_q[3:1]};
          below_q <= below && limb_q != 2'd3;
          if (limb_q == 2'd3) begin
            if (word_q != '1) word_q <= word_q + 4'd1;
            if (!below) too_large_q <= 1'b1;
          end
        end
        default: ;
      endcase
    end
  end

endmodule
