// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// alveo_top: the card on an UltraScale+ board behind PCIe Gen3 x16. The block design `shell`
// (card/boards/common/bd.tcl) contains the XDMA core, whose streams have 64 bytes per clock, and
// the core's clock. board_card, which differs between boards, is everything else except the link's
// packets and interrupts.
//
// A packet to the host is at most a page of 4 KiB, as the host's reads are
// (card/src/transport/threaded.rs). Interrupt 0: an interrupt of the card is pending. Interrupt 1:
// a packet begins.
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

  localparam int unsigned PacketBytes = 4096;

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
  logic [1:0]  irq_req, irq_ack;

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
    .registers_rresp(rresp), .irq_req, .irq_ack
  );

  // ---- the reset: the core needs its clock, and the bus needs the link ----
  // A register drives it, since synchronizers follow.
  logic locked, card_rst_nq;

  sync_bits u_locked (.clk_i(bus_clk), .rst_ni(bus_rst_n), .data_i(core_locked), .data_o(locked));

  always_ff @(posedge bus_clk or negedge bus_rst_n) begin
    if (!bus_rst_n) card_rst_nq <= 1'b0;
    else card_rst_nq <= locked;
  end

  // ---- the card ----
  logic        reply_tvalid, reply_tready, reply_tlast;
  logic [8*StreamBytes-1:0] reply_tdata;
  logic [StreamBytes-1:0]   reply_tkeep;

  board_card #(.BuildId(BuildId)) u_card (
    .clk_i(bus_clk), .core_clk_i(core_clk), .rst_ni(card_rst_nq),
    .s_axis_tvalid(h2c_tvalid), .s_axis_tready(h2c_tready), .s_axis_tdata(h2c_tdata),
    .s_axis_tkeep(h2c_tkeep), .s_axis_tlast(h2c_tlast),
    .m_axis_tvalid(reply_tvalid), .m_axis_tready(reply_tready), .m_axis_tdata(reply_tdata),
    .m_axis_tkeep(reply_tkeep), .m_axis_tlast(reply_tlast),
    .s_axil_awvalid(awvalid), .s_axil_awready(awready), .s_axil_awaddr(awaddr[15:0]),
    .s_axil_awprot(awprot),
    .s_axil_wvalid(wvalid), .s_axil_wready(wready), .s_axil_wdata(wdata), .s_axil_wstrb(wstrb),
    .s_axil_bvalid(bvalid), .s_axil_bready(bready), .s_axil_bresp(bresp),
    .s_axil_arvalid(arvalid), .s_axil_arready(arready), .s_axil_araddr(araddr[15:0]),
    .s_axil_arprot(arprot),
    .s_axil_rvalid(rvalid), .s_axil_rready(rready), .s_axil_rdata(rdata), .s_axil_rresp(rresp),
    .interrupt_o(interrupt), .idle_o(idle)
  );

  // ---- packets and interrupts ----
  logic packet_begins, beat_valid, beat_ready;
  logic [8*StreamBytes-1:0] beat_data;

  idle_beat #(.DataWidth(8 * StreamBytes)) u_idle_beat (
    .clk_i(bus_clk), .rst_ni(card_rst_nq),
    .in_valid_i(reply_tvalid), .in_ready_o(reply_tready), .in_data_i(reply_tdata),
    .in_last_i(reply_tlast),
    .out_valid_o(beat_valid), .out_ready_i(beat_ready), .out_data_o(beat_data)
  );

  packet_coalescer #(
    .DataWidth(8 * StreamBytes), .PacketBeats(PacketBytes / StreamBytes)
  ) u_packets (
    .clk_i(bus_clk), .rst_ni(card_rst_nq),
    .in_valid_i(beat_valid), .in_ready_o(beat_ready), .in_data_i(beat_data),
    .out_valid_o(c2h_tvalid), .out_ready_i(c2h_tready), .out_data_o(c2h_tdata),
    .out_last_o(c2h_tlast), .begins_o(packet_begins)
  );
  assign c2h_tkeep = '1;

  // The card's interrupt is high until the host clears its cause.
  assign irq_req[0] = interrupt;
  interrupt_request u_packet_interrupt (
    .clk_i(bus_clk), .rst_ni(card_rst_nq), .event_i(packet_begins),
    .request_o(irq_req[1]), .acknowledge_i(irq_ack[1])
  );

  logic unused;
  assign unused = ^{awaddr[31:16], araddr[31:16], idle, link_up, reply_tkeep, irq_ack[0]};
endmodule
