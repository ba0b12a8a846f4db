// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// register_file: the card's 32-bit registers (docs/card.md), read and written by two requesters: 0,
// the control engine on behalf of the stream, which goes first, and 1, AXI4-Lite. A request taken
// in one clock is answered in the next. Reading the low word of a 64-bit counter freezes its high
// word for that requester, so that each reads a pair whole.
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

  logic        source, taken, write;
  logic [31:0] address;
  logic        exists, writable, refused;
  logic [31:0] value;
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

  assign source = !request_valid_i[0];
  assign request_ready_o = {!request_valid_i[0], 1'b1};
  assign taken = |request_valid_i;
  assign write = request_write_i[source];
  assign address = request_address_i[source];

  always_comb begin
    exists = 1'b1;
    writable = 1'b0;
    value = '0;
    unique case (address)
      RegisterId:                value = RegisterIdReset;
      RegisterVersion:           value = RegisterVersionReset;
      RegisterBuildId:           value = build_id_i;
      RegisterCapabilities:      value = capabilities_i;
      RegisterMaxFrameBytes:     value = RegisterMaxFrameBytesReset;
      RegisterControl:           writable = 1'b1;
      RegisterStreamBytes:       value = stream_bytes_i;
      RegisterFramesIn:          value = frames_in_i;
      RegisterFramesOut:         value = frames_out_i;
      RegisterFramesIgnored:     value = frames_ignored_i;
      RegisterEngineErrors:      value = engine_errors_i;
      RegisterPoseidonInstances: value = poseidon_instances_i;
      RegisterPoseidonCores:     value = poseidon_cores_i;
      RegisterBlake3Shape:       value = blake3_shape_i;
      RegisterEquihashShape:     value = equihash_shape_i;
      RegisterSecp256k1Shape:    value = secp256k1_shape_i;
      default: begin
        exists = 1'b0;
        for (int unsigned i = 0; i < Pairs; i++) begin
          if (address == PairLo[i] || address == PairHi[i]) begin
            exists = 1'b1;
            value = address == PairLo[i] ? pair[i][31:0] : high_q[source][i];
          end
        end
      end
    endcase
  end

  assign refused = !exists || (write && !writable);
  // Only bit 0 of `control` does anything.
  logic control_bit;
  assign control_bit = request_value_i[source][0];

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      response_valid_o <= '0;
      soft_reset_o <= 1'b0;
      high_q <= '0;
    end else begin
      response_valid_o <= request_valid_i & request_ready_o;
      soft_reset_o <= taken && write && address == RegisterControl && control_bit;
      for (int unsigned i = 0; i < Pairs; i++) begin
        if (taken && !write && address == PairLo[i]) high_q[source][i] <= pair[i][63:32];
      end
    end
  end

  always_ff @(posedge clk_i) begin
    response_value_o <= (refused || write) ? '0 : value;
    response_status_o <= !exists ? RegisterNoSuchRegister : refused ? RegisterReadOnly : RegisterOk;
  end

  logic unused_value_bits;
  assign unused_value_bits = ^{request_value_i[0][31:1], request_value_i[1][31:1]};
endmodule
