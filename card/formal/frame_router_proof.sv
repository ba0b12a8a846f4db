// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// frame_router_proof: each beat that frame_router accepts goes to the port of its frame in the same
// clock, unchanged, and to no other port. So no beat is lost, duplicated or overtaken, and the
// frames of one port are not mixed. The exception is a frame that abandon_i cut off, whose rest is
// dropped. A frame that has not begun is not cut off. Offers stay, except for abandon_i. Assumed:
// the input keeps its offers until they are accepted, and in_port_i is constant in a frame.
module frame_router_proof #(
  parameter int unsigned Ports = 3,
  parameter logic [31:0] AbandonPorts = 32'b011,
  parameter bit Invariants = 1'b1,
  localparam int unsigned PortBits = $clog2(Ports)
) (
  input logic                clk_i,
  input logic                rst_ni,
  input logic                abandon_i,
  input logic                in_valid_i,
  input logic [63:0]         in_data_i,
  input logic                in_last_i,
  input logic [PortBits-1:0] in_port_i,
  input logic [Ports-1:0]    out_ready_i
);
  logic             in_ready, in_beat, out_last;
  logic [63:0]      out_data;
  logic [Ports-1:0] out_valid, out_beat;

  frame_router #(.Ports(Ports), .AbandonPorts(AbandonPorts)) u_dut (
    .clk_i, .rst_ni, .abandon_i,
    .in_valid_i, .in_ready_o(in_ready), .in_data_i, .in_last_i, .in_port_i,
    .out_valid_o(out_valid), .out_ready_i, .out_data_o(out_data), .out_last_o(out_last)
  );
  assign in_beat = in_valid_i && in_ready;
  assign out_beat = out_valid & out_ready_i;

  proof_reset u_reset (.rst_ni);
  proof_stable #(.DataWidth(65 + PortBits), .Assume(1'b1)) u_in_stable (
    .clk_i, .rst_ni, .free_i(1'b0), .valid_i(in_valid_i), .ready_i(in_ready),
    .data_i({in_port_i, in_last_i, in_data_i})
  );

  for (genvar p = 0; p < Ports; p++) begin : gen_port
    // Like proof_stable, but an offer may be withdrawn in the clock in which abandon_i comes.
    logic waits_q;
    logic [64:0] beat_q;
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) waits_q <= 1'b0;
      else waits_q <= out_valid[p] && !out_ready_i[p];
    end
    always_ff @(posedge clk_i) beat_q <= {out_last, out_data};
    always_comb begin
      if (rst_ni && waits_q && !(abandon_i && AbandonPorts[p])) begin
        assert (out_valid[p] && {out_last, out_data} == beat_q);
      end
    end
  end

  // ---- the current frame ----
  logic                inside_q;  // some of its beats have been accepted
  logic                broken_q;  // abandon_i came then, for its port
  logic [PortBits-1:0] port_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      inside_q <= 1'b0;
      broken_q <= 1'b0;
      port_q   <= '0;
    end else begin
      if (in_beat) begin
        inside_q <= !in_last_i;
        port_q   <= in_port_i;
      end
      if (in_beat && in_last_i) broken_q <= 1'b0;
      else if (inside_q && abandon_i && AbandonPorts[5'(port_q)]) broken_q <= 1'b1;
    end
  end

  logic abandoned;
  assign abandoned = abandon_i && AbandonPorts[5'(in_port_i)];

  always_comb begin
    if (in_valid_i) assume (32'(in_port_i) < Ports);
    if (in_valid_i && inside_q) assume (in_port_i == port_q);
    if (rst_ni) begin
      if (out_valid != '0) begin
        assert (in_valid_i && out_valid == Ports'(1) << in_port_i);
        assert (out_data == in_data_i && out_last == in_last_i);
      end
      if (in_beat) assert ((out_beat != '0) == !broken_q);  // lost only if cut off
      if (out_beat != '0) assert (in_beat);                 // no beat twice
      if (broken_q) assert (inside_q && out_valid == '0 && in_ready);
      else if (in_valid_i) assert ((out_valid != '0) == !abandoned);
      if (!inside_q && abandoned) assert (!in_beat);        // waits, is not cut off

      cover (broken_q && in_beat && in_last_i);
      cover (inside_q && abandon_i && !AbandonPorts[5'(port_q)] && in_beat && out_valid != '0);
    end
  end

  if (Invariants) begin : gen_invariants
    always_comb begin
      if (rst_ni) begin
        assert (u_dut.inside_q == inside_q && u_dut.discard_q == broken_q);
        if (inside_q) assert (u_dut.port_q == port_q);
        if (inside_q) assert (32'(port_q) < Ports);
      end
    end
  end
endmodule
