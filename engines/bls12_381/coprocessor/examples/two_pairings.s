; SPDX-License-Identifier: Apache-2.0 OR MIT
;
; Computes e(P, Q) * e(P, Q) for the generators: two Miller loops, their product, one final
; exponentiation, an interrupt. Does not need the extension.

.equ P,     26              ; slots
.equ Q,     28
.equ F,     1               ; an element of Fp12 has twelve slots
.equ G,     F+12

.data P FP_AF  generator
.data Q FP2_AF generator

.org 1
.start 1
    MILLER_LOOP    P, Q, F
    MILLER_LOOP    P, Q, G
    MUL_ELEMENT    F, G, F
    FINAL_EXP      F, F
    SEND_INTERRUPT F, 456
