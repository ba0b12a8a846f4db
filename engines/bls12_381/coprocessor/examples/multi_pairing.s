; SPDX-License-Identifier: Apache-2.0 OR MIT
;
; Checks that e(2P, Q) = e(P, 2Q): one instruction computes the Miller loops of (2P, Q) and
; (-P, 2Q), which share their squarings. Sends 1 if the product is 1.

.equ PAIRS, 0               ; six slots each
.equ F,     20
.equ ONE,   32
.equ P,     44              ; 2P in Jacobian form
.equ Q,     47
.equ SAME,  60

.data PAIRS+6 FP_AF  generator
.data PAIRS+2 FP2_AF generator
.data F       FE12   one
.data ONE     FE12   one

    POINT_DOUBLE   PAIRS+6, P
    POINT_AFFINE   P, PAIRS
    NEG_ELEMENT    PAIRS+6, PAIRS+6
    POINT_DOUBLE   PAIRS+2, Q
    POINT_AFFINE   Q, PAIRS+8
    MULTI_MILLER   PAIRS, 2, F
    FINAL_EXP      F, F
    IS_EQUAL       F, ONE, SAME
    SEND_INTERRUPT SAME, 1
