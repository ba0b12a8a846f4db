// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// crossed_card: card_top on a separate clock, core_clk_i, with its buses on clk_i: what stands
// behind a board's PCIe. Ports and parameters are those of card_top; rst_ni belongs to no clock
// (see card_crossing), engine_enable_i and idle_o belong to the core's.
module crossed_card #(
  parameter logic [31:0] BuildId = 32'd0,
  parameter int unsigned StreamBytes = 8,
  parameter logic [31:0] Engines = 32'd1 << card_pkg::CapabilityPoseidon,
  parameter int unsigned Blake3Chunks = 128,
  parameter int unsigned Blake3Messages = 128,
  parameter int unsigned EquihashSets = 1,
  parameter int unsigned EquihashShaLanes = 4,
  parameter int unsigned EquihashStages = 4,
  parameter int unsigned Secp256k1Cores = 1,
  parameter int unsigned Secp256k1Contexts = 48,
  parameter int unsigned PoseidonCoresFr = 1,
  parameter int unsigned PoseidonCoresFelt = 1,
  parameter int unsigned PoseidonContexts = 64,
  parameter int unsigned PoseidonPrograms = 0,
  parameter int unsigned Interval = 1,
  parameter int unsigned TileA = 26,
  parameter int unsigned TileB = 17
) (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        core_clk_i,
  input  logic [31:0] engine_enable_i,

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

  output logic        idle_o
);
  logic core_rst_n;
  logic        core_s_axis_tvalid;
  logic        core_s_axis_tready;
  logic [8*StreamBytes-1:0] core_s_axis_tdata;
  logic [StreamBytes-1:0]   core_s_axis_tkeep;
  logic        core_s_axis_tlast;
  logic        core_m_axis_tvalid;
  logic        core_m_axis_tready;
  logic [8*StreamBytes-1:0] core_m_axis_tdata;
  logic [StreamBytes-1:0]   core_m_axis_tkeep;
  logic        core_m_axis_tlast;
  logic        core_s_axil_awvalid;
  logic        core_s_axil_awready;
  logic [15:0] core_s_axil_awaddr;
  logic [2:0]  core_s_axil_awprot;
  logic        core_s_axil_wvalid;
  logic        core_s_axil_wready;
  logic [31:0] core_s_axil_wdata;
  logic [3:0]  core_s_axil_wstrb;
  logic        core_s_axil_bvalid;
  logic        core_s_axil_bready;
  logic [1:0]  core_s_axil_bresp;
  logic        core_s_axil_arvalid;
  logic        core_s_axil_arready;
  logic [15:0] core_s_axil_araddr;
  logic [2:0]  core_s_axil_arprot;
  logic        core_s_axil_rvalid;
  logic        core_s_axil_rready;
  logic [31:0] core_s_axil_rdata;
  logic [1:0]  core_s_axil_rresp;

  logic bus_rst_n;
  card_crossing #(.StreamBytes(StreamBytes)) u_crossing (
    .rst_ni, .bus_clk_i(clk_i), .bus_rst_no(bus_rst_n), .core_clk_i, .core_rst_no(core_rst_n),
    .bus_s_axis_tvalid(s_axis_tvalid),
    .bus_s_axis_tready(s_axis_tready),
    .bus_s_axis_tdata(s_axis_tdata),
    .bus_s_axis_tkeep(s_axis_tkeep),
    .bus_s_axis_tlast(s_axis_tlast),
    .bus_m_axis_tvalid(m_axis_tvalid),
    .bus_m_axis_tready(m_axis_tready),
    .bus_m_axis_tdata(m_axis_tdata),
    .bus_m_axis_tkeep(m_axis_tkeep),
    .bus_m_axis_tlast(m_axis_tlast),
    .bus_s_axil_awvalid(s_axil_awvalid),
    .bus_s_axil_awready(s_axil_awready),
    .bus_s_axil_awaddr(s_axil_awaddr),
    .bus_s_axil_awprot(s_axil_awprot),
    .bus_s_axil_wvalid(s_axil_wvalid),
    .bus_s_axil_wready(s_axil_wready),
    .bus_s_axil_wdata(s_axil_wdata),
    .bus_s_axil_wstrb(s_axil_wstrb),
    .bus_s_axil_bvalid(s_axil_bvalid),
    .bus_s_axil_bready(s_axil_bready),
    .bus_s_axil_bresp(s_axil_bresp),
    .bus_s_axil_arvalid(s_axil_arvalid),
    .bus_s_axil_arready(s_axil_arready),
    .bus_s_axil_araddr(s_axil_araddr),
    .bus_s_axil_arprot(s_axil_arprot),
    .bus_s_axil_rvalid(s_axil_rvalid),
    .bus_s_axil_rready(s_axil_rready),
    .bus_s_axil_rdata(s_axil_rdata),
    .bus_s_axil_rresp(s_axil_rresp),
    .core_s_axis_tvalid,
    .core_s_axis_tready,
    .core_s_axis_tdata,
    .core_s_axis_tkeep,
    .core_s_axis_tlast,
    .core_m_axis_tvalid,
    .core_m_axis_tready,
    .core_m_axis_tdata,
    .core_m_axis_tkeep,
    .core_m_axis_tlast,
    .core_s_axil_awvalid,
    .core_s_axil_awready,
    .core_s_axil_awaddr,
    .core_s_axil_awprot,
    .core_s_axil_wvalid,
    .core_s_axil_wready,
    .core_s_axil_wdata,
    .core_s_axil_wstrb,
    .core_s_axil_bvalid,
    .core_s_axil_bready,
    .core_s_axil_bresp,
    .core_s_axil_arvalid,
    .core_s_axil_arready,
    .core_s_axil_araddr,
    .core_s_axil_arprot,
    .core_s_axil_rvalid,
    .core_s_axil_rready,
    .core_s_axil_rdata,
    .core_s_axil_rresp
  );

  card_top #(
    .BuildId(BuildId), .StreamBytes(StreamBytes), .Engines(Engines),
    .Blake3Chunks(Blake3Chunks), .Blake3Messages(Blake3Messages),
    .EquihashSets(EquihashSets), .EquihashShaLanes(EquihashShaLanes),
    .EquihashStages(EquihashStages),
    .Secp256k1Cores(Secp256k1Cores), .Secp256k1Contexts(Secp256k1Contexts),
    .PoseidonCoresFr(PoseidonCoresFr),
    .PoseidonCoresFelt(PoseidonCoresFelt), .PoseidonContexts(PoseidonContexts),
    .PoseidonPrograms(PoseidonPrograms), .Interval(Interval), .TileA(TileA), .TileB(TileB)
  ) u_card (
    .clk_i(core_clk_i), .rst_ni(core_rst_n), .engine_enable_i,
    .s_axis_tvalid(core_s_axis_tvalid),
    .s_axis_tready(core_s_axis_tready),
    .s_axis_tdata(core_s_axis_tdata),
    .s_axis_tkeep(core_s_axis_tkeep),
    .s_axis_tlast(core_s_axis_tlast),
    .m_axis_tvalid(core_m_axis_tvalid),
    .m_axis_tready(core_m_axis_tready),
    .m_axis_tdata(core_m_axis_tdata),
    .m_axis_tkeep(core_m_axis_tkeep),
    .m_axis_tlast(core_m_axis_tlast),
    .s_axil_awvalid(core_s_axil_awvalid),
    .s_axil_awready(core_s_axil_awready),
    .s_axil_awaddr(core_s_axil_awaddr),
    .s_axil_awprot(core_s_axil_awprot),
    .s_axil_wvalid(core_s_axil_wvalid),
    .s_axil_wready(core_s_axil_wready),
    .s_axil_wdata(core_s_axil_wdata),
    .s_axil_wstrb(core_s_axil_wstrb),
    .s_axil_bvalid(core_s_axil_bvalid),
    .s_axil_bready(core_s_axil_bready),
    .s_axil_bresp(core_s_axil_bresp),
    .s_axil_arvalid(core_s_axil_arvalid),
    .s_axil_arready(core_s_axil_arready),
    .s_axil_araddr(core_s_axil_araddr),
    .s_axil_arprot(core_s_axil_arprot),
    .s_axil_rvalid(core_s_axil_rvalid),
    .s_axil_rready(core_s_axil_rready),
    .s_axil_rdata(core_s_axil_rdata),
    .s_axil_rresp(core_s_axil_rresp),
    .idle_o
  );

  logic unused;
  assign unused = bus_rst_n;  // the bus waits on its ready lines
endmodule
