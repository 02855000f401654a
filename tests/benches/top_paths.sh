#!/usr/bin/env bash
# Measures the busiest paths of a tenant, `visibility-server logs stats --top 10`, beside DuckDB on the same files of counts, and
# prints rows for docs/performance.md. Usage: tests/benches/top_paths.sh [ROUNDS [BATCHES]]
#
# The batches have 500,000 records each, of seeds of their own, so that their paths differ. Needs GNU time, curl, bash 5, Python 3
# with venv, and DuckDB, which it installs from PyPI into .tools/engines.
. "$(dirname "${BASH_SOURCE[0]}")/common"

readonly rounds=${1:-$(amount 5 1)}
readonly batches=${2:-$(amount 13 2)}
readonly records=${RECORDS:-$(amount 500000 2000)}
readonly venv=.tools/engines

require /usr/bin/time time
require curl

[[ -x $venv/bin/python ]] || python3 -m venv "$venv"
in_trial || "$venv/bin/python" -m pip install --quiet --disable-pip-version-check duckdb==2.0.0
build --package visibility-server --package visibility-tests --bin visibility-server \
    --bin generate-logs

work=$(mktemp -d)
server=
stop() {
    if [[ -n $server ]]; then kill "$server" 2>/dev/null && wait "$server" || true; fi
    rm -rf "$work"
}
trap stop EXIT
export VISIBILITY_DATA_DIR=$work/data

"$bin/visibility-server" tenants create acme >/dev/null 2>&1
token=$("$bin/visibility-server" tokens create acme --format json 2>/dev/null | sed -n 's/.*"token": *"\([^"]*\)".*/\1/p')
"$bin/visibility-server" serve --listen 127.0.0.1:0 --set limits.burst=0 --set limits.batches_per_hour=0 \
    --set log.level=warn >"$work/ready" 2>"$work/log" &
server=$!
until grep -q 'listening on' "$work/ready"; do
    kill -0 "$server" || { cat "$work/log" >&2; exit 1; }
    sleep 0.05
done
address=$(sed -n 's|.*listening on http://||p' "$work/ready" | head -n 1)
for ((i = 1; i <= batches; i++)); do
    "$bin/generate-logs" "$work/batch.ndjson" "$records" "$i"
    curl -sS -f -o "$work/reply" -H "Authorization: Bearer $token" -H 'X-Service-Tenant: acme' -H 'X-Service-Schema: 1' \
        -H 'Content-Type: application/x-ndjson' -H 'Content-Encoding: gzip' \
        --data-binary "@$work/batch.ndjson.gz" "http://$address/v1/logs"
done
kill "$server"
wait "$server" || true
server=

cat >"$work/busiest.py" <<'END'
import sys

import duckdb

connection = duckdb.connect()
connection.execute("SET threads = 1")
if len(sys.argv) > 2:
    files = f"read_parquet('{sys.argv[1]}/**/*.partial.parquet')"
    print(connection.execute(f"SELECT {sys.argv[2]} FROM {files}").fetchone())
elif len(sys.argv) > 1:
    connection.execute(
        f"SELECT path, sum(records) AS records, sum(bytes) FROM read_parquet('{sys.argv[1]}/**/*.partial.parquet') "
        "GROUP BY path ORDER BY records DESC, path LIMIT 10"
    ).fetchall()
END
# Prints CPU in ms and memory in KiB.
measure() {
    LC_ALL=C /usr/bin/time -f '%U %S %M' -o "$work/time" "$@" >"$work/out"
    awk '{ printf "%d %d\n", ($1 + $2) * 1000, $3 }' "$work/time"
}
median() { sort -n "$1" | awk '{ v[NR] = $1; if ($2 > top) top = $2 } END { print v[int((NR + 1) / 2)], top }'; }
for ((i = 0; i < rounds; i++)); do
    measure "$bin/visibility-server" logs stats acme --top 10 --format json >>"$work/ours"
    measure "$bin/visibility-server" logs stats acme --top 0 --format json >>"$work/totals"
    measure "$venv/bin/python" "$work/busiest.py" "$VISIBILITY_DATA_DIR" >>"$work/duckdb"
    measure "$venv/bin/python" "$work/busiest.py" >>"$work/start"
done
printf '%s, medians of %s rounds; rows and different paths: %s\n\n' "$(heading)" "$rounds" "$("$venv/bin/python" "$work/busiest.py" "$VISIBILITY_DATA_DIR" 'count(*), count(DISTINCT path)')"
read -r ours memory < <(median "$work/ours")
read -r totals _ < <(median "$work/totals")
read -r theirs their_memory < <(median "$work/duckdb")
read -r start _ < <(median "$work/start")
awk -v o="$ours" -v m="$memory" -v t="$totals" -v d="$theirs" -v dm="$their_memory" -v s="$start" 'BEGIN {
    printf "| | CPU | memory |\n|---|---|---|\n"
    printf "| `logs stats --top 10` | %.2f s | %.1f MiB |\n", o / 1000, m / 1024
    printf "| `logs stats --top 0` | %.2f s | |\n", t / 1000
    printf "| DuckDB, less %.2f s to start | %.2f s | %.0f MiB |\n", s / 1000, (d - s) / 1000, dm / 1024
    printf "\nratio %.2f\n", o / (d - s)
}'
