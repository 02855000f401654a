#!/usr/bin/env bash
# Measures log ingestion and prints rows for docs/performance.md. Usage: tests/benches/ingest.sh [ROUNDS]
#
# One batch of full size, made up: 500,000 records. Validation is compared with a bare inflation of the
# same file, the service with a conversion from file to Parquet, in the same run. Everything is local;
# the data directory is below TMPDIR, so set it to the disk that counts. Needs GNU time and bash 5.
. "$(dirname "${BASH_SOURCE[0]}")/common"

readonly rounds=${1:-$(amount 5 1)}
readonly records=${RECORDS:-$(amount 500000 2000)}
readonly senders=8
readonly small_batches=$(amount 1000 50)
readonly small_tenants=50
readonly small_senders=16

require /usr/bin/time time
build --package visibility-cli --package visibility-server
build --package visibility-tests --bin bare-inflate \
    --bin file-to-parquet --bin generate-logs --bin send-logs

build --manifest-path tests/benches/inflate-floor/Cargo.toml --target-dir target/inflate-floor
# It is no member of the workspace, so that the tests have not built it.
floor=target/inflate-floor/release/inflate-floor
if in_trial; then floor=$bin/bare-inflate; fi

work=$(mktemp -d)
server=
stop() {
    if [[ -n $server ]]; then kill "$server" 2>/dev/null && wait "$server" || true; fi
    rm -rf "$work"
}
trap stop EXIT

# Runs a command and prints `CPU_MS KIB WALL_MS`; exit code 5, some records rejected, is a result.
measure() {
    local status=0
    /usr/bin/time -f '%U %S %M %e' -o "$work/time" "$@" >"$work/out" 2>"$work/err" || status=$?
    if [[ $status -ne 0 && $status -ne 5 ]]; then
        complain "exit $status of: $*"
        cat "$work/err" >&2
        exit 1
    fi
    tail -n 1 "$work/time" | awk '{ printf "%d %d %d\n", ($1 + $2) * 1000, $3, $4 * 1000 }'
}


member() { sed -n "s/.*\"$2\":\([0-9]*\).*/\1/p" <<<"$1"; }

"$bin/generate-logs" "$work/full.ndjson" "$records"
"$bin/generate-logs" "$work/small.ndjson" 100
raw=$(stat -c %s "$work/full.ndjson")
gzip=$(stat -c %s "$work/full.ndjson.gz")
rm "$work/full.ndjson"

# Pairs of runs: both see the same moods of the machine.
for ((i = 0; i < rounds; i++)); do
    inflate=$(measure "$floor" "$work/full.ndjson.gz")
    printf '%s\n' "$(measure "$bin/bare-inflate" "$work/full.ndjson.gz")" >>"$work/fast"
    validate=$(measure "$bin/visibility" logs validate "$work/full.ndjson.gz")
    printf '%s %s %s\n' "$inflate" "$validate" \
        "$(ratio "${validate%% *}" "${inflate%% *}")" >>"$work/pairs"
done
read -r inflate_cpu inflate_kib inflate_ms cpu kib ms cpu_ratio _ < <(medians <"$work/pairs")

read -r fast_cpu fast_kib fast_ms _ < <(medians <"$work/fast")

for ((i = 0; i < rounds; i++)); do
    measure "$bin/file-to-parquet" "$work/full.ndjson.gz" "$work/out.parquet"
done >"$work/parquet"
read -r parquet_cpu parquet_kib parquet_ms _ < <(medians <"$work/parquet")

export VISIBILITY_DATA_DIR=$work/data
serve() {
    # What the server before has said is not about this one.
    : >"$work/ready"
    "$bin/visibility-server" serve --listen 127.0.0.1:0 --set limits.burst=0 \
        --set limits.batches_per_hour=0 --set log.level=warn >"$work/ready" 2>"$work/log" &
    server=$!
    until grep -q 'listening on' "$work/ready"; do
        kill -0 "$server" || { cat "$work/log" >&2; exit 1; }
        sleep 0.05
    done
    address=$(sed -n 's|.*listening on http://||p' "$work/ready" | head -n 1)
}
end() {
    kill "$server"
    wait "$server" || true
    server=
}
status_kib() { awk -v name="$1:" '$1 == name { print $2 }' "/proc/$server/status"; }
cpu_ticks() { awk '{ sub(/.*\) /, ""); print $12 + $13 }' "/proc/$server/stat"; }
cpu_ms() { printf '%s\n' "$(($1 * 1000 / $(getconf CLK_TCK)))"; }

