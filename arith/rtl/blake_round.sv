// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// blake_round: one round of BLAKE2 or BLAKE3, one state and one message block per clock.
//
// The 16 words of the state are a 4 x 4 matrix. A round mixes its four columns, then its four
// diagonals, with the function G (RFC 7693, section 3.1; BLAKE3 paper, section 2.2). Half i / 8 of
// the round uses word i of the incoming message at place i % 8. The user orders the words (BLAKE3's
// permutation, BLAKE2's sigma), which is only wiring. message_o is message_i in the same order.
//
//   BLAKE3, BLAKE2s: WordBits 32, Rotations 16, 12, 8, 7      BLAKE2b: 64; 32, 24, 16, 63
//   A double round of ChaCha: 32; 16, 20, 24, 25, no word of the message used
//
// A half is four sequential additions, a round is eight. Stages registers are spread over them
// evenly: 8 leave one addition (of at most three operands) between two registers, 4 leave two, ...
//
// Words of the message that are not in the mask Used count as zero, whatever comes in, and need
// neither registers nor additions.
//
// Latency: Stages clocks. The data registers only change for a valid block: an idle pipeline does
// not toggle. Registers: Stages * ((16 + words in Used) * WordBits + 1).
module blake_round #(
  parameter int unsigned WordBits = 32,
  parameter int unsigned Rotation0 = 16,
  parameter int unsigned Rotation1 = 12,
  parameter int unsigned Rotation2 = 8,
  parameter int unsigned Rotation3 = 7,
  parameter int unsigned Stages = 4,  // 1, 2, 4 or 8
  parameter logic [15:0] Used = '1
) (
  input  logic                         clk_i,
  input  logic                         rst_ni,
  input  logic                         valid_i,
  input  logic [15:0][WordBits-1:0]    state_i,
  input  logic [15:0][WordBits-1:0]    message_i,
  output logic                         valid_o,
  output logic [15:0][WordBits-1:0]    state_o,
  output logic [15:0][WordBits-1:0]    message_o
);
  localparam int unsigned Steps = 8;  // sequential additions
  localparam int unsigned StepsPerStage = Steps / Stages;

  if (Stages == 0 || Steps % Stages != 0) begin : gen_bad_stages
    $error("blake_round: Stages must be 1, 2, 4 or 8");
  end

  typedef logic [WordBits-1:0] word_t;

  function automatic word_t rotate_right(input word_t word, input int unsigned bits);
    return (word >> bits) | (word << (WordBits - bits));
  endfunction

  // Step s uses the result of step s - 1; in[] is registered where a stage begins.
  for (genvar s = 0; s <= Steps; s++) begin : gen_step
    logic  valid;
    word_t in[16];
    /* verilator lint_off UNUSEDSIGNAL */  // for a mask without words
    word_t message[16];
    /* verilator lint_on UNUSEDSIGNAL */

    if (s == 0) begin : gen_first
      assign valid = valid_i;
      for (genvar i = 0; i < 16; i++) begin : gen_word
        assign in[i]      = state_i[i];
        assign message[i] = Used[i] ? message_i[i] : '0;
      end
    end else if (s % StepsPerStage == 0) begin : gen_register
      always_ff @(posedge clk_i or negedge rst_ni) begin
        if (!rst_ni) valid <= 1'b0;
        else valid <= gen_step[s-1].valid;
      end
      always_ff @(posedge clk_i) begin
        if (gen_step[s-1].valid) in <= gen_step[s-1].gen_mix.out;
      end
      for (genvar i = 0; i < 16; i++) begin : gen_word
        if (Used[i]) begin : gen_used
          always_ff @(posedge clk_i) begin
            if (gen_step[s-1].valid) message[i] <= gen_step[s-1].message[i];
          end
        end else begin : gen_zero
          assign message[i] = '0;
        end
      end
    end else begin : gen_wire
      assign valid = gen_step[s-1].valid;
      for (genvar i = 0; i < 16; i++) begin : gen_word
        assign in[i]      = gen_step[s-1].gen_mix.out[i];
        assign message[i] = gen_step[s-1].message[i];
      end
    end

    if (s < Steps) begin : gen_mix
      localparam int unsigned Half = s / 4;     // columns, diagonals
      localparam int unsigned Quarter = s % 4;  // of G
      word_t out[16];

      // The four parallel mixings of a half. Row r of mixing k is in column k, or in column k + r
      // of a diagonal.
      for (genvar k = 0; k < 4; k++) begin : gen_g
        localparam int unsigned A = k;
        localparam int unsigned B = 4 + (k + 1 * Half) % 4;
        localparam int unsigned C = 8 + (k + 2 * Half) % 4;
        localparam int unsigned D = 12 + (k + 3 * Half) % 4;
        if (Quarter % 2 == 0) begin : gen_add_message
          localparam int unsigned Rotation = Quarter == 0 ? Rotation0 : Rotation2;
          localparam int unsigned Word = 8 * Half + 2 * k + Quarter / 2;
          word_t sum;
          assign sum    = in[A] + in[B] + message[Word];
          assign out[A] = sum;
          assign out[B] = in[B];
          assign out[C] = in[C];
          assign out[D] = rotate_right(in[D] ^ sum, Rotation);
        end else begin : gen_add
          localparam int unsigned Rotation = Quarter == 1 ? Rotation1 : Rotation3;
          word_t sum;
          assign sum    = in[C] + in[D];
          assign out[A] = in[A];
          assign out[B] = rotate_right(in[B] ^ sum, Rotation);
          assign out[C] = sum;
          assign out[D] = in[D];
        end
      end
    end
  end

  assign valid_o = gen_step[Steps].valid;
  for (genvar i = 0; i < 16; i++) begin : gen_out
    assign state_o[i]   = gen_step[Steps].in[i];
    assign message_o[i] = gen_step[Steps].message[i];
  end
endmodule
