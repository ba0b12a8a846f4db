// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// blake3_port: blake3_hash and blake3_data request frames in, reply frames out; BLAKE3 in all
// modes, messages of 0 to 2^64 - 1 bytes, extended output. One block a clock.
//
//   requests -> blake3_request -> chunks -> blake3_scheduler (pipeline, tree) -> blake3_output
//                    \-> refusals --------------------------> blake3_reply -> frame fifo -> replies
//
// The frames' source delivers 64 bytes a beat, a frame's first byte in the low bits of a beat,
// zeros after its end, and req_last_i on the beat in which its declared length ends. Replies carry
// the request's index and may come in any order.
//
// Nothing inside the ring of the scheduler ever waits, so all accepted chunks are hashed. A message
// keeps its slot until its reply is in the frame fifo; only the parser waits for a free slot, for a
// free chunk (the ring frees them) or for room in the queue of refusals. So the engine stalls while
// its replies are not taken, and resumes afterwards.
//
// A word with a flipped bit, in any memory inside, stops all work inside until the soft reset.
// memory_error_o reports it two clocks after it appears, so before an affected reply ends: the last
// beat of a reply comes three clocks after a block has been taken.
//
// soft_reset_i (any number of clocks) drops everything inside, except the reply frame that is being
// offered: engine_shell.
module blake3_port
  import blake3_pkg::*;
