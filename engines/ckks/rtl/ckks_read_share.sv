// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// ckks_read_share: several AXI4 read masters on one read port.
//
// Bursts are forwarded one a clock, those of the master with the lowest number first. A queue holds
// their owners, since data come in the order of the bursts. All masters have the port's width and
// one id. A master's data wait for its RREADY, and block later data. (The bus's ports have AXI's
// own names, so that tools recognize the interface.)
module ckks_read_share #(
  parameter  int unsigned Masters     = 3,
  parameter  int unsigned AddressBits = 34,
  parameter  int unsigned BeatBytes   = 32,
  parameter  int unsigned OpenBursts  = 32,
  localparam int unsigned MasterBits  = (Masters > 1) ? $clog2(Masters) : 1
) (
  input  logic                                clk_i,
  input  logic                                rst_ni,

  input  logic [Masters-1:0]                  arvalid_i,
  output logic [Masters-1:0]                  arready_o,
  input  logic [Masters-1:0][AddressBits-1:0] araddr_i,
  input  logic [Masters-1:0][7:0]             arlen_i,
  output logic [Masters-1:0]                  rvalid_o,
  input  logic [Masters-1:0]                  rready_i,

  output logic                                m_axi_arvalid,
  input  logic                                m_axi_arready,
  output logic [AddressBits-1:0]              m_axi_araddr,
  output logic [7:0]                          m_axi_arlen,
  output logic [2:0]                          m_axi_arsize,
  output logic [1:0]                          m_axi_arburst,
  input  logic                                m_axi_rvalid,
  output logic                                m_axi_rready,
  output logic                                memory_error_o  // of a queue: a flipped bit
);
  typedef logic [MasterBits-1:0] master_t;

  // ---- The next burst --------------------------------------------------------------------------
  logic                   arvalid_q, room, moves, takes;
  master_t                chosen;
  logic [AddressBits-1:0] address;
  logic [7:0]             length;
  assign moves = (!arvalid_q || m_axi_arready) && room;
  assign takes = moves && arvalid_i != '0;
  always_comb begin
    {chosen, address, length, arready_o} = '0;
    for (int unsigned i = Masters; i > 0; i--) begin
      if (arvalid_i[i-1]) begin
        chosen  = master_t'(i - 1);
        address = araddr_i[i-1];
        length  = arlen_i[i-1];
      end
    end
    arready_o[chosen] = takes;
  end

  assign m_axi_arvalid = arvalid_q;
  assign m_axi_arsize  = 3'($clog2(BeatBytes));
  assign m_axi_arburst = 2'b01;  // INCR
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) arvalid_q <= 1'b0;
    else arvalid_q <= takes || (arvalid_q && !m_axi_arready);
  end
  always_ff @(posedge clk_i) begin
    if (takes) begin
      m_axi_araddr <= address;
      m_axi_arlen  <= length;
    end
  end

  // ---- The owner of the data -------------------------------------------------------------------
  master_t    owner;
  logic       owed, beat;
  logic [7:0] owed_length, place_q;
  stream_fifo #(.DataWidth(MasterBits + 8), .Depth(OpenBursts)) u_owners (
    .clk_i, .rst_ni, .clear_i(1'b0), .in_valid_i(takes), .in_ready_o(room),
    .in_data_i({chosen, length}), .out_valid_o(owed),
    .out_ready_i(beat && place_q == owed_length), .out_data_o({owner, owed_length}),
    .memory_error_o
  );
  assign m_axi_rready = owed && rready_i[owner];
  assign beat         = m_axi_rvalid && m_axi_rready;
  always_comb begin
    rvalid_o        = '0;
    rvalid_o[owner] = owed && m_axi_rvalid;
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) place_q <= '0;
    else if (beat) place_q <= (place_q == owed_length) ? '0 : place_q + 1'b1;
  end
endmodule
