// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// f2_card: connects the shell's buses, under AXI's own names, to the card: the registers of
// axi4_slice, axi4_stream_bridge, the core's clock, board_card, and interrupts as pulses.
module f2_card #(
  parameter logic [31:0] BuildId = 32'd0,
  parameter logic [31:0] Engines = 32'd0  // 0: the engines of the board
) (
  input  logic         clk_i,
  input  logic         rst_ni,

  input  logic         s_axi_awvalid,
  output logic         s_axi_awready,
  input  logic [15:0]  s_axi_awid,
  input  logic [63:0]  s_axi_awaddr,
  input  logic [7:0]   s_axi_awlen,
  input  logic [2:0]   s_axi_awsize,
  input  logic [1:0]   s_axi_awburst,
  input  logic         s_axi_wvalid,
  output logic         s_axi_wready,
  input  logic [511:0] s_axi_wdata,
  input  logic [63:0]  s_axi_wstrb,
  input  logic         s_axi_wlast,
  output logic         s_axi_bvalid,
  input  logic         s_axi_bready,
  output logic [15:0]  s_axi_bid,
  output logic [1:0]   s_axi_bresp,
  input  logic         s_axi_arvalid,
  output logic         s_axi_arready,
  input  logic [15:0]  s_axi_arid,
  input  logic [63:0]  s_axi_araddr,
  input  logic [7:0]   s_axi_arlen,
  input  logic [2:0]   s_axi_arsize,
  input  logic [1:0]   s_axi_arburst,
  output logic         s_axi_rvalid,
  input  logic         s_axi_rready,
  output logic [15:0]  s_axi_rid,
  output logic [511:0] s_axi_rdata,
  output logic [1:0]   s_axi_rresp,
  output logic         s_axi_rlast,

  input  logic         s_axil_awvalid,
  output logic         s_axil_awready,
  input  logic [31:0]  s_axil_awaddr,
  input  logic         s_axil_wvalid,
  output logic         s_axil_wready,
  input  logic [31:0]  s_axil_wdata,
  input  logic [3:0]   s_axil_wstrb,
  output logic         s_axil_bvalid,
  input  logic         s_axil_bready,
  output logic [1:0]   s_axil_bresp,
  input  logic         s_axil_arvalid,
  output logic         s_axil_arready,
  input  logic [31:0]  s_axil_araddr,
  output logic         s_axil_rvalid,
  input  logic         s_axil_rready,
  output logic [31:0]  s_axil_rdata,
  output logic [1:0]   s_axil_rresp,

  output logic [1:0]   interrupt_request_o,  // [0]: of the card; [1]: of the bridge (replies ready)
  input  logic [1:0]   interrupt_acknowledge_i
);
  logic core_clk, core_locked, locked, running_q, bus_rst_n;

  core_clock u_clock (.clk_main_i(clk_i), .rst_ni, .clk_o(core_clk), .locked_o(core_locked));

  // The buses stop without the core's clock: the bridge would fill up. A register drives the
  // resets, since synchronizers follow.
  sync_bits u_locked (.clk_i, .rst_ni, .data_i(core_locked), .data_o(locked));
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) running_q <= 1'b0;
    else running_q <= locked;
  end
  reset_sync u_bus_reset (.clk_i, .rst_ni(running_q), .rst_no(bus_rst_n));

  // ---- the streams ----
  logic         awvalid, awready, wvalid, wready, wlast, bvalid, bready;
  logic         arvalid, arready, rvalid, rready, rlast;
  logic [15:0]  awid, bid, arid, rid;
  logic [63:0]  awaddr, araddr, wstrb;
  logic [7:0]   awlen, arlen;
  logic [2:0]   awsize, arsize;
  logic [1:0]   awburst, arburst, bresp, rresp;
  logic [511:0] wdata, rdata;

  axi4_slice u_slice (
    .clk_i, .rst_ni(bus_rst_n),
    .s_axi_awvalid, .s_axi_awready, .s_axi_awid, .s_axi_awaddr, .s_axi_awlen, .s_axi_awsize,
    .s_axi_awburst, .s_axi_wvalid, .s_axi_wready, .s_axi_wdata, .s_axi_wstrb, .s_axi_wlast,
    .s_axi_bvalid, .s_axi_bready, .s_axi_bid, .s_axi_bresp,
    .s_axi_arvalid, .s_axi_arready, .s_axi_arid, .s_axi_araddr, .s_axi_arlen, .s_axi_arsize,
    .s_axi_arburst, .s_axi_rvalid, .s_axi_rready, .s_axi_rid, .s_axi_rdata, .s_axi_rresp,
    .s_axi_rlast,
    .m_axi_awvalid(awvalid), .m_axi_awready(awready), .m_axi_awid(awid), .m_axi_awaddr(awaddr),
    .m_axi_awlen(awlen), .m_axi_awsize(awsize), .m_axi_awburst(awburst),
    .m_axi_wvalid(wvalid), .m_axi_wready(wready), .m_axi_wdata(wdata), .m_axi_wstrb(wstrb),
    .m_axi_wlast(wlast),
    .m_axi_bvalid(bvalid), .m_axi_bready(bready), .m_axi_bid(bid), .m_axi_bresp(bresp),
    .m_axi_arvalid(arvalid), .m_axi_arready(arready), .m_axi_arid(arid), .m_axi_araddr(araddr),
    .m_axi_arlen(arlen), .m_axi_arsize(arsize), .m_axi_arburst(arburst),
    .m_axi_rvalid(rvalid), .m_axi_rready(rready), .m_axi_rid(rid), .m_axi_rdata(rdata),
    .m_axi_rresp(rresp), .m_axi_rlast(rlast)
  );

  logic         h2c_valid, h2c_ready, c2h_valid, c2h_ready, c2h_last, replies, interrupt, idle;
  logic [511:0] h2c_data, c2h_data;
  logic [63:0]  c2h_keep;

  axi4_stream_bridge u_bridge (
    .clk_i, .rst_ni(bus_rst_n),
    .s_axi_awvalid(awvalid), .s_axi_awready(awready), .s_axi_awid(awid), .s_axi_awaddr(awaddr),
    .s_axi_awlen(awlen), .s_axi_awsize(awsize), .s_axi_awburst(awburst),
    .s_axi_wvalid(wvalid), .s_axi_wready(wready), .s_axi_wdata(wdata), .s_axi_wstrb(wstrb),
    .s_axi_wlast(wlast),
    .s_axi_bvalid(bvalid), .s_axi_bready(bready), .s_axi_bid(bid), .s_axi_bresp(bresp),
    .s_axi_arvalid(arvalid), .s_axi_arready(arready), .s_axi_arid(arid), .s_axi_araddr(araddr),
    .s_axi_arlen(arlen), .s_axi_arsize(arsize), .s_axi_arburst(arburst),
    .s_axi_rvalid(rvalid), .s_axi_rready(rready), .s_axi_rid(rid), .s_axi_rdata(rdata),
    .s_axi_rresp(rresp), .s_axi_rlast(rlast),
    .m_axis_tvalid(h2c_valid), .m_axis_tready(h2c_ready), .m_axis_tdata(h2c_data),
    .s_axis_tvalid(c2h_valid), .s_axis_tready(c2h_ready), .s_axis_tdata(c2h_data),
    .replies_o(replies)
  );

  // ---- the card ----
  board_card #(.BuildId(BuildId), .Engines(Engines)) u_card (
    .clk_i, .core_clk_i(core_clk), .rst_ni(running_q),
    .s_axis_tvalid(h2c_valid), .s_axis_tready(h2c_ready), .s_axis_tdata(h2c_data),
    .s_axis_tkeep('1), .s_axis_tlast(1'b0),
    .m_axis_tvalid(c2h_valid), .m_axis_tready(c2h_ready), .m_axis_tdata(c2h_data),
    .m_axis_tkeep(c2h_keep), .m_axis_tlast(c2h_last),
    .s_axil_awvalid, .s_axil_awready, .s_axil_awaddr(s_axil_awaddr[15:0]), .s_axil_awprot('0),
    .s_axil_wvalid, .s_axil_wready, .s_axil_wdata, .s_axil_wstrb,
    .s_axil_bvalid, .s_axil_bready, .s_axil_bresp,
    .s_axil_arvalid, .s_axil_arready, .s_axil_araddr(s_axil_araddr[15:0]), .s_axil_arprot('0),
    .s_axil_rvalid, .s_axil_rready, .s_axil_rdata, .s_axil_rresp,
    .interrupt_o(interrupt), .idle_o(idle)
  );

  // ---- interrupts ----
  interrupt_pulse u_card_interrupt (
    .clk_i, .rst_ni(bus_rst_n), .level_i(interrupt), .request_o(interrupt_request_o[0]),
    .acknowledge_i(interrupt_acknowledge_i[0])
  );
  interrupt_pulse u_replies_interrupt (
    .clk_i, .rst_ni(bus_rst_n), .level_i(replies), .request_o(interrupt_request_o[1]),
    .acknowledge_i(interrupt_acknowledge_i[1])
  );

  logic unused;
  assign unused = ^{s_axil_awaddr[31:16], s_axil_araddr[31:16], c2h_keep, c2h_last, idle};
endmodule
