// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// card_shell: the card without its engines: one input and one output AXI4-Stream (StreamBytes per
// beat), and AXI4-Lite registers, by the rules of docs/card.md. An engine is at the port of its
// capability bit. BuiltMask is the mask of the built engines; engine_enable_i masks them further.
// Incoming bytes without their tkeep bit count as zero, and tlast is ignored: the length determines
// the end of a frame. Outgoing beats are complete, and tlast marks the end of a frame.
//
// Frames are StreamBytes wide up to the router. A port receives them in beats of
// card_pkg::RequestBytes, in the low bits of its request_data_o, from a queue of QueueBytes. While
// at most that many bytes wait for an engine, it blocks neither other engines nor the control
// engine. Replies are 8 bytes per clock up to the last register. While its soft_reset_o is high, an
// engine drops its work, except the reply that it is offering. The guard of a failed engine keeps
// it in reset until the card's soft reset.
//
// interrupt_o is high while an engine has an enabled interrupt pending.
// (The bus ports have AXI's own names, so that tools recognize the interfaces.)
module card_shell
  import card_pkg::*;
#(
  parameter logic [31:0] BuildId = 32'd0,
  parameter int unsigned StreamBytes = 8,  // bytes per beat: 8, 16, 32 or 64
  parameter logic [31:0] BuiltMask = 32'd0,
  parameter int unsigned QueueBytes = 4096,  // the queue of requests of each engine
  parameter int unsigned TimeoutClocks = 1 << 27  // engine_guard
) (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic [31:0] engine_enable_i,  // mask of capability bits, constant after the reset

  input  logic        s_axis_tvalid,
  output logic        s_axis_tready,
  input  logic [8*StreamBytes-1:0] s_axis_tdata,
  input  logic [StreamBytes-1:0]   s_axis_tkeep,
  input  logic        s_axis_tlast,

  output logic        m_axis_tvalid,
  input  logic        m_axis_tready,
  output logic [8*StreamBytes-1:0] m_axis_tdata,
  output logic [StreamBytes-1:0]   m_axis_tkeep,
  output logic        m_axis_tlast,

  input  logic        s_axil_awvalid,
  output logic        s_axil_awready,
  input  logic [15:0] s_axil_awaddr,
  input  logic [2:0]  s_axil_awprot,
  input  logic        s_axil_wvalid,
  output logic        s_axil_wready,
  input  logic [31:0] s_axil_wdata,
  input  logic [3:0]  s_axil_wstrb,
  output logic        s_axil_bvalid,
  input  logic        s_axil_bready,
  output logic [1:0]  s_axil_bresp,
  input  logic        s_axil_arvalid,
  output logic        s_axil_arready,
  input  logic [15:0] s_axil_araddr,
  input  logic [2:0]  s_axil_arprot,
  output logic        s_axil_rvalid,
  input  logic        s_axil_rready,
  output logic [31:0] s_axil_rdata,
  output logic [1:0]  s_axil_rresp,

  output logic [EnginePorts-1:0]        soft_reset_o,
  output logic [EnginePorts-1:0]        request_valid_o,
  input  logic [EnginePorts-1:0]        request_ready_i,
  output logic [EnginePorts-1:0][511:0] request_data_o,
  output logic [EnginePorts-1:0]        request_last_o,
  input  logic [EnginePorts-1:0]        reply_valid_i,
  output logic [EnginePorts-1:0]        reply_ready_o,
  input  logic [EnginePorts-1:0][63:0]  reply_data_i,
  input  logic [EnginePorts-1:0]        reply_last_i,
  input  engine_report_t [EnginePorts-1:0] report_i,

  output logic        interrupt_o,
  output logic        idle_o  // the card is idle: without input, there will be no output
);
  localparam int unsigned ControlPort = EnginePorts;
  localparam int unsigned RouterPorts = EnginePorts + 1;
  localparam int unsigned PortBits = $clog2(RouterPorts);
  localparam int unsigned GrowthBits = MostCounterBits + $clog2(EnginePorts * MostCounters + 1);

  // ---- frames in ----
  logic [8*StreamBytes-1:0] kept;

  for (genvar i = 0; i < StreamBytes; i++) begin : gen_kept
    assign kept[8*i+:8] = s_axis_tdata[8*i+:8] & {8{s_axis_tkeep[i]}};
  end

  logic [31:0] capabilities;
  logic        frame_valid, frame_ready, frame_last, frame_taken;
  logic [8*StreamBytes-1:0] frame_data;
  logic [4:0]  frame_port;
  logic        ignored_valid, ignored_ready;
  logic [63:0] ignored_header;
  logic        decoder_idle;

  assign capabilities = BuiltMask & engine_enable_i;

  frame_decoder #(.StreamBytes(StreamBytes)) u_decoder (
    .clk_i, .rst_ni, .present_i(capabilities),
    .stream_valid_i(s_axis_tvalid), .stream_ready_o(s_axis_tready), .stream_data_i(kept),
    .frame_valid_o(frame_valid), .frame_ready_i(frame_ready), .frame_data_o(frame_data),
    .frame_last_o(frame_last), .frame_port_o(frame_port),
    .ignored_valid_o(ignored_valid), .ignored_ready_i(ignored_ready),
    .ignored_data_o(ignored_header), .frame_taken_o(frame_taken),
    .idle_o(decoder_idle)
  );

  logic                  soft_reset;
  logic [RouterPorts-1:0] request_valid, request_ready;
  logic [8*StreamBytes-1:0] request_data;
  logic                  request_last;

  frame_router #(
    .Ports(RouterPorts), .DataWidth(8 * StreamBytes), .AbandonPorts(32'((1 << EnginePorts) - 1))
  ) u_router (
    .clk_i, .rst_ni, .abandon_i(soft_reset),
    .in_valid_i(frame_valid), .in_ready_o(frame_ready), .in_data_i(frame_data),
    .in_last_i(frame_last),
    .in_port_i(PortBits'(frame_port)),
    .out_valid_o(request_valid), .out_ready_i(request_ready), .out_data_o(request_data),
    .out_last_o(request_last)
  );

  // ---- ports: requests in beats of the port's own width ----
  // Each engine has a queue. The control engine has none: frames after a command for it wait in the
  // decoder until it is answered.
  localparam int unsigned QueueBeats = QueueBytes / StreamBytes;
  logic [EnginePorts-1:0]        queue_idle, queue_error;
  logic [RouterPorts-1:0]        port_valid, port_ready, port_last;
  logic [RouterPorts-1:0][8*StreamBytes-1:0] port_data;
  logic [RouterPorts-1:0]        asked_valid, asked_ready, asked_last;
  logic [RouterPorts-1:0][511:0] asked_data;

  for (genvar p = 0; p < RouterPorts; p++) begin : gen_port
    localparam int unsigned Bytes = p == ControlPort ? 8 : int'(RequestBytes[p]);
    logic clear;
    assign clear = soft_reset && p != ControlPort;  // control frames ignore a soft reset

    if (p == ControlPort) begin : gen_direct
      // The engine's ready depends on the beat's length and would go back through the router.
      stream_late_ready #(.DataWidth(8 * StreamBytes + 1)) u_late (
        .clk_i, .rst_ni,
        .in_valid_i(request_valid[p]), .in_ready_o(request_ready[p]),
        .in_data_i({request_last, request_data}),
        .out_valid_o(port_valid[p]), .out_ready_i(port_ready[p]),
        .out_data_o({port_last[p], port_data[p]})
      );
    end else if (BuiltMask[p]) begin : gen_queue
      request_queue #(.DataWidth(8 * StreamBytes + 1), .Depth(QueueBeats)) u_queue (
        .clk_i, .rst_ni, .clear_i(clear),
        .in_valid_i(request_valid[p]), .in_ready_o(request_ready[p]),
        .in_data_i({request_last, request_data}),
        .out_valid_o(port_valid[p]), .out_ready_i(port_ready[p]),
        .out_data_o({port_last[p], port_data[p]}), .idle_o(queue_idle[p]),
        .memory_error_o(queue_error[p])
      );
    end else begin : gen_closed
      // The decoder lets no frame through to here.
      assign queue_idle[p] = 1'b1;
      assign queue_error[p] = 1'b0;
      assign request_ready[p] = port_ready[p];
      assign {port_valid[p], port_last[p], port_data[p]} = '0;
    end

    if (p != ControlPort && !BuiltMask[p]) begin : gen_absent
      assign port_ready[p] = 1'b1;
      assign {asked_valid[p], asked_last[p], asked_data[p]} = '0;
      logic unused;
      assign unused = ^{clear, asked_ready[p]};
    end else if (Bytes <= StreamBytes) begin : gen_narrow
      stream_narrow #(.WideBytes(StreamBytes), .NarrowBytes(Bytes)) u_narrow (
        .clk_i, .rst_ni, .clear_i(clear),
        .in_valid_i(port_valid[p]), .in_ready_o(port_ready[p]),
        .in_data_i(port_data[p]), .in_last_i(port_last[p]),
        .out_valid_o(asked_valid[p]), .out_ready_i(asked_ready[p]),
        .out_data_o(asked_data[p][8*Bytes-1:0]), .out_last_o(asked_last[p])
      );
      if (Bytes < 64) begin : gen_rest
        assign asked_data[p][511:8*Bytes] = '0;
      end
    end else begin : gen_widen
      stream_widen #(.NarrowBytes(StreamBytes), .WideBytes(Bytes)) u_widen (
        .clk_i, .rst_ni, .clear_i(clear),
        .in_valid_i(port_valid[p]), .in_ready_o(port_ready[p]),
        .in_data_i(port_data[p]), .in_last_i(port_last[p]),
        .out_valid_o(asked_valid[p]), .out_ready_i(asked_ready[p]),
        .out_data_o(asked_data[p]), .out_last_o(asked_last[p])
      );
    end
  end

  engine_report_t [EnginePorts-1:0] report;  // a disabled engine has no shape

  // ---- guards: requests and replies of an engine, until it fails ----
  logic [EnginePorts-1:0]       guard_idle, timed_out;
  logic [EnginePorts-1:0]       reply_valid, reply_ready, reply_last;
  logic [EnginePorts-1:0][63:0] reply_data;

  for (genvar p = 0; p < EnginePorts; p++) begin : gen_guard
    if (BuiltMask[p]) begin : gen_built
      engine_guard #(.Port(p), .TimeoutClocks(TimeoutClocks)) u_guard (
        .clk_i, .rst_ni, .soft_reset_i(soft_reset),
        .engine_reset_o(soft_reset_o[p]), .engine_idle_i(report_i[p].idle),
        .memory_error_i(report[p].memory_error),
        .req_valid_i(asked_valid[p]), .req_ready_o(asked_ready[p]), .req_last_i(asked_last[p]),
        .engine_req_valid_o(request_valid_o[p]), .engine_req_ready_i(request_ready_i[p]),
        .engine_rpl_valid_i(reply_valid_i[p]), .engine_rpl_ready_o(reply_ready_o[p]),
        .engine_rpl_data_i(reply_data_i[p]), .engine_rpl_last_i(reply_last_i[p]),
        .rpl_valid_o(reply_valid[p]), .rpl_ready_i(reply_ready[p]),
        .rpl_data_o(reply_data[p]), .rpl_last_o(reply_last[p]),
        .timed_out_o(timed_out[p]), .idle_o(guard_idle[p])
      );

