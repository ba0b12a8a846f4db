// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// ulx3s_top: the card on a ULX3S with an LFE5U-85F, with a folded multiplier (one product in four
// clocks, 36 multipliers of 18x18), behind the serial line of the board's FT231X.
//
// led[0] heartbeat, [1] bytes arrive, [2] the engine works, [3] since the reset, a byte was damaged
// or a beat lost or dropped, [7:4] the low digits of the number of bytes with a bad stop bit. The
// button FIRE1 resets.
module ulx3s_top #(
  parameter logic [31:0] BuildId       = 32'd0,
  parameter int unsigned BitSixteenths = 320  // sixteenths of a clock per bit of the line
) (
  input  logic       clk_25mhz,
  input  logic       btn_fire1,
  input  logic       ftdi_txd,    // FT231X to card
  output logic       ftdi_rxd,    // card to FT231X
  output logic [7:0] led,
  output logic       wifi_gpio0   // high, otherwise the ESP32 takes control of the board
);
  logic clk, locked, rst_nq;

  ulx3s_clock u_clock (.clk_25mhz_i(clk_25mhz), .clk_o(clk), .locked_o(locked));

  // The reset is released synchronously, 16 clocks after the PLL's lock and the button.
  logic [14:0] waited_q;
  logic        reset_now;
  assign reset_now = !locked || btn_fire1;
  always_ff @(posedge clk or posedge reset_now) begin
    if (reset_now) begin
      waited_q <= '0;
      rst_nq   <= 1'b0;
    end else begin
      waited_q <= {waited_q[13:0], 1'b1};
      rst_nq   <= waited_q[14];
    end
  end

  logic        request_valid, request_ready, reply_valid, reply_ready;
  logic [63:0] request_data, reply_data;
  logic        receives, idle;
  logic [15:0] framing_errors, overflows, realignments;

  uart_link #(.BitSixteenths(BitSixteenths)) u_link (
    .clk_i(clk), .rst_ni(rst_nq), .rx_i(ftdi_txd), .tx_o(ftdi_rxd),
    .to_card_valid_o(request_valid), .to_card_ready_i(request_ready),
    .to_card_data_o(request_data),
    .from_card_valid_i(reply_valid), .from_card_ready_o(reply_ready),
    .from_card_data_i(reply_data),
    .receives_o(receives), .framing_errors_o(framing_errors), .overflows_o(overflows),
    .realignments_o(realignments)
  );

  logic [7:0] reply_keep;
  logic       reply_last, axil_awready, axil_wready, axil_bvalid, axil_arready, axil_rvalid;
  logic [1:0] axil_bresp, axil_rresp;
  logic [31:0] axil_rdata;
  logic       interrupt;

  board_card #(.BuildId(BuildId)) u_card (
    .clk_i(clk), .rst_ni(rst_nq),
    .s_axis_tvalid(request_valid), .s_axis_tready(request_ready), .s_axis_tdata(request_data),
    .s_axis_tkeep('1), .s_axis_tlast(1'b0),
    .m_axis_tvalid(reply_valid), .m_axis_tready(reply_ready), .m_axis_tdata(reply_data),
    .m_axis_tkeep(reply_keep), .m_axis_tlast(reply_last),
    // The registers are accessed through the stream.
    .s_axil_awvalid(1'b0), .s_axil_awready(axil_awready), .s_axil_awaddr('0), .s_axil_awprot('0),
    .s_axil_wvalid(1'b0), .s_axil_wready(axil_wready), .s_axil_wdata('0), .s_axil_wstrb('0),
    .s_axil_bvalid(axil_bvalid), .s_axil_bready(1'b1), .s_axil_bresp(axil_bresp),
    .s_axil_arvalid(1'b0), .s_axil_arready(axil_arready), .s_axil_araddr('0), .s_axil_arprot('0),
    .s_axil_rvalid(axil_rvalid), .s_axil_rready(1'b1), .s_axil_rdata(axil_rdata),
    .s_axil_rresp(axil_rresp),
    .interrupt_o(interrupt), .idle_o(idle)
  );

  logic [24:0] beat_q;       // the heartbeat, and the timer that stretches pulses for the LEDs
  logic [1:0]  receives_q, works_q;
  always_ff @(posedge clk or negedge rst_nq) begin
    if (!rst_nq) begin
      beat_q     <= '0;
      receives_q <= '0;
      works_q    <= '0;
      led        <= '0;
    end else begin
      beat_q <= beat_q + 25'd1;
      if (receives) receives_q <= '1;
      else if (beat_q[19:0] == '0) receives_q <= receives_q >> 1;
      if (!idle) works_q <= '1;
      else if (beat_q[19:0] == '0) works_q <= works_q >> 1;
      led <= {framing_errors[3:0],
              framing_errors != '0 || overflows != '0 || realignments != '0,
              works_q[0], receives_q[0], beat_q[24]};
    end
  end
  assign wifi_gpio0 = 1'b1;

  logic unused;
  assign unused = ^{reply_keep, reply_last, axil_awready, axil_wready, axil_bvalid,
                    axil_arready, axil_rvalid, axil_bresp, axil_rresp, axil_rdata, interrupt};
endmodule
