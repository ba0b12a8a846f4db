// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// ckks_burst_proof: the bursts of a run are its beats, each once and in order; only the last one is
// marked; none crosses 4 KiB, is empty or has more than MaxBeats beats; all except those at the
// ends of the run are full; an offer stays until it is taken; and a run waits only while another
// run's bursts are not taken. Addresses wrap at the memory's end.
module ckks_burst_proof #(
  parameter int unsigned AddressBits = 16,
  parameter int unsigned BeatBytes = 512,
  parameter int unsigned CountBits = 6,
  parameter int unsigned MaxBeats = 4,
  parameter bit Invariants = 1'b1
) (
  input logic                   clk_i,
  input logic                   rst_ni,
  input logic                   run_valid_i,
  input logic [AddressBits-1:0] run_address_i,
  input logic [CountBits-1:0]   run_beats_i,
  input logic                   burst_ready_i
);
  localparam int unsigned BeatBits = $clog2(BeatBytes);
  localparam int unsigned PageBeats = 4096 / BeatBytes;

  logic                   run_ready, burst_valid, burst_last;
  logic [AddressBits-1:0] burst_address;
  logic [7:0]             burst_length;

  ckks_burst #(
    .AddressBits(AddressBits), .BeatBytes(BeatBytes), .CountBits(CountBits), .MaxBeats(MaxBeats)
  ) u_dut (
    .clk_i, .rst_ni, .run_valid_i, .run_ready_o(run_ready), .run_address_i, .run_beats_i,
    .burst_valid_o(burst_valid), .burst_ready_i, .burst_address_o(burst_address),
    .burst_length_o(burst_length), .burst_last_o(burst_last)
  );

  proof_reset u_reset (.rst_ni);
  proof_stable #(.DataWidth(AddressBits + 9)) u_stable (
    .clk_i, .rst_ni, .free_i(1'b0), .valid_i(burst_valid), .ready_i(burst_ready_i),
    .data_i({burst_address, burst_length, burst_last})
  );
  always_comb begin
    if (run_valid_i) assume (run_beats_i != '0 && run_address_i[BeatBits-1:0] == '0);
  end

  // The rest of the run that was taken last.
  logic                   first_q;
  logic [AddressBits-1:0] next_q;
  logic [CountBits-1:0]   left_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      first_q <= 1'b0;
      next_q  <= '0;
      left_q  <= '0;
    end else if (run_valid_i && run_ready) begin
      first_q <= 1'b1;
      next_q  <= run_address_i;
      left_q  <= run_beats_i;
    end else if (burst_valid && burst_ready_i) begin
      first_q <= 1'b0;
      next_q  <= next_q + AddressBits'((10'(burst_length) + 10'd1) << BeatBits);
      left_q  <= left_q - CountBits'(burst_length) - 1'b1;
    end
  end

  logic [AddressBits-BeatBits-1:0] place;
  assign place = burst_address[AddressBits-1:BeatBits];
  always_comb begin
    if (rst_ni) begin
      assert (burst_valid == (left_q != '0));
      if (burst_valid) begin
        assert (burst_address == next_q);
        assert (32'(burst_length) + 1 <= 32'(left_q));
        assert (burst_last == (32'(burst_length) + 1 == 32'(left_q)));
        assert (32'(burst_length) < MaxBeats);
        assert (32'(place % PageBeats) + 32'(burst_length) < PageBeats);
        if (!first_q && !burst_last) assert (32'(burst_length) == MaxBeats - 1);
      end
      assert (run_ready == (!burst_valid || (burst_ready_i && burst_last)));

      cover (burst_valid && first_q && 32'(burst_length) == 1 && !burst_last);
      cover (burst_valid && burst_last && burst_ready_i && run_valid_i && !first_q);
    end
  end

  if (Invariants) begin : gen_invariants
    always_comb begin
      if (rst_ni) begin
        assert (u_dut.valid_q == (left_q != '0));
        if (u_dut.valid_q) begin
          assert ({u_dut.place_q, BeatBits'(0)} == next_q);
          assert (32'(u_dut.reach_q) == 32'(left_q) + 32'(place % MaxBeats));
          assert (u_dut.ends_q == (32'(u_dut.reach_q) <= MaxBeats));
          assert (32'(u_dut.length_q) + 1
                  == (u_dut.ends_q ? 32'(left_q) : MaxBeats - 32'(place % MaxBeats)));
          if (!first_q) assert (u_dut.place_q % MaxBeats == 0);
        end
      end
    end
  end
endmodule