#(
  parameter int unsigned Chunks = 128,        // chunks inside, 2 to 256; a power of two
  parameter int unsigned Messages = 128,      // messages inside, 2 to 256; a power of two
  parameter int unsigned StagesPerRound = 4   // 1, 2, 4 or 8
) (
  input  logic         clk_i,
  input  logic         rst_ni,
  input  logic         soft_reset_i,

  input  logic         req_valid_i,
  output logic         req_ready_o,
  input  logic [511:0] req_data_i,
  input  logic         req_last_i,

  output logic         rpl_valid_o,
  input  logic         rpl_ready_i,
  output logic [63:0]  rpl_data_o,
  output logic         rpl_last_o,

  // The manifest's counters: bit 0, a compression enters the pipeline; bit 1, none does because
  // none is ready.
  output logic [1:0]   events_o,
  output logic [0:0][31:0] shape_o,
  output logic         error_o,        // pulse: a reply has a status other than 0
  output logic         ignored_o,
  output logic         memory_error_o,
  output logic         idle_o          // no request in progress
);
  localparam int unsigned ChunkBits = $clog2(Chunks);
  localparam int unsigned MessageBits = $clog2(Messages);
  localparam int unsigned LongestReply = 8192;  // beats

  // The pipeline: stages, which are the clocks from a block to the next one of its chunk.
  assign shape_o   = {16'(Chunks), 8'd1, 8'(Rounds * StagesPerRound + 2)};
  assign ignored_o = 1'b0;

  // Memory errors of the slot lists, the scheduler, the output, the refusals and the reply.
  logic [5:0]  errors;
  logic        inner_rst_n, request_valid, request_ready, owed, settled;
  logic        reply_valid, reply_ready, reply_last;
  logic [63:0] reply_data;

  engine_shell #(
    .Depth     (LongestReply),
    .Registered(1'b1)
  ) u_shell (
    .clk_i,
    .rst_ni,
    .soft_reset_i,
    .req_valid_i,
    .req_ready_o,
    .rpl_valid_o,
    .rpl_ready_i,
    .rpl_data_o,
    .rpl_last_o,
    .idle_o         (settled),
    .memory_error_o,
    .inner_rst_no   (inner_rst_n),
    .request_valid_o(request_valid),
    .request_ready_i(request_ready),
    .memory_error_i (errors != '0),
    .owed_i         (owed),
    .reply_valid_i  (reply_valid),
    .reply_ready_o  (reply_ready),
    .reply_data_i   (reply_data),
    .reply_last_i   (reply_last)
  );

  // ---- Requests -------------------------------------------------------------------------------
  logic                   request_busy;  // a begun message is not yet owed
  logic                   message_valid, message_ready;
  logic [MessageBits-1:0] message_slot;
  logic                   closed_valid, closed_ready, answered_valid;
  slot_t                  closed_message, answered_message;
  logic                   chunk_slot_valid, chunk_slot_ready;
  logic [ChunkBits-1:0]   chunk_slot;
  logic                   begins;
  slot_t                  begin_message;
  place_t                 begin_last;
  value_t                 begin_key;
  logic [63:0]            begin_index;
  logic [15:0]            begin_bytes;
  logic [31:0]            begin_first_block;
  logic                   write_valid, chunk_valid, drop, ended;
  logic [ChunkBits+3:0]   write_address;
  block_t                 write_block;
  chunk_t                 chunk;
  slot_t                  drop_message, ended_message;
  logic                   refusal_valid, refusal_ready, refusal_data;
  logic [63:0]            refusal_index;
  status_e                refusal_status;

  blake3_request #(
    .Chunks  (Chunks),
    .Messages(Messages)
  ) u_request (
    .clk_i,
    .rst_ni              (inner_rst_n),
    .req_valid_i         (request_valid),
    .req_ready_o         (request_ready),
    .req_data_i,
    .req_last_i,
    .message_valid_i     (message_valid),
    .message_ready_o     (message_ready),
    .message_data_i      (message_slot),
    .message_free_valid_o(closed_valid),
    .message_free_ready_i(closed_ready),
    .message_free_data_o (closed_message),
    .chunk_slot_valid_i  (chunk_slot_valid),
    .chunk_slot_ready_o  (chunk_slot_ready),
    .chunk_slot_data_i   (chunk_slot),
    .begin_o             (begins),
    .begin_message_o     (begin_message),
    .begin_last_o        (begin_last),
    .begin_key_o         (begin_key),
    .begin_index_o       (begin_index),
    .begin_bytes_o       (begin_bytes),
    .begin_first_block_o (begin_first_block),
    .write_valid_o       (write_valid),
    .write_address_o     (write_address),
    .write_block_o       (write_block),
    .chunk_valid_o       (chunk_valid),
    .chunk_o             (chunk),
    .drop_o              (drop),
    .drop_message_o      (drop_message),
    .ended_i             (ended),
    .ended_message_i     (ended_message),
    .refusal_valid_o     (refusal_valid),
    .refusal_ready_i     (refusal_ready),
    .refusal_data_o      (refusal_data),
    .refusal_index_o     (refusal_index),
    .refusal_status_o    (refusal_status),
    .owed_o              (owed),
    .busy_o              (request_busy)
  );
  assign error_o = refusal_valid && refusal_ready;

  // (An incoming beat sets request_busy in the next clock, so idle_o may rise one clock late.)
  logic idle_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) idle_q <= 1'b1;
    else idle_q <= settled && !request_busy;
  end
  assign idle_o = idle_q && !request_busy;

  // ---- Slots ------------------------------------------------------------------------------------
  logic                          chunk_free_valid;
  slot_t                         chunk_free;
  logic [$clog2(Messages+1)-1:0] messages_taken;
  logic [$clog2(Chunks+1)-1:0]   chunks_taken;

  assign closed_ready = !answered_valid;

  free_list #(
    .Depth(Messages)
  ) u_messages (
    .clk_i,
    .rst_ni      (inner_rst_n),
    .slot_valid_o(message_valid),
    .slot_ready_i(message_ready),
    .slot_data_o (message_slot),
    .free_valid_i(answered_valid || closed_valid),
    .free_data_i (MessageBits'(answered_valid ? answered_message : closed_message)),
    .taken_o     (messages_taken),
    .memory_error_o(errors[0])
  );

  free_list #(
    .Depth(Chunks)
  ) u_chunks (
    .clk_i,
    .rst_ni      (inner_rst_n),
    .slot_valid_o(chunk_slot_valid),
    .slot_ready_i(chunk_slot_ready),
    .slot_data_o (chunk_slot),
    .free_valid_i(chunk_free_valid),
    .free_data_i (ChunkBits'(chunk_free)),
    .taken_o     (chunks_taken),
    .memory_error_o(errors[1])
  );
  logic unused_taken;
  assign unused_taken = ^{messages_taken, chunks_taken, chunk_free, answered_message,
                          closed_message};

  // ---- Work -------------------------------------------------------------------------------------
  logic   root_valid, ask_valid, ask_ready, result_valid, output_valid, output_ready;
  logic   done_valid, done_ready, starved;
  slot_t  root_message, done_message;
  root_t  root;
  input_t ask;
  value_t result_value, result_high;
  block_t output_block;

  blake3_scheduler #(
    .Chunks        (Chunks),
    .Messages      (Messages),
    .StagesPerRound(StagesPerRound)
  ) u_scheduler (
    .clk_i,
    .rst_ni         (inner_rst_n),
    .begin_i        (begins),
    .begin_message_i(begin_message),
    .begin_last_i   (begin_last),
    .begin_key_i    (begin_key),
    .write_valid_i  (write_valid),
    .write_address_i(write_address),
    .write_block_i  (write_block),
    .chunk_valid_i  (chunk_valid),
    .chunk_i        (chunk),
    .free_valid_o   (chunk_free_valid),
    .free_chunk_o   (chunk_free),
    .drop_i         (drop),
    .drop_message_i (drop_message),
    .ended_o        (ended),
    .ended_message_o(ended_message),
    .root_valid_o   (root_valid),
    .root_message_o (root_message),
    .root_o         (root),
    .ask_valid_i    (ask_valid),
    .ask_ready_o    (ask_ready),
    .ask_i          (ask),
    .result_valid_o (result_valid),
    .result_value_o (result_value),
    .result_high_o  (result_high),
    .memory_error_o (errors[2]),
    .begun_o        (events_o[0]),
    .starved_o      (starved)
  );
  assign events_o[1] = starved && inner_rst_n;

  blake3_output #(
    .Messages(Messages)
  ) u_output (
    .clk_i,
    .rst_ni             (inner_rst_n),
    .begin_i            (begins),
    .begin_message_i    (begin_message),
    .begin_bytes_i      (begin_bytes),
    .begin_first_block_i(begin_first_block),
    .root_valid_i       (root_valid),
    .root_message_i     (root_message),
    .root_i             (root),
    .ask_valid_o        (ask_valid),
    .ask_ready_i        (ask_ready),
    .ask_o              (ask),
    .result_valid_i     (result_valid),
    .result_value_i     (result_value),
    .result_high_i      (result_high),
    .block_valid_o      (output_valid),
    .block_ready_i      (output_ready),
    .block_o            (output_block),
    .done_valid_o       (done_valid),
    .done_ready_i       (done_ready),
    .done_message_o     (done_message),
    .memory_error_o     (errors[3])
  );

  // ---- Replies ----------------------------------------------------------------------------------
  logic        refused_valid, refused_ready, refused_data;
  logic [63:0] refused_index;
  status_e     refused_status;

  stream_fifo #(
    .DataWidth(65 + $bits(status_e)),
    .Depth    (16)
  ) u_refusals (
    .clk_i,
    .rst_ni     (inner_rst_n),
    .clear_i    (1'b0),
    .in_valid_i (refusal_valid),
    .in_ready_o (refusal_ready),
    .in_data_i  ({refusal_data, refusal_index, refusal_status}),
    .out_valid_o(refused_valid),
    .out_ready_i(refused_ready),
    .out_data_o ({refused_data, refused_index, refused_status}),
    .memory_error_o(errors[4])
  );

  blake3_reply #(
    .Messages(Messages)
  ) u_reply (
    .clk_i,
    .rst_ni          (inner_rst_n),
    .begin_i         (begins),
    .begin_message_i (begin_message),
    .begin_index_i   (begin_index),
    .begin_bytes_i   (begin_bytes),
    .refusal_valid_i (refused_valid),
    .refusal_ready_o (refused_ready),
    .refusal_data_i  (refused_data),
    .refusal_index_i (refused_index),
    .refusal_status_i(refused_status),
    .done_valid_i    (done_valid),
    .done_ready_o    (done_ready),
    .done_message_i  (done_message),
    .block_valid_i   (output_valid),
    .block_ready_o   (output_ready),
    .block_i         (output_block),
    .free_valid_o    (answered_valid),
    .free_message_o  (answered_message),
    .memory_error_o  (errors[5]),
    .rpl_valid_o     (reply_valid),
    .rpl_ready_i     (reply_ready),
    .rpl_data_o      (reply_data),
    .rpl_last_o      (reply_last)
  );
endmodule
