// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// stream_checksum_proof: stream_checksum loses no beat, duplicates none and keeps their order.
// Beats pass unchanged, except the last of a summed frame, which is the checksum of the frame's
// beats before it. Offers stay until they are accepted. Assumed: all frames are summed, or none.
module stream_checksum_proof #(
  parameter bit Invariants = 1'b1
) (
  input logic        clk_i,
  input logic        rst_ni,
  input logic        in_valid_i,
  input logic [63:0] in_data_i,
  input logic        in_last_i,
  input logic        out_ready_i
);
  localparam int unsigned CountBits = 4;

  logic        in_ready, out_valid, out_last, in_beat, out_beat;
  logic [63:0] out_data;

  // Arbitrary and constant.
  logic sums_q;
  always_ff @(posedge clk_i) sums_q <= sums_q;

  stream_checksum u_dut (
    .clk_i, .rst_ni,
    .in_valid_i, .in_ready_o(in_ready), .in_data_i, .in_last_i, .in_sum_i(sums_q),
    .out_valid_o(out_valid), .out_ready_i, .out_data_o(out_data), .out_last_o(out_last)
  );
  assign in_beat = in_valid_i && in_ready;
  assign out_beat = out_valid && out_ready_i;

  // The part of a beat that passes.
  function automatic logic [64:0] kept(input logic last, input logic sums, input logic [63:0] data);
    return {last, last && sums ? 64'd0 : data};
  endfunction

  proof_reset u_reset (.rst_ni);
  proof_stable #(.DataWidth(65)) u_stable (
    .clk_i, .rst_ni, .free_i(1'b0), .valid_i(out_valid), .ready_i(out_ready_i),
    .data_i({out_last, out_data})
  );

  logic [CountBits-1:0] held, ahead;
  logic                 watched;
  logic [64:0]          data;

  proof_scoreboard #(.DataWidth(65), .CountBits(CountBits)) u_scoreboard (
    .in_clk_i(clk_i), .in_rst_ni(rst_ni), .in_clear_i(1'b0),
    .in_beat_i(in_beat), .in_data_i(kept(in_last_i, sums_q, in_data_i)),
    .out_clk_i(clk_i), .out_rst_ni(rst_ni), .out_clear_i(1'b0),
    .out_beat_i(out_beat), .out_data_i(kept(out_last, sums_q, out_data)),
    .held_o(held), .watched_o(watched), .ahead_o(ahead), .data_o(data)
  );

  // The checksum's state before and after the offered beat.
  logic [31:0] crc_q, crc;
  crc32c_beat u_crc (.state_i(crc_q), .data_i(out_data), .state_o(crc));
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) crc_q <= '1;
    else if (out_beat) crc_q <= out_last ? '1 : crc;
  end

  always_comb begin
    if (rst_ni) begin
      assert (held <= 3);
      assert (in_ready || held != 0);
      if (out_valid && out_last && sums_q) assert (out_data == {32'd0, ~crc_q});

      cover (out_beat && out_last && sums_q && crc_q != '1);
      cover (out_beat && out_last && !sums_q);
      cover (held == 3 && out_beat);
    end
  end

  if (Invariants) begin : gen_invariants
    logic [CountBits-1:0] behind;  // the position of the watched beat behind the slice
    assign behind = ahead - CountBits'(out_valid);

    always_comb begin
      if (rst_ni) begin
        assert (held == CountBits'(out_valid) + CountBits'(u_dut.u_slice.out_valid_q)
                + CountBits'(u_dut.u_slice.skid_valid_q));
        assert (!u_dut.u_slice.skid_valid_q || u_dut.u_slice.out_valid_q);
        if (u_dut.u_slice.out_valid_q) assert (u_dut.u_slice.out_q[65] == sums_q);
        if (u_dut.u_slice.skid_valid_q) assert (u_dut.u_slice.skid_q[65] == sums_q);
        assert (u_dut.crc_q == (!out_valid ? crc_q : out_last ? '1 : crc));
        if (watched) begin
          if (out_valid && ahead == 0) assert (kept(out_last, sums_q, out_data) == data);
          else if (behind == 0) assert (kept(u_dut.u_slice.out_q[64], sums_q,
                                             u_dut.u_slice.out_q[63:0]) == data);
          else assert (kept(u_dut.u_slice.skid_q[64], sums_q,
                            u_dut.u_slice.skid_q[63:0]) == data);
        end
      end
    end
  end
endmodule
