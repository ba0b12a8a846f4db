// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// stream_frame_fifo_proof: stream_frame_fifo keeps the promises of proof_frame_fifo.
module stream_frame_fifo_proof #(
  parameter int unsigned DataWidth = 8,
  parameter int unsigned Depth = 4,
  parameter bit Registered = 1'b0,
  parameter bit Invariants = 1'b1
) (
  input logic                 clk_i,
  input logic                 rst_ni,
  input logic                 flush_i,
  input logic                 in_valid_i,
  input logic [DataWidth-1:0] in_data_i,
  input logic                 in_last_i,
  input logic                 drop_i,
  input logic                 out_ready_i
);
  logic                          in_ready, out_valid, out_last;
  logic [DataWidth-1:0]          out_data;
  logic [Depth-1:0][DataWidth:0] beats;

  stream_frame_fifo #(
    .DataWidth(DataWidth), .Depth(Depth), .Registered(Registered)
  ) u_dut (
    .clk_i, .rst_ni, .flush_i,
    .in_valid_i, .in_ready_o(in_ready), .in_data_i, .in_last_i, .drop_i,
    .out_valid_o(out_valid), .out_ready_i, .out_data_o(out_data), .out_last_o(out_last)
  );
  for (genvar i = 0; i < Depth; i++) begin : gen_beat
    assign beats[i] = u_dut.beats[i];
  end

  proof_reset u_reset (.rst_ni);
  proof_frame_fifo #(
    .DataWidth(DataWidth), .Depth(Depth), .Registered(Registered), .Invariants(Invariants)
  ) u_promise (
    .clk_i, .rst_ni, .flush_i,
    .in_valid_i, .in_ready_i(in_ready), .in_data_i, .in_last_i, .drop_i,
    .out_valid_i(out_valid), .out_ready_i, .out_data_i(out_data), .out_last_i(out_last),
    .inner_write_i(u_dut.write_q), .inner_frames_end_i(u_dut.frames_end_q),
    .inner_read_i(u_dut.read_q), .inner_resume_i(u_dut.resume_q),
    .inner_offered_end_i(u_dut.offered_end), .inner_flushed_i(u_dut.flushed_q),
    .inner_beats_i(beats)
  );

  always_comb begin
    if (rst_ni) begin
      cover (drop_i && in_valid_i && in_ready && u_promise.held == Depth - 1 && out_valid);
    end
  end
endmodule
