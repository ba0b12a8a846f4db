// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// frame_decoder: splits the incoming stream, in beats of StreamBytes, into frames by the rules of
// docs/card.md. Accepted frames leave on frame_*, from the beat with the header on, with
// frame_last_o on the beat in which the declared length ends, and zeros after that end. The header
// of every other frame leaves on ignored_*, and its payload is skipped. So for any input, the
// decoder is back at a header within MaxFrameBytes, and it waits only for its two outputs.
//
// One beat per clock, three clocks of latency. The first stage reads each beat as if it were a
// header. The second finds where frames begin and end, on which the next beat depends. The third
// checks the command; its result is registered before it is used.
module frame_decoder #(
  parameter int unsigned StreamBytes = 8  // a power of two, 8 to 64
) (
  input  logic        clk_i,
  input  logic        rst_ni,
  // Built engines, by capability bit. Constant while frames arrive.
  input  logic [31:0] present_i,

  input  logic        stream_valid_i,
  output logic        stream_ready_o,
  input  logic [8*StreamBytes-1:0] stream_data_i,

  output logic        frame_valid_o,
  input  logic        frame_ready_i,
  output logic [8*StreamBytes-1:0] frame_data_o,
  output logic        frame_last_o,
  // The engine's capability bit, or EnginePorts for the control engine. Constant within a frame.
  output logic [4:0]  frame_port_o,

  output logic        ignored_valid_o,
  input  logic        ignored_ready_i,
  output logic [63:0] ignored_data_o,    // the header

  output logic        frame_taken_o,    // one clock for each header taken, ignored ones included
  output logic        idle_o            // the decoder holds no beat
);
  import card_pkg::*;

  localparam int unsigned ByteBits = $clog2(StreamBytes);
  // Beats of the longest frame after its first: the counter below holds 0 to this number.
  localparam int unsigned MaxPayloadBeats = int'(MaxFrameBytes >> ByteBits) - 1;
  localparam int unsigned CountBits = $clog2(MaxPayloadBeats + 1);
  localparam int unsigned LengthBits = $clog2(MaxFrameBytes + 1);

  typedef logic [CountBits-1:0] count_t;
  typedef logic [ByteBits-1:0]  byte_t;
  typedef logic [8*StreamBytes-1:0] data_t;

  // ---- the meaning of a beat as a header ----
  typedef struct packed {
    logic  empty;         // length 0: no header, zeros between frames
    logic  length_valid;  // a length that a frame can have
    logic  alone;         // the frame ends in this beat
    logic [Commands-1:0] named;  // the command is this one
    data_t data;
  } read_t;

  read_t       seen, read;
  logic        read_valid, read_ready;
  logic [31:0] seen_length;

  assign seen_length = stream_data_i[31:0];
  assign seen.empty = seen_length == '0;
  assign seen.length_valid = seen_length >= HeaderBytes && seen_length <= MaxFrameBytes;
  // Any header without a valid length is a single beat.
  assign seen.alone = !seen.length_valid || seen_length <= 32'(StreamBytes);
  assign seen.data = stream_data_i;
  for (genvar i = 0; i < Commands; i++) begin : gen_named
    assign seen.named[i] = stream_data_i[63:32] == CommandRules[i].command;
  end

  stream_skid #(.DataWidth($bits(read_t))) u_read (
    .clk_i, .rst_ni, .clear_i(1'b0),
    .in_valid_i(stream_valid_i), .in_ready_o(stream_ready_o), .in_data_i(seen),
    .out_valid_o(read_valid), .out_ready_i(read_ready), .out_data_o(read)
  );

  // ---- where frames begin and end ----
  typedef struct packed {
    logic  header;        // the beat holds a header
    logic  last;          // the frame ends in it
    logic  length_valid;  // for a header: a length that a frame can have
    byte_t tail;          // place of the frame's last byte in its last beat
    logic [Commands-1:0] named;  // for a header: it is of this command, with a valid length
    data_t data;
  } bounded_t;

  bounded_t    bounded, found;
  logic        bounded_valid, bounded_ready, found_valid, found_ready;
  logic        at_header_q;  // the next beat holds a header
  count_t      left_q;       // else: beats that have not arrived
  byte_t       tail_q;
  logic [31:0] last_byte;
  logic        beat;

  assign last_byte = read.data[31:0] - 32'd1;
  assign bounded.header = at_header_q;
  assign bounded.length_valid = read.length_valid;
  assign bounded.last = at_header_q ? read.alone : left_q == count_t'(1);
  // (A header fills a beat of 8 bytes.)
  assign bounded.tail = !at_header_q ? tail_q
      : StreamBytes == int'(HeaderBytes) ? '1 : byte_t'(last_byte);
  assign bounded.data = read.data;

  // (No frame of another length is accepted, so its low bits suffice.)
  logic [LengthBits-1:0] short_length;
  assign short_length = read.data[LengthBits-1:0];
  for (genvar i = 0; i < Commands; i++) begin : gen_length
    localparam command_rule_t Rule = CommandRules[i];
    localparam logic [LengthBits-1:0] Least = LengthBits'(Rule.bytes_min);
    localparam logic [LengthBits-1:0] Most = LengthBits'(Rule.bytes_max);
    assign bounded.named[i] = read.named[i] && (Rule.open_ended
        ? short_length >= Least && short_length <= Most
        : short_length == Least || short_length == Most);
  end
  assign bounded_valid = read_valid && !(at_header_q && read.empty);
  assign read_ready = bounded_ready;
  assign beat = bounded_valid && bounded_ready;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) at_header_q <= 1'b1;
    else if (beat) at_header_q <= bounded.last;
  end

  always_ff @(posedge clk_i) begin
    // (A beat of zeros between frames leaves values that the next header replaces.)
    if (read_valid && read_ready) begin
      left_q <= at_header_q ? count_t'(last_byte >> ByteBits) : left_q - count_t'(1);
    end
    if (read_valid && read_ready && at_header_q) tail_q <= byte_t'(last_byte);
  end

  stream_skid #(.DataWidth($bits(bounded_t))) u_found (
    .clk_i, .rst_ni, .clear_i(1'b0),
    .in_valid_i(bounded_valid), .in_ready_o(bounded_ready), .in_data_i(bounded),
    .out_valid_o(found_valid), .out_ready_i(found_ready), .out_data_o(found)
  );

  // ---- the destination of a frame ----
  typedef struct packed {
    logic       header;
    logic       last;
    logic       taken;  // by a destination; constant within a frame, like the port
    logic [4:0] port;
    data_t      data;
  } judged_t;

  judged_t                judged, result;
  logic                   result_valid, result_ready;
  logic                   taken, taken_q;
  logic [4:0]             port, port_q;
  logic [Commands-1:0]    hits;
  logic [StreamBytes-1:0] keep;

  for (genvar i = 0; i < Commands; i++) begin : gen_command
    localparam command_rule_t Rule = CommandRules[i];
    assign hits[i] = found.named[i] && (Rule.control || present_i[Rule.port]);
  end

  always_comb begin
    port = '0;
    for (int unsigned i = 0; i < Commands; i++) begin
      if (hits[i]) port |= CommandRules[i].control ? 5'(EnginePorts) : CommandRules[i].port;
    end
  end
  assign taken = found.length_valid && |hits;

  // A header is kept complete: without a valid length the tail is meaningless.
  assign keep = !found.last ? '1
      : {StreamBytes{1'b1}} >> ~found.tail | StreamBytes'({HeaderBytes{found.header}});
  for (genvar i = 0; i < StreamBytes; i++) begin : gen_byte
    assign judged.data[8*i+:8] = found.data[8*i+:8] & {8{keep[i]}};
  end
  assign judged.header = found.header;
  assign judged.last = found.last;
  assign {judged.taken, judged.port} = found.header ? {taken, port} : {taken_q, port_q};

  always_ff @(posedge clk_i) begin
    if (found_valid && found.header) {taken_q, port_q} <= {taken, port};
  end

  stream_skid #(.DataWidth($bits(judged_t))) u_result (
    .clk_i, .rst_ni, .clear_i(1'b0),
    .in_valid_i(found_valid), .in_ready_o(found_ready), .in_data_i(judged),
    .out_valid_o(result_valid), .out_ready_i(result_ready), .out_data_o(result)
  );

  // ---- the output of the beat ----
  logic ignore;
  assign ignore = result.header && !result.taken;

  assign frame_valid_o = result_valid && result.taken;
  assign frame_data_o = result.data;
  assign frame_last_o = result.last;
  assign frame_port_o = result.port;

  assign ignored_valid_o = result_valid && ignore;
  assign ignored_data_o = result.data[63:0];

  assign result_ready = result.taken ? frame_ready_i : (ignored_ready_i || !ignore);
  assign frame_taken_o = result_valid && result_ready && result.header;
  assign idle_o = !read_valid && !found_valid && !result_valid;
endmodule
