#!/usr/bin/env bash
# One full batch of log records from gzip to Parquet: ours beside DuckDB and ClickHouse, by the same
# rules, in one run. Usage: tests/benches/ingest_engines.sh [BATCH.ndjson.gz [ROUNDS]]
#
# Needs Python 3 with venv. Installs the engines from PyPI into .tools/engines (about 800 MB) and makes
# a batch of 500,000 records if none is named; beside a named one its truth, BATCH.truth.json, is read.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/../.."

readonly venv=.tools/engines
batch=${1:-target/engines/batch.ndjson.gz}
rounds=${2:-5}

if [[ ! -x $venv/bin/python ]]; then
    python3 -m venv "$venv"
fi
"$venv/bin/python" -m pip install --quiet --disable-pip-version-check duckdb==2.0.0 chdb==4.4.0

cargo build --quiet --locked --release -p visibility-tests --bin file-to-parquet --bin generate-logs
if [[ ! -f $batch ]]; then
    mkdir -p "$(dirname "$batch")"
    target/release/generate-logs "${batch%.gz}" 500000
fi
exec "$venv/bin/python" tests/benches/ingest_engines.py "$batch" "$rounds"
