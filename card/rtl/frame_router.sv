// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// frame_router: passes each frame to one of Ports destinations. in_port_i is constant within a
// frame. abandon_i (a soft reset of the destinations in AbandonPorts) cuts off a frame that is
// partly passed on: its remaining beats are dropped, so that the destination next receives a
// header. A frame that has not begun waits until abandon_i falls. No latency.
module frame_router #(
  parameter int unsigned Ports = 2,
  parameter int unsigned DataWidth = 64,
  parameter logic [31:0] AbandonPorts = '1,
  localparam int unsigned PortBits = Ports > 1 ? $clog2(Ports) : 1
) (
  input  logic                clk_i,
  input  logic                rst_ni,
  input  logic                abandon_i,

  input  logic                in_valid_i,
  output logic                in_ready_o,
  input  logic [DataWidth-1:0] in_data_i,
  input  logic                in_last_i,
  input  logic [PortBits-1:0] in_port_i,

  output logic [Ports-1:0]    out_valid_o,
  input  logic [Ports-1:0]    out_ready_i,
  output logic [DataWidth-1:0] out_data_o,
  output logic                out_last_o
);
  logic inside_q, inside_d;    // some beats of the current frame have passed
  logic discard_q, discard_d;  // the current frame was cut off
  logic abandon, beat;

  assign abandon = abandon_i && AbandonPorts[5'(in_port_i)];
  assign out_data_o = in_data_i;
  assign out_last_o = in_last_i;

  always_comb begin
    out_valid_o = '0;
    out_valid_o[in_port_i] = in_valid_i && !discard_q && !abandon;
  end
  assign in_ready_o = discard_q || (out_ready_i[in_port_i] && !abandon);
  assign beat = in_valid_i && in_ready_o;

  assign inside_d = beat ? !in_last_i : inside_q;
  // Between the beats of frames, in_port_i is stale only if the stream is idle, so the port of the
  // current frame is stored.
  logic [PortBits-1:0] port_q;
  always_comb begin
    discard_d = discard_q;
    if (abandon_i && inside_q && AbandonPorts[5'(port_q)]) discard_d = 1'b1;
    if (beat && in_last_i) discard_d = 1'b0;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      inside_q <= 1'b0;
      discard_q <= 1'b0;
      port_q <= '0;
    end else begin
      inside_q <= inside_d;
      discard_q <= discard_d;
      if (beat) port_q <= in_port_i;
    end
  end
endmodule
