"""TRIAL=1 shows that a benchmark still works and says nothing about speed, as in the scripts of `common`."""

import os
import pathlib

IN_TRIAL = bool(os.environ.get("TRIAL"))
TARGET = pathlib.Path(__file__).resolve().parent.parent.parent / "target"
BIN = TARGET / ("debug" if IN_TRIAL else "release")


def amount(full, trial):
    """How much to do."""
    return trial if IN_TRIAL else full
