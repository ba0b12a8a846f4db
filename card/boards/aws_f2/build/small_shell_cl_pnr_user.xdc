# SPDX-License-Identifier: Apache-2.0 OR MIT
# NOT RUN HERE. The kit reads this constraint file after the floorplan of the shell. The card adds
# no constraints here: floorplan.xdc, which names the die of each engine, is part of the synthesis.