`ifdef VERILATOR
      // (A reset or a failure of the engine withdraws beats.)
      stream_rules #(.DataWidth(8 * int'(RequestBytes[p]) + 1)) u_request_rules (
        .clk_i, .rst_ni, .clear_i(soft_reset || soft_reset_o[p]),
        .valid_i(request_valid_o[p]), .ready_i(request_ready_i[p]),
        .data_i({request_last_o[p], request_data_o[p][8*int'(RequestBytes[p])-1:0]})
      );
      stream_rules #(.DataWidth(65)) u_reply_rules (
        .clk_i, .rst_ni, .clear_i(soft_reset || soft_reset_o[p]),
        .valid_i(reply_valid_i[p]), .ready_i(reply_ready_o[p]),
        .data_i({reply_last_i[p], reply_data_i[p]})
      );
`endif
    end else begin : gen_none
      assign soft_reset_o[p] = soft_reset;
      assign {request_valid_o[p], timed_out[p]} = '0;
      assign asked_ready[p] = 1'b1;
      assign {reply_valid[p], reply_last[p], reply_data[p]} = '0;
      assign reply_ready_o[p] = 1'b1;
      assign guard_idle[p] = 1'b1;
      logic unused;
      assign unused = ^{request_ready_i[p], reply_valid_i[p], reply_data_i[p], reply_last_i[p],
                        reply_ready[p]};
    end
  end

  assign request_data_o = asked_data[EnginePorts-1:0];
  assign request_last_o = asked_last[EnginePorts-1:0];

  // ---- reports of the engines ----
  logic [EnginePorts-1:0][MostCounters-1:0][63:0] counters;
  logic [EnginePorts-1:0] interrupts;
  logic                   window_valid;
  window_request_t        window_request;
  window_reply_t [EnginePorts-1:0] window_reply;

  for (genvar p = 0; p < EnginePorts; p++) begin : gen_report
    always_comb begin
      report[p] = report_i[p];
      if (!capabilities[p]) report[p].shape = '0;
      // Requests that wait for the engine count as work; half a beat of a frame does not.
      report[p].idle = report_i[p].idle && !asked_valid[p] && queue_idle[p] && guard_idle[p];
      report[p].memory_error = report_i[p].memory_error || queue_error[p];
    end

    if (BuiltMask[p]) begin : gen_window
      engine_window #(.Port(p), .QueueBytes(QueueBytes)) u_window (
        .clk_i, .rst_ni, .enabled_i(capabilities[p]),
        .report_i(report[p]),
        .request_valid_i(asked_valid[p]), .request_ready_i(asked_ready[p]),
        .request_last_i(asked_last[p]),
        .reply_valid_i(reply_valid[p]), .reply_ready_i(reply_ready[p]),
        .reply_last_i(reply_last[p]), .timed_out_i(timed_out[p]),
        .access_valid_i(window_valid), .access_i(window_request), .access_o(window_reply[p]),
        .counters_o(counters[p]), .interrupt_o(interrupts[p])
      );
    end else begin : gen_no_window
      assign {window_reply[p], counters[p], interrupts[p]} = '0;
      logic unused;
      assign unused = ^{window_valid, window_request, report[p], timed_out[p]};
    end
  end
  assign interrupt_o = interrupts != '0;

  // ---- counters, registers, control ----
  logic [GrowthBits-1:0] products;
  logic        engines_idle, engine_error, engine_ignored;
  logic [63:0] clocks, multiplier_busy, replies_stalled;
  logic [31:0] frames_in, frames_out, frames_ignored, engine_errors;
  logic        frame_sent;

  always_comb begin
    products       = '0;
    engines_idle   = 1'b1;
    engine_error   = 1'b0;
    engine_ignored = 1'b0;
    for (int unsigned p = 0; p < EnginePorts; p++) begin
      for (int unsigned i = 0; i < MostCounters; i++) begin
        if (ProductCounters[p][i]) products += GrowthBits'(report[p].events[i]);
      end
      engines_idle   &= report[p].idle;
      engine_error   |= report[p].error;
      engine_ignored |= report[p].ignored;
    end
  end

  card_counters #(.BusyBits(GrowthBits)) u_counters (
    .clk_i, .rst_ni,
    .frame_taken_i(frame_taken), .frame_sent_i(frame_sent),
    .frame_ignored_i({engine_ignored, ignored_valid && ignored_ready}),
    .engine_error_i(engine_error), .multiplier_busy_i(products),
    .reply_stalled_i(m_axis_tvalid && !m_axis_tready),
    .clocks_o(clocks), .multiplier_busy_o(multiplier_busy),
    .replies_stalled_o(replies_stalled), .frames_in_o(frames_in),
    .frames_out_o(frames_out), .frames_ignored_o(frames_ignored), .engine_errors_o(engine_errors)
  );

  // The shell's values; card_pkg's tables select from these, the shapes and the counters.
  logic [ShellValues-1:0][63:0]   values;
  logic [RegisterWords-1:0][31:0] register_words;
  logic [RegisterPairs-1:0][63:0] register_pairs;
  logic [StatusWords-1:0][31:0]   status_words;

  always_comb begin
    values = '0;
    values[ShellBuildId] = 64'(BuildId);
    values[ShellCapabilities] = 64'(capabilities);
    values[ShellStreamBytes] = 64'(StreamBytes);
    values[ShellInterrupts] = 64'(interrupts);
    values[ShellClocks] = clocks;
    values[ShellMultiplierBusy] = multiplier_busy;
    values[ShellRepliesStalled] = replies_stalled;
    values[ShellFramesIn] = 64'(frames_in);
    values[ShellFramesOut] = 64'(frames_out);
    values[ShellFramesIgnored] = 64'(frames_ignored);
    values[ShellEngineErrors] = 64'(engine_errors);
  end

  for (genvar i = 0; i < RegisterWords; i++) begin : gen_register_word
    logic [63:0] value;
    value_select #(.Source(WordRules[i].source)) u_select (
      .values_i(values), .report_i(report), .counters_i(counters), .value_o(value)
    );
    assign register_words[i] = value[31:0];
    logic unused_high;
    assign unused_high = ^value[63:32];
  end

  for (genvar i = 0; i < RegisterPairs; i++) begin : gen_register_pair
    value_select #(.Source(PairRules[i].source)) u_select (
      .values_i(values), .report_i(report), .counters_i(counters), .value_o(register_pairs[i])
    );
  end

  for (genvar i = 0; i < StatusWords; i++) begin : gen_status_word
    logic [63:0] value;
    value_select #(.Source(StatusSources[i])) u_select (
      .values_i(values), .report_i(report), .counters_i(counters), .value_o(value)
    );
    assign status_words[i] = StatusSources[i].high ? value[63:32] : value[31:0];
    logic unused_half;
    assign unused_half = ^value;
  end

  logic [1:0]       register_valid, register_ready, register_write, register_response;
  logic [1:0][31:0] register_address, register_wdata;
  logic [31:0]      register_value, register_status;
  logic             register_reset, command_reset, reset_busy, drained;

  register_file u_registers (
    .clk_i, .rst_ni,
    .request_valid_i(register_valid), .request_ready_o(register_ready),
    .request_write_i(register_write), .request_address_i(register_address),
    .request_value_i(register_wdata), .response_valid_o(register_response),
    .response_value_o(register_value), .response_status_o(register_status),
    .soft_reset_o(register_reset),
    .words_i(register_words), .pairs_i(register_pairs),
    .window_valid_o(window_valid), .window_o(window_request), .window_i(window_reply)
  );

  axi_lite_slave #(.AddressBits(16)) u_axi_lite (
    .clk_i, .rst_ni,
    .s_axil_awvalid, .s_axil_awready, .s_axil_awaddr,
    .s_axil_wvalid, .s_axil_wready, .s_axil_wdata, .s_axil_wstrb,
    .s_axil_bvalid, .s_axil_bready, .s_axil_bresp,
    .s_axil_arvalid, .s_axil_arready, .s_axil_araddr,
    .s_axil_rvalid, .s_axil_rready, .s_axil_rdata, .s_axil_rresp,
    .request_valid_o(register_valid[1]), .request_ready_i(register_ready[1]),
    .request_write_o(register_write[1]), .request_address_o(register_address[1]),
    .request_value_o(register_wdata[1]), .response_valid_i(register_response[1]),
    .response_value_i(register_value), .response_status_i(register_status)
  );

  soft_reset_sequencer u_soft_reset (
    .clk_i, .rst_ni, .request_i(register_reset || command_reset),
    .soft_reset_o(soft_reset), .busy_o(reset_busy)
  );

  logic        control_valid, control_ready, control_last;
  logic [63:0] control_data;

  control_engine u_control (
    .clk_i, .rst_ni,
    .request_valid_i(asked_valid[ControlPort]), .request_ready_o(asked_ready[ControlPort]),
    .request_data_i(asked_data[ControlPort][63:0]), .request_last_i(asked_last[ControlPort]),
    .reply_valid_o(control_valid), .reply_ready_i(control_ready),
    .reply_data_o(control_data), .reply_last_o(control_last),
    .reset_request_o(command_reset), .reset_busy_i(reset_busy), .drained_i(drained),
    .register_valid_o(register_valid[0]), .register_ready_i(register_ready[0]),
    .register_write_o(register_write[0]), .register_address_o(register_address[0]),
    .register_value_o(register_wdata[0]), .register_response_i(register_response[0]),
    .register_value_i(register_value), .register_status_i(register_status),
    .status_i(status_words)
  );

  // ---- frames out ----
  logic        chosen_valid, chosen_ready, chosen_last;
  logic        out_valid, out_ready, out_last, wide_valid, wide_ready, wide_last;
  logic [63:0] chosen_data, out_data;
  logic [8*StreamBytes-1:0] wide_data;

  reply_path #(.EnginePorts(EnginePorts)) u_replies (
    .clk_i, .rst_ni, .flush_i(soft_reset),
    .control_valid_i(control_valid), .control_ready_o(control_ready),
    .control_data_i(control_data), .control_last_i(control_last),
    .ignored_valid_i(ignored_valid), .ignored_ready_o(ignored_ready),
    .ignored_data_i(ignored_header),
    .engine_valid_i(reply_valid), .engine_ready_o(reply_ready), .engine_data_i(reply_data),
    .engine_last_i(reply_last),
    .out_valid_o(chosen_valid), .out_ready_i(chosen_ready), .out_data_o(chosen_data),
    .out_last_o(chosen_last), .drained_o(drained)
  );

  // Beats of 8 bytes go directly from the selected source to the last register.
  if (StreamBytes > 8) begin : gen_chosen_skid
    stream_skid #(.DataWidth(65)) u_chosen_skid (
      .clk_i, .rst_ni, .clear_i(1'b0),
      .in_valid_i(chosen_valid), .in_ready_o(chosen_ready), .in_data_i({chosen_last, chosen_data}),
      .out_valid_o(out_valid), .out_ready_i(out_ready), .out_data_o({out_last, out_data})
    );
  end else begin : gen_no_skid
    assign {out_valid, out_last, out_data} = {chosen_valid, chosen_last, chosen_data};
    assign chosen_ready = out_ready;
  end

  stream_widen #(.NarrowBytes(8), .WideBytes(StreamBytes)) u_widen (
    .clk_i, .rst_ni, .clear_i(1'b0),
    .in_valid_i(out_valid), .in_ready_o(out_ready), .in_data_i(out_data), .in_last_i(out_last),
    .out_valid_o(wide_valid), .out_ready_i(wide_ready),
    .out_data_o(wide_data), .out_last_o(wide_last)
  );

  stream_skid #(.DataWidth(8 * StreamBytes + 1)) u_out_skid (
    .clk_i, .rst_ni, .clear_i(1'b0),
    .in_valid_i(wide_valid), .in_ready_o(wide_ready), .in_data_i({wide_last, wide_data}),
    .out_valid_o(m_axis_tvalid), .out_ready_i(m_axis_tready),
    .out_data_o({m_axis_tlast, m_axis_tdata})
  );

  assign m_axis_tkeep = '1;
  assign frame_sent = m_axis_tvalid && m_axis_tready && m_axis_tlast;
  assign idle_o = engines_idle && drained && !chosen_valid && !out_valid && !wide_valid
      && !m_axis_tvalid && !reset_busy && decoder_idle && queue_idle == '1
      && request_valid[ControlPort] == 1'b0;

  logic unused;
  assign unused = ^{s_axis_tlast, s_axil_awprot, s_axil_arprot, frame_port[4:PortBits],
                    request_valid, port_valid, port_last, port_data, asked_valid,
                    asked_last, asked_data};
endmodule
