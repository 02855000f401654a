#!/usr/bin/env bash
# Scans the sites that are too much and prints time and memory. Usage: tests/benches/hostile.sh
. "$(dirname "${BASH_SOURCE[0]}")/common"

build --package visibility-cli
build --package visibility-tests --bin fixture-server
work=$(mktemp -d)
coproc SERVER { exec "$bin/fixture-server"; }
stop() {
    if [[ -n ${SERVER[1]:-} ]]; then exec {SERVER[1]}>&-; fi
    rm -rf "$work"
}
trap stop EXIT
read -r -u "${SERVER[0]}" ready
number() { sed -n "s/.*\"$1\":\([0-9]*\).*/\1/p" <<<"$ready"; }
ca=$(sed -n 's/.*"ca":"\([^"]*\)".*/\1/p' <<<"$ready")

printf '| site | exit | time | memory |\n|---|---|---|---|\n'
sites=(large sitemap nested endless drip bomb)
# The others take as long as a scan may.
if in_trial; then sites=(large sitemap nested bomb); fi
for name in "${sites[@]}"; do
    status=0
    /usr/bin/time -f '%e %M' -o "$work/time" \
        "$bin/visibility" scan "$name.visibility-fixture.com" --format json \
        --ca-cert "$ca" --connect-to ":443:127.0.0.1:$(number https)" \
        --connect-to ":80:127.0.0.1:$(number http)" >"$work/out" 2>"$work/err" || status=$?
    read -r seconds kib < <(tail -n 1 "$work/time")
    printf '| %s | %s | %s s | %s MiB |\n' "$name" "$status" "$seconds" "$((kib / 1024))"
done
