# SPDX-License-Identifier: Apache-2.0 OR MIT
# The boards: bitstreams built with open tools, and the simulated board that `make test` uses.

BOARD ?= ulx3s_85f
ULX3S_SIM := build/card-sim/halimede-ulx3s-sim
F2_SIM := build/card-sim/halimede-f2-sim

.PHONY: bitstream board-sim capacity $(ULX3S_SIM) $(F2_SIM)

bitstream: $(VENV_STAMP) ## build a board's bitstream with open tools: BOARD=ulx3s_85f (slow)
	$(VENV)/bin/pip install --quiet --disable-pip-version-check -r card/boards/requirements.txt
	$(VENV_PYTHON) -m card.boards.bitstream $(BOARD)

capacity: $(VENV_STAMP) ## measure the engines' areas and write docs/boards-capacity.md (slow)
	$(VENV_PYTHON) -m card.boards.capacity --measure

board-sim: $(ULX3S_SIM) $(F2_SIM) ## build the simulated boards

$(ULX3S_SIM): $(VENV_STAMP)
	$(VENV_PYTHON) -m card.boards.sim.build

$(F2_SIM): $(VENV_STAMP)
	$(VENV_PYTHON) -m card.boards.sim.build aws_f2

test-rust: $(ULX3S_SIM) $(F2_SIM)
test-rust: export HALIMEDE_ULX3S_SIM := $(CURDIR)/$(ULX3S_SIM)
test-rust: export HALIMEDE_F2_SIM := $(CURDIR)/$(F2_SIM)
