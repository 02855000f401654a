#!/usr/bin/env bash
# Measures the MCP server and prints rows for docs/performance.md. Usage: tests/benches/mcp.sh [ROUNDS] [SECONDS]
#
# `tools/list` and a cached `scan_domain`, of today's revision and of the one with a handshake, are compared with
# the same cached scan of the public API, in the same run and in turns. Everything is local. Needs wrk,
# curl, npm and bash 5; counts tokens with a package of npm.
. "$(dirname "${BASH_SOURCE[0]}")/common"

readonly rounds=${1:-$(amount 5 1)}
readonly seconds=${2:-$(amount 5 1)}
readonly connections=32
readonly domain=parcelwise.com
readonly tokenizer=js-tiktoken@1.0.21

require wrk
require curl
require npm
build --package visibility-server
build --package visibility-tests --bin fixture-server

work=$(mktemp -d)
server=
stop() {
    if [[ -n $server ]]; then kill "$server" 2>/dev/null && wait "$server" || true; fi
    rm -rf "$work"
}
trap stop EXIT

memory() { awk '/^VmRSS/ { print $2 }' "/proc/$server/status"; }

coproc SITES { exec "$bin/fixture-server"; }
read -r -u "${SITES[0]}" ready
member() { sed -n "s/.*\"$1\":\"\{0,1\}\([^\",}]*\).*/\1/p" <<<"$ready"; }

export VISIBILITY_DATA_DIR=$work/data
"$bin/visibility-server" tenants create acme >/dev/null 2>&1
: >"$work/ready"
: >"$work/log"
key=$("$bin/visibility-server" keys create acme 2>/dev/null)
"$bin/visibility-server" serve --listen 127.0.0.1:0 --ca-cert "$(member ca)" \
    --connect-to ":443:127.0.0.1:$(member https)" --connect-to ":80:127.0.0.1:$(member http)" \
    --set limits.scans_per_minute=0 --set limits.scans_per_day=0 --set limits.mcp_per_minute=0 \
    --set limits.connections_per_address=1024 --set log.level=warn >"$work/ready" 2>"$work/log" &
server=$!
address=
until [[ -n $address ]] && curl -sf -o /dev/null "http://$address/api/v1/health"; do
    kill -0 "$server" || { cat "$work/log" >&2; exit 1; }
    address=$(sed -n 's|.*listening on http://||p' "$work/ready" "$work/log" | head -n 1)
    sleep 0.1
done
idle_kib=$(memory)

# A script of wrk that posts a body with more headers, which are written in Lua.
script() {
    cat >"$work/$1.lua" <<LUA
wrk.method = "POST"
wrk.body = '$2'
wrk.headers["Content-Type"] = "application/json"
wrk.headers["Accept"] = "application/json, text/event-stream"
wrk.headers["Authorization"] = "Bearer $key"
$3
done = function(summary, latency)
    local failed = summary.errors.status + summary.errors.read + summary.errors.write + summary.errors.timeout
    io.write(string.format("RESULT %.0f %.2f %.2f %d\n", summary.requests / summary.duration * 1e6,
        latency:percentile(50) / 1000, latency:percentile(99) / 1000, failed))
end
LUA
    printf '%s' "$2" >"$work/$1.json"
}
header() { printf 'wrk.headers["%s"] = "%s"\n' "$1" "$2"; }

# A request of MCP in both eras: script name, method, name of the tool, members of the parameters.
both_eras() {
    local name=$1 method=$2 tool=$3 members=$4 meta headers
    meta='"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}'
    headers=$(header MCP-Protocol-Version 2026-07-28; header Mcp-Method "$method")
    if [[ -n $tool ]]; then headers+=$'\n'$(header Mcp-Name "$tool"); fi
    script "$name-2026" \
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"$method\",\"params\":{${members:+$members,}$meta}}" "$headers"
    script "$name-2025" \
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"$method\",\"params\":{$members}}" \
        "$(header MCP-Protocol-Version 2025-11-25)"
}