for ((i = 1; i <= small_tenants; i++)); do
    "$bin/visibility-server" tenants create "t$i" >/dev/null 2>&1
    token=$("$bin/visibility-server" tokens create "t$i" --format json 2>/dev/null |
        sed -n 's/.*"token": *"\([^"]*\)".*/\1/p')
    printf 't%s %s\n' "$i" "$token"
done >"$work/tokens"

# Sends batches to a fresh process and prints `CPU_MS ABOVE_IDLE_KIB` and what the senders saw.
load() {
    local idle before reply
    serve
    idle=$(status_kib VmRSS)
    before=$(cpu_ticks)
    reply=$("$bin/send-logs" "$address" "$1" "$2" "$3" <"$work/tokens")
    printf '%s %s %s\n' "$(cpu_ms "$(($(cpu_ticks) - before))")" \
        "$(($(status_kib VmHWM) - idle))" "$reply" >"$work/load"
    end
}

for ((i = 0; i < rounds; i++)); do
    load "$work/full.ndjson.gz" 1 1
    read -r load_cpu load_kib reply <"$work/load"
    printf '%s %s %s\n' "$load_cpu" "$load_kib" "$(member "$reply" ms)"
done >"$work/loads"
read -r full_cpu _ full_ms full_top < <(medians <"$work/loads")

load "$work/full.ndjson.gz" "$senders" "$senders"
read -r eight_cpu eight_kib eight <"$work/load"
load "$work/small.ndjson.gz" "$small_batches" "$small_senders"
read -r small_cpu small_kib small <"$work/load"
verdict=$("$bin/visibility-server" check | tail -n 1)

statuses() { sed 's/.*"statuses":{\([^}]*\)}.*/\1/; s/"//g' <<<"$1"; }
cat <<EOF
$(heading)

One batch: $records records, $((raw / 1000000)) MB, $((gzip / 1000000)) MB as gzip; medians of $rounds runs.

| what | CPU | wall | peak memory | ratio |
|---|---|---|---|---|
| inflate alone (zlib-rs) | $inflate_cpu ms | $inflate_ms ms | $(mib "$inflate_kib") MiB | 1 |
| inflate alone (zlib-rs that looks at the processor, as we use it) | $fast_cpu ms | $fast_ms ms | $(mib "$fast_kib") MiB | $(ratio "$fast_cpu" "$inflate_cpu") of inflating |
| \`visibility logs validate\` | $cpu ms | $ms ms | $(mib "$kib") MiB | $cpu_ratio of inflating |
| file to Parquet | $parquet_cpu ms | $parquet_ms ms | $(mib "$parquet_kib") MiB | $(ratio "$parquet_cpu" "$inflate_cpu") of inflating |
| the service, over HTTP to durable storage | $full_cpu ms | $full_ms ms | $(mib "$full_top") MiB above idle | $(ratio "$full_cpu" "$parquet_cpu") of file to Parquet |

| load | answers | wall | batches a second | p50 | p99 | CPU | peak memory above idle |
|---|---|---|---|---|---|---|---|
| $senders full batches at once | $(statuses "$eight") | $(member "$eight" ms) ms | $(member "$eight" batches_per_second) | $(member "$eight" p50_ms) ms | $(member "$eight" p99_ms) ms | $eight_cpu ms | $(mib "$eight_kib") MiB |
| $small_batches batches of 100 records, $small_tenants tenants, $small_senders senders | $(statuses "$small") | $(member "$small" ms) ms | $(member "$small" batches_per_second) | $(member "$small" p50_ms) ms | $(member "$small" p99_ms) ms | $small_cpu ms | $(mib "$small_kib") MiB |

visibility-server check: $verdict
EOF
