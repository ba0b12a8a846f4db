// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// card_top: the card. One AXI4-Stream in, one out (StreamBytes a beat), and AXI4-Lite registers, by
// the rules of docs/card.md. Engines is the mask of capability bits to build; engine_enable_i masks
// them further. Incoming bytes without their tkeep bit count as zero, and tlast is ignored: a
// frame's end is its length's. Outgoing beats are whole, tlast marks a frame's end.
//
// Frames run StreamBytes wide to the router. The control engine, Poseidon, Equihash and
// secp256k1 take them 8 bytes a clock, BLAKE3 64; replies are 8 bytes a clock up to the last
// register.
// (The bus ports have AXI's own names, so that tools recognise the interfaces.)
module card_top #(
  parameter logic [31:0] BuildId = 32'd0,
  parameter int unsigned StreamBytes = 8,  // a beat of the streams: 8, 16, 32 or 64
  parameter logic [31:0] Engines = 32'd1 << card_pkg::CapabilityPoseidon,
  parameter int unsigned PoseidonCoresFr = 1,
  parameter int unsigned PoseidonCoresFelt = 1,
  parameter int unsigned PoseidonContexts = 64,
  // verilator lint_off UNUSEDPARAM
  // (They say nothing where their engine is not built.)
  parameter int unsigned Blake3Chunks = 128,    // chunks that wait or are at work
  parameter int unsigned Blake3Messages = 128,  // messages that are open
  parameter int unsigned EquihashSets = 1,      // mask of equihash_pkg::SetN and SetK
  parameter int unsigned EquihashShaLanes = 4,  // double hashes at work
  parameter int unsigned EquihashStages = 4,    // of a round of BLAKE2b: 1, 2, 4 or 8
  parameter int unsigned Secp256k1Cores = 1,
  parameter int unsigned Secp256k1Contexts = 48,  // signatures at work in each core
  parameter int unsigned PoseidonPrograms = 0,  // poseidon_programs_pkg::programs_e
  parameter int unsigned Interval = 1,  // clocks a product
  parameter int unsigned TileA = 26,    // the target family's multiplier, unsigned
  parameter int unsigned TileB = 17
  // verilator lint_on UNUSEDPARAM
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

  output logic        idle_o  // nothing waits or works inside: without input, nothing will come out
);
  import card_pkg::*;

  // The engines there are sources for.
  localparam logic [31:0] BuiltMask = Engines
      & (32'd1 << CapabilityPoseidon | 32'd1 << CapabilityBlake3 | 32'd1 << CapabilityEquihash
         | 32'd1 << CapabilitySecp256k1);
  localparam int unsigned ControlPort = EnginePorts;
  localparam int unsigned RouterPorts = EnginePorts + 1;
  localparam int unsigned PortBits = $clog2(RouterPorts);
  localparam int unsigned BusyBits = 4 + $clog2(EnginePorts + 1);

  // ---- frames in ----
  logic        in_valid, in_ready;
  logic [8*StreamBytes-1:0] in_data, kept;

  for (genvar i = 0; i < StreamBytes; i++) begin : gen_kept
    assign kept[8*i+:8] = s_axis_tdata[8*i+:8] & {8{s_axis_tkeep[i]}};
  end

  stream_skid #(.DataWidth(8 * StreamBytes)) u_in_skid (
    .clk_i, .rst_ni, .clear_i(1'b0),
    .in_valid_i(s_axis_tvalid), .in_ready_o(s_axis_tready), .in_data_i(kept),
    .out_valid_o(in_valid), .out_ready_i(in_ready), .out_data_o(in_data)
  );

  logic [31:0] capabilities;
  logic        frame_valid, frame_ready, frame_last, frame_control, frame_taken;
  logic [8*StreamBytes-1:0] frame_data;
  logic [4:0]  frame_port;
  logic        ignored_valid, ignored_ready;
  logic [63:0] ignored_header;
  logic        decoder_idle;

  assign capabilities = BuiltMask & engine_enable_i;

  frame_decoder #(.StreamBytes(StreamBytes)) u_decoder (
    .clk_i, .rst_ni, .present_i(capabilities),
    .stream_valid_i(in_valid), .stream_ready_o(in_ready), .stream_data_i(in_data),
    .frame_valid_o(frame_valid), .frame_ready_i(frame_ready), .frame_data_o(frame_data),
    .frame_last_o(frame_last), .frame_control_o(frame_control), .frame_port_o(frame_port),
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
    .in_port_i(frame_control ? PortBits'(ControlPort) : PortBits'(frame_port)),
    .out_valid_o(request_valid), .out_ready_i(request_ready), .out_data_o(request_data),
    .out_last_o(request_last)
  );

  // ---- ports: requests in beats of the port's own width; what an engine tells ----
  // A register slice stands before each engine. The control engine has none: what is behind a
  // command for it waits in the decoder until it is answered.
  typedef struct packed {
    logic        idle;      // no request inside
    logic        error;     // pulse: a request is answered with a status other than 0
    logic        ignored;   // pulse: a frame is answered by fpga_ignore_rpl
    logic        block;     // a block is begun
    logic [1:0]  starved;   // by lane
    logic [3:0]  products;  // issued in the clock before
    logic [31:0] shape;     // what is built, as its register tells it
  } engine_t;

  logic    [RouterPorts-1:0]        port_valid, port_ready, port_last;
  logic    [RouterPorts-1:0][8*StreamBytes-1:0] port_data;
  logic    [RouterPorts-1:0]        asked_valid, asked_ready, asked_last;
  logic    [RouterPorts-1:0][511:0] asked_data;
  engine_t [EnginePorts-1:0]        engine;
  logic    [EnginePorts-1:0]        reply_valid, reply_ready, reply_last;
  logic    [EnginePorts-1:0][63:0]  reply_data;

  for (genvar p = 0; p < RouterPorts; p++) begin : gen_port
    localparam int unsigned Bytes = p == CapabilityBlake3 ? 64 : 8;
    logic clear;
    assign clear = soft_reset && p != ControlPort;  // control frames go on through a soft reset

    if (p == ControlPort) begin : gen_direct
      assign port_valid[p] = request_valid[p];
      assign request_ready[p] = port_ready[p];
      assign {port_last[p], port_data[p]} = {request_last, request_data};
    end else if (BuiltMask[p]) begin : gen_slice
      stream_skid #(.DataWidth(8 * StreamBytes + 1)) u_slice (
        .clk_i, .rst_ni, .clear_i(clear),
        .in_valid_i(request_valid[p]), .in_ready_o(request_ready[p]),
        .in_data_i({request_last, request_data}),
        .out_valid_o(port_valid[p]), .out_ready_i(port_ready[p]),
        .out_data_o({port_last[p], port_data[p]})
      );
    end else begin : gen_closed
      // The decoder lets no frame through to here.
      assign request_ready[p] = port_ready[p];
      assign {port_valid[p], port_last[p], port_data[p]} = '0;
    end

    if (p != ControlPort && !BuiltMask[p]) begin : gen_absent
      assign port_ready[p] = asked_ready[p];
      assign asked_ready[p] = 1'b1;
      assign {asked_valid[p], asked_last[p], asked_data[p]} = '0;
      assign {reply_valid[p], reply_last[p], reply_data[p]} = '0;
      assign engine[p] = '{idle: 1'b1, default: '0};
      logic unused_ports;
      assign unused_ports = ^{clear, reply_ready[p]};
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

  // ---- engines ----
  for (genvar p = 0; p < EnginePorts; p++) begin : gen_engine
    if (BuiltMask[p] && p == CapabilityPoseidon) begin : gen_poseidon
      logic [7:0] unused_cores;

      poseidon_engine #(
        .Programs(poseidon_programs_pkg::programs_e'(PoseidonPrograms)),
        .CoresFr(PoseidonCoresFr), .CoresFelt(PoseidonCoresFelt), .Contexts(PoseidonContexts),
        .Interval(Interval), .TileA(TileA), .TileB(TileB)
      ) u_engine (
        .clk_i, .rst_ni, .soft_reset_i(soft_reset),
        .req_valid_i(asked_valid[p]), .req_ready_o(asked_ready[p]),
        .req_data_i(asked_data[p][63:0]), .req_last_i(asked_last[p]),
        .rpl_valid_o(reply_valid[p]), .rpl_ready_i(reply_ready[p]),
        .rpl_data_o(reply_data[p]), .rpl_last_o(reply_last[p]),
        .instances_o(engine[p].shape[11:0]), .cores_o(unused_cores),
        .mul_busy_o(engine[p].products), .starved_o(engine[p].starved),
        .error_o(engine[p].error), .idle_o(engine[p].idle)
      );
      assign engine[p].shape[31:12] = '0;
      assign {engine[p].ignored, engine[p].block} = '0;
    end else if (BuiltMask[p] && p == CapabilityBlake3) begin : gen_blake3
      logic       idle;
      logic [7:0] stages;

      blake3_engine #(.Chunks(Blake3Chunks), .Messages(Blake3Messages)) u_engine (
        .clk_i, .rst_ni, .soft_reset_i(soft_reset),
        .req_valid_i(asked_valid[p]), .req_ready_o(asked_ready[p]),
        .req_data_i(asked_data[p]), .req_last_i(asked_last[p]),
        .rpl_valid_o(reply_valid[p]), .rpl_ready_i(reply_ready[p]),
        .rpl_data_o(reply_data[p]), .rpl_last_o(reply_last[p]),
        .block_begun_o(engine[p].block), .starved_o(engine[p].starved[0]),
        .error_o(engine[p].error), .idle_o(idle), .stages_o(stages)
      );
      // What waits in the widener is work, too; half a beat of a frame is not.
      assign engine[p].idle = idle && !asked_valid[p];
      assign engine[p].shape = {16'(Blake3Chunks), 8'd1, stages};
      assign {engine[p].ignored, engine[p].starved[1], engine[p].products} = '0;
    end else if (BuiltMask[p] && p == CapabilityEquihash) begin : gen_equihash
      equihash_engine #(
        .Built(equihash_pkg::Sets'(EquihashSets)), .ShaLanes(EquihashShaLanes),
        .StagesPerRound(EquihashStages)
      ) u_engine (
        .clk_i, .rst_ni, .soft_reset_i(soft_reset),
        .req_valid_i(asked_valid[p]), .req_ready_o(asked_ready[p]),
        .req_data_i(asked_data[p][63:0]), .req_last_i(asked_last[p]),
        .rpl_valid_o(reply_valid[p]), .rpl_ready_i(reply_ready[p]),
        .rpl_data_o(reply_data[p]), .rpl_last_o(reply_last[p]),
        .index_begun_o(engine[p].block), .ignored_o(engine[p].ignored),
        .error_o(engine[p].error), .idle_o(engine[p].idle)
      );
      assign engine[p].shape = {8'd0, 8'(equihash_pkg::Rounds * EquihashStages),
                                8'(EquihashShaLanes), 8'(EquihashSets)};
      assign {engine[p].starved, engine[p].products} = '0;
    end else if (BuiltMask[p] && p == CapabilitySecp256k1) begin : gen_secp256k1
      secp256k1_engine #(
        .Cores(Secp256k1Cores), .Contexts(Secp256k1Contexts),
        .Interval(Interval), .TileA(TileA), .TileB(TileB)
      ) u_engine (
        .clk_i, .rst_ni, .soft_reset_i(soft_reset),
        .req_valid_i(asked_valid[p]), .req_ready_o(asked_ready[p]),
        .req_data_i(asked_data[p][63:0]), .req_last_i(asked_last[p]),
        .rpl_valid_o(reply_valid[p]), .rpl_ready_i(reply_ready[p]),
        .rpl_data_o(reply_data[p]), .rpl_last_o(reply_last[p]),
        .mul_busy_o(engine[p].products), .ignored_o(engine[p].ignored),
        .error_o(engine[p].error), .idle_o(engine[p].idle)
      );
      assign engine[p].shape = {16'(Secp256k1Contexts), 8'd0, 8'(Secp256k1Cores)};
      assign {engine[p].starved, engine[p].block} = '0;
    end
  end

  // What the registers say of engines that are there and enabled.
  logic [EnginePorts-1:0][31:0] shape;
  logic [31:0]                  poseidon_cores;
  for (genvar p = 0; p < EnginePorts; p++) begin : gen_shape
    assign shape[p] = capabilities[p] ? engine[p].shape : '0;
  end
  assign poseidon_cores = capabilities[CapabilityPoseidon]
      ? {16'(PoseidonContexts), 8'(PoseidonCoresFelt), 8'(PoseidonCoresFr)} : '0;

  // ---- counters, registers, control ----
  logic [BusyBits-1:0] products;
  logic        engines_idle, engine_error, engine_ignored;
  logic [63:0] clocks, multiplier_busy, replies_stalled, blake3_blocks;
  logic [2:0][63:0] starved;  // Poseidon Fr, Felt, BLAKE3
  logic [31:0] frames_in, frames_out, frames_ignored, engine_errors;
  logic        frame_sent;

  always_comb begin
    products       = '0;
    engines_idle   = 1'b1;
    engine_error   = 1'b0;
    engine_ignored = 1'b0;
    for (int unsigned p = 0; p < EnginePorts; p++) begin
      products       += BusyBits'(engine[p].products);
      engines_idle   &= engine[p].idle;
      engine_error   |= engine[p].error;
      engine_ignored |= engine[p].ignored;
    end
  end

  card_counters #(.BusyBits(BusyBits)) u_counters (
    .clk_i, .rst_ni,
    .frame_taken_i(frame_taken), .frame_sent_i(frame_sent),
    .frame_ignored_i({engine_ignored, ignored_valid && ignored_ready}),
    .engine_error_i(engine_error), .multiplier_busy_i(products),
    .starved_i({engine[CapabilityBlake3].starved[0], engine[CapabilityPoseidon].starved}),
    .blake3_block_i(engine[CapabilityBlake3].block),
    .reply_stalled_i(m_axis_tvalid && !m_axis_tready),
    .clocks_o(clocks), .multiplier_busy_o(multiplier_busy), .starved_o(starved),
    .blake3_blocks_o(blake3_blocks),
    .replies_stalled_o(replies_stalled), .frames_in_o(frames_in),
    .frames_out_o(frames_out), .frames_ignored_o(frames_ignored), .engine_errors_o(engine_errors)
  );

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
    .build_id_i(BuildId), .capabilities_i(capabilities), .stream_bytes_i(StreamBytes),
    .poseidon_instances_i(shape[CapabilityPoseidon]), .poseidon_cores_i(poseidon_cores),
    .clocks_i(clocks), .multiplier_busy_i(multiplier_busy), .replies_stalled_i(replies_stalled),
    .poseidon_starved_fr_i(starved[0]), .poseidon_starved_felt_i(starved[1]),
    .blake3_shape_i(shape[CapabilityBlake3]), .blake3_blocks_i(blake3_blocks),
    .blake3_starved_i(starved[2]),
    .equihash_shape_i(shape[CapabilityEquihash]), .secp256k1_shape_i(shape[CapabilitySecp256k1]),
    .frames_in_i(frames_in), .frames_out_i(frames_out), .frames_ignored_i(frames_ignored),
    .engine_errors_i(engine_errors)
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
    .build_id_i(BuildId), .capabilities_i(capabilities), .clocks_i(clocks),
    .multiplier_busy_i(multiplier_busy), .frames_ignored_i(frames_ignored),
    .poseidon_instances_i(shape[CapabilityPoseidon]),
    .poseidon_starved_fr_i(starved[0]), .poseidon_starved_felt_i(starved[1]),
    .replies_stalled_i(replies_stalled), .stream_bytes_i(StreamBytes),
    .blake3_blocks_i(blake3_blocks), .blake3_starved_i(starved[2]),
    .equihash_sets_i(32'(shape[CapabilityEquihash][7:0]))
  );

  // ---- frames out ----
  logic        out_valid, out_ready, out_last, wide_valid, wide_ready, wide_last;
  logic [63:0] out_data;
  logic [8*StreamBytes-1:0] wide_data;

  reply_path #(.EnginePorts(EnginePorts)) u_replies (
    .clk_i, .rst_ni, .flush_i(soft_reset),
    .control_valid_i(control_valid), .control_ready_o(control_ready),
    .control_data_i(control_data), .control_last_i(control_last),
    .ignored_valid_i(ignored_valid), .ignored_ready_o(ignored_ready),
    .ignored_data_i(ignored_header),
    .engine_valid_i(reply_valid), .engine_ready_o(reply_ready), .engine_data_i(reply_data),
    .engine_last_i(reply_last),
    .out_valid_o(out_valid), .out_ready_i(out_ready), .out_data_o(out_data),
    .out_last_o(out_last), .drained_o(drained)
  );

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
  assign idle_o = engines_idle && drained && !in_valid && !out_valid && !wide_valid
      && !m_axis_tvalid && !reset_busy && decoder_idle && port_valid == '0;

  logic unused;
  assign unused = ^{s_axis_tlast, s_axil_awprot, s_axil_arprot, frame_port[4:PortBits],
                    request_valid, port_last, port_data, asked_valid, asked_last, asked_data};
endmodule
