// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// register_file: the card's 32-bit registers (docs/card.md), read and written by two requesters: 0,
// the control engine on behalf of the stream, which goes first, and 1, AXI4-Lite. A request is
// answered three clocks after the one in which it is taken: it is held, its register is found, and
// that is read. Reading the low word of a 64-bit counter freezes its high word for that requester,
// so that each reads a pair whole.
module register_file (
  input  logic              clk_i,
  input  logic              rst_ni,

  input  logic [1:0]        request_valid_i,
  output logic [1:0]        request_ready_o,
  input  logic [1:0]        request_write_i,
  input  logic [1:0][31:0]  request_address_i,  // in bytes
  input  logic [1:0][31:0]  request_value_i,
  output logic [1:0]        response_valid_o,   // taken at once by the requester
  output logic [31:0]       response_value_o,   // 0 for a write, or unless the status is ok
  output logic [31:0]       response_status_o,  // card_pkg::Register{Ok,NoSuchRegister,ReadOnly}

  output logic              soft_reset_o,       // bit 0 of `control` was written, one clock

  input  logic [31:0]       build_id_i,
  input  logic [31:0]       capabilities_i,
  input  logic [31:0]       stream_bytes_i,
  input  logic [31:0]       poseidon_instances_i,
  input  logic [31:0]       poseidon_cores_i,
  input  logic [63:0]       clocks_i,
  input  logic [63:0]       multiplier_busy_i,
  input  logic [63:0]       replies_stalled_i,
  input  logic [63:0]       poseidon_starved_fr_i,
  input  logic [63:0]       poseidon_starved_felt_i,
  input  logic [31:0]       blake3_shape_i,
  input  logic [63:0]       blake3_blocks_i,
  input  logic [63:0]       blake3_starved_i,
  input  logic [31:0]       equihash_shape_i,
  input  logic [31:0]       secp256k1_shape_i,
  input  logic [31:0]       frames_in_i,
  input  logic [31:0]       frames_out_i,
  input  logic [31:0]       frames_ignored_i,
  input  logic [31:0]       engine_errors_i
);
  import card_pkg::*;

  // The 64-bit counters, and the high words that each requester has frozen.
  localparam int unsigned Pairs = 7;
  localparam logic [Pairs-1:0][31:0] PairLo = {
    RegisterBlake3StarvedLo, RegisterBlake3BlocksLo,
    RegisterPoseidonStarvedFeltLo, RegisterPoseidonStarvedFrLo, RegisterRepliesStalledLo,
    RegisterMultiplierBusyLo, RegisterClocksLo
  };
  localparam logic [Pairs-1:0][31:0] PairHi = {
    RegisterBlake3StarvedHi, RegisterBlake3BlocksHi,
    RegisterPoseidonStarvedFeltHi, RegisterPoseidonStarvedFrHi, RegisterRepliesStalledHi,
    RegisterMultiplierBusyHi, RegisterClocksHi
  };
  logic [Pairs-1:0][63:0]      pair;
  logic [1:0][Pairs-1:0][31:0] high_q;
  assign pair = {blake3_starved_i, blake3_blocks_i, poseidon_starved_felt_i, poseidon_starved_fr_i,
                 replies_stalled_i, multiplier_busy_i, clocks_i};

  // The other registers.
  localparam int unsigned Words = 16;
  localparam logic [Words-1:0][31:0] WordAt = {
    RegisterId, RegisterVersion, RegisterBuildId, RegisterCapabilities, RegisterMaxFrameBytes,
    RegisterControl, RegisterStreamBytes, RegisterFramesIn, RegisterFramesOut,
    RegisterFramesIgnored, RegisterEngineErrors, RegisterPoseidonInstances, RegisterPoseidonCores,
    RegisterBlake3Shape, RegisterEquihashShape, RegisterSecp256k1Shape
  };
  logic [Words-1:0][31:0] word;
  assign word = {
    RegisterIdReset, RegisterVersionReset, build_id_i, capabilities_i, RegisterMaxFrameBytesReset,
    32'd0, stream_bytes_i, frames_in_i, frames_out_i,
    frames_ignored_i, engine_errors_i, poseidon_instances_i, poseidon_cores_i,
    blake3_shape_i, equihash_shape_i, secp256k1_shape_i
  };

  // ---- the request ----
  typedef struct packed {
    logic [1:0]  requester;  // one bit of the two
    logic        write;
    logic        value;      // of what is written: no register has another bit that can be
    logic [31:0] address;
  } request_t;

  logic     source;
  request_t request, held_q;
  assign source = !request_valid_i[0];
  assign request_ready_o = {!request_valid_i[0], 1'b1};
  assign request = '{
    requester: request_valid_i & request_ready_o, write: request_write_i[source],
    value: request_value_i[source][0], address: request_address_i[source]
  };

  // ---- its register ----
  typedef struct packed {
    logic [1:0]       requester;
    logic             write;
    logic             value;
    logic             control;  // it is the register `control`, the only one that can be written
    logic [Words-1:0] is_word;
    logic [Pairs-1:0] is_low;
    logic [Pairs-1:0] is_high;
  } found_t;

  found_t found, found_q;
  always_comb begin
    found = '{
      requester: held_q.requester, write: held_q.write, value: held_q.value,
      control: held_q.address == RegisterControl, default: '0
    };
    for (int unsigned i = 0; i < Words; i++) found.is_word[i] = held_q.address == WordAt[i];
    for (int unsigned i = 0; i < Pairs; i++) begin
      found.is_low[i] = held_q.address == PairLo[i];
      found.is_high[i] = held_q.address == PairHi[i];
    end
  end

  // ---- its value ----
  logic        exists, refused, number;
  logic [31:0] value;
  assign exists = |{found_q.is_word, found_q.is_low, found_q.is_high};
  assign refused = !exists || (found_q.write && !found_q.control);
  assign number = found_q.requester[1];

  always_comb begin
    value = '0;
    for (int unsigned i = 0; i < Words; i++) value |= word[i] & {32{found_q.is_word[i]}};
    for (int unsigned i = 0; i < Pairs; i++) begin
      value |= pair[i][31:0] & {32{found_q.is_low[i]}};
      value |= high_q[number][i] & {32{found_q.is_high[i]}};
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      held_q <= '0;
      found_q <= '0;
      response_valid_o <= '0;
      soft_reset_o <= 1'b0;
      high_q <= '0;
    end else begin
      held_q <= request;
      found_q <= found;
      response_valid_o <= found_q.requester;
      soft_reset_o <= found_q.requester != '0 && found_q.write && found_q.control
          && found_q.value;
      for (int unsigned i = 0; i < Pairs; i++) begin
        if (found_q.requester != '0 && !found_q.write && found_q.is_low[i]) begin
          high_q[number][i] <= pair[i][63:32];
        end
      end
    end
  end

  always_ff @(posedge clk_i) begin
    response_value_o <= found_q.write ? '0 : value;
    response_status_o <= !exists ? RegisterNoSuchRegister : refused ? RegisterReadOnly : RegisterOk;
  end

  logic unused_value_bits;
  assign unused_value_bits = ^{request_value_i[0][31:1], request_value_i[1][31:1]};
endmodule
