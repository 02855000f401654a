#!/usr/bin/env bash
# One full batch of log records from gzip to Parquet: ours beside DuckDB and ClickHouse, by the same
# rules, in one run. Usage: tests/benches/ingest_engines.sh [BATCH.ndjson.gz [ROUNDS]]
#
# Needs Python 3 with venv. Installs the engines from PyPI into .tools/engines (about 800 MB) and makes
# a batch of 500,000 records if none is named; beside a named one its truth, BATCH.truth.json, is read.
. "$(dirname "${BASH_SOURCE[0]}")/common"

batch=${1:-target/engines/$(amount batch trial).ndjson.gz}
rounds=${2:-$(amount 5 1)}

# The tests have both engines in another folder, where DuckDB is one that reads Delta tables.
venv=.tools/$(amount engines lake)
if [[ ! -x $venv/bin/python ]]; then
    python3 -m venv "$venv"
fi
in_trial || "$venv/bin/python" -m pip install --quiet --disable-pip-version-check duckdb==2.0.0 chdb==4.4.0

build --package visibility-tests --bin file-to-parquet --bin generate-logs
if [[ ! -f $batch ]]; then
    mkdir -p "$(dirname "$batch")"
    "$bin/generate-logs" "${batch%.gz}" "$(amount 500000 2000)"
fi
FILE_TO_PARQUET=${FILE_TO_PARQUET:-$bin/file-to-parquet} exec "$venv/bin/python" tests/benches/ingest_engines.py "$batch" "$rounds"
