#!/usr/bin/env bash
# Measures the public API and prints rows for docs/performance.md. Usage: tests/benches/api.sh [ROUNDS] [DOMAINS]
#
# A cached scan is compared with a bare axum handler that answers with the same body, in the same run and in
# turns; then with DOMAINS different cached domains; and a stored audit with a handler of its own body.
# Everything is local. Needs wrk, curl and bash 5.
. "$(dirname "${BASH_SOURCE[0]}")/common"

readonly rounds=${1:-$(amount 5 1)}
readonly domains=${2:-$(amount 10000 20)}
readonly seconds=$(amount 5 1)
readonly connections=32
readonly domain=parcelwise.com

require wrk
require curl
build --package visibility-server
build --package visibility-tests --bin bare-api --bin fixture-server

work=$(mktemp -d)
server=
bare=
stop() {
    local process
    for process in $server $bare; do kill "$process" 2>/dev/null && wait "$process" || true; done
    rm -rf "$work"
}
trap stop EXIT

memory() { awk '/^VmRSS/ { print $2 }' "/proc/$server/status"; }
now_ms() { echo $((${EPOCHREALTIME/[.,]/} / 1000)); }

coproc SITES { exec "$bin/fixture-server" "$domains"; }
read -r -u "${SITES[0]}" ready
member() { sed -n "s/.*\"$1\":\"\{0,1\}\([^\",}]*\).*/\1/p" <<<"$ready"; }
ca=$(member ca)
https=$(member https)
http=$(member http)

export VISIBILITY_DATA_DIR=$work/data
"$bin/visibility-server" tenants create acme >/dev/null
key=$("$bin/visibility-server" keys create acme 2>/dev/null)

# Starts the service, and prints how long its first answer took, in milliseconds.
serve() {
    local started address=
    : >"$work/ready"
    started=$(now_ms)
    "$bin/visibility-server" serve --listen 127.0.0.1:0 --ca-cert "$ca" \
        --connect-to ":443:127.0.0.1:$https" --connect-to ":80:127.0.0.1:$http" \
        --set limits.scans_per_minute=0 --set limits.scans_per_day=0 --set limits.connections_per_address=1024 \
        --set limits.audits_per_minute=0 --set limits.audits_per_day=0 --set limits.audits_per_host=0 \
        --set limits.scan_queue=1000000 "$@" >"$work/ready" 2>"$work/log" &
    server=$!
    until [[ -n $address ]] && curl -sf -o /dev/null "http://$address/api/v1/health"; do
        kill -0 "$server" || { cat "$work/log" >&2; exit 1; }
        address=$(sed -n 's|.*listening on http://||p' "$work/ready")
    done
    first_ms=$(($(now_ms) - started))
    url=http://$address/api/v1/agent-readiness
    audit_url=http://$address/api/public/audit
}

scan() {
    curl -sSf "$url" -H "Authorization: Bearer $key" -H 'Content-Type: application/json' \
        -d "{\"domain\":\"$1\"}" "${@:2}"
}

cat >"$work/one.lua" <<LUA
wrk.method = "POST"
wrk.body = '{"domain":"$domain"}'
wrk.headers["Content-Type"] = "application/json"
wrk.headers["Authorization"] = "Bearer $key"
done = function(summary, latency)
    local failed = summary.errors.status + summary.errors.read + summary.errors.write + summary.errors.timeout
    io.write(string.format("RESULT %.0f %.2f %.2f %d\n", summary.requests / summary.duration * 1e6,
        latency:percentile(50) / 1000, latency:percentile(99) / 1000, failed))
end
LUA
sed 's/^wrk.body.*//' "$work/one.lua" >"$work/many.lua"
cat >>"$work/many.lua" <<LUA
local number = 0
request = function()
    number = number % $domains + 1
    return wrk.format(nil, nil, nil, string.format('{"domain":"s%04d.visibility-fixture.com"}', number))
end
LUA

sed 's/^done = /wrk.headers["Accept-Encoding"] = "gzip"\n&/' "$work/many.lua" >"$work/gzip.lua"

# Prints requests a second, p50 and p99 in milliseconds, and failures.
load() { wrk -t 2 -c "$connections" -d "${seconds}s" -s "$1" "$2" | sed -n 's/^RESULT //p'; }

