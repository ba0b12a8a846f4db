; SPDX-License-Identifier: Apache-2.0 OR MIT
;
; Computes 3^100 in Fp with a loop.

.equ POWER,  0
.equ THREE,  1
.equ TURNS,  2

.data POWER FE 1
.data THREE FE 3
.data TURNS SCALAR 99

again:
    MUL_ELEMENT      POWER, THREE, POWER
    JUMP_NONZERO_SUB again, TURNS
    SEND_INTERRUPT   POWER, 100
