// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// reply_path: merges the replies of the engines, of the frame decoder (ignored headers) and of the
// control engine into one stream of complete frames. Each source has a register slice, so that no
// path runs from an engine to the stream; the control engine, which waits until its reply is
// accepted, has none. At a soft reset (flush_i) the waiting ignore replies are dropped; an engine
// completes the frame that it is offering and drops the others itself; the control engine's frames
// are never dropped.
module reply_path #(
  parameter int unsigned EnginePorts = 1,
  // Beats; a power of two.
  parameter int unsigned IgnoreDepth = 32
) (
  input  logic                         clk_i,
  input  logic                         rst_ni,
  input  logic                         flush_i,

  input  logic                         control_valid_i,
  output logic                         control_ready_o,
  input  logic [63:0]                  control_data_i,
  input  logic                         control_last_i,

  input  logic                         ignored_valid_i,
  output logic                         ignored_ready_o,
  input  logic [63:0]                  ignored_data_i,

  input  logic [EnginePorts-1:0]       engine_valid_i,
  output logic [EnginePorts-1:0]       engine_ready_o,
  input  logic [EnginePorts-1:0][63:0] engine_data_i,
  input  logic [EnginePorts-1:0]       engine_last_i,

  output logic                         out_valid_o,
  input  logic                         out_ready_i,
  output logic [63:0]                  out_data_o,
  output logic                         out_last_o,

  output logic                         drained_o  // no engine reply and no ignore reply waits
);
  // Sources of the arbiter: the engines, then ignore replies, then the control engine.
  localparam int unsigned Sources = EnginePorts + 2;
  localparam int unsigned Ignore = EnginePorts;
  localparam int unsigned Control = EnginePorts + 1;

  logic [Sources-1:0]       valid, ready, last;
  logic [Sources-1:0][63:0] data;

  logic [Ignore:0]       source_valid, source_ready, source_last;
  logic [Ignore:0][63:0] source_data;

  assign source_valid[EnginePorts-1:0] = engine_valid_i;
  assign source_data[EnginePorts-1:0] = engine_data_i;
  assign source_last[EnginePorts-1:0] = engine_last_i;
  assign engine_ready_o = source_ready[EnginePorts-1:0];

  logic        ignore_valid, ignore_ready, ignore_last;
  logic [63:0] ignore_data;

  logic        header_valid, header_ready;
  logic [63:0] header;

  stream_skid #(.DataWidth(64)) u_header (
    .clk_i, .rst_ni, .clear_i(1'b0),
    .in_valid_i(ignored_valid_i), .in_ready_o(ignored_ready_o), .in_data_i(ignored_data_i),
    .out_valid_o(header_valid), .out_ready_i(header_ready), .out_data_o(header)
  );

  ignore_reply u_ignore_reply (
    .clk_i, .rst_ni, .restart_i(flush_i),
    .header_valid_i(header_valid), .header_ready_o(header_ready), .header_i(header),
    .reply_valid_o(ignore_valid), .reply_ready_i(ignore_ready),
    .reply_data_o(ignore_data), .reply_last_o(ignore_last)
  );

  logic unused_error;  // any notice is a failure for the host, whatever its header
  stream_frame_fifo #(.DataWidth(64), .Depth(IgnoreDepth)) u_ignore_fifo (
    .clk_i, .rst_ni, .flush_i,
    .in_valid_i(ignore_valid), .in_ready_o(ignore_ready),
    .in_data_i(ignore_data), .in_last_i(ignore_last), .drop_i(1'b0),
    .out_valid_o(source_valid[Ignore]), .out_ready_i(source_ready[Ignore]),
    .out_data_o(source_data[Ignore]), .out_last_o(source_last[Ignore]),
    .memory_error_o(unused_error)
  );

  // A frame that has begun to leave its source continues across a soft reset: nothing is cleared.
  for (genvar p = 0; p <= Ignore; p++) begin : gen_slice
    stream_skid #(.DataWidth(65)) u_slice (
      .clk_i, .rst_ni, .clear_i(1'b0),
      .in_valid_i(source_valid[p]), .in_ready_o(source_ready[p]),
      .in_data_i({source_last[p], source_data[p]}),
      .out_valid_o(valid[p]), .out_ready_i(ready[p]), .out_data_o({last[p], data[p]})
    );
  end

  assign valid[Control] = control_valid_i;
  assign data[Control] = control_data_i;
  assign last[Control] = control_last_i;
  assign control_ready_o = ready[Control];

  // An engine may pause within a frame, so an offered beat alone is not sufficient.
  logic [EnginePorts-1:0] inside_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      inside_q <= '0;
    end else begin
      for (int unsigned p = 0; p < EnginePorts; p++) begin
        if (valid[p] && ready[p]) inside_q[p] <= !last[p];
      end
    end
  end
  assign drained_o = !header_valid && source_valid == '0 && valid[Ignore:0] == '0
      && inside_q == '0;

  stream_arbiter #(.Inputs(Sources), .DataWidth(64)) u_arbiter (
    .clk_i, .rst_ni, .clear_i(1'b0),  // frames are finished across a soft reset
    .in_valid_i(valid), .in_ready_o(ready), .in_data_i(data), .in_last_i(last),
    .out_valid_o, .out_ready_i, .out_data_o, .out_last_o
  );
endmodule
