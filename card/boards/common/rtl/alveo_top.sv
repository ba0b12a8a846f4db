// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// alveo_top: the card on an UltraScale+ board behind PCIe Gen3 x16. The block design `shell`
// (card/boards/common/bd.tcl) contains the XDMA core, whose streams of 64 bytes per clock are the
// card's, and the core's clock. Everything else is board_card, which differs between boards.
module alveo_top #(
  parameter logic [31:0] BuildId = 32'd0
) (
  input  logic       pcie_refclk_clk_p,
  input  logic       pcie_refclk_clk_n,
  input  logic       pcie_perst_n,
  input  logic [15:0]pcie_mgt_rxp,
  input  logic [15:0]pcie_mgt_rxn,
  output logic [15:0]pcie_mgt_txp,
  output logic [15:0]pcie_mgt_txn,
  output logic       hbm_cattrip  // low: the HBM, which is unused, is not too hot
);
  localparam int unsigned StreamBytes = 64;

  logic        bus_clk, bus_rst_n, core_clk, core_locked, link_up;
  logic        h2c_tvalid, h2c_tready, h2c_tlast, c2h_tvalid, c2h_tready, c2h_tlast;
  logic [8*StreamBytes-1:0] h2c_tdata, c2h_tdata;
  logic [StreamBytes-1:0]   h2c_tkeep, c2h_tkeep;
  logic        awvalid, awready, wvalid, wready, bvalid, bready, arvalid, arready, rvalid, rready;
  logic [31:0] awaddr, araddr, wdata, rdata;
  logic [2:0]  awprot, arprot;
  logic [3:0]  wstrb;
  logic [1:0]  bresp, rresp;
  logic        interrupt, idle;

  assign hbm_cattrip = 1'b0;

  shell_wrapper u_shell (
    .pcie_refclk_clk_p, .pcie_refclk_clk_n, .pcie_perst_n,
    .pcie_mgt_rxp, .pcie_mgt_rxn, .pcie_mgt_txp, .pcie_mgt_txn,
    .link_up, .bus_clk, .bus_rst_n, .core_clk, .core_locked,
    .h2c_tvalid, .h2c_tready, .h2c_tdata, .h2c_tkeep, .h2c_tlast,
    .c2h_tvalid, .c2h_tready, .c2h_tdata, .c2h_tkeep, .c2h_tlast,
    .registers_awvalid(awvalid), .registers_awready(awready), .registers_awaddr(awaddr),
    .registers_awprot(awprot),
    .registers_wvalid(wvalid), .registers_wready(wready), .registers_wdata(wdata),
    .registers_wstrb(wstrb),
    .registers_bvalid(bvalid), .registers_bready(bready), .registers_bresp(bresp),
    .registers_arvalid(arvalid), .registers_arready(arready), .registers_araddr(araddr),
    .registers_arprot(arprot),
    .registers_rvalid(rvalid), .registers_rready(rready), .registers_rdata(rdata),
    .registers_rresp(rresp)
  );

  board_card #(.BuildId(BuildId)) u_card (
    .clk_i(bus_clk), .core_clk_i(core_clk),
    // The core needs its clock, and the bus needs the link.
    .rst_ni(bus_rst_n && core_locked),
    .s_axis_tvalid(h2c_tvalid), .s_axis_tready(h2c_tready), .s_axis_tdata(h2c_tdata),
    .s_axis_tkeep(h2c_tkeep), .s_axis_tlast(h2c_tlast),
    .m_axis_tvalid(c2h_tvalid), .m_axis_tready(c2h_tready), .m_axis_tdata(c2h_tdata),
    .m_axis_tkeep(c2h_tkeep), .m_axis_tlast(c2h_tlast),
    .s_axil_awvalid(awvalid), .s_axil_awready(awready), .s_axil_awaddr(awaddr[15:0]),
    .s_axil_awprot(awprot),
    .s_axil_wvalid(wvalid), .s_axil_wready(wready), .s_axil_wdata(wdata), .s_axil_wstrb(wstrb),
    .s_axil_bvalid(bvalid), .s_axil_bready(bready), .s_axil_bresp(bresp),
    .s_axil_arvalid(arvalid), .s_axil_arready(arready), .s_axil_araddr(araddr[15:0]),
    .s_axil_arprot(arprot),
    .s_axil_rvalid(rvalid), .s_axil_rready(rready), .s_axil_rdata(rdata), .s_axil_rresp(rresp),
    .interrupt_o(interrupt), .idle_o(idle)
  );

  logic unused;
  assign unused = ^{awaddr[31:16], araddr[31:16], interrupt, idle, link_up};
endmodule
