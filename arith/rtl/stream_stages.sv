// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// stream_stages: a valid/ready stream over a long distance, such as from one die of an FPGA to the
// next: Stages registers in each direction, with only wires between them. Stages = 0 is wires.
//
// The sender has credits, one for each place of a queue at the far end. A beat uses one, which
// comes back when the beat has left. So no ready crosses the distance, and one beat per clock
// passes. A beat is offered Stages + 2 clocks after it came in. idle_o is high while no beat is
// inside and all credits are back.
//
// clear_i empties it; it must last longer than 2 * Stages clocks, since the far end sees it Stages
// clocks later, as far_clear_o.
module stream_stages #(
  parameter int unsigned DataWidth = 64,
  parameter int unsigned Stages = 2
) (
  input  logic                 clk_i,
  input  logic                 rst_ni,
  input  logic                 clear_i,
  output logic                 far_clear_o,
  input  logic                 in_valid_i,
  output logic                 in_ready_o,
  input  logic [DataWidth-1:0] in_data_i,
  output logic                 out_valid_o,
  input  logic                 out_ready_i,
  output logic [DataWidth-1:0] out_data_o,
  output logic                 idle_o
);
  if (Stages == 0) begin : gen_wires
    assign far_clear_o = clear_i;
    assign out_valid_o = in_valid_i;
    assign in_ready_o = out_ready_i;
    assign out_data_o = in_data_i;
    assign idle_o = 1'b1;

    logic unused;
    assign unused = ^{clk_i, rst_ni};
  end else begin : gen_stages
    // A credit is away for Stages clocks there, two in the queue, Stages back, and one to be
    // counted.
    localparam int unsigned Depth = 2 * Stages + 4;
    localparam int unsigned CreditBits = $clog2(Depth + 1);

    logic [CreditBits-1:0] credits_q;
    logic                  comes, fifo_ready;
    // The registers in between, the near end first.
    (* shreg_extract = "no" *) logic [Stages-1:0] valid_q, clear_q, credit_q;
    (* shreg_extract = "no" *) logic [Stages-1:0][DataWidth-1:0] data_q;

    assign in_ready_o = credits_q != '0 && !clear_i;
    assign comes = in_valid_i && in_ready_o;
    assign idle_o = credits_q == CreditBits'(Depth);
    assign far_clear_o = clear_q[Stages-1];

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        credits_q <= CreditBits'(Depth);
        valid_q <= '0;
        clear_q <= '0;
        credit_q <= '0;
      end else begin
        valid_q <= Stages'({valid_q, comes});
        clear_q <= Stages'({clear_q, clear_i});
        credit_q <= Stages'({credit_q, out_valid_o && out_ready_i});
        if (clear_i) credits_q <= CreditBits'(Depth);
        else credits_q <= credits_q - CreditBits'(comes) + CreditBits'(credit_q[Stages-1]);
      end
    end

    always_ff @(posedge clk_i) begin
      data_q[0] <= in_data_i;
      for (int unsigned i = 1; i < Stages; i++) data_q[i] <= data_q[i-1];
    end

    logic unused_error;  // frames are protected by their checksums
    stream_fifo #(.DataWidth(DataWidth), .Depth(Depth), .Parity(1'b0)) u_fifo (
      .clk_i, .rst_ni, .clear_i(far_clear_o),
      .in_valid_i(valid_q[Stages-1]), .in_ready_o(fifo_ready), .in_data_i(data_q[Stages-1]),
      .out_valid_o, .out_ready_i, .out_data_o, .memory_error_o(unused_error)
    );

    logic unused;
    assign unused = fifo_ready;  // each credit is a free place
  end
endmodule
