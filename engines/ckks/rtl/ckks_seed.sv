// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// ckks_seed: reads seeds of uniform limbs from the card's memory for ckks_expand: 32 bytes,
// followed by an index of 32 bits. One at a time; it is read while the previous limb is expanded.
module ckks_seed #(
  parameter int unsigned MemoryBits = 34
) (
  input  logic                  clk_i,
  input  logic                  rst_ni,

  input  logic                  read_valid_i,
  output logic                  read_ready_o,
  input  logic [MemoryBits-1:0] read_address_i,  // a multiple of 64

  output logic                  seed_valid_o,
  input  logic                  seed_ready_i,
  output logic [255:0]          seed_o,
  output logic [31:0]           index_o,
  output logic                  error_o,         // a pulse: the memory answered with an error

  output logic                  m_axi_arvalid,
  input  logic                  m_axi_arready,
  output logic [MemoryBits-1:0] m_axi_araddr,
  output logic [7:0]            m_axi_arlen,
  output logic [2:0]            m_axi_arsize,
  output logic [1:0]            m_axi_arburst,
  input  logic                  m_axi_rvalid,
  output logic                  m_axi_rready,
  input  logic [255:0]          m_axi_rdata,
  input  logic [1:0]            m_axi_rresp,
  input  logic                  m_axi_rlast,
  output logic                  memory_error_o
);
  logic         busy_q, full_q, run_ready, beat_valid, beat_error, beat_last, unused_idle;
  logic [255:0] beat;
  ckks_memory_read #(
    .AddressBits(MemoryBits), .BeatBytes(32), .CountBits(2), .MaxBeats(2), .QueueBeats(4),
    .OpenBursts(2)
  ) u_read (
    .clk_i, .rst_ni, .drop_i(1'b0), .idle_o(unused_idle),
    .run_valid_i(read_valid_i && !busy_q), .run_ready_o(run_ready),
    .run_address_i(read_address_i), .run_beats_i(2'd2), .out_valid_o(beat_valid),
    .out_ready_i(!full_q), .out_data_o(beat), .out_error_o(beat_error), .out_last_o(beat_last),
    .m_axi_arvalid, .m_axi_arready, .m_axi_araddr, .m_axi_arlen, .m_axi_arsize, .m_axi_arburst,
    .m_axi_rvalid, .m_axi_rready, .m_axi_rdata, .m_axi_rresp, .m_axi_rlast,
    .memory_error_o
  );
  assign read_ready_o = run_ready && !busy_q;
  assign seed_valid_o = full_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) {busy_q, full_q, error_o} <= '0;
    else begin
      error_o <= beat_valid && !full_q && beat_error;
      if (read_valid_i && read_ready_o) busy_q <= 1'b1;
      if (beat_valid && beat_last) full_q <= 1'b1;
      if (seed_valid_o && seed_ready_i) {busy_q, full_q} <= '0;
    end
  end
  always_ff @(posedge clk_i) begin
    if (beat_valid && !full_q) begin
      if (beat_last) index_o <= beat[31:0];
      else seed_o <= beat;
    end
  end
endmodule
