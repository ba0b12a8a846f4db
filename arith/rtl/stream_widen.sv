// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// stream_widen: converts frames in beats of NarrowBytes to frames in beats of WideBytes.
//
// Narrow beats fill a wide one from its low end. It is offered when it is full or its frame has
// ended; the rest of a frame's last beat is zero, and the next frame begins at byte 0.
//
// One narrow beat per clock, one clock of latency; holds one wide beat. clear_i empties it (a soft
// reset). With WideBytes = NarrowBytes only wires are left.
module stream_widen #(
  parameter int unsigned NarrowBytes = 8,  // powers of two
  parameter int unsigned WideBytes = 64
) (
  input  logic                     clk_i,
  input  logic                     rst_ni,
  input  logic                     clear_i,

  input  logic                     in_valid_i,
  output logic                     in_ready_o,
  input  logic [8*NarrowBytes-1:0] in_data_i,
  input  logic                     in_last_i,

  output logic                     out_valid_o,
  input  logic                     out_ready_i,
  output logic [8*WideBytes-1:0]   out_data_o,
  output logic                     out_last_o
);
  localparam int unsigned Ratio = WideBytes / NarrowBytes;

  if (Ratio == 1) begin : gen_wires
    assign out_valid_o = in_valid_i;
    assign in_ready_o  = out_ready_i;
    assign out_data_o  = in_data_i;
    assign out_last_o  = in_last_i;

    logic unused;
    assign unused = ^{clk_i, rst_ni, clear_i};
  end else begin : gen_parts
    localparam int unsigned PlaceBits = $clog2(Ratio);

    typedef logic [PlaceBits-1:0] place_t;

    logic [Ratio-1:0][8*NarrowBytes-1:0] parts_q;
    place_t place_q;  // the position of the next narrow beat
    logic   valid_q, last_q;
    logic   push, ends;

    assign in_ready_o  = !valid_q || out_ready_i;
    assign out_valid_o = valid_q;
    assign out_data_o  = parts_q;
    assign out_last_o  = last_q;
    assign push        = in_valid_i && in_ready_o;
    assign ends        = in_last_i || place_q == place_t'(Ratio - 1);

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        place_q <= '0;
        valid_q <= 1'b0;
      end else if (clear_i) begin
        place_q <= '0;
        valid_q <= 1'b0;
      end else begin
        if (push) place_q <= ends ? '0 : place_q + place_t'(1);
        if (push) valid_q <= ends;
        else if (out_ready_i) valid_q <= 1'b0;
      end
    end

    always_ff @(posedge clk_i) begin
      if (push) begin
        if (place_q == '0) parts_q <= '0;  // except the part below
        parts_q[place_q] <= in_data_i;
        last_q <= in_last_i;
      end
    end
  end
endmodule
