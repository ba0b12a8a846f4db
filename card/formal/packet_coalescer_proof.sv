// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// packet_coalescer_proof: the beats leave unchanged and in order, and offers stay. A packet has at
// most PacketBeats beats. A shorter one ends only with a beat that has waited IdleClocks clocks for
// its successor, and such a beat goes on as soon as the output is free. begins_o marks the first
// beat of each packet.
module packet_coalescer_proof #(
  parameter int unsigned DataWidth = 4,
  parameter int unsigned PacketBeats = 3,
  parameter int unsigned IdleClocks = 2,
  parameter bit Invariants = 1'b1
) (
  input logic                 clk_i,
  input logic                 rst_ni,
  input logic                 in_valid_i,
  input logic [DataWidth-1:0] in_data_i,
  input logic                 out_ready_i
);
  localparam int unsigned CountBits = 4;
  typedef logic [CountBits-1:0] count_t;

  logic                 in_ready, out_valid, out_last, begins, comes, leaves;
  logic [DataWidth-1:0] out_data;

  packet_coalescer #(
    .DataWidth(DataWidth), .PacketBeats(PacketBeats), .IdleClocks(IdleClocks)
  ) u_dut (
    .clk_i, .rst_ni, .in_valid_i, .in_ready_o(in_ready), .in_data_i,
    .out_valid_o(out_valid), .out_ready_i, .out_data_o(out_data), .out_last_o(out_last),
    .begins_o(begins)
  );
  assign comes = in_valid_i && in_ready;
  assign leaves = out_valid && out_ready_i;

  proof_reset u_reset (.rst_ni);
  proof_stable #(.DataWidth(DataWidth + 1)) u_stable (
    .clk_i, .rst_ni, .free_i(1'b0), .valid_i(out_valid), .ready_i(out_ready_i),
    .data_i({out_last, out_data})
  );

  count_t               held, ahead;
  logic                 watched;
  logic [DataWidth-1:0] data;

  proof_scoreboard #(.DataWidth(DataWidth), .CountBits(CountBits)) u_scoreboard (
    .in_clk_i(clk_i), .in_rst_ni(rst_ni), .in_clear_i(1'b0), .in_beat_i(comes), .in_data_i,
    .out_clk_i(clk_i), .out_rst_ni(rst_ni), .out_clear_i(1'b0), .out_beat_i(leaves),
    .out_data_i(out_data),
    .held_o(held), .watched_o(watched), .ahead_o(ahead), .data_o(data)
  );

  // ---- packets at the output, pauses at the input ----
  count_t place_q;  // beats of the packet that have left
  count_t pause_q;  // clocks since a beat came, up to IdleClocks
  count_t open_q;   // begun packets that have not left
  logic   goes, last;

  assign goes = u_dut.goes;
  assign last = u_dut.last;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      place_q <= '0;
      pause_q <= '0;
      open_q <= '0;
    end else begin
      if (leaves) place_q <= out_last ? '0 : place_q + 1'b1;
      if (comes) pause_q <= '0;
      else if (pause_q < count_t'(IdleClocks)) pause_q <= pause_q + 1'b1;
      open_q <= open_q + count_t'(begins) - count_t'(leaves && out_last);
    end
  end

  always_comb begin
    if (rst_ni) begin
      if (out_valid) assert (place_q < count_t'(PacketBeats));
      if (out_valid && place_q == count_t'(PacketBeats - 1)) assert (out_last);
      // A packet that is not full ends after a pause.
      if (goes && last && !u_dut.full_q) assert (pause_q == count_t'(IdleClocks));
      // A beat that has waited does not wait longer, and one whose successor comes neither.
      if (u_dut.held_q && u_dut.ready && (in_valid_i || u_dut.full_q)) assert (goes);
      if (u_dut.held_q && u_dut.ready && pause_q == count_t'(IdleClocks)) assert (goes);
      // The first beat of a packet announces it.
      if (out_valid) assert (open_q != 0);
      assert (open_q <= 4);

      cover (out_last && place_q == 0 && leaves && comes);
      cover (out_last && place_q == count_t'(PacketBeats - 1) && leaves && begins);
      cover (goes && last && u_dut.full_q && pause_q == 0);
    end
  end

  if (Invariants) begin : gen_invariants
    count_t   first, second;  // places after the beats of the output registers
    logic     skid_out, skid_full;
    count_t   ends;           // ends of packets in the output registers
    assign skid_out = u_dut.u_skid.out_valid_q;
    assign skid_full = u_dut.u_skid.skid_valid_q;
    always_comb begin
      first = !skid_out ? place_q : u_dut.u_skid.out_q[DataWidth] ? '0 : place_q + 1'b1;
      second = !skid_full ? first : u_dut.u_skid.skid_q[DataWidth] ? '0 : first + 1'b1;
      ends = count_t'(skid_out && u_dut.u_skid.out_q[DataWidth])
          + count_t'(skid_full && u_dut.u_skid.skid_q[DataWidth]);
      if (rst_ni) begin
        assert (held == count_t'(skid_out) + count_t'(skid_full) + count_t'(u_dut.held_q));
        assert (skid_out || !skid_full);
        if (watched && ahead == 0) begin
          assert ((skid_out ? u_dut.u_skid.out_q[DataWidth-1:0] : u_dut.data_q) == data);
        end
        if (watched && ahead == 1) begin
          assert ((skid_full ? u_dut.u_skid.skid_q[DataWidth-1:0] : u_dut.data_q) == data);
        end
        if (watched && ahead == 2) assert (u_dut.data_q == data);
        assert (count_t'(u_dut.count_q) == second);
        assert (second < count_t'(PacketBeats));
        if (skid_full) assert (first < count_t'(PacketBeats));
        if (skid_full && first == count_t'(PacketBeats - 1)) begin
          assert (u_dut.u_skid.skid_q[DataWidth]);
        end
        assert (u_dut.full_q == (second == count_t'(PacketBeats - 1)));
        assert (u_dut.first_q == (second == 0));
        assert (open_q == ends + count_t'(second != 0));
        if (u_dut.held_q) begin
          assert (pause_q == (u_dut.idle_q ? count_t'(IdleClocks) : count_t'(u_dut.pause_q)));
          assert (u_dut.idle_q || count_t'(u_dut.pause_q) < count_t'(IdleClocks));
        end
      end
    end
  end
endmodule
