// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// proof_reset: every trace begins in reset. After that rst_ni is arbitrary: a proof also holds for
// later resets.
module proof_reset (
  input logic rst_ni
);
  logic first;
  formal_first u_first (.first_o(first));

  always_comb assume (!first || !rst_ni);
endmodule
