#!/usr/bin/env bash
# Measures how soon a demonstration can be visited, what that costs, and what is in its folder then.
# Usage: tests/benches/demo.sh [BINARY]
. "$(dirname "${BASH_SOURCE[0]}")/common"

if [[ $# -eq 0 ]]; then build --package visibility-server; fi
readonly binary=${1:-$bin/visibility-server}
work=$(mktemp -d)
server=
finish() {
    if [[ -n $server ]]; then kill "$server" 2>/dev/null || true; fi
    rm -rf "$work"
}
trap finish EXIT

# Milliseconds until the link is printed, those of CPU until then, KiB of memory at most, KiB of the folder.
measure() {
    local start now
    mkdir -p "$work/temporary"
    : >"$work/said"
    start=$(date +%s%3N)
    TMPDIR=$work/temporary "$binary" serve --demo --listen 127.0.0.1:0 >"$work/said" 2>"$work/log" &
    server=$!
    until grep -q 'secret=' "$work/said"; do
        if ! kill -0 "$server" 2>/dev/null; then
            cat "$work/log" >&2
            exit 1
        fi
        sleep 0.02
    done
    now=$(date +%s%3N)
    printf '%s ' "$((now - start))"
    awk -v ticks="$(getconf CLK_TCK)" '{ printf "%d ", ($14 + $15) * 1000 / ticks }' "/proc/$server/stat"
    awk '/^VmHWM/ { printf "%d ", $2 }' "/proc/$server/status"
    du -sk "$work/temporary" | cut -f 1
    kill "$server"
    wait "$server"
    server=
}

rounds=$(amount 5 1)
for ((round = 0; round < rounds; round++)); do measure; done >"$work/rows"
read -r ready cpu memory folder _ < <(medians <"$work/rows")

cat <<EOF
$(heading), medians of $rounds starts

| what | value |
|---|---|
| start to the printed link | $ready ms |
| CPU until then | $cpu ms |
| memory at most until then | $(mib "$memory") MiB |
| temporary folder | $(mib "$folder") MiB |
EOF
