// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// secp256k1_scalars: the unit before a core. Checks the ranges of a signature and its key, and
// computes the words of the core's job.
//
// - x or y not below p: no job, but a refusal with the whole mask, as the key is not on the curve.
// - r or s not in [1, n): a job of two words, x and y, for the program that checks only the key.
// - Otherwise u1, u2, r, r2, x, y: u1 = digest / s and u2 = r / s modulo n, r2 = r + n if that is
//   below p, else r. No sum is truncated: r + n is computed only if it fits.
//
// The failures of r and s (bits 0 and 1 of the mask) are in the upper bits of the job's tag.
//
// One request at a time. Seven subtractions in one subtractor, then the division: at most 1557
// clocks to the job's last word, fewer than the 1,958 that a core takes for a signature.
module secp256k1_scalars #(
  parameter int unsigned TagBits = 64
) (
  input  logic               clk_i,
  input  logic               rst_ni,

  input  logic               in_valid_i,
  output logic               in_ready_o,
  input  logic [255:0]       r_i,
  input  logic [255:0]       s_i,
  input  logic [255:0]       digest_i,
  input  logic [255:0]       x_i,
  input  logic [255:0]       y_i,
  input  logic [TagBits-1:0] tag_i,

  output logic               job_valid_o,
  input  logic               job_ready_i,
  output logic [255:0]       job_data_o,
  output logic               job_last_o,
  output logic               job_key_alone_o,  // which program
  output logic [TagBits+1:0] job_tag_o,        // {s, r out of range, tag}

  output logic               refused_valid_o,
  input  logic               refused_ready_i,
  output logic [5:0]         refused_mask_o,
  output logic [TagBits-1:0] refused_tag_o
);

  localparam logic [255:0] Prime = arith_pkg::Secp256k1Modulus;
  localparam logic [255:0] Order =
      256'hffffffffffffffff_fffffffffffffffe_baaedce6af48a03b_bfd25e8cd0364141;

  typedef enum logic [2:0] {
    Idle,
    Compare,
    Divide,
    Wait,
    Send,
    Refuse
  } state_e;
  state_e state_q;

  // The subtractions, in their order.
  typedef enum logic [3:0] {
    ROrder,     // r - n
    SOrder,     // s - n
    Digest,     // digest - n, which replaces the digest if it is not negative
    XPrime,     // x - p
    YPrime,     // y - p
    RGap,       // r - (p - n): negative if r + n is below p
    RPlus,      // r - (2^256 - n), which is r + n except for the borrow
    Subtracted,
    Finished
  } step_e;

  logic [255:0]       r_q, s_q, digest_q, x_q, y_q, r2_q;
  logic [TagBits-1:0] tag_q;
  logic               r_bad_q, s_bad_q, key_bad_q, r_small_q;

  // ---- Comparisons: choose operands in one clock, subtract in the next, judge in the third
  // The step whose operands are being chosen; the one before it is subtracted, and the one before
  // that judged.
  logic [3:0]   step_q;
  logic [255:0] minuend_q, subtrahend_q, minuend, subtrahend;
  logic [256:0] difference_q, difference;
  logic         below, zero_q;  // of the minuend of difference_q

  always_comb begin
    unique case (step_e'(step_q))
      SOrder:         minuend = s_q;
      Digest:         minuend = digest_q;
      XPrime:         minuend = x_q;
      YPrime:         minuend = y_q;
      default:        minuend = r_q;
    endcase
    unique case (step_e'(step_q))
      XPrime, YPrime: subtrahend = Prime;
      RGap:           subtrahend = Prime - Order;
      RPlus:          subtrahend = -Order;
      default:        subtrahend = Order;
    endcase
  end
  select_add #(.Width(257)) u_difference (
    .a_i({1'b0, minuend_q}), .b_i({1'b1, ~subtrahend_q}), .carry_i(1'b1), .sum_o(difference)
  );
  assign below = difference_q[256];

  logic divide_ready, divided, send_last;
  logic [1:0][255:0] quotients;

  always_ff @(posedge clk_i) begin
    minuend_q    <= minuend;
    subtrahend_q <= subtrahend;
    difference_q <= difference;
    zero_q       <= minuend_q == '0;
    if (state_q == Idle) begin
      {r_q, s_q, digest_q, x_q, y_q} <= {r_i, s_i, digest_i, x_i, y_i};
      r2_q      <= r_i;
      tag_q     <= tag_i;
      step_q    <= ROrder;
      key_bad_q <= 1'b0;
    end else if (state_q == Compare) begin
      step_q <= step_q + 1'b1;
      unique case (step_e'(step_q))
        Digest:     r_bad_q <= zero_q || !below;
        XPrime:     s_bad_q <= zero_q || !below;
        YPrime:     if (!below) digest_q <= difference_q[255:0];
        RGap:       if (!below) key_bad_q <= 1'b1;
        RPlus:      if (!below) key_bad_q <= 1'b1;
        Subtracted: r_small_q <= below;
        Finished:   if (r_small_q) r2_q <= difference_q[255:0];
        default: ;
      endcase
    end
  end

  // ---- Order of events ------------------------------------------------------------------------
  logic [2:0] word_q;

  assign in_ready_o = state_q == Idle;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q <= Idle;
      word_q  <= '0;
    end else begin
      unique case (state_q)
        Idle:    if (in_valid_i) state_q <= Compare;
        Compare: if (step_e'(step_q) == Finished) begin
          word_q <= '0;
          if (key_bad_q) begin
            state_q <= Refuse;
          end else if (r_bad_q || s_bad_q) begin
            state_q <= Send;
            word_q  <= 3'd4;
          end else begin
            state_q <= Divide;
          end
        end
        Divide:  if (divide_ready) state_q <= Wait;
        Wait:    if (divided) state_q <= Send;
        Send:    if (job_ready_i) begin
          word_q <= word_q + 1'b1;
          if (send_last) state_q <= Idle;
        end
        default: if (refused_ready_i) state_q <= Idle;
      endcase
    end
  end

  // The quotients stay at the divider's output until the job has been sent.
  mod_divide #(.Width(256), .Modulus(Order)) u_divide (
    .clk_i,
    .rst_ni,
    .in_valid_i  (state_q == Divide),
    .in_ready_o  (divide_ready),
    .divisor_i   (s_q),
    .numerators_i({r_q, digest_q}),
    .out_valid_o (divided),
    .out_ready_i (state_q == Send && job_ready_i && send_last),
    .quotients_o (quotients)
  );

  assign send_last       = word_q == 3'd5;
  assign job_valid_o     = state_q == Send;
  assign job_last_o      = send_last;
  assign job_key_alone_o = r_bad_q || s_bad_q;
  assign job_tag_o       = {s_bad_q, r_bad_q, tag_q};
  always_comb begin
    unique case (word_q)
      3'd0:    job_data_o = quotients[0];
      3'd1:    job_data_o = quotients[1];
      3'd2:    job_data_o = r_q;
      3'd3:    job_data_o = r2_q;
      3'd4:    job_data_o = x_q;
      default: job_data_o = y_q;
    endcase
  end

  assign refused_valid_o = state_q == Refuse;
  assign refused_mask_o  = {1'b1, 3'b000, s_bad_q, r_bad_q};
  assign refused_tag_o   = tag_q;

endmodule
