// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// verdict_reply_proof: each verdict becomes the three beats of one reply, each checked verdict four
// beats with the checksum in the last, each refusal the two beats of one fpga_ignore_rpl. Each is
// accepted with the last of these beats and no other; an offered beat stays. While a refusal waits
// no verdict's reply begins; a waiting verdict or refusal begins a clock after nothing is offered.
// Assumed: verdicts and refusals stay until they are accepted.
module verdict_reply_proof #(
  parameter bit Invariants = 1'b1
) (
  input logic        clk_i,
  input logic        rst_ni,
  input logic        verdict_valid_i,
  input logic [63:0] verdict_index_i,
  input logic [63:0] verdict_found_i,
  input logic        verdict_checked_i,
  input logic        refusal_valid_i,
  input logic [63:0] refusal_header_i,
  input logic        rpl_ready_i
);
  localparam logic [31:0] Command = 32'h8000_0e0e;
  localparam logic [31:0] CheckedCommand = 32'h8000_0e0f;
  localparam logic [63:0] VerdictHead = {Command, 32'd24};
  localparam logic [63:0] CheckedHead = {CheckedCommand, 32'd32};
  localparam logic [63:0] IgnoreHead = {32'h8000_0002, 32'd16};

  logic        verdict_ready, refusal_ready, rpl_valid, rpl_last, beat;
  logic [63:0] rpl_data;

  verdict_reply #(.Command(Command), .CheckedCommand(CheckedCommand)) u_dut (
    .clk_i, .rst_ni,
    .verdict_valid_i, .verdict_ready_o(verdict_ready), .verdict_index_i, .verdict_found_i,
    .verdict_checked_i,
    .refusal_valid_i, .refusal_ready_o(refusal_ready), .refusal_header_i,
    .rpl_valid_o(rpl_valid), .rpl_ready_i, .rpl_data_o(rpl_data), .rpl_last_o(rpl_last)
  );
  assign beat = rpl_valid && rpl_ready_i;

  proof_reset u_reset (.rst_ni);
  proof_stable #(.DataWidth(129), .Assume(1'b1)) u_verdict (
    .clk_i, .rst_ni, .free_i(1'b0), .valid_i(verdict_valid_i), .ready_i(verdict_ready),
    .data_i({verdict_checked_i, verdict_index_i, verdict_found_i})
  );
  proof_stable #(.DataWidth(64), .Assume(1'b1)) u_refusal (
    .clk_i, .rst_ni, .free_i(1'b0), .valid_i(refusal_valid_i), .ready_i(refusal_ready),
    .data_i(refusal_header_i)
  );
  proof_stable #(.DataWidth(65)) u_reply (
    .clk_i, .rst_ni, .free_i(1'b0), .valid_i(rpl_valid), .ready_i(rpl_ready_i),
    .data_i({rpl_last, rpl_data})
  );

  // ---- the specification: the current beat, and the kind of its reply ----
  logic [1:0] place_q;    // beats of the reply that have left
  logic       refused_q;  // the first of them was an ignore reply's
  logic       waits_q;    // a verdict or refusal waited a clock ago, and nothing was offered
  logic       refusal_q;  // a refusal did
  logic       refused;
  logic [31:0] crc_q, crc;  // checksum's state before and after the current beat

  crc32c_beat u_crc (.state_i(crc_q), .data_i(rpl_data), .state_o(crc));

  assign refused = place_q == 0 ? rpl_data == IgnoreHead : refused_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      place_q   <= '0;
      refused_q <= 1'b0;
      waits_q   <= 1'b0;
      refusal_q <= 1'b0;
      crc_q     <= '1;
    end else begin
      if (beat) crc_q <= rpl_last ? '1 : crc;
      if (beat) place_q <= rpl_last ? '0 : place_q + 1'b1;
      if (beat) refused_q <= refused;
      waits_q   <= (verdict_valid_i || refusal_valid_i) && !rpl_valid;
      refusal_q <= refusal_valid_i && !rpl_valid;
    end
  end

  always_comb begin
    if (rst_ni) begin
      if (rpl_valid) begin
        unique case (place_q)
          2'd0: begin
            assert (rpl_data == (refused ? IgnoreHead
                                 : verdict_checked_i ? CheckedHead : VerdictHead) && !rpl_last);
            assert (refused ? refusal_valid_i : verdict_valid_i);
          end
          2'd1: begin
            assert (rpl_data == (refused ? refusal_header_i : verdict_index_i));
            assert (rpl_last == refused);
          end
          2'd2: begin
            assert (rpl_data == verdict_found_i && !refused);
            assert (rpl_last == !verdict_checked_i);
          end
          default: begin
            assert (rpl_data == {32'd0, ~crc_q} && rpl_last && !refused && verdict_checked_i);
          end
        endcase
      end
      assert (place_q == 0 || rpl_valid);
      assert (verdict_ready == (beat && rpl_last && !refused));
      assert (refusal_ready == (beat && rpl_last && refused));
      assert (!waits_q || rpl_valid);
      assert (!refusal_q || refused);

      cover (beat && place_q == 2 && rpl_last);
      cover (beat && place_q == 3);
      cover (refusal_ready && verdict_valid_i);
    end
  end

  if (Invariants) begin : gen_invariants
    always_comb begin
      if (rst_ni) assert (place_q != 0 || crc_q == '1);
      if (rst_ni && u_dut.offers_q) begin
        assert (u_dut.place_q == place_q);
        assert (place_q <= (u_dut.refusal_q ? 2'd1 : verdict_checked_i ? 2'd3 : 2'd2));
        if (!u_dut.refusal_q && verdict_checked_i) begin
          assert (place_q == 3 || u_dut.summed == rpl_data);
          assert (u_dut.crc_q == crc_q);
        end
        assert (place_q == 0 || u_dut.refusal_q == refused_q);
        assert (u_dut.refusal_q ? refusal_valid_i : verdict_valid_i);
      end
    end
  end
endmodule
