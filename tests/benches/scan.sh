#!/usr/bin/env bash
# Measures scans and prints rows for docs/performance.md. Usage: tests/benches/scan.sh [ROUNDS]
#
# Everything is local: fixture sites over TLS on loopback, and the same behind a proxy that delays
# each direction by 50 ms. The floor of every ratio is one TLS request of curl in the same run.
# VISIBILITY_BEFORE, the path of an older binary, adds its CPU per request beside today's, by turns.
# Needs curl, GNU time and bash 5.
. "$(dirname "${BASH_SOURCE[0]}")/common"

readonly rounds=${1:-$(amount 20 1)}
readonly many=$(amount 1000 20)
readonly delay_ms=50
readonly site=parcelwise.com

require curl
require /usr/bin/time time
build --package visibility-cli
build --package visibility-tests --bin fixture-server
readonly visibility=$bin/visibility

work=$(mktemp -d)
coproc SERVER { exec "$bin/fixture-server" "$many" "$delay_ms"; }
stop() {
    # The server ends with its standard input.
    if [[ -n ${SERVER[1]:-} ]]; then exec {SERVER[1]}>&-; fi
    rm -rf "$work"
}
trap stop EXIT
read -r -u "${SERVER[0]}" ready

number() { sed -n "s/.*\"$1\":\([0-9]*\).*/\1/p" <<<"$ready"; }
https=$(number https)
http=$(number http)
slow_https=$(number slow_https)
slow_http=$(number slow_http)
ca=$(sed -n 's/.*"ca":"\([^"]*\)".*/\1/p' <<<"$ready")

to_fixture=(--ca-cert "$ca" --connect-to ":443:127.0.0.1:$https" --connect-to ":80:127.0.0.1:$http")
to_slow=(--ca-cert "$ca" --connect-to ":443:127.0.0.1:$slow_https" --connect-to ":80:127.0.0.1:$slow_http")

# Runs a command and prints `milliseconds KiB`: wall time and the largest resident set.
measure() {
    local start=$EPOCHREALTIME status=0
    /usr/bin/time -f '%M' -o "$work/rss" "$@" >"$work/out" 2>"$work/err" || status=$?
    local end=$EPOCHREALTIME
    # 1 is a gate, 4 low confidence: both are reports.
    if [[ $status -ne 0 && $status -ne 4 ]]; then
        complain "exit $status of: $*"
        cat "$work/err" >&2
        exit 1
    fi
    printf '%s %s\n' "$((${end/./} / 1000 - ${start/./} / 1000))" "$(tail -n 1 "$work/rss")"
}

# Prints `median best worst KiB` of some rounds of a command.
rounds_of() {
    local n=$1 i
    shift
    for ((i = 0; i < n; i++)); do measure "$@"; done | sort -n | awk '
        { ms[NR] = $1; if ($2 > rss) rss = $2 }
        END { print ms[int((NR + 1) / 2)], ms[1], ms[NR], rss }'
}


floor_of() {
    curl --silent --output /dev/null --cacert "$ca" --connect-to "::127.0.0.1:$1" "https://$site/"
}
export -f floor_of
export ca site

read -r floor _ _ floor_rss < <(rounds_of "$rounds" bash -c "floor_of $https")
read -r slow_floor _ _ _ < <(rounds_of 5 bash -c "floor_of $slow_https")
read -r one best worst rss < <(rounds_of "$rounds" \
    "$visibility" scan "$site" --format json "${to_fixture[@]}")
count=$(grep -o -m 1 '"count": *[0-9]*' "$work/out" | grep -o '[0-9]*$' || printf '?')
read -r slow slow_best slow_worst _ < <(rounds_of 5 \
    "$visibility" scan "$site" --format json "${to_slow[@]}")

seq -f 's%04g.visibility-fixture.com' 1 "$many" >"$work/domains"
many_line=$(measure bash -c "\"$visibility\" scan - --format ndjson ${to_fixture[*]} <$work/domains")
read -r many_ms many_rss <<<"$many_line"
reports=$(grep -c '"score"' "$work/out" || true)

cat <<EOF
$(heading)

| what | median | best | worst | memory | floor (one TLS request) | ratio |
|---|---|---|---|---|---|---|
| one scan, loopback, $count requests | $one ms | $best ms | $worst ms | $(mib "$rss") MiB | $floor ms, $(mib "$floor_rss") MiB | $(ratio "$one" "$floor") |
| one scan, ${delay_ms} ms each way | $slow ms | $slow_best ms | $slow_worst ms | | $slow_floor ms | $(ratio "$slow" "$slow_floor") |

| domains in one command | reports | time | scans a second | memory |
|---|---|---|---|---|
| $many | $reports | $many_ms ms | $(ratio "$((many * 1000))" "$many_ms") | $(mib "$many_rss") MiB |
EOF

[[ -n ${VISIBILITY_BEFORE:-} ]] || exit 0

# Prints `CPU_ms requests KiB` of one scan of a site.
cost_of() {
    # The shell counts milliseconds of CPU, GNU time hundredths of a second.
    local TIMEFORMAT='%3U %3S'
    {
        time /usr/bin/time -f '%M' -o "$work/rss" "$1" scan "$2" --format json "${to_fixture[@]}" \
            >"$work/out" 2>"$work/err" || [[ $? -eq 4 ]]
    } 2>"$work/cost"
    local count user system rss
    count=$(grep -o -m 1 '"count": *[0-9]*' "$work/out" | grep -o '[0-9]*$')
    read -r user system <"$work/cost"
    rss=$(tail -n 1 "$work/rss")
    awk -v cpu="$user $system" -v count="$count" -v rss="$rss" \
        'BEGIN { split(cpu, part, " "); print (part[1] + part[2]) * 1000, count, rss }'
}

printf '\n| site | before: CPU, requests, memory | now: CPU, requests, memory | CPU per request, ratio |\n|---|---|---|---|\n'
for host in harbor-courier.com north-wool.com slow-bread.com parcelwise-classic.com parcelwise.com; do
    : >"$work/before"
    : >"$work/now"
    for ((i = 0; i < rounds; i++)); do
        cost_of "$VISIBILITY_BEFORE" "$host" >>"$work/before"
        cost_of "$visibility" "$host" >>"$work/now"
    done
    sort -n -o "$work/before" "$work/before"
    sort -n -o "$work/now" "$work/now"
    awk -v host="$host" -v rounds="$rounds" '
        { side = FILENAME ~ /before$/ ? 0 : 1; n[side]++; count[side] = $2; if ($3 > rss[side]) rss[side] = $3 }
        n[side] == int((rounds + 1) / 2) { median[side] = $1 }
        END {
            for (side = 0; side < 2; side++) {
                cell[side] = sprintf("%.1f ms, %d, %.1f MiB", median[side], count[side], rss[side] / 1024)
            }
            printf "| %s | %s | %s | %.2f |\n", host, cell[0], cell[1], (median[1] / count[1]) / (median[0] / count[0])
        }' "$work/before" "$work/now"
done
