// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// ckks_core: the CKKS card. It takes jobs from its memory (engines/ckks/card/isa.toml) in sequence,
// runs their programs, and reports how each job ended.
//
//   start ─▶ ckks_control ─▶ ckks_units ⇄ m_axi: limbs and tables of factors, BeatBytes wide
//                 └──┬── ckks_seed ─┘
//             ckks_read_share ─▶ m_axi_control: jobs, programs and seeds, 32 bytes wide
//
// Both master ports see the same memory. A job is taken with start_valid_i and start_ready_o.
// done_valid_o is a pulse at its end, and the values next to it stay until the next job:
// done_code_o is 0 or the first fault's code, done_number_o the number of the current word then,
// done_clocks_o the clocks since the job was taken. A failed job leaves slots and regions of memory
// as its instructions before the fault left them; it does not affect the next job.
module ckks_core
  import ckks_isa_pkg::*;
#(
  parameter  int unsigned LogLanes      = 3,   // 2..9
  parameter  int unsigned LogRadix      = arith_pkg::minimum(LogLanes, 4),
  parameter  int unsigned Columns       = 3,   // 1..4
  parameter  int unsigned MaxLogDegree  = 16,
  parameter  int unsigned AddressBits   = 12,  // of the rows of the scratchpad
  parameter  int unsigned LogPartitions = 2,
  parameter  int unsigned UltraBanks    = 0,  // of each partition's, as in ckks_scratchpad
  parameter  int unsigned CardSlots     = arith_pkg::minimum(1 << (AddressBits - 1), Slots),
  parameter  int unsigned MemoryBits    = 34,
  parameter  int unsigned TableBits     = 6,
  parameter  int unsigned LogRegions    = 4,
  parameter  int unsigned QueueDepth    = 8,
  parameter  int unsigned QueueWords    = 128,
  parameter  int unsigned DoubleRounds  = 10,
  parameter  int unsigned TimeoutBits   = 24,
  localparam int unsigned BeatBytes     = 4 * arith_pkg::minimum(1 << LogLanes, 16)
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,

  input  logic                   start_valid_i,
  output logic                   start_ready_o,
  input  logic [MemoryBits-1:0]  start_address_i,  // of the job: a multiple of 64
  output logic                   done_valid_o,
  output fault_e                 done_code_o,
  output logic [31:0]            done_number_o,
  output logic [31:0]            done_clocks_o,

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

  output logic                   m_axi_arvalid,
  input  logic                   m_axi_arready,
  output logic [MemoryBits-1:0]  m_axi_araddr,
  output logic [7:0]             m_axi_arlen,
  output logic [2:0]             m_axi_arsize,
  output logic [1:0]             m_axi_arburst,
  input  logic                   m_axi_rvalid,
  output logic                   m_axi_rready,
  input  logic [8*BeatBytes-1:0] m_axi_rdata,
  input  logic [1:0]             m_axi_rresp,
  input  logic                   m_axi_rlast,
  output logic                   m_axi_awvalid,
  input  logic                   m_axi_awready,
  output logic [MemoryBits-1:0]  m_axi_awaddr,
  output logic [7:0]             m_axi_awlen,
  output logic [2:0]             m_axi_awsize,
  output logic [1:0]             m_axi_awburst,
  output logic                   m_axi_wvalid,
  input  logic                   m_axi_wready,
  output logic [8*BeatBytes-1:0] m_axi_wdata,
  output logic [BeatBytes-1:0]   m_axi_wstrb,
  output logic                   m_axi_wlast,
  input  logic                   m_axi_bvalid,
  output logic                   m_axi_bready,
  input  logic [1:0]             m_axi_bresp
);
  localparam int unsigned UnitCount   = 6;
  localparam int unsigned PayloadBits = TableBits + InstructionBits;
  localparam int unsigned DegreeBits  = $clog2(MaxLogDegree + 1);
  localparam int unsigned Masters     = 3;  // of the job, the program, the seeds

  logic [DegreeBits-1:0]                 log_degree;
  logic                                  primes_valid, term_valid, beat_q, error_q;
  logic [4:0]                            primes_place;
  logic [7:0][31:0]                      primes_data;
  logic [TableBits-1:0]                  term_place;
  instruction_t                          term;
  logic [UnitCount-1:0]                  begin_valid, begin_ready, unit_done;
  logic [UnitCount-1:0][PayloadBits-1:0] begin_payload;
  logic [Masters-1:0]                    arvalid, arready, rvalid, rready;
  logic [Masters-1:0][MemoryBits-1:0]    araddr;
  logic [Masters-1:0][7:0]               arlen;

  ckks_control #(
    .LogLanes(LogLanes), .LogRadix(LogRadix), .Columns(Columns), .MaxLogDegree(MaxLogDegree),
    .AddressBits(AddressBits), .CardSlots(CardSlots), .MemoryBits(MemoryBits),
    .TableBits(TableBits), .LogRegions(LogRegions), .QueueDepth(QueueDepth),
    .QueueWords(QueueWords), .TimeoutBits(TimeoutBits)
  ) u_control (
    .clk_i, .rst_ni, .start_valid_i, .start_ready_o, .start_address_i, .done_valid_o,
    .done_code_o, .done_number_o, .done_clocks_o, .log_degree_o(log_degree),
    .primes_valid_o(primes_valid), .primes_place_o(primes_place), .primes_data_o(primes_data),
    .term_valid_o(term_valid), .term_place_o(term_place), .term_o(term),
    .begin_valid_o(begin_valid), .begin_ready_i(begin_ready), .begin_payload_o(begin_payload),
    .unit_done_i(unit_done), .error_i(error_q), .beat_i(beat_q), .arvalid_o(arvalid[1:0]),
    .arready_i(arready[1:0]), .araddr_o(araddr[1:0]), .arlen_o(arlen[1:0]),
    .rvalid_i(rvalid[1:0]), .rready_o(rready[1:0]), .rdata_i(m_axi_control_rdata),
    .rresp_i(m_axi_control_rresp), .rlast_i(m_axi_control_rlast)
  );

  // ---- Seeds -----------------------------------------------------------------------------------
  logic                  ask_valid, ask_ready, seed_valid, seed_ready;
  logic [MemoryBits-1:0] ask_address;
  logic [255:0]          seed;
  logic [31:0]           seed_index;
  logic [2:0]            unused_size;
  logic [1:0]            unused_burst;
  logic [3:0]            errors;
  ckks_seed #(.MemoryBits(MemoryBits)) u_seed (
    .clk_i, .rst_ni, .read_valid_i(ask_valid), .read_ready_o(ask_ready),
    .read_address_i(ask_address), .seed_valid_o(seed_valid), .seed_ready_i(seed_ready),
    .seed_o(seed), .index_o(seed_index), .error_o(errors[0]), .m_axi_arvalid(arvalid[2]),
    .m_axi_arready(arready[2]), .m_axi_araddr(araddr[2]), .m_axi_arlen(arlen[2]),
    .m_axi_arsize(unused_size), .m_axi_arburst(unused_burst), .m_axi_rvalid(rvalid[2]),
    .m_axi_rready(rready[2]), .m_axi_rdata(m_axi_control_rdata),
    .m_axi_rresp(m_axi_control_rresp), .m_axi_rlast(m_axi_control_rlast),
    .memory_error_o(errors[1])
  );
  ckks_read_share #(.Masters(Masters), .AddressBits(MemoryBits), .BeatBytes(32)) u_share (
    .clk_i, .rst_ni, .arvalid_i(arvalid), .arready_o(arready), .araddr_i(araddr),
    .arlen_i(arlen), .rvalid_o(rvalid), .rready_i(rready),
    .m_axi_arvalid(m_axi_control_arvalid), .m_axi_arready(m_axi_control_arready),
    .m_axi_araddr(m_axi_control_araddr), .m_axi_arlen(m_axi_control_arlen),
    .m_axi_arsize(m_axi_control_arsize), .m_axi_arburst(m_axi_control_arburst),
    .m_axi_rvalid(m_axi_control_rvalid), .m_axi_rready(m_axi_control_rready),
    .memory_error_o(errors[2])
  );

  // ---- Units -----------------------------------------------------------------------------------
  ckks_units #(
    .LogLanes(LogLanes), .LogRadix(LogRadix), .Columns(Columns), .MaxLogDegree(MaxLogDegree),
    .AddressBits(AddressBits), .LogPartitions(LogPartitions), .UltraBanks(UltraBanks),
    .MemoryBits(MemoryBits), .TableBits(TableBits), .DoubleRounds(DoubleRounds)
  ) u_units (
    .clk_i, .rst_ni, .log_degree_i(log_degree), .primes_valid_i(primes_valid),
    .primes_place_i(primes_place), .primes_data_i(primes_data), .term_valid_i(term_valid),
    .term_place_i(term_place), .term_i(term), .begin_valid_i(begin_valid),
    .begin_ready_o(begin_ready), .begin_payload_i(begin_payload), .done_o(unit_done),
    .error_o(errors[3]), .ask_valid_o(ask_valid), .ask_ready_i(ask_ready),
    .ask_address_o(ask_address), .seed_valid_i(seed_valid), .seed_ready_o(seed_ready),
    .seed_i(seed), .seed_index_i(seed_index),
    .m_axi_arvalid, .m_axi_arready, .m_axi_araddr, .m_axi_arlen, .m_axi_arsize, .m_axi_arburst,
    .m_axi_rvalid, .m_axi_rready, .m_axi_rdata, .m_axi_rresp, .m_axi_rlast,
    .m_axi_awvalid, .m_axi_awready, .m_axi_awaddr, .m_axi_awlen, .m_axi_awsize, .m_axi_awburst,
    .m_axi_wvalid, .m_axi_wready, .m_axi_wdata, .m_axi_wstrb, .m_axi_wlast,
    .m_axi_bvalid, .m_axi_bready, .m_axi_bresp
  );

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) {beat_q, error_q} <= '0;
    else begin
      beat_q  <= (m_axi_control_rvalid && m_axi_control_rready)
              || (m_axi_rvalid && m_axi_rready) || (m_axi_wvalid && m_axi_wready)
              || (m_axi_bvalid && m_axi_bready);
      error_q <= errors != '0;
    end
  end
  logic unused;
  assign unused = ^{unused_size, unused_burst};
endmodule
