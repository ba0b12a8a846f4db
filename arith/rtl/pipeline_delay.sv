// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// pipeline_delay: data_o is data_i of Stages clocks ago; Stages = 0 is a wire.
//
// Has no reset, so that a synthesizer can use shift-register tables; the output is undefined in the
// first Stages clocks. Use valid_delay for control bits that need a reset.
//
// HALIMEDE_DELAYS_IN_MEMORY is defined for families whose tables cannot be shift registers (ECP5):
// there, a delay of more than LongStages is a ring in distributed memory, where only a pointer
// changes.
module pipeline_delay #(
  parameter int unsigned DataWidth = 1,
  parameter int unsigned Stages = 1
) (
  input  logic                 clk_i,
  input  logic [DataWidth-1:0] data_i,
  output logic [DataWidth-1:0] data_o
);
`ifdef HALIMEDE_DELAYS_IN_MEMORY
  // From this length on, four bits of a ring need less area than four chains: six tables and four
  // registers.
  localparam int unsigned LongStages = 4;
  localparam bit InMemory = Stages > LongStages && DataWidth > 1;
`else
  localparam bit InMemory = 1'b0;
`endif

  if (Stages == 0) begin : gen_wire
    logic unused_clk;
    assign unused_clk = clk_i;
    assign data_o = data_i;
  end else if (InMemory) begin : gen_ring
    // The word that is read is the one that is written in the next clock, never the one that is
    // being written. A pointer beyond the end returns to the range by itself; it starts at 0 for
    // simulators that know unknown bits.
    localparam int unsigned PlaceBits = $clog2(Stages);
    localparam logic [PlaceBits-1:0] Last = PlaceBits'(Stages - 1);
    (* ram_style = "distributed" *) logic [DataWidth-1:0] ring[Stages];
    logic [PlaceBits-1:0] write_q, read_q;
    initial read_q = '0;
    always_ff @(posedge clk_i) begin
      read_q        <= (read_q >= Last) ? '0 : read_q + 1'b1;
      write_q       <= read_q;
      ring[write_q] <= data_i;
      data_o        <= ring[read_q];
    end
  end else begin : gen_stages
    logic [DataWidth-1:0] stage_q[Stages];
    always_ff @(posedge clk_i) begin
      stage_q[0] <= data_i;
      for (int unsigned i = 1; i < Stages; i++) stage_q[i] <= stage_q[i-1];
    end
    assign data_o = stage_q[Stages-1];
  end
endmodule
