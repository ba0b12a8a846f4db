// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// frame_decoder: cuts the incoming stream, beats of StreamBytes, into frames by the rules of
// docs/card.md. Frames that a destination takes leave on frame_*, from the beat with the header on,
// with frame_last_o on the beat in which the declared length ends, and zeros behind that end; the
// header of every other frame leaves on ignored_*, and its payload is skipped. So whatever comes
// in, the decoder is back at a header within MaxFrameBytes, and it waits for nothing but its two
// outputs.
//
// One beat a clock, two clocks late. The first stage finds where frames begin and end, which the
// next beat depends on; the second judges the command; what that says is used behind a register.
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

  output logic        frame_taken_o,    // one clock for each header taken, ignored ones included
  output logic        idle_o            // no beat is inside
);
  import card_pkg::*;

  localparam int unsigned ByteBits = $clog2(StreamBytes);
  // Beats of the longest frame behind its first: the counter below holds 0 to this.
  localparam int unsigned MaxPayloadBeats = int'(MaxFrameBytes >> ByteBits) - 1;
  localparam int unsigned CountBits = $clog2(MaxPayloadBeats + 1);

  typedef logic [CountBits-1:0] count_t;
  typedef logic [ByteBits-1:0]  byte_t;
  typedef logic [8*StreamBytes-1:0] data_t;

  // ---- where frames begin and end ----
  typedef struct packed {
    logic  header;        // the beat holds a header
    logic  last;          // the frame ends in it
    logic  length_valid;  // of a header: a length that a frame can have
    byte_t tail;          // place of the frame's last byte in its last beat
    data_t data;
  } bounded_t;

  bounded_t    bounded, found;
  logic        bounded_valid, bounded_ready, found_valid, found_ready;
  logic        at_header_q;  // the next beat holds a header
  count_t      left_q;       // else: beats still to come
  byte_t       tail_q;
  logic [31:0] length, last_byte;
  logic        idle_beat, beat;

  assign length = stream_data_i[31:0];
  assign last_byte = length - 32'd1;
  assign idle_beat = at_header_q && length == '0;
  assign bounded.header = at_header_q;
  assign bounded.length_valid = length >= HeaderBytes && length <= MaxFrameBytes;
  // Any header without a valid length stands alone.
  assign bounded.last = at_header_q ? !bounded.length_valid || length <= 32'(StreamBytes)
      : left_q == count_t'(1);
  // (A header fills a beat of 8 bytes.)
  assign bounded.tail = !at_header_q ? tail_q
      : StreamBytes == int'(HeaderBytes) ? '1 : byte_t'(last_byte);
  assign bounded.data = stream_data_i;
  assign bounded_valid = stream_valid_i && !idle_beat;
  assign stream_ready_o = bounded_ready;
  assign beat = bounded_valid && bounded_ready;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) at_header_q <= 1'b1;
    else if (beat) at_header_q <= bounded.last;
  end

  always_ff @(posedge clk_i) begin
    if (beat) left_q <= at_header_q ? count_t'(last_byte >> ByteBits) : left_q - count_t'(1);
    if (beat && at_header_q) tail_q <= byte_t'(last_byte);
  end

  stream_skid #(.DataWidth($bits(bounded_t))) u_found (
    .clk_i, .rst_ni, .clear_i(1'b0),
    .in_valid_i(bounded_valid), .in_ready_o(bounded_ready), .in_data_i(bounded),
    .out_valid_o(found_valid), .out_ready_i(found_ready), .out_data_o(found)
  );

  // ---- whose a frame is ----
  typedef struct packed {
    logic       header;
    logic       last;
    logic       taken;  // by a destination; constant within a frame, as the next two are
    logic       control;
    logic [4:0] port;
    data_t      data;
  } judged_t;

  judged_t                judged, result;
  logic                   result_valid, result_ready;
  logic                   taken, control, taken_q, control_q;
  logic [4:0]             port, port_q;
  logic [31:0]            found_length, found_command;
  logic [Commands-1:0]    hits;
  logic [StreamBytes-1:0] keep;

  assign {found_command, found_length} = found.data[63:0];
  for (genvar i = 0; i < Commands; i++) begin : gen_command
    localparam command_rule_t Rule = CommandRules[i];
    logic fits;
    assign fits = Rule.open_ended
        ? found_length >= Rule.bytes_min && found_length <= Rule.bytes_max
        : found_length == Rule.bytes_min || found_length == Rule.bytes_max;
    assign hits[i] = found_command == Rule.command && fits
        && (Rule.control || present_i[Rule.port]);
  end

  always_comb begin
    {control, port} = '0;
    for (int unsigned i = 0; i < Commands; i++) begin
      if (hits[i]) begin
        control |= CommandRules[i].control;
        port |= CommandRules[i].port;
      end
    end
  end
  assign taken = found.length_valid && |hits;

  // A header is kept whole: without a valid length the tail says nothing.
  assign keep = !found.last ? '1
      : {StreamBytes{1'b1}} >> ~found.tail | StreamBytes'({HeaderBytes{found.header}});
  for (genvar i = 0; i < StreamBytes; i++) begin : gen_byte
    assign judged.data[8*i+:8] = found.data[8*i+:8] & {8{keep[i]}};
  end
  assign judged.header = found.header;
  assign judged.last = found.last;
  assign {judged.taken, judged.control, judged.port} =
      found.header ? {taken, control, port} : {taken_q, control_q, port_q};

  always_ff @(posedge clk_i) begin
    if (found_valid && found.header) {taken_q, control_q, port_q} <= {taken, control, port};
  end

  stream_skid #(.DataWidth($bits(judged_t))) u_result (
    .clk_i, .rst_ni, .clear_i(1'b0),
    .in_valid_i(found_valid), .in_ready_o(found_ready), .in_data_i(judged),
    .out_valid_o(result_valid), .out_ready_i(result_ready), .out_data_o(result)
  );

  // ---- where the beat goes ----
  logic ignore;
  assign ignore = result.header && !result.taken;

  assign frame_valid_o = result_valid && result.taken;
  assign frame_data_o = result.data;
  assign frame_last_o = result.last;
  assign frame_control_o = result.control;
  assign frame_port_o = result.port;

  assign ignored_valid_o = result_valid && ignore;
  assign ignored_data_o = result.data[63:0];

  assign result_ready = result.taken ? frame_ready_i : (ignored_ready_i || !ignore);
  assign frame_taken_o = result_valid && result_ready && result.header;
  assign idle_o = !found_valid && !result_valid;
endmodule
