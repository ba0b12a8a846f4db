// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// stream_narrow_proof: the narrow beats that the length of a frame fills leave, each once, in order
// and unchanged, with `last` only on the last of them. A wide beat is accepted with its last narrow
// beat, so the next one begins a frame or continues this one. Offers stay; clear_i starts again.
// Assumed: the input keeps its offers until they are accepted, a frame is not empty, and in_last_i
// is set where its length ends.
module stream_narrow_proof #(
  parameter int unsigned WideBytes = 16,
  parameter int unsigned NarrowBytes = 4,
  parameter bit Invariants = 1'b1
) (
  input logic                   clk_i,
  input logic                   rst_ni,
  input logic                   clear_i,
  input logic                   in_valid_i,
  input logic [8*WideBytes-1:0] in_data_i,
  input logic                   in_last_i,
  input logic                   out_ready_i
);
  localparam int unsigned Ratio = WideBytes / NarrowBytes;
  localparam int unsigned NarrowShift = $clog2(NarrowBytes);
  localparam int unsigned PlaceBits = $clog2(Ratio);
  localparam int unsigned MostBytes = 65536;
  localparam int unsigned CountBits = $clog2(MostBytes + 1);

  typedef logic [CountBits-1:0] count_t;

  logic                     in_ready, in_beat, out_valid, out_last, out_beat;
  logic [8*NarrowBytes-1:0] out_data;

  stream_narrow #(.WideBytes(WideBytes), .NarrowBytes(NarrowBytes)) u_dut (
    .clk_i, .rst_ni, .clear_i,
    .in_valid_i, .in_ready_o(in_ready), .in_data_i, .in_last_i,
    .out_valid_o(out_valid), .out_ready_i, .out_data_o(out_data), .out_last_o(out_last)
  );
  assign in_beat = in_valid_i && in_ready;
  assign out_beat = out_valid && out_ready_i;

  proof_reset u_reset (.rst_ni);
  proof_stable #(.DataWidth(8 * WideBytes + 1), .Assume(1'b1)) u_in_stable (
    .clk_i, .rst_ni, .free_i(clear_i), .valid_i(in_valid_i), .ready_i(in_ready),
    .data_i({in_last_i, in_data_i})
  );
  proof_stable #(.DataWidth(8 * NarrowBytes + 1)) u_out_stable (
    .clk_i, .rst_ni, .free_i(clear_i), .valid_i(out_valid), .ready_i(out_ready_i),
    .data_i({out_last, out_data})
  );

  // ---- the current frame, counted in narrow beats ----
  count_t given_q;   // beats of the frame that have left
  count_t final_q;   // number of its last one, from the first wide beat
  count_t last_one;

  logic fresh;
  assign fresh = given_q < count_t'(Ratio);
  assign last_one = fresh ? count_t'((in_data_i[31:0] - 32'd1) >> NarrowShift) : final_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      given_q <= '0;
      final_q <= '0;
    end else begin
      if (clear_i) given_q <= '0;
      else if (out_beat) given_q <= given_q == last_one ? '0 : given_q + 1'b1;
      if (in_valid_i) final_q <= last_one;
    end
  end

  logic [PlaceBits-1:0] place;
  assign place = PlaceBits'(given_q);

  always_comb begin
    if (in_valid_i && fresh) assume (in_data_i[31:0] != '0 && in_data_i[31:0] <= MostBytes);
    if (in_valid_i) assume (in_last_i == (given_q >> PlaceBits == last_one >> PlaceBits));
    if (rst_ni) begin
      assert (out_valid == in_valid_i);
      if (out_valid) begin
        assert (out_data == in_data_i[8*NarrowBytes*32'(place)+:8*NarrowBytes]);
        assert (out_last == (given_q == last_one));
      end
      assert (in_beat == (out_beat && (out_last || 32'(place) == Ratio - 1)));

      cover (out_beat && out_last && place == 0 && !fresh);
      cover (in_beat && out_last && fresh && 32'(place) == 1);
      cover (out_valid && !out_ready_i && place != 0 && !fresh && !out_last);
      cover (clear_i && place != 0);
    end
  end

  if (Invariants) begin : gen_invariants
    always_comb begin
      if (rst_ni) begin
        assert (u_dut.gen_parts.place_q == place && u_dut.gen_parts.inside_q == !fresh);
        if (!fresh) assert (u_dut.gen_parts.tail_q == PlaceBits'(final_q));
        if (fresh && given_q != 0) assert (in_valid_i && given_q <= last_one);
        if (!fresh) assert (given_q <= final_q && final_q <= count_t'(MostBytes));
      end
    end
  end
endmodule