serve
idle_kib=$(memory)
printf '%s\n' "$first_ms" >"$work/starts"
for ((i = 1; i < rounds; i++)); do
    kill "$server" && wait "$server" || true
    serve
    printf '%s\n' "$first_ms" >>"$work/starts"
done
read -r first_ms _ < <(medians <"$work/starts")

scan "$domain" >/dev/null
scan "$domain" -o "$work/body.json"
grep -q '"cached":true' "$work/body.json" || { complain 'the second scan is not cached'; exit 1; }
bytes=$(stat -c %s "$work/body.json")
# Bash takes one coprocess at a time.
mkfifo "$work/bare"
# Starts a bare handler that answers with a file.
answer_with() {
    if [[ -n $bare ]]; then kill "$bare" && wait "$bare" || true; fi
    : >"$work/bare_port"
    "$bin/bare-api" "$1" <>"$work/bare" >"$work/bare_port" &
    bare=$!
    until read -r bare_port <"$work/bare_port"; do sleep 0.1; done
}
answer_with "$work/body.json"

compare() {
    local script=$1 into=$2 target=${3:-$url} floor ours
    for ((i = 0; i < rounds; i++)); do
        floor=$(load "$script" "http://127.0.0.1:$bare_port/")
        ours=$(load "$script" "$target")
        printf '%s %s %s\n' "$floor" "$ours" "$(ratio "${ours%% *}" "${floor%% *}")" >>"$work/$into"
    done
}
compare "$work/one.lua" one
read -r bare_rate _ bare_p99 _ rate p50 p99 failed one_ratio _ < <(medians <"$work/one")

complain "scanning $domains domains"
seq -f 's%04.0f.visibility-fixture.com' "$domains" | xargs -P 16 -I{} curl -sSf -o /dev/null "$url" \
    -H "Authorization: Bearer $key" -d '{"domain":"{}"}'
compare "$work/many.lua" many
read -r _ _ _ _ many_rate many_p50 many_p99 many_failed many_ratio _ < <(medians <"$work/many")
compare "$work/gzip.lua" gzip
read -r _ _ _ _ gzip_rate gzip_p50 gzip_p99 gzip_failed gzip_ratio _ < <(medians <"$work/gzip")
many_kib=$(memory)

audit() { curl -sSf "$audit_url" -d "{\"url\":\"https://$domain/\"}" "$@"; }
audit -o /dev/null
audit -o "$work/audit.json" -D "$work/audit.head"
grep -qi '^age:' "$work/audit.head" || { complain 'the second audit is not a stored one'; exit 1; }
audit_bytes=$(stat -c %s "$work/audit.json")
answer_with "$work/audit.json"
sed -e "s|^wrk.body.*|wrk.body = '{\"url\":\"https://$domain/\"}'|" -e '/Authorization/d' "$work/one.lua" >"$work/audit.lua"
compare "$work/audit.lua" audit "$audit_url"
read -r audit_bare _ audit_bare_p99 _ audit_rate audit_p50 audit_p99 audit_failed audit_ratio _ < <(medians <"$work/audit")

cat <<REPORT
$(heading)

| what | requests a second | p50 | p99 | failed | of the bare handler |
|---|---|---|---|---|---|
| bare axum handler, $bytes bytes | $bare_rate | | $bare_p99 ms | | |
| a cached scan | $rate | $p50 ms | $p99 ms | $failed | $one_ratio |
| $domains cached domains in turn | $many_rate | $many_p50 ms | $many_p99 ms | $many_failed | $many_ratio |
| $domains in turn, gzip accepted | $gzip_rate | $gzip_p50 ms | $gzip_p99 ms | $gzip_failed | $gzip_ratio |
| bare axum handler, $audit_bytes bytes | $audit_bare | | $audit_bare_p99 ms | | |
| a stored audit | $audit_rate | $audit_p50 ms | $audit_p99 ms | $audit_failed | $audit_ratio |

| what | value |
|---|---|
| start to first answer | $first_ms ms |
| idle memory | $(mib "$idle_kib") MiB |
| memory with $domains domains | $(mib "$many_kib") MiB |
REPORT
