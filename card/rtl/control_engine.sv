// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// control_engine: executes the commands of every card: reset_fpga, get_fpga_status, register_read
// and register_write. The frame decoder has checked the length of the frame. The last beat of a
// request is accepted only with the last beat of its reply, so no frame after a reset overtakes it.
// A reset is answered only when every earlier frame has left (drained_i), so no reply after it is
// stale. A soft reset does not affect this engine.
module control_engine (
  input  logic        clk_i,
  input  logic        rst_ni,

  input  logic        request_valid_i,
  output logic        request_ready_o,
  input  logic [63:0] request_data_i,
  input  logic        request_last_i,
  output logic        reply_valid_o,
  input  logic        reply_ready_i,
  output logic [63:0] reply_data_o,
  output logic        reply_last_o,

  output logic        reset_request_o,  // one clock
  input  logic        reset_busy_i,     // from the request to the end of the soft reset
  input  logic        drained_i,        // no reply of an engine, nor an ignore reply, waits

  output logic        register_valid_o,
  input  logic        register_ready_i,
  output logic        register_write_o,
  output logic [31:0] register_address_o,
  output logic [31:0] register_value_o,
  input  logic        register_response_i,
  input  logic [31:0] register_value_i,
  input  logic [31:0] register_status_i,

  input  logic [card_pkg::StatusWords-1:0][31:0] status_i  // the reply to get_fpga_status
);
  import card_pkg::*;

  localparam int unsigned StatusBeats = StatusWords / 2;
  localparam int unsigned StatusReplyBeats = StatusBeats + 2;  // with the header and the checksum

  typedef enum logic [2:0] {
    Header,    // waits for the header beat
    Payload,   // waits for the payload beat
    Start,     // starts the operation of the command
    Register,  // offers the access to the register file
    Response,  // waits for the answer
    Settle,    // waits for the end of a soft reset
    Reply,     // sends the reply
    Taken      // accepts the request's last beat
  } state_e;

  state_e      state_q, state_d;
  logic [63:0] payload_q;   // 0 if the request had none
  logic [31:0] value_q, status_q;
  logic        reset_q, reset_d;  // this command caused a soft reset
  logic [3:0]  beat_q, beat_d;    // next beat of the reply
  // The command, from the state Start on. If no bit is set, it is get_fpga_status.
  logic        is_reset_q, is_register_q, is_write_q;

  assign register_valid_o = state_q == Register;
  assign register_write_o = is_write_q;
  assign register_address_o = payload_q[31:0];
  assign register_value_o = payload_q[63:32];
  assign reset_request_o = state_q == Start && is_reset_q;

  // ---- the reply, beat by beat, through a register that keeps it stable while it waits ----
  logic        out_valid_q, out_last_q;
  logic [63:0] out_data_q, beat_data, beat_data_q;
  logic [31:0] crc_q, crc;
  // A beat was loaded one and two clocks before: it is added to the sum, and the next is selected.
  logic [1:0]  loaded_q;
  logic        beat_last, load, finished;
  logic [63:0] reply_header;
  logic [3:0]  reply_last;  // its last beat

  always_comb begin
    if (is_reset_q) begin
      reply_header = {ReplyResetFpga, ResetFpgaReplyBytes};
      reply_last = 4'(ResetFpgaReplyBytes / 8 - 1);
    end else if (is_write_q) begin
      reply_header = {ReplyRegisterWrite, RegisterWriteReplyBytes};
      reply_last = 4'(RegisterWriteReplyBytes / 8 - 1);
    end else if (is_register_q) begin
      reply_header = {ReplyRegisterRead, RegisterReadReplyBytes};
      reply_last = 4'(RegisterReadReplyBytes / 8 - 1);
    end else begin
      reply_header = {ReplyGetFpgaStatus, GetFpgaStatusReplyBytes};
      reply_last = 4'(GetFpgaStatusReplyBytes / 8 - 1);
    end
  end

  // Tables instead of a chain of conditions: the selection is shallow.
  logic [StatusReplyBeats-1:0][63:0] status_beats;
  logic [3:0][63:0]                  short_beats;
  assign status_beats = {32'd0, ~crc_q, status_i, reply_header};
  assign short_beats = is_reset_q
      ? {payload_q, payload_q, payload_q, reply_header}
      : {64'd0, 32'd0, value_q, status_q, payload_q[31:0], reply_header};
  assign beat_data = is_reset_q || is_register_q ? short_beats[beat_q[1:0]] : status_beats[beat_q];

  // The sum of the previous beats, and the selection of the next beat among all values, have one
  // clock each: one beat in three clocks.
  crc32c_beat u_crc (.state_i(crc_q), .data_i(out_data_q), .state_o(crc));

  assign beat_last = beat_q == reply_last;
  assign load = state_q == Reply && !(out_valid_q && (out_last_q || !reply_ready_i))
      && loaded_q == '0;
  assign finished = out_valid_q && out_last_q && reply_ready_i;
  assign reply_valid_o = out_valid_q;
  assign reply_data_o = out_data_q;
  assign reply_last_o = out_last_q;

  // ---- the request ----
  assign request_ready_o = (state_q == Header && !request_last_i) || state_q == Taken;

  always_comb begin
    state_d = state_q;
    reset_d = reset_q;
    beat_d = load ? beat_q + 4'd1 : beat_q;
    unique case (state_q)
      Header: if (request_valid_i) begin
        state_d = request_last_i ? Start : Payload;
        reset_d = 1'b0;
        beat_d = '0;
      end
      Payload: if (request_valid_i) state_d = Start;
      Start: begin
        reset_d = is_reset_q;
        state_d = is_register_q ? Register : Settle;
      end
      Register: if (register_ready_i) state_d = Response;
      Response: if (register_response_i) state_d = Settle;
      Settle: begin
        // A register write can also cause a soft reset.
        if (reset_busy_i) reset_d = 1'b1;
        else if (drained_i || !reset_q) state_d = Reply;
      end
      Reply: if (finished) state_d = Taken;
      default: state_d = Header;
    endcase
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q <= Header;
      reset_q <= 1'b0;
      beat_q <= '0;
      out_valid_q <= 1'b0;
      out_last_q <= 1'b0;
      loaded_q <= '0;
    end else begin
      state_q <= state_d;
      reset_q <= reset_d;
      beat_q <= beat_d;
      loaded_q <= {loaded_q[0], load};
      if (load) out_last_q <= beat_last;
      if (load) out_valid_q <= 1'b1;
      else if (reply_ready_i) out_valid_q <= 1'b0;
    end
  end

  always_ff @(posedge clk_i) begin
    beat_data_q <= beat_data;
    if (load) out_data_q <= beat_data_q;
    if (loaded_q[0]) crc_q <= crc;
    if (state_q == Header) begin
      crc_q <= '1;
      payload_q <= '0;
      is_reset_q <= request_data_i[63:32] == CommandResetFpga;
      is_write_q <= request_data_i[63:32] == CommandRegisterWrite;
      is_register_q <= request_data_i[63:32] == CommandRegisterWrite
          || request_data_i[63:32] == CommandRegisterRead;
    end
    if (state_q == Payload) payload_q <= request_data_i;
    if (register_response_i) begin
      // The reply to a write repeats the written value.
      value_q <= is_write_q ? payload_q[63:32] : register_value_i;
      status_q <= register_status_i;
    end
  end
endmodule
