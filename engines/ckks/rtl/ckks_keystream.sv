// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// ckks_keystream: the blocks of a ChaCha20 stream, in order, 16 words each, from a key of 256 bits
// and a stream of 64 bits, with a counter of 64 bits (Bernstein, "ChaCha, a variant of Salsa20",
// 2008). A block equals 16 words of 32 bits from rand_chacha's ChaCha20Rng.
//
// A double round is a round of BLAKE without a message and with reversed rotations (blake_round).
// DoubleRounds of the ten are built in sequence, and a block passes them 10 / DoubleRounds times.
// The rate is therefore DoubleRounds blocks in ten clocks, and a block takes 10 * Stages + 1
// clocks. Up to QueueBlocks blocks are in flight or wait to be taken; for the full rate it must
// cover the latency of a block.
//
// start_i begins a stream with block 0 and discards the previous stream; it samples key and stream.
// Cycles: the first block is offered 10 * Stages + 4 clocks later.
module ckks_keystream #(
  parameter int unsigned DoubleRounds = 10,  // 1, 2, 5 or 10
  parameter int unsigned Stages       = 8,   // of a double round: 1, 2, 4 or 8
  parameter int unsigned QueueBlocks  = 96
) (
  input  logic               clk_i,
  input  logic               rst_ni,

  input  logic               start_i,
  input  logic [255:0]       key_i,
  input  logic [63:0]        stream_i,

  output logic               block_valid_o,
  input  logic               block_ready_i,
  output logic [15:0][31:0]  block_o,
  output logic               memory_error_o  // of a queue: a word with a flipped bit
);
  localparam int unsigned Turns     = 10 / DoubleRounds;
  localparam int unsigned TurnBits  = (Turns > 1) ? $clog2(Turns) : 1;
  localparam int unsigned Latency   = DoubleRounds * Stages;
  localparam int unsigned CountBits = $clog2(QueueBlocks + 1);
  localparam int unsigned RingBits  = $clog2(Latency + 1);

  if (Turns * DoubleRounds != 10) begin : gen_bad_rounds
    $error("ckks_keystream: DoubleRounds divides 10");
  end

  typedef logic [15:0][31:0] block_t;

  logic [255:0] key_q;
  logic [63:0]  stream_q;
  logic [31:0]  enter_q, leave_q;  // counters of the blocks that come next
  always_ff @(posedge clk_i) begin
    if (start_i) begin
      key_q    <= key_i;
      stream_q <= stream_i;
    end
  end
  // A limb needs fewer than 2^32 blocks, so that the counter's high word is 0.
  function automatic block_t initial_state(input logic [255:0] key, input logic [63:0] stream,
                                           input logic [31:0] counter);
    return {stream, 32'b0, counter, key, 128'h6b206574_79622d32_3320646e_61707865};
  endfunction

  // ---- The ring --------------------------------------------------------------------------------
  logic                running_q, stale_q, ends_q, enters, leaves, returns, out_valid;
  logic [TurnBits-1:0] in_turn, out_turn;
  block_t              out_state;
  block_t              state[DoubleRounds+1];
  logic [DoubleRounds:0] valid;
  logic [CountBits-1:0]  fresh_q;  // blocks of this stream that are inside or wait
  logic [RingBits-1:0]   clocks_q;  // in which blocks of the stream before come out (stale_q)

  assign out_valid = valid[DoubleRounds];
  assign out_state = state[DoubleRounds];
  assign leaves    = out_valid && !stale_q && ends_q;
  assign returns   = out_valid && !stale_q && !ends_q;
  assign enters    = !returns && fresh_q != CountBits'(QueueBlocks) && running_q && !start_i;
  assign in_turn   = returns ? out_turn + 1'b1 : '0;
  assign valid[0]  = returns || enters;
  assign state[0]  = returns ? out_state : initial_state(key_q, stream_q, enter_q);

  for (genvar r = 0; r < DoubleRounds; r++) begin : gen_round
    logic [15:0][31:0] unused_message;
    blake_round #(
      .WordBits(32), .Rotation0(16), .Rotation1(20), .Rotation2(24), .Rotation3(25),
      .Stages(Stages), .Used('0)
    ) u_round (
      .clk_i, .rst_ni, .valid_i(valid[r]), .state_i(state[r]), .message_i('0),
      .valid_o(valid[r+1]), .state_o(state[r+1]), .message_o(unused_message)
    );
    logic unused;
    assign unused = ^unused_message;
  end
  logic [TurnBits-1:0] last_turn;
  pipeline_delay #(.DataWidth(TurnBits), .Stages(Latency - 1)) u_turn (
    .clk_i, .data_i(in_turn), .data_o(last_turn)
  );
  always_ff @(posedge clk_i) begin
    out_turn <= last_turn;
    ends_q   <= last_turn == TurnBits'(Turns - 1);
  end

  // ---- Blocks leave in the order in which they entered -----------------------------------------
  logic sum_valid_q, unused_ready, pops;
  block_t sum_q, leaving;
  assign pops    = block_valid_o && block_ready_i;
  assign leaving = initial_state(key_q, stream_q, leave_q);
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      running_q   <= 1'b0;
      enter_q     <= '0;
      leave_q     <= '0;
      fresh_q     <= '0;
      stale_q     <= 1'b0;
      clocks_q    <= '0;
      sum_valid_q <= 1'b0;
    end else begin
      if (start_i) begin
        running_q   <= 1'b1;
        enter_q     <= '0;
        leave_q     <= '0;
        fresh_q     <= '0;
        stale_q     <= 1'b1;
        clocks_q    <= RingBits'(Latency - 1);
        sum_valid_q <= 1'b0;
      end else begin
        if (enters) enter_q <= enter_q + 1'b1;
        if (leaves) leave_q <= leave_q + 1'b1;
        stale_q     <= clocks_q != '0;
        if (clocks_q != '0) clocks_q <= clocks_q - 1'b1;
        fresh_q     <= fresh_q + CountBits'(enters) - CountBits'(pops);
        sum_valid_q <= leaves;
      end
    end
  end
  always_ff @(posedge clk_i) begin
    if (leaves) begin
      for (int unsigned i = 0; i < 16; i++) sum_q[i] <= out_state[i] + leaving[i];
    end
  end

  stream_fifo #(.DataWidth(512), .Depth(QueueBlocks)) u_queue (
    .clk_i, .rst_ni, .clear_i(start_i), .in_valid_i(sum_valid_q), .in_ready_o(unused_ready),
    .in_data_i(sum_q), .out_valid_o(block_valid_o), .out_ready_i(block_ready_i),
    .out_data_o(block_o),
    .memory_error_o
  );
endmodule
