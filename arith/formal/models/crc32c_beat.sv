// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// A model of crc32c_beat for proofs: another function of the state and all of the data, for which a
// solver decides equality quickly. The proofs show which beats enter a checksum, in which order,
// and that nothing else does; arith/rtl/tests/test_crc32c_beat.py shows that the function is a
// CRC-32C.
module crc32c_beat #(
  parameter int unsigned Bytes = 8,
  localparam int unsigned Bits = 8 * Bytes
) (
  input  logic [31:0]     state_i,
  input  logic [Bits-1:0] data_i,
  output logic [31:0]     state_o
);
  always_comb begin
    state_o = {state_i[30:0], state_i[31]};
    for (int unsigned i = 0; i < Bits; i++) state_o[i%32] ^= data_i[i];
  end
endmodule
