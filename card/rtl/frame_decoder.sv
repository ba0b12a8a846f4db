// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// frame_decoder: cuts the incoming stream of 64-bit beats into frames by the rules of docs/card.md.
// Frames that a destination takes leave on frame_*, header beat included, with frame_last_o on the
// beat in which the declared length ends; the header of every other frame leaves on ignored_*, and
// its payload is skipped. So whatever comes in, the decoder is back at a header within
// MaxFrameBytes, and it waits for nothing but its two outputs. No latency: the beat passes through.
module frame_decoder (
  input  logic        clk_i,
  input  logic        rst_ni,
  // Engines that are there, by capability bit. Constant while frames arrive.
  input  logic [31:0] present_i,

  input  logic        stream_valid_i,
  output logic        stream_ready_o,
  input  logic [63:0] stream_data_i,

  output logic        frame_valid_o,
  input  logic        frame_ready_i,
  output logic [63:0] frame_data_o,
  output logic        frame_last_o,
  output logic        frame_control_o,  // for the control engine; else for frame_port_o
  output logic [4:0]  frame_port_o,     // capability bit of the engine; constant within a frame

  output logic        ignored_valid_o,
  input  logic        ignored_ready_i,
  output logic [63:0] ignored_data_o,    // the header

  output logic        frame_taken_o     // one clock for each header taken, ignored ones included
);
  import card_pkg::*;

  // Beats of the longest frame, header excluded: the counter below holds 0 to this.
  localparam int unsigned MaxPayloadBeats = int'(MaxFrameBytes / AlignmentBytes) - 1;
  localparam int unsigned CountBits = $clog2(MaxPayloadBeats + 1);

  typedef logic [CountBits-1:0] count_t;

  count_t left_q, left_d;      // payload beats still to come; 0: the next beat is a header
  logic   skip_q, skip_d;      // the current frame is ignored
  logic   control_q, control_d;
  logic [4:0] port_q, port_d;

  // ---- what the beat would mean as a header ----
  logic [31:0]   length, command;
  command_info_t info;
  logic          length_valid, length_fits, taken;
  count_t        payload_beats;

  assign {command, length} = stream_data_i;
  assign info = command_info(command);
  assign length_valid = length >= HeaderBytes && length <= MaxFrameBytes;
  assign length_fits = info.open_ended
      ? length >= info.bytes_min && length <= info.bytes_max
      : length == info.bytes_min || length == info.bytes_max;
  assign taken = length_valid && length_fits && info.known
      && (info.control || present_i[info.port]);
  // ceil(length / 8) - 1, for a valid length; any other header, an idle beat too, stands alone.
  assign payload_beats = length_valid ? count_t'((length - 32'd1) >> 3) : '0;

  // ---- where the beat goes ----
  logic at_header, idle_beat, forward, ignore, beat;

  assign at_header = left_q == '0;
  assign idle_beat = at_header && length == '0;
  assign forward = at_header ? taken : !skip_q;
  assign ignore = at_header && !idle_beat && !taken;

  assign frame_valid_o = stream_valid_i && forward;
  assign frame_data_o = stream_data_i;
  assign frame_last_o = at_header ? payload_beats == '0 : left_q == count_t'(1);
  assign frame_control_o = at_header ? info.control : control_q;
  assign frame_port_o = at_header ? info.port : port_q;

  assign ignored_valid_o = stream_valid_i && ignore;
  assign ignored_data_o = stream_data_i;

  assign stream_ready_o = forward ? frame_ready_i : (ignored_ready_i || !ignore);
  assign beat = stream_valid_i && stream_ready_o;
  assign frame_taken_o = beat && at_header && !idle_beat;

  always_comb begin
    left_d = left_q;
    skip_d = skip_q;
    control_d = control_q;
    port_d = port_q;
    if (beat && at_header) begin
      left_d = payload_beats;
      skip_d = !taken;
      control_d = info.control;
      port_d = info.port;
    end else if (beat) begin
      left_d = left_q - count_t'(1);
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      left_q <= '0;
      skip_q <= 1'b0;
      control_q <= 1'b0;
      port_q <= '0;
    end else begin
      left_q <= left_d;
      skip_q <= skip_d;
      control_q <= control_d;
      port_q <= port_d;
    end
  end
endmodule