readonly api=/api/v1/agent-readiness mcp=/api/mcp/v1/mcp
script plain "{\"domain\":\"$domain\"}" ''
both_eras list tools/list '' ''
both_eras scan tools/call scan_domain "\"name\":\"scan_domain\",\"arguments\":{\"domain\":\"$domain\"}"
readonly calls=(list-2026 list-2025 scan-2026 scan-2025)

# Sends what a script sends, once, and puts the answer into a file.
once() {
    local path=$mcp given=()
    if [[ $1 == plain ]]; then path=$api; fi
    mapfile -t given < <(sed -n 's/^wrk.headers\["\(.*\)"\] = "\(.*\)"$/-H\n\1: \2/p' "$work/$1.lua")
    curl -sS "http://$address$path" "${given[@]}" --data-binary "@$work/$1.json" -o "$work/$1.answer"
}
load() {
    wrk -t 2 -c "$connections" -d "${seconds}s" -s "$work/$1.lua" "http://$address$2" | sed -n 's/^RESULT //p'
}

once plain
once plain
grep -q '"cached":true' "$work/plain.answer" || { complain 'the second scan is not cached'; exit 1; }
for call in "${calls[@]}"; do
    once "$call"
    grep -q '"result":{' "$work/$call.answer" || { complain "$call: $(head -c 500 "$work/$call.answer")"; exit 1; }
done
grep -q '"cached":true' "$work/scan-2026.answer" || { complain 'the scan of MCP is not cached'; exit 1; }

for ((i = 0; i < rounds; i++)); do
    floor=$(load plain "$api")
    printf '%s\n' "$floor" >>"$work/plain"
    for call in "${calls[@]}"; do
        ours=$(load "$call" "$mcp")
        printf '%s %s\n' "$ours" "$(ratio "${ours%% *}" "${floor%% *}")" >>"$work/$call"
    done
done
loaded_kib=$(memory)

# What a model is shown of `tools/list`: the tools, without what is around them.
mkdir -p .tools/tokens
npm install --prefix .tools/tokens --no-save --no-package-lock --no-audit --no-fund --ignore-scripts \
    --loglevel error "$tokenizer"
count=$(cat <<'JS'
const { createRequire } = require("node:module");
const { readFileSync } = require("node:fs");
const { getEncoding } = createRequire(process.argv[1] + "/")("js-tiktoken");
const { tools } = JSON.parse(readFileSync(process.argv[2], "utf8")).result;
const count = (value) => getEncoding("o200k_base").encode(JSON.stringify(value)).length;
const shown = tools.map(({ name, description, inputSchema }) => ({ name, description, inputSchema }));
console.log(tools.length, count(tools), count(shown));
JS
)
read -r tools tokens shown < <(node -e "$count" "$PWD/.tools/tokens" "$work/list-2026.answer")

row() {
    local what=$1 call=$2 rate p50 p99 failed of
    read -r rate p50 p99 failed of _ < <(medians <"$work/$call")
    printf '| %s, %s bytes | %s | %s ms | %s ms | %s | %s |\n' "$what" "$(stat -c %s "$work/$call.answer")" \
        "$rate" "$p50" "$p99" "$failed" "$of"
}
cat <<REPORT
$(heading)

| what | requests a second | p50 | p99 | failed | of the plain API |
|---|---|---|---|---|---|
$(row 'the plain API, a cached scan' plain)
$(row '`tools/list`, 2026-07-28' list-2026)
$(row '`tools/list`, 2025-11-25' list-2025)
$(row 'a cached `scan_domain`, 2026-07-28' scan-2026)
$(row 'a cached `scan_domain`, 2025-11-25' scan-2025)

| what | value |
|---|---|
| tools | $tools |
| tokens of \`tools/list\` (o200k), all of it | $tokens |
| the same, names, descriptions and arguments | $shown |
| idle memory | $(mib "$idle_kib") MiB |
| memory afterwards | $(mib "$loaded_kib") MiB |
REPORT
