// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// ckks_port: the CKKS card as an engine of the card's shell (engines/ckks/engine.toml), with two
// AXI4 masters of the card's memory.
//
//   requests ─▶ engine_shell ─▶ ckks_host ⇄ ckks_core
//                                  │          │    └───▶ ckks_memory_gate ─▶ m_axi_limbs
//                                  └──────────┴────────▶ ckks_memory_gate ─▶ m_axi_control
//
// Limbs and tables of factors use m_axi_limbs, LimbBytes a beat; jobs, programs, seeds and the
// host's reads and writes use m_axi_control, 32 bytes a beat. Both see the same memory.
//
// A soft reset ends jobs and commands at any point. The gates complete their outstanding memory
// transactions (a burst to write with no byte enabled), and no request is taken until then. An
// interrupted job leaves partial results, but does not affect anything after the reset. A hardware
// reset must also reset the memory.
module ckks_port
  import ckks_isa_pkg::*;
#(
  parameter  int unsigned LogLanes      = 3,   // 2..9
  parameter  int unsigned Columns       = 3,   // 1..4
  parameter  int unsigned MaxLogDegree  = 16,
  parameter  int unsigned AddressBits   = 12,  // of the rows of the scratchpad
  parameter  int unsigned CardSlots     = arith_pkg::minimum(1 << (AddressBits - 1), Slots),
  parameter  int unsigned LogPartitions = 2,
  parameter  int unsigned UltraBanks    = 0,  // of each partition's, as in ckks_scratchpad
  parameter  int unsigned MemoryBits    = 33,  // of an address of the memory, which is all there
  parameter  int unsigned DoubleRounds  = 10,
  parameter  int unsigned TimeoutBits   = 24,
  localparam int unsigned LimbBytes     = 4 * arith_pkg::minimum(1 << LogLanes, 16)
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,
  input  logic                   soft_reset_i,

  input  logic                   req_valid_i,
  output logic                   req_ready_o,
  input  logic [63:0]            req_data_i,
  input  logic                   req_last_i,

  output logic                   rpl_valid_o,
  input  logic                   rpl_ready_i,
  output logic [63:0]            rpl_data_o,
  output logic                   rpl_last_o,

  output logic [3:0]             events_o,  // the manifest's counters: jobs, job_clocks, limb_beats
  output logic [1:0][31:0]       shape_o,
  output logic                   error_o,
  output logic                   ignored_o,
  output logic                   memory_error_o,
  output logic                   idle_o,

  output logic                   m_axi_control_arvalid,
  input  logic                   m_axi_control_arready,
  output logic [MemoryBits-1:0]  m_axi_control_araddr,
  output logic [7:0]             m_axi_control_arlen,
  output logic [2:0]             m_axi_control_arsize,
  output logic [1:0]             m_axi_control_arburst,
  input  logic                   m_axi_control_rvalid,
  output logic                   m_axi_control_rready,
  input  logic [255:0]           m_axi_control_rdata,
  input  logic [1:0]             m_axi_control_rresp,
  input  logic                   m_axi_control_rlast,
  output logic                   m_axi_control_awvalid,
  input  logic                   m_axi_control_awready,
  output logic [MemoryBits-1:0]  m_axi_control_awaddr,
  output logic [7:0]             m_axi_control_awlen,
  output logic [2:0]             m_axi_control_awsize,
  output logic [1:0]             m_axi_control_awburst,
  output logic                   m_axi_control_wvalid,
  input  logic                   m_axi_control_wready,
  output logic [255:0]           m_axi_control_wdata,
  output logic [31:0]            m_axi_control_wstrb,
  output logic                   m_axi_control_wlast,
  input  logic                   m_axi_control_bvalid,
  output logic                   m_axi_control_bready,
  input  logic [1:0]             m_axi_control_bresp,

  output logic                   m_axi_limbs_arvalid,
  input  logic                   m_axi_limbs_arready,
  output logic [MemoryBits-1:0]  m_axi_limbs_araddr,
  output logic [7:0]             m_axi_limbs_arlen,
  output logic [2:0]             m_axi_limbs_arsize,
  output logic [1:0]             m_axi_limbs_arburst,
  input  logic                   m_axi_limbs_rvalid,
  output logic                   m_axi_limbs_rready,
  input  logic [8*LimbBytes-1:0] m_axi_limbs_rdata,
  input  logic [1:0]             m_axi_limbs_rresp,
  input  logic                   m_axi_limbs_rlast,
  output logic                   m_axi_limbs_awvalid,
  input  logic                   m_axi_limbs_awready,
  output logic [MemoryBits-1:0]  m_axi_limbs_awaddr,
  output logic [7:0]             m_axi_limbs_awlen,
  output logic [2:0]             m_axi_limbs_awsize,
  output logic [1:0]             m_axi_limbs_awburst,
  output logic                   m_axi_limbs_wvalid,
  input  logic                   m_axi_limbs_wready,
  output logic [8*LimbBytes-1:0] m_axi_limbs_wdata,
  output logic [LimbBytes-1:0]   m_axi_limbs_wstrb,
  output logic                   m_axi_limbs_wlast,
  input  logic                   m_axi_limbs_bvalid,
  output logic                   m_axi_limbs_bready,
  input  logic [1:0]             m_axi_limbs_bresp
);
  localparam int unsigned LongestReply = 4096;  // beats, a power of two: MostData / 8 and five more
  localparam int unsigned SettleClocks = 3;

  logic        inner_rst_n, request_valid, request_ready, begins, reply_valid, reply_ready;
  logic        reply_last, host_ready;
  logic [63:0] reply_data;
  logic [3:0]  memory_errors;
  engine_shell #(.Depth(LongestReply), .Registered(1'b1)) u_shell (
    .clk_i, .rst_ni, .soft_reset_i,
    .req_valid_i, .req_ready_o, .rpl_valid_o, .rpl_ready_i, .rpl_data_o, .rpl_last_o, .idle_o,
    .memory_error_o, .memory_error_i(memory_errors != '0),
    .inner_rst_no(inner_rst_n),
    .request_valid_o(request_valid), .request_ready_i(request_ready), .owed_i(begins),
    .reply_valid_i(reply_valid), .reply_ready_o(reply_ready),
    .reply_data_i(reply_data), .reply_last_i(reply_last)
  );

  // ---- The reset of all parts, until the gates have completed the open transactions ------------
  // open_q is parts_rst_nq for signals that are not resets.
  logic       parts_rst_nq, open_q, control_busy, limbs_busy;
  logic [1:0] settle_q;
  always_ff @(posedge clk_i or negedge inner_rst_n) begin
    if (!inner_rst_n) begin
      parts_rst_nq <= 1'b0;
      open_q       <= 1'b0;
      settle_q     <= 2'(SettleClocks);
    end else begin
      parts_rst_nq <= settle_q == '0;
      open_q       <= settle_q == '0;
      // The gates report two clocks late.
      if (settle_q != '0 && !control_busy && !limbs_busy) settle_q <= settle_q - 1'b1;
    end
  end
  assign request_ready = host_ready && open_q;

  // A reply is owed from the first beat of its request on.
  logic inside_q;
  assign begins = request_valid && request_ready && !inside_q;
  always_ff @(posedge clk_i or negedge inner_rst_n) begin
    if (!inner_rst_n) inside_q <= 1'b0;
    else if (request_valid && request_ready) inside_q <= !req_last_i;
  end

  // ---- The host's commands ---------------------------------------------------------------------
  logic                       start_valid, start_ready, done_valid, refused, running, ended;
  logic [MemoryBits-1:0]      start_address;
  fault_e                     done_code;
  logic [31:0]                done_number, done_clocks;
  logic [1:0]                 arvalid, arready, rvalid, rready;  // 0 the core's, 1 the host's
  logic [1:0][MemoryBits-1:0] araddr;
  logic [1:0][7:0]            arlen;
  logic                       awvalid, awready, wvalid, wready, bvalid, bready;
  logic [MemoryBits-1:0]      awaddr;
  logic [7:0]                 awlen;
  logic [255:0]               wdata;
  ckks_host #(.MemoryBits(MemoryBits)) u_host (
    .clk_i, .rst_ni(parts_rst_nq), .request_valid_i(request_valid && open_q),
    .request_ready_o(host_ready), .request_data_i(req_data_i), .request_last_i(req_last_i),
    .reply_valid_o(reply_valid), .reply_ready_i(reply_ready), .reply_data_o(reply_data),
    .reply_last_o(reply_last), .start_valid_o(start_valid), .start_ready_i(start_ready),
    .start_address_o(start_address), .done_valid_i(done_valid), .done_code_i(done_code),
    .done_number_i(done_number), .done_clocks_i(done_clocks), .refused_o(refused),
    .running_o(running), .ended_o(ended), .m_axi_arvalid(arvalid[1]),
    .m_axi_arready(arready[1]), .m_axi_araddr(araddr[1]), .m_axi_arlen(arlen[1]),
    .m_axi_rvalid(rvalid[1]), .m_axi_rready(rready[1]), .m_axi_rdata(m_axi_control_rdata),
    .m_axi_rresp(m_axi_control_rresp), .m_axi_rlast(m_axi_control_rlast),
    .m_axi_awvalid(awvalid), .m_axi_awready(awready), .m_axi_awaddr(awaddr), .m_axi_awlen(awlen),
    .m_axi_wvalid(wvalid), .m_axi_wready(wready), .m_axi_wdata(wdata), .m_axi_bvalid(bvalid),
    .m_axi_bready(bready), .m_axi_bresp(m_axi_control_bresp), .memory_error_o(memory_errors[0])
  );

  // ---- Control: the core's reads and the host's ------------------------------------------------
  logic                  shared_arvalid, shared_arready, shared_rvalid, shared_rready;
  logic [MemoryBits-1:0] shared_araddr;
  logic [7:0]            shared_arlen;
  logic [2:0]            unused_size;
  logic [1:0]            unused_burst;
  ckks_read_share #(.Masters(2), .AddressBits(MemoryBits), .BeatBytes(32)) u_share (
    .clk_i, .rst_ni(parts_rst_nq), .arvalid_i(arvalid), .arready_o(arready), .araddr_i(araddr),
    .arlen_i(arlen), .rvalid_o(rvalid), .rready_i(rready), .m_axi_arvalid(shared_arvalid),
    .m_axi_arready(shared_arready), .m_axi_araddr(shared_araddr), .m_axi_arlen(shared_arlen),
    .m_axi_arsize(unused_size), .m_axi_arburst(unused_burst), .m_axi_rvalid(shared_rvalid),
    .m_axi_rready(shared_rready), .memory_error_o(memory_errors[1])
  );
  ckks_memory_gate #(.AddressBits(MemoryBits), .BeatBytes(32)) u_control_gate (
    .clk_i, .rst_ni, .closed_i(!open_q), .busy_o(control_busy),
    .s_axi_arvalid(shared_arvalid), .s_axi_arready(shared_arready), .s_axi_araddr(shared_araddr),
    .s_axi_arlen(shared_arlen), .s_axi_rvalid(shared_rvalid), .s_axi_rready(shared_rready),
    .s_axi_awvalid(awvalid), .s_axi_awready(awready), .s_axi_awaddr(awaddr), .s_axi_awlen(awlen),
    .s_axi_wvalid(wvalid), .s_axi_wready(wready), .s_axi_wdata(wdata), .s_axi_bvalid(bvalid),
    .s_axi_bready(bready),
    .m_axi_arvalid(m_axi_control_arvalid), .m_axi_arready(m_axi_control_arready),
    .m_axi_araddr(m_axi_control_araddr), .m_axi_arlen(m_axi_control_arlen),
    .m_axi_arsize(m_axi_control_arsize), .m_axi_arburst(m_axi_control_arburst),
    .m_axi_rvalid(m_axi_control_rvalid), .m_axi_rready(m_axi_control_rready),
    .m_axi_awvalid(m_axi_control_awvalid), .m_axi_awready(m_axi_control_awready),
    .m_axi_awaddr(m_axi_control_awaddr), .m_axi_awlen(m_axi_control_awlen),
    .m_axi_awsize(m_axi_control_awsize), .m_axi_awburst(m_axi_control_awburst),
    .m_axi_wvalid(m_axi_control_wvalid), .m_axi_wready(m_axi_control_wready),
    .m_axi_wdata(m_axi_control_wdata), .m_axi_wstrb(m_axi_control_wstrb),
    .m_axi_wlast(m_axi_control_wlast), .m_axi_bvalid(m_axi_control_bvalid),
    .m_axi_bready(m_axi_control_bready), .memory_error_o(memory_errors[2])
  );

  // ---- Limbs -----------------------------------------------------------------------------------
  logic                   core_arvalid, core_arready, core_rvalid, core_rready;
  logic                   core_awvalid, core_awready, core_wvalid, core_wready;
  logic                   core_bvalid, core_bready, unused_wlast;
  logic [MemoryBits-1:0]  core_araddr, core_awaddr;
  logic [7:0]             core_arlen, core_awlen;
  logic [8*LimbBytes-1:0] core_wdata;
  logic [LimbBytes-1:0]   unused_strobes;
  logic [2:0][2:0]        unused_sizes;
  logic [2:0][1:0]        unused_bursts;
  ckks_core #(
    .LogLanes(LogLanes), .Columns(Columns), .MaxLogDegree(MaxLogDegree),
    .AddressBits(AddressBits), .LogPartitions(LogPartitions), .UltraBanks(UltraBanks),
    .CardSlots(CardSlots), .MemoryBits(MemoryBits), .DoubleRounds(DoubleRounds), .TimeoutBits(TimeoutBits)
  ) u_core (
    .clk_i, .rst_ni(parts_rst_nq), .start_valid_i(start_valid), .start_ready_o(start_ready),
    .start_address_i(start_address), .done_valid_o(done_valid), .done_code_o(done_code),
    .done_number_o(done_number), .done_clocks_o(done_clocks),
    .m_axi_control_arvalid(arvalid[0]), .m_axi_control_arready(arready[0]),
    .m_axi_control_araddr(araddr[0]), .m_axi_control_arlen(arlen[0]),
    .m_axi_control_arsize(unused_sizes[0]), .m_axi_control_arburst(unused_bursts[0]),
    .m_axi_control_rvalid(rvalid[0]), .m_axi_control_rready(rready[0]), .m_axi_control_rdata,
    .m_axi_control_rresp, .m_axi_control_rlast,
    .m_axi_arvalid(core_arvalid), .m_axi_arready(core_arready), .m_axi_araddr(core_araddr),
    .m_axi_arlen(core_arlen), .m_axi_arsize(unused_sizes[1]), .m_axi_arburst(unused_bursts[1]),
    .m_axi_rvalid(core_rvalid), .m_axi_rready(core_rready), .m_axi_rdata(m_axi_limbs_rdata),
    .m_axi_rresp(m_axi_limbs_rresp), .m_axi_rlast(m_axi_limbs_rlast),
    .m_axi_awvalid(core_awvalid), .m_axi_awready(core_awready), .m_axi_awaddr(core_awaddr),
    .m_axi_awlen(core_awlen), .m_axi_awsize(unused_sizes[2]), .m_axi_awburst(unused_bursts[2]),
    .m_axi_wvalid(core_wvalid), .m_axi_wready(core_wready), .m_axi_wdata(core_wdata),
    .m_axi_wstrb(unused_strobes), .m_axi_wlast(unused_wlast), .m_axi_bvalid(core_bvalid),
    .m_axi_bready(core_bready), .m_axi_bresp(m_axi_limbs_bresp)
  );
  ckks_memory_gate #(.AddressBits(MemoryBits), .BeatBytes(LimbBytes)) u_limbs_gate (
    .clk_i, .rst_ni, .closed_i(!open_q), .busy_o(limbs_busy),
    .s_axi_arvalid(core_arvalid), .s_axi_arready(core_arready), .s_axi_araddr(core_araddr),
    .s_axi_arlen(core_arlen), .s_axi_rvalid(core_rvalid), .s_axi_rready(core_rready),
    .s_axi_awvalid(core_awvalid), .s_axi_awready(core_awready), .s_axi_awaddr(core_awaddr),
    .s_axi_awlen(core_awlen), .s_axi_wvalid(core_wvalid), .s_axi_wready(core_wready),
    .s_axi_wdata(core_wdata), .s_axi_bvalid(core_bvalid), .s_axi_bready(core_bready),
    .m_axi_arvalid(m_axi_limbs_arvalid), .m_axi_arready(m_axi_limbs_arready),
    .m_axi_araddr(m_axi_limbs_araddr), .m_axi_arlen(m_axi_limbs_arlen),
    .m_axi_arsize(m_axi_limbs_arsize), .m_axi_arburst(m_axi_limbs_arburst),
    .m_axi_rvalid(m_axi_limbs_rvalid), .m_axi_rready(m_axi_limbs_rready),
    .m_axi_awvalid(m_axi_limbs_awvalid), .m_axi_awready(m_axi_limbs_awready),
    .m_axi_awaddr(m_axi_limbs_awaddr), .m_axi_awlen(m_axi_limbs_awlen),
    .m_axi_awsize(m_axi_limbs_awsize), .m_axi_awburst(m_axi_limbs_awburst),
    .m_axi_wvalid(m_axi_limbs_wvalid), .m_axi_wready(m_axi_limbs_wready),
    .m_axi_wdata(m_axi_limbs_wdata), .m_axi_wstrb(m_axi_limbs_wstrb),
    .m_axi_wlast(m_axi_limbs_wlast), .m_axi_bvalid(m_axi_limbs_bvalid),
    .m_axi_bready(m_axi_limbs_bready), .memory_error_o(memory_errors[3])
  );

  // ---- Reports ---------------------------------------------------------------------------------
  always_ff @(posedge clk_i or negedge parts_rst_nq) begin
    if (!parts_rst_nq) events_o <= '0;
    else begin
      events_o[0]   <= ended;
      events_o[1]   <= running;
      events_o[3:2] <= 2'(core_rvalid && core_rready) + 2'(core_wvalid && core_wready);
    end
  end
  assign shape_o = {
    16'(CardSlots), 8'(AddressBits), 8'(MemoryBits),
    8'(IsaVersion), 8'(MaxLogDegree), 8'(Columns), 8'(LogLanes)
  };
  assign error_o   = refused;
  assign ignored_o = 1'b0;
  logic unused;
  assign unused = ^{unused_size, unused_burst, unused_wlast, unused_strobes, unused_sizes,
                    unused_bursts};
endmodule
