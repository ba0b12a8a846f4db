// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// memory_parity_proof: with a memory whose output is changed arbitrarily, error_o reports exactly
// the checked words with an odd number of flipped bits, two clocks after they were at the output.
// Assumed: a checked word was written, and not in the clock in which it was read.
module memory_parity_proof #(
  parameter int unsigned Width = 8,
  parameter int unsigned Depth = 4,
  parameter int unsigned ReadClocks = 1,
  parameter bit Invariants = 1'b1
) (
  input logic                     clk_i,
  input logic                     rst_ni,
  input logic                     write_valid_i,
  input logic [$clog2(Depth)-1:0] write_address_i,
  input logic [Width-1:0]         write_data_i,
  input logic                     read_enable_i,
  input logic [$clog2(Depth)-1:0] read_address_i,
  input logic                     check_i,
  input logic [Width-1:0]         flips_i
);
  // ---- the memory, and whether the read word may be checked ----
  logic [Depth-1:0][Width-1:0] words_q;
  logic [Depth-1:0]            written_q;
  logic [2:0][Width-1:0]       read;      // by clocks since the address
  logic [2:0]                  sound;
  logic                        expected_q, expected_qq, error;

  assign read[0]  = words_q[read_address_i];
  assign sound[0] = written_q[read_address_i]
                    && (ReadClocks == 0 || !write_valid_i || write_address_i != read_address_i);
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      {written_q, sound[2:1], expected_q, expected_qq} <= '0;
    end else begin
      if (write_valid_i) written_q[write_address_i] <= 1'b1;
      if (read_enable_i) sound[2:1] <= sound[1:0];
      {expected_qq, expected_q} <= {expected_q, check_i && ^flips_i};
    end
  end
  always_ff @(posedge clk_i) begin
    if (write_valid_i) words_q[write_address_i] <= write_data_i;
    if (read_enable_i) read[2:1] <= read[1:0];
  end

  memory_parity #(.Width(Width), .Depth(Depth), .ReadClocks(ReadClocks)) u_dut (
    .clk_i, .write_valid_i(write_valid_i && rst_ni), .write_address_i, .write_data_i,
    .read_enable_i, .read_address_i, .check_i(check_i && rst_ni),
    .data_i(read[ReadClocks] ^ flips_i), .error_o(error)
  );

  proof_reset u_reset (.rst_ni);

  logic [1:0] since_q;  // clocks since the reset, at most 2
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) since_q <= '0;
    else if (since_q != 2'd2) since_q <= since_q + 2'd1;
  end

  always_comb begin
    if (rst_ni) begin
      assume (!check_i || sound[ReadClocks]);
      assert (since_q != 2'd2 || error == expected_qq);
      cover (error);
      cover (since_q == 2'd2 && u_dut.check_q && !expected_q);
    end
  end

  if (Invariants) begin : gen_invariants
    logic [Depth-1:0] parities;  // including that of the word that was written in the last clock
    for (genvar a = 0; a < Depth; a++) begin : gen_parity
      assign parities[a] = u_dut.write_valid_q && u_dut.write_address_q == a
                           ? u_dut.written_parity : u_dut.parities[a];
    end
    always_comb begin
      if (since_q != '0) begin
        for (int unsigned a = 0; a < Depth; a++) begin
          assert (!written_q[a] || parities[a] == ^words_q[a]);
        end
        assert (!u_dut.write_valid_q || written_q[u_dut.write_address_q]);
        assert (u_dut.check_q || !expected_q);
        assert (!u_dut.check_q || ((u_dut.data_parity != u_dut.stored) == expected_q));
      end
    end
    if (ReadClocks != 0) begin : gen_first
      always_comb begin
        if (since_q != '0 && sound[1]) begin
          assert (^read[1] == (u_dut.read_enable_q ? u_dut.parities[u_dut.read_address_q]
                                                   : u_dut.gen_registered.stored_q[0]));
        end
      end
    end
    if (ReadClocks == 2) begin : gen_second
      always_comb begin
        if (since_q != '0 && sound[2]) begin
          assert (^read[2] == (u_dut.read_enable_q ? u_dut.gen_registered.stored_q[0]
                                                   : u_dut.gen_registered.stored_q[1]));
        end
      end
    end
  end
endmodule
