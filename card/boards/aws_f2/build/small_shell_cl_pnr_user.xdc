# SPDX-License-Identifier: Apache-2.0 OR MIT
# NOT RUN HERE. The kit reads this file of constraints behind the floorplan of the shell. The card
# has no more: it fits into pblock_CL as it comes.
