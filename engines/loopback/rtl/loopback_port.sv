// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// loopback_port: takes loopback_echo frames and returns the same data: the smallest possible
// engine, with the interface of an engine in the card's shell (docs/adding-an-engine.md).
//
//   requests -> slice -> header, index, data, status -> stream_checksum -> slice -> frame fifo
//   -> replies
//
// Each beat of a request becomes a beat of its reply, except the last one, the checksum, which
// becomes two: the status and the reply's checksum. Replies are in the order of the requests, and
// are sent when they are complete.
//
// Throughput: one beat per clock in and out, and two more clocks per frame.
module loopback_port (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        soft_reset_i,

  input  logic        req_valid_i,
  output logic        req_ready_o,
  input  logic [63:0] req_data_i,
  input  logic        req_last_i,

  output logic        rpl_valid_o,
  input  logic        rpl_ready_i,
  output logic [63:0] rpl_data_o,
  output logic        rpl_last_o,

  output logic [0:0]  events_o,  // the manifest's counters: words
  output logic [0:0][31:0] shape_o,
  output logic        error_o,
  output logic        ignored_o,
  output logic        memory_error_o,
  output logic        idle_o
);
  // From engines/loopback/engine.toml.
  localparam logic [31:0] ReplyCommand = 32'h8000_0130;
  localparam logic [7:0] StatusOk = 8'd0, StatusWrongLength = 8'd3, StatusCorrupt = 8'd4;
  localparam logic [31:0] MostData = 32'd4064;
  localparam logic [31:0] FixedRequest = 32'd24;  // header, index, checksum
  localparam logic [31:0] FixedReply = 32'd32;    // with the status
  localparam int unsigned LongestReply = 512;     // beats

  logic        inner_rst_n, request_valid, request_ready, begins;
  logic        reply_valid, reply_ready, reply_last;
  logic [63:0] reply_data;

  engine_shell #(.Depth(LongestReply), .Registered(1'b1)) u_shell (
    .clk_i, .rst_ni, .soft_reset_i,
    .req_valid_i, .req_ready_o, .rpl_valid_o, .rpl_ready_i, .rpl_data_o, .rpl_last_o, .idle_o,
    .memory_error_o, .memory_error_i(1'b0),
    .inner_rst_no(inner_rst_n),
    .request_valid_o(request_valid), .request_ready_i(request_ready), .owed_i(begins),
    .reply_valid_i(reply_valid), .reply_ready_o(reply_ready),
    .reply_data_i(reply_data), .reply_last_i(reply_last)
  );

  // A reply is owed from the first beat of its request.
  logic inside_q;
  assign begins = request_valid && request_ready && !inside_q;
  always_ff @(posedge clk_i or negedge inner_rst_n) begin
    if (!inner_rst_n) inside_q <= 1'b0;
    else if (request_valid && request_ready) inside_q <= !req_last_i;
  end

  logic        valid, ready, last;
  logic [63:0] data;
  stream_skid #(.DataWidth(65)) u_slice (
    .clk_i, .rst_ni(inner_rst_n), .clear_i(1'b0),
    .in_valid_i(request_valid), .in_ready_o(request_ready), .in_data_i({req_last_i, req_data_i}),
    .out_valid_o(valid), .out_ready_i(ready), .out_data_o({last, data})
  );

  // ---- one beat of the reply per beat of the request ----
  typedef enum logic [2:0] {Header, Index, Data, Status, Checksum} beat_e;

  beat_e       beat_q;
  logic        fits_q;     // the length is valid: the data are returned
  logic        corrupt_q;  // known from Status on
  logic [31:0] crc_q, crc, data_bytes;
  logic        fits, out_valid, out_ready, drop, taken;
  logic [63:0] out_data;

  assign data_bytes = data[31:0] - FixedRequest;
  assign fits = data_bytes <= MostData && data[2:0] == '0;
  assign drop = beat_q == Data && (last || !fits_q);

  always_comb begin
    out_valid = valid && !drop;
    unique case (beat_q)
      Header:  out_data = {ReplyCommand, fits ? data[31:0] + FixedReply - FixedRequest : FixedReply};
      Status: begin
        out_valid = 1'b1;
        out_data = {56'd0, !fits_q ? StatusWrongLength : corrupt_q ? StatusCorrupt : StatusOk};
      end
      Checksum: begin
        out_valid = 1'b1;
        out_data = '0;
      end
      default: out_data = data;
    endcase
  end
  assign ready = drop || (out_ready && beat_q != Status && beat_q != Checksum);
  assign taken = valid && ready;

  crc32c_beat u_crc (.state_i(crc_q), .data_i(data), .state_o(crc));

  always_ff @(posedge clk_i or negedge inner_rst_n) begin
    if (!inner_rst_n) begin
      beat_q <= Header;
      crc_q <= '1;
    end else begin
      if (taken) crc_q <= last ? '1 : crc;
      unique case (beat_q)
        Header:  if (taken) beat_q <= Index;
        Index:   if (taken) beat_q <= Data;
        Data:    if (taken && last) beat_q <= Status;
        Status:  if (out_ready) beat_q <= Checksum;
        default: if (out_ready) beat_q <= Header;
      endcase
    end
  end

  always_ff @(posedge clk_i) begin
    if (taken && beat_q == Header) fits_q <= fits;
    if (taken && last) corrupt_q <= data != {32'd0, ~crc_q};
  end

  logic        summed_valid, summed_ready, summed_last;
  logic [63:0] summed;
  stream_checksum u_checksum (
    .clk_i, .rst_ni(inner_rst_n),
    .in_valid_i(out_valid), .in_ready_o(out_ready), .in_data_i(out_data),
    .in_last_i(beat_q == Checksum), .in_sum_i(1'b1),
    .out_valid_o(summed_valid), .out_ready_i(summed_ready), .out_data_o(summed),
    .out_last_o(summed_last)
  );
  // Keeps the checksum off the paths of the queue's pointers.
  stream_skid #(.DataWidth(65)) u_reply_slice (
    .clk_i, .rst_ni(inner_rst_n), .clear_i(1'b0),
    .in_valid_i(summed_valid), .in_ready_o(summed_ready), .in_data_i({summed_last, summed}),
    .out_valid_o(reply_valid), .out_ready_i(reply_ready), .out_data_o({reply_last, reply_data})
  );

  assign events_o = (beat_q == Data && taken && !drop);
  assign shape_o = MostData;
  assign error_o = beat_q == Status && out_ready && (!fits_q || corrupt_q);
  assign ignored_o = 1'b0;
endmodule
