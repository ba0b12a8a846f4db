// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// poseidon_request: parses request frames, checks them, and converts them to jobs.
//
// Frame (64-bit beats, little-endian): header {command, length in bytes}; index; {.., outputs
// (bit 8), instance (bits 7:0)}; then the elements of the state, four beats each, canonical; then
// {0, CRC-32C of all beats before}. The other bits of the third beat are ignored.
//
// Four beats become one word of the field's job stream. A frame is checked completely at its last
// beat. If it is good, the last word leaves with `last`. If it is bad, job_drop_o discards the
// words of the frame (the lane's queue holds them until the `last`) and {index, status} goes to the
// refusals. So no part of a bad frame is ever started, and the parser is free again after the last
// beat of any frame. A frame without an index beat is refused with index 0.
//
// A checksum error takes precedence over all other errors, because no field of such a frame can be
// trusted.
//
// The frame's source guarantees that its last beat agrees with the length in its header; otherwise
// the frame would be refused for its length.
//
// One register holds a beat together with the checksum result of the beats before it, and another
// holds a word or a drop, so that the beat's checksum, the check of its frame and the lane's queue
// have one clock each.
//
// Cycles: one beat a clock; a word leaves two clocks after the beat that follows its fourth beat.
module poseidon_request
  import poseidon_pkg::*;
  import poseidon_programs_pkg::*;
#(
  parameter logic [Lanes-1:0] Enabled  = '1,  // lanes that have cores
  parameter programs_e        Programs = ProgramsOptimized
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

  output logic             frame_begins_o  // a first beat is accepted in this clock
);

  typedef enum logic [1:0] {
    BeatHeader,
    BeatIndex,
    BeatInstance,
    BeatElements
  } beat_e;

  localparam core_shape_t FrShape = core_shape(LaneFr, Programs);
  localparam core_shape_t FeltShape = core_shape(LaneFelt, Programs);

  // ---- Checksum of incoming beats --------------------------------------------------------------
  logic [31:0] crc_q, crc;     // before and after the incoming beat
  logic        first_q;        // it is the first beat of a frame
  logic        accept;
  logic        valid, ready, last, corrupt;  // of the beat in the register
  logic [63:0] data;

  assign accept         = req_valid_i && req_ready_o;
  assign frame_begins_o = accept && first_q;

  crc32c_beat u_crc (
    .state_i(crc_q),
    .data_i (req_data_i),
    .state_o(crc)
  );

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      first_q <= 1'b1;
      crc_q   <= '1;
    end else if (accept) begin
      first_q <= req_last_i;
      crc_q   <= req_last_i ? '1 : crc;
    end
  end

  stream_skid #(
    .DataWidth(66)
  ) u_beat (
    .clk_i,
    .rst_ni,
    .clear_i    (1'b0),
    .in_valid_i (req_valid_i),
    .in_ready_o (req_ready_o),
    .in_data_i  ({req_data_i != {32'd0, ~crc_q}, req_last_i, req_data_i}),
    .out_valid_o(valid),
    .out_ready_i(ready),
    .out_data_o ({corrupt, last, data})
  );

  // ---- Frame ----------------------------------------------------------------------------------
  beat_e            beat_q;
  logic [31:0]      length_q;
  tag_t             tag_q;
  instance_t        instance_q;
  logic             fits_q;       // the declared length matches the instance
  logic [3:0]       word_q;       // element being received, 15 for all after the 14th
  logic [1:0]       limb_q;       // ... and its 64-bit part, lowest first
  logic [3:0][63:0] limbs_q;      // the last four parts, lowest in 0
  logic [63:0]      modulus_q;    // the modulus's limb at the position of the next limb
  logic             below_q;      // the limbs so far are below those of the modulus
  logic             too_large_q;  // an element of this frame is not below the modulus

  logic             take, in_elements, good_so_far, word_waits, complete, below, pushes, drops;
  logic [1:0][3:0][63:0] moduli_limbs;
  status_e          status;

  assign moduli_limbs = {FeltShape.modulus, FrShape.modulus};
  assign below = data < modulus_q || (data == modulus_q && below_q);

  assign in_elements    = beat_q == BeatElements;
  assign good_so_far    = in_elements && instance_q.known && fits_q && !too_large_q;
  assign word_waits     = limb_q == 2'd0 && word_q != '0;
  assign complete       = limb_q == 2'd0 && word_q == instance_q.width;

  // The status of the reply if this is the frame's last beat.
  instance_t instance_here;
  assign instance_here = find_instance(data[7:0], Enabled, Programs);
  always_comb begin
    if (corrupt) begin
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

  // A word is passed on unless it is the last of a bad frame.
  typedef struct packed {
    logic         lane;
    logic         drop;  // not a word: discards the words of the frame so far
    logic         last;
    logic [3:0]   entry;
    tag_t         tag;
    logic [255:0] data;
  } job_t;

  logic job_here, job_here_ready, job_waits, job_taken;
  job_t job, job_next;

  assign pushes   = good_so_far && word_waits && !(last && status != StatusOk) &&
                    word_q <= instance_q.width;
  assign drops    = in_elements && last && status != StatusOk;
  assign ready    = job_here_ready && (!last || refusal_ready_i);
  assign take     = valid && ready;
  assign job_here = take && (pushes || drops);
  assign job      = '{lane: instance_q.lane, drop: drops, last: last, entry: instance_q.entry,
                      tag: tag_q, data: limbs_q};

  stream_skid #(
    .DataWidth($bits(job_t))
  ) u_job (
    .clk_i,
    .rst_ni,
    .clear_i    (1'b0),
    .in_valid_i (job_here),
    .in_ready_o (job_here_ready),
    .in_data_i  (job),
    .out_valid_o(job_waits),
    .out_ready_i(job_taken),
    .out_data_o (job_next)
  );

  always_comb begin
    job_valid_o                = '0;
    job_drop_o                 = '0;
    job_valid_o[job_next.lane] = job_waits && !job_next.drop;
    job_drop_o[job_next.lane]  = job_waits && job_next.drop;
  end
  assign job_taken   = job_next.drop || job_ready_i[job_next.lane];
  assign job_data_o  = job_next.data;
  assign job_last_o  = job_next.last;
  assign job_entry_o = job_next.entry;
  assign job_tag_o   = job_next.tag;

  assign refusal_valid_o  = valid && job_here_ready && last && status != StatusOk;
  assign refusal_status_o = status;
  assign refusal_index_o  = beat_q == BeatHeader ? '0 :
                            beat_q == BeatIndex ? data : tag_q.index;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      beat_q <= BeatHeader;
    end else if (take) begin
      if (last) begin
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
        BeatHeader: length_q <= data[31:0];
        BeatIndex:  tag_q.index <= data;
        BeatInstance: begin
          instance_q       <= instance_here;
          fits_q           <= length_q == length_here;
          tag_q.first_word <= data[8] ? digest_word(data[7:4]) : '0;
          tag_q.last_word  <= data[8] ? digest_word(data[7:4]) :
                                              instance_here.width - 4'd1;
          word_q           <= '0;
          limb_q           <= '0;
          modulus_q        <= moduli_limbs[instance_here.lane][0];
          below_q          <= 1'b0;
          too_large_q      <= 1'b0;
        end
        BeatElements: begin
          limb_q    <= limb_q + 2'd1;
          limbs_q   <= {data, limbs_q[3:1]};
          modulus_q <= moduli_limbs[instance_q.lane][limb_q+2'd1];
          below_q   <= below && limb_q != 2'd3;
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
