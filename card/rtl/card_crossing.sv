// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// card_crossing: everything that passes between the clock of a board's buses and the core's clock
// of card_top: both AXI4-Streams, the AXI4-Lite registers, and the reset. The ports bus_* connect
// to the bus, the ports core_* to those of card_top with the same name.
//
// rst_ni is asynchronous; it resets both sides of all crossings together, and card_top through
// core_rst_no. While it is low, and until bus_rst_no rises, nothing is accepted from the bus. It
// must stay low for at least one clock of the slower side.
// (The bus ports have AXI's own names, so that tools recognize the interfaces.)
module card_crossing #(
  parameter int unsigned StreamBytes = 8,  // bytes per beat of the streams
  parameter int unsigned StreamDepth = 16  // beats each way; a power of two, at least 8 for full rate
) (
  input  logic        rst_ni,

  // ---- the bus ----
  input  logic        bus_clk_i,
  output logic        bus_rst_no,

  input  logic        bus_s_axis_tvalid,
  output logic        bus_s_axis_tready,
  input  logic [8*StreamBytes-1:0] bus_s_axis_tdata,
  input  logic [StreamBytes-1:0]   bus_s_axis_tkeep,
  input  logic        bus_s_axis_tlast,

  output logic        bus_m_axis_tvalid,
  input  logic        bus_m_axis_tready,
  output logic [8*StreamBytes-1:0] bus_m_axis_tdata,
  output logic [StreamBytes-1:0]   bus_m_axis_tkeep,
  output logic        bus_m_axis_tlast,

  input  logic        bus_s_axil_awvalid,
  output logic        bus_s_axil_awready,
  input  logic [15:0] bus_s_axil_awaddr,
  input  logic [2:0]  bus_s_axil_awprot,
  input  logic        bus_s_axil_wvalid,
  output logic        bus_s_axil_wready,
  input  logic [31:0] bus_s_axil_wdata,
  input  logic [3:0]  bus_s_axil_wstrb,
  output logic        bus_s_axil_bvalid,
  input  logic        bus_s_axil_bready,
  output logic [1:0]  bus_s_axil_bresp,
  input  logic        bus_s_axil_arvalid,
  output logic        bus_s_axil_arready,
  input  logic [15:0] bus_s_axil_araddr,
  input  logic [2:0]  bus_s_axil_arprot,
  output logic        bus_s_axil_rvalid,
  input  logic        bus_s_axil_rready,
  output logic [31:0] bus_s_axil_rdata,
  output logic [1:0]  bus_s_axil_rresp,

  // ---- the core: to the ports of card_top ----
  input  logic        core_clk_i,
  output logic        core_rst_no,

  output logic        core_s_axis_tvalid,
  input  logic        core_s_axis_tready,
  output logic [8*StreamBytes-1:0] core_s_axis_tdata,
  output logic [StreamBytes-1:0]   core_s_axis_tkeep,
  output logic        core_s_axis_tlast,

  input  logic        core_m_axis_tvalid,
  output logic        core_m_axis_tready,
  input  logic [8*StreamBytes-1:0] core_m_axis_tdata,
  input  logic [StreamBytes-1:0]   core_m_axis_tkeep,
  input  logic        core_m_axis_tlast,

  output logic        core_s_axil_awvalid,
  input  logic        core_s_axil_awready,
  output logic [15:0] core_s_axil_awaddr,
  output logic [2:0]  core_s_axil_awprot,
  output logic        core_s_axil_wvalid,
  input  logic        core_s_axil_wready,
  output logic [31:0] core_s_axil_wdata,
  output logic [3:0]  core_s_axil_wstrb,
  input  logic        core_s_axil_bvalid,
  output logic        core_s_axil_bready,
  input  logic [1:0]  core_s_axil_bresp,
  output logic        core_s_axil_arvalid,
  input  logic        core_s_axil_arready,
  output logic [15:0] core_s_axil_araddr,
  output logic [2:0]  core_s_axil_arprot,
  input  logic        core_s_axil_rvalid,
  output logic        core_s_axil_rready,
  input  logic [31:0] core_s_axil_rdata,
  input  logic [1:0]  core_s_axil_rresp
);
  logic bus_rst_n, core_rst_n;

  reset_sync u_bus_reset (.clk_i(bus_clk_i), .rst_ni, .rst_no(bus_rst_n));
  reset_sync u_core_reset (.clk_i(core_clk_i), .rst_ni, .rst_no(core_rst_n));
  assign bus_rst_no = bus_rst_n;
  assign core_rst_no = core_rst_n;

  stream_async_fifo #(.DataWidth(9 * StreamBytes + 1), .Depth(StreamDepth)) u_in (
    .in_clk_i(bus_clk_i), .in_rst_ni(bus_rst_n),
    .in_valid_i(bus_s_axis_tvalid), .in_ready_o(bus_s_axis_tready),
    .in_data_i({bus_s_axis_tlast, bus_s_axis_tkeep, bus_s_axis_tdata}),
    .out_clk_i(core_clk_i), .out_rst_ni(core_rst_n),
    .out_valid_o(core_s_axis_tvalid), .out_ready_i(core_s_axis_tready),
    .out_data_o({core_s_axis_tlast, core_s_axis_tkeep, core_s_axis_tdata})
  );

  stream_async_fifo #(.DataWidth(9 * StreamBytes + 1), .Depth(StreamDepth)) u_out (
    .in_clk_i(core_clk_i), .in_rst_ni(core_rst_n),
    .in_valid_i(core_m_axis_tvalid), .in_ready_o(core_m_axis_tready),
    .in_data_i({core_m_axis_tlast, core_m_axis_tkeep, core_m_axis_tdata}),
    .out_clk_i(bus_clk_i), .out_rst_ni(bus_rst_n),
    .out_valid_o(bus_m_axis_tvalid), .out_ready_i(bus_m_axis_tready),
    .out_data_o({bus_m_axis_tlast, bus_m_axis_tkeep, bus_m_axis_tdata})
  );

  axi_lite_crossing #(.AddressBits(16)) u_registers (
    .s_clk_i(bus_clk_i), .s_rst_ni(bus_rst_n),
    .s_axil_awvalid(bus_s_axil_awvalid), .s_axil_awready(bus_s_axil_awready),
    .s_axil_awaddr(bus_s_axil_awaddr), .s_axil_awprot(bus_s_axil_awprot),
    .s_axil_wvalid(bus_s_axil_wvalid), .s_axil_wready(bus_s_axil_wready),
    .s_axil_wdata(bus_s_axil_wdata), .s_axil_wstrb(bus_s_axil_wstrb),
    .s_axil_bvalid(bus_s_axil_bvalid), .s_axil_bready(bus_s_axil_bready),
    .s_axil_bresp(bus_s_axil_bresp),
    .s_axil_arvalid(bus_s_axil_arvalid), .s_axil_arready(bus_s_axil_arready),
    .s_axil_araddr(bus_s_axil_araddr), .s_axil_arprot(bus_s_axil_arprot),
    .s_axil_rvalid(bus_s_axil_rvalid), .s_axil_rready(bus_s_axil_rready),
    .s_axil_rdata(bus_s_axil_rdata), .s_axil_rresp(bus_s_axil_rresp),
    .m_clk_i(core_clk_i), .m_rst_ni(core_rst_n),
    .m_axil_awvalid(core_s_axil_awvalid), .m_axil_awready(core_s_axil_awready),
    .m_axil_awaddr(core_s_axil_awaddr), .m_axil_awprot(core_s_axil_awprot),
    .m_axil_wvalid(core_s_axil_wvalid), .m_axil_wready(core_s_axil_wready),
    .m_axil_wdata(core_s_axil_wdata), .m_axil_wstrb(core_s_axil_wstrb),
    .m_axil_bvalid(core_s_axil_bvalid), .m_axil_bready(core_s_axil_bready),
    .m_axil_bresp(core_s_axil_bresp),
    .m_axil_arvalid(core_s_axil_arvalid), .m_axil_arready(core_s_axil_arready),
    .m_axil_araddr(core_s_axil_araddr), .m_axil_arprot(core_s_axil_arprot),
    .m_axil_rvalid(core_s_axil_rvalid), .m_axil_rready(core_s_axil_rready),
    .m_axil_rdata(core_s_axil_rdata), .m_axil_rresp(core_s_axil_rresp)
  );
endmodule
