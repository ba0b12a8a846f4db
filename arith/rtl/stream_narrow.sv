// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// stream_narrow: converts frames in beats of WideBytes to frames in beats of NarrowBytes.
//
// A frame begins at byte 0 of a wide beat with its length in bytes (32 bits, little-endian,
// including the length itself, not 0). It leaves as the narrow beats that the length fills; the
// rest of the last wide beat is dropped. in_last_i marks the wide beat in which the length ends,
// out_last_o the narrow one.
//
// Holds nothing: a wide beat is accepted together with its last narrow beat. One narrow beat per
// clock, no latency. clear_i resets the position in the frame (a soft reset of the receiver): the
// next beat then begins a frame. With WideBytes = NarrowBytes only wires are left.
module stream_narrow #(
  parameter int unsigned WideBytes = 64,   // powers of two, at least four
  parameter int unsigned NarrowBytes = 8
) (
  input  logic                     clk_i,
  input  logic                     rst_ni,
  input  logic                     clear_i,

  input  logic                     in_valid_i,
  output logic                     in_ready_o,
  input  logic [8*WideBytes-1:0]   in_data_i,
  input  logic                     in_last_i,

  output logic                     out_valid_o,
  input  logic                     out_ready_i,
  output logic [8*NarrowBytes-1:0] out_data_o,
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
    localparam int unsigned NarrowShift = $clog2(NarrowBytes);

    typedef logic [PlaceBits-1:0] place_t;

    place_t place_q;   // narrow beats of the wide one that have passed
    place_t tail_q;    // position of the frame's last narrow beat in its last wide one
    logic   inside_q;  // wide beats of the frame have passed

    logic [Ratio-1:0][8*NarrowBytes-1:0] parts;
    logic [31:0] last_byte;  // offset of a frame's last byte, if it begins here
    place_t      tail;
    logic        wide_ends, beat;

    assign parts       = in_data_i;
    assign last_byte   = in_data_i[31:0] - 32'd1;
    assign tail        = inside_q ? tail_q : place_t'(last_byte >> NarrowShift);
    assign out_valid_o = in_valid_i;
    assign out_data_o  = parts[place_q];
    assign out_last_o  = in_last_i && place_q == tail;
    assign wide_ends   = out_last_o || place_q == place_t'(Ratio - 1);
    assign in_ready_o  = out_ready_i && wide_ends;
    assign beat        = out_valid_o && out_ready_i;

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        place_q  <= '0;
        inside_q <= 1'b0;
      end else if (clear_i) begin
        place_q  <= '0;
        inside_q <= 1'b0;
      end else if (beat) begin
        place_q <= wide_ends ? '0 : place_q + place_t'(1);
        if (wide_ends) inside_q <= !in_last_i;
      end
    end

    always_ff @(posedge clk_i) begin
      if (!inside_q) tail_q <= tail;  // the last time with the first beat of a frame
    end
  end
endmodule
