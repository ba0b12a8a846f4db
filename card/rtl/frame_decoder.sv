// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// frame_decoder: cuts the incoming stream, beats of StreamBytes, into frames by the rules of
// docs/card.md. Frames that a destination takes leave on frame_*, from the beat with the header on,
// with frame_last_o on the beat in which the declared length ends, and zeros behind that end; the
// header of every other frame leaves on ignored_*, and its payload is skipped. So whatever comes in,
// the decoder is back at a header within MaxFrameBytes, and it waits for nothing but its two outputs.
// No latency: the beat passes through.
module frame_decoder #(
  parameter int unsigned StreamBytes = 8  // a power of two, 8 to 64
) (
  input  logic        clk_i,
  input  logic        rst_ni,
  // Engines that are there, by capability bit. Constant while frames arrive.
  input  logic [31:0] present_i,

  input  logic        stream_valid_i,
  output logic        stream_ready_o,
  input  logic [8*StreamBytes-1:0] stream_data_i,

  output logic        frame_valid_o,
  input  logic        frame_ready_i,
  output logic [8*StreamBytes-1:0] frame_data_o,
  output logic        frame_last_o,
  output logic        frame_control_o,  // for the control engine; else for frame_port_o
  output logic [4:0]  frame_port_o,     // capability bit of the engine; constant within a frame

  output logic        ignored_valid_o,
  input  logic        ignored_ready_i,
  output logic [63:0] ignored_data_o,    // the header

  output logic        frame_taken_o     // one clock for each header taken, ignored ones included
);
  import card_pkg::*;

  localparam int unsigned ByteBits = $clog2(StreamBytes);
  // Beats of the longest frame behind its first: the counter below holds 0 to this.
  localparam int unsigned MaxPayloadBeats = int'(MaxFrameBytes >> ByteBits) - 1;
  localparam int unsigned CountBits = $clog2(MaxPayloadBeats + 1);

  typedef logic [CountBits-1:0] count_t;
  typedef logic [ByteBits-1:0]  byte_t;

  count_t left_q, left_d;      // beats still to come; 0: the next beat holds a header
  byte_t  tail_q, tail_d;      // place of the frame's last byte in its last beat
  logic   skip_q, skip_d;      // the current frame is ignored
  logic   control_q, control_d;
  logic [4:0] port_q, port_d;

  // ---- what the beat would mean as a header ----
  logic [31:0]   length, command, last_byte;
  command_info_t info;
  logic          length_valid, length_fits, taken;
  count_t        payload_beats;

  assign {command, length} = stream_data_i[63:0];
  assign last_byte = length - 32'd1;
  assign info = command_info(command);
  assign length_valid = length >= HeaderBytes && length <= MaxFrameBytes;
  assign length_fits = info.open_ended
      ? length >= info.bytes_min && length <= info.bytes_max
      : length == info.bytes_min || length == info.bytes_max;
  assign taken = length_valid && length_fits && info.known
      && (info.control || present_i[info.port]);
  // ceil(length / StreamBytes) - 1, for a valid length; any other header, an idle beat too, stands
  // alone.
  assign payload_beats = length_valid ? count_t'(last_byte >> ByteBits) : '0;

  // ---- where the beat goes ----
  logic at_header, idle_beat, forward, ignore, beat;

  assign at_header = left_q == '0;
  assign idle_beat = at_header && length == '0;
  assign forward = at_header ? taken : !skip_q;
  assign ignore = at_header && !idle_beat && !taken;

  assign frame_valid_o = stream_valid_i && forward;
  assign frame_last_o = at_header ? payload_beats == '0 : left_q == count_t'(1);
  // (A header fills a beat of 8 bytes.)
  byte_t                  tail;
  logic [StreamBytes-1:0] keep;
  assign tail = !at_header ? tail_q : StreamBytes == int'(HeaderBytes) ? '1 : byte_t'(last_byte);
  assign keep = frame_last_o ? {StreamBytes{1'b1}} >> ~tail : '1;
  for (genvar i = 0; i < StreamBytes; i++) begin : gen_byte
    assign frame_data_o[8*i+:8] = stream_data_i[8*i+:8] & {8{keep[i]}};
  end
  assign frame_control_o = at_header ? info.control : control_q;
  assign frame_port_o = at_header ? info.port : port_q;

  assign ignored_valid_o = stream_valid_i && ignore;
  assign ignored_data_o = stream_data_i[63:0];

  assign stream_ready_o = forward ? frame_ready_i : (ignored_ready_i || !ignore);
  assign beat = stream_valid_i && stream_ready_o;
  assign frame_taken_o = beat && at_header && !idle_beat;

  always_comb begin
    left_d = left_q;
    tail_d = tail_q;
    skip_d = skip_q;
    control_d = control_q;
    port_d = port_q;
    if (beat && at_header) begin
      left_d = payload_beats;
      tail_d = byte_t'(last_byte);
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
      tail_q <= '0;
      skip_q <= 1'b0;
      control_q <= 1'b0;
      port_q <= '0;
    end else begin
      left_q <= left_d;
      tail_q <= tail_d;
      skip_q <= skip_d;
      control_q <= control_d;
      port_q <= port_d;
    end
  end
endmodule
