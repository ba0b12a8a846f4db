// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// packet_coalescer: joins the frames of a stream to packets for a DMA engine, whose descriptors end
// with a packet. A packet ends after PacketBeats beats, or when no beat has come for IdleClocks
// clocks. Beats are unchanged and in order; the `last` of the incoming frames is not used.
//
// One beat per clock. A beat waits for its successor, which decides whether it is the last of its
// packet, so the last beat before a pause leaves IdleClocks clocks late. begins_o is high for one
// clock when the first beat of a packet goes to the output register.
module packet_coalescer #(
  parameter int unsigned DataWidth = 512,
  parameter int unsigned PacketBeats = 64,  // beats of the longest packet, at least 1
  parameter int unsigned IdleClocks = 256   // at least 1
) (
  input  logic                 clk_i,
  input  logic                 rst_ni,
  input  logic                 in_valid_i,
  output logic                 in_ready_o,
  input  logic [DataWidth-1:0] in_data_i,
  output logic                 out_valid_o,
  input  logic                 out_ready_i,
  output logic [DataWidth-1:0] out_data_o,
  output logic                 out_last_o,
  output logic                 begins_o
);
  localparam int unsigned CountBits = PacketBeats > 1 ? $clog2(PacketBeats) : 1;
  localparam int unsigned IdleBits = $clog2(IdleClocks + 1);

  logic                 held_q, full_q, idle_q, first_q;
  logic [DataWidth-1:0] data_q;
  logic [CountBits-1:0] count_q;  // beats of the packet before the held one
  logic [IdleBits-1:0]  pause_q;  // clocks that the held beat has waited for the next one
  logic                 goes, ready, takes, last;

  assign last = full_q || idle_q;
  assign goes = held_q && ready && (last || in_valid_i);
  assign in_ready_o = !held_q || ready;
  assign takes = in_valid_i && in_ready_o;
  assign begins_o = goes && first_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      held_q <= 1'b0;
      first_q <= 1'b1;
      full_q <= PacketBeats == 1;
      idle_q <= 1'b0;
      count_q <= '0;
      pause_q <= '0;
    end else begin
      held_q <= takes || (held_q && !goes);
      if (goes) begin
        first_q <= last;
        count_q <= last ? '0 : count_q + 1'b1;
        full_q <= last ? PacketBeats == 1 : count_q == CountBits'(PacketBeats - 2);
      end
      if (takes || !held_q) begin
        pause_q <= '0;
        idle_q <= 1'b0;
      end else if (!idle_q && !goes) begin
        pause_q <= pause_q + 1'b1;
        idle_q <= pause_q == IdleBits'(IdleClocks - 1);
      end
    end
  end

  always_ff @(posedge clk_i) if (takes) data_q <= in_data_i;

  stream_skid #(.DataWidth(DataWidth + 1)) u_skid (
    .clk_i, .rst_ni, .clear_i(1'b0),
    .in_valid_i(goes), .in_ready_o(ready), .in_data_i({last, data_q}),
    .out_valid_o, .out_ready_i, .out_data_o({out_last_o, out_data_o})
  );
endmodule
