// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// skew_shift: x_i * 2^Shift (rounded down for a negative Shift) modulo 2^OutWidth, or with Invert
// its bitwise complement; skewed numbers (skew_sum) in and out.
//
// The result's segment 0 comes Delay clocks after that of x_i. A bit that moves into a higher
// segment waits that much longer, one that moves down was already late: a negative Shift needs a
// Delay of at least ceil(-Shift / Segment). Registers only, no logic.
module skew_shift #(
  parameter int unsigned InWidth = 256,
  parameter int unsigned OutWidth = 256,
  parameter int Shift = 0,
  parameter int unsigned Delay = 0,
  parameter bit Invert = 1'b0,
  parameter int unsigned Segment = arith_pkg::SegmentWidth
) (
  input  logic                clk_i,
  input  logic [InWidth-1:0]  x_i,
  output logic [OutWidth-1:0] result_o
);
  localparam int Bits = int'(Segment);
  localparam int OutSegments = int'(arith_pkg::ceil_div(OutWidth, Segment));
  localparam int InSegments = int'(arith_pkg::ceil_div(InWidth, Segment));

  function automatic int larger(input int a, input int b);
    return (a > b) ? a : b;
  endfunction

  function automatic int smaller(input int a, input int b);
    return (a < b) ? a : b;
  endfunction

  // Bits of the result that come from x_i: from Bottom up to below Top.
  localparam int Bottom = larger(0, smaller(Shift, int'(OutWidth)));
  localparam int Top = larger(Bottom, smaller(int'(OutWidth), int'(InWidth) + Shift));

  logic [OutWidth-1:0] shifted;
  assign result_o = Invert ? ~shifted : shifted;

  if (Bottom > 0) begin : gen_below
    assign shifted[Bottom-1:0] = '0;
  end
  if (Top < int'(OutWidth)) begin : gen_above
    assign shifted[OutWidth-1:Top] = '0;
  end

  // One delay for each pair of a segment of the result and a segment of x_i that contributes to it.
  for (genvar to = 0; to < OutSegments; to++) begin : gen_to
    for (genvar from = 0; from < InSegments; from++) begin : gen_from
      localparam int Start = larger(Bottom, larger(to * Bits, from * Bits + Shift));
      localparam int End = smaller(Top, smaller((to + 1) * Bits, (from + 1) * Bits + Shift));
      localparam int Wait = int'(Delay) + to - from;
      if (Start < End) begin : gen_part
        if (Wait < 0) begin : gen_check
          $error("skew_shift: by %0d needs a Delay of %0d more", Shift, -Wait);
        end
        pipeline_delay #(
          .DataWidth(int'(End - Start)), .Stages((Wait > 0) ? Wait : 0)
        ) u_delay (
          .clk_i, .data_i(x_i[Start-Shift+:End-Start]), .data_o(shifted[Start+:End-Start])
        );
      end
    end
  end

  logic unused_bits;
  assign unused_bits = ^x_i;
endmodule
