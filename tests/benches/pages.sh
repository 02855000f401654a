#!/usr/bin/env bash
# Measures the pages of the service and prints rows for docs/performance.md. Usage: tests/benches/pages.sh [ROUNDS]
#
# The public page of a cached result is compared with a bare axum handler that answers with the same bytes, in the same run
# and in turns; and the page of a person who is signed in is given in CPU time of the service for one page. Everything is
# local. Needs wrk, curl and bash 5.
. "$(dirname "${BASH_SOURCE[0]}")/common"

readonly rounds=${1:-$(amount 5 1)}
readonly seconds=$(amount 5 1)
readonly connections=32
readonly domain=taskloom-app.com
readonly other=north-wool.com
readonly password='correct horse battery'

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


coproc SITES { exec "$bin/fixture-server"; }
read -r -u "${SITES[0]}" ready
member() { sed -n "s/.*\"$1\":\"\{0,1\}\([^\",}]*\).*/\1/p" <<<"$ready"; }

export VISIBILITY_DATA_DIR=$work/data
"$bin/visibility-server" tenants create acme >/dev/null
printf '%s\n' "$password" | "$bin/visibility-server" users create acme ada --password-stdin >/dev/null 2>&1
: >"$work/ready"
"$bin/visibility-server" serve --listen 127.0.0.1:0 --ca-cert "$(member ca)" \
    --connect-to ":443:127.0.0.1:$(member https)" --connect-to ":80:127.0.0.1:$(member http)" \
    --set web.public_scans=true --set web.public_results=true --set limits.connections_per_address=1024 \
    --set log.level=warn \
    >"$work/ready" 2>"$work/log" &
server=$!
address=
until [[ -n $address ]] && curl -sf -o /dev/null "http://$address/api/v1/health"; do
    kill -0 "$server" || { cat "$work/log" >&2; exit 1; }
    address=$(sed -n 's|.*listening on http://||p' "$work/ready")
done
base=http://$address

# Sends a form with the sign of the page that it is on: submit PAGE ACTION [FIELD=VALUE ...]
submit() {
    local sign
    curl -sSf -b "$work/jar" -c "$work/jar" -o "$work/form.html" "$base$1"
    sign=$(sed -n 's/.*name="csrf" value="\([0-9a-f]*\)".*/\1/p;T;q' "$work/form.html")
    curl -sSf -o /dev/null -b "$work/jar" -c "$work/jar" --data-urlencode "csrf=$sign" "${@:3}" "$base$2"
}
submit / /scan --data-urlencode "target=$domain"
page=$base/scan/$domain
until curl -sSf "$page" -o "$work/page.html" && grep -q 'class="card result"' "$work/page.html"; do sleep 0.2; done
bytes=$(stat -c %s "$work/page.html")
submit / /scan --data-urlencode "target=$other"
readonly compared="$base/compare?a=$domain&b=$other" history=$page/history
until curl -sSf "$compared" -o "$work/compared.html"; do sleep 0.2; done 2>/dev/null
audited=$(submit /audit /audit --data-urlencode "url=https://$other/" -w '%{redirect_url}')
until curl -sSf "$audited" -o "$work/audited.html" && grep -q 'id="reading"' "$work/audited.html"; do sleep 0.2; done

cat >"$work/get.lua" <<'LUA'
done = function(summary, latency)
    local failed = summary.errors.status + summary.errors.read + summary.errors.write + summary.errors.timeout
    io.write(string.format("RESULT %.0f %.2f %.2f %d\n", summary.requests / summary.duration * 1e6,
        latency:percentile(50) / 1000, latency:percentile(99) / 1000, failed))
end
LUA
{ printf 'wrk.method = "POST"\n'; cat "$work/get.lua"; } >"$work/post.lua"
load() { wrk -t 2 -c "$connections" -d "${seconds}s" -s "$1" "${@:3}" "$2" | sed -n 's/^RESULT //p'; }

mkfifo "$work/bare"
: >"$work/bare_port"
"$bin/bare-api" "$work/page.html" <>"$work/bare" >"$work/bare_port" &
bare=$!
until read -r bare_port <"$work/bare_port"; do sleep 0.1; done

for ((i = 0; i < rounds; i++)); do
    floor=$(load "$work/post.lua" "http://127.0.0.1:$bare_port/")
    ours=$(load "$work/get.lua" "$page")
    printf '%s %s %s\n' "$floor" "$ours" "$(ratio "${ours%% *}" "${floor%% *}")" >>"$work/public"
    load "$work/get.lua" "$audited" >>"$work/audited"
done
read -r audited_rate audited_p50 audited_p99 audited_failed _ < <(medians <"$work/audited")
read -r bare_rate _ bare_p99 _ rate p50 p99 failed public_ratio _ < <(medians <"$work/public")

submit /sign-in /sign-in --data-urlencode name=ada --data-urlencode "password=$password"
cookie=$(awk '!/^# / && NF == 7 { printf "%s%s=%s", (n++ ? "; " : ""), $6, $7 }' "$work/jar")
# Through a file: `grep -q` reads no further than it must, and `curl` would fail on the closed pipe.
curl -sSf -H "Cookie: $cookie" -o "$work/signed.html" "$page"
grep -q 'class="person who"' "$work/signed.html" || { complain 'the sign-in failed'; exit 1; }
curl -sSf -H "Cookie: $cookie" -o "$work/compared.html" "$compared"
grep -q 'id="checks"' "$work/compared.html" || { complain 'nothing is compared'; exit 1; }
ticks() { awk '{ print $14 + $15 }' "/proc/$server/stat"; }
readonly hertz=$(getconf CLK_TCK)
# Requests a second for a page of a person, and the CPU time of the service for one, in ms: of_person ADDRESS
of_person() {
    local before signed spent
    for ((i = 0; i < rounds; i++)); do
        before=$(ticks)
        signed=$(load "$work/get.lua" "$1" -H "Cookie: $cookie")
        spent=$(($(ticks) - before))
        awk -v rate="${signed%% *}" -v s="$seconds" -v spent="$spent" -v hz="$hertz" \
            'BEGIN { printf "%s %.2f\n", rate, 1000 * spent / hz / (rate * s) }'
    done | medians
}
read -r signed_rate signed_cpu _ < <(of_person "$page")
read -r compared_rate compared_cpu _ < <(of_person "$compared")
read -r history_rate history_cpu _ < <(of_person "$history")
read -r audit_rate audit_cpu _ < <(of_person "$audited")

cat <<REPORT
$(heading)

| what | requests a second | p50 | p99 | failed | of the bare handler |
|---|---|---|---|---|---|
| bare axum handler, $bytes bytes | $bare_rate | | $bare_p99 ms | | |
| public page of a cached result | $rate | $p50 ms | $p99 ms | $failed | $public_ratio |
| page of an audit, $(stat -c %s "$work/audited.html") bytes | $audited_rate | $audited_p50 ms | $audited_p99 ms | $audited_failed | |

| what | requests a second | CPU of the service for one |
|---|---|---|
| the same page, signed in | $signed_rate | $signed_cpu ms |
| two cached domains compared, signed in | $compared_rate | $compared_cpu ms |
| the history of a day, signed in | $history_rate | $history_cpu ms |
| the page of an audit, signed in | $audit_rate | $audit_cpu ms |
REPORT
