#!/usr/bin/env bash
# Measures audits and prints rows for docs/performance.md. Usage: tests/benches/audit.sh [ROUNDS]
#
# Whole processes on one local page of 350 KB, in one run: this program, parsing alone, and three other
# tools, which are installed from their registries into $PEERS (a folder that goes away unless it is set). geo-score takes
# addresses alone, so that a server of files on loopback serves it. Needs hyperfine, GNU time and Python 3 with venv.
. "$(dirname "${BASH_SOURCE[0]}")/common"

readonly rounds=${1:-$(amount 30 1)}
readonly many=$(amount 1000 20)

require hyperfine
require /usr/bin/time time
require python3 python3-venv

work=$(mktemp -d)
server=
stop() {
    [[ -z $server ]] || kill "$server"
    rm -rf "$work"
}
trap stop EXIT
readonly peers=${PEERS:-$work/peers}

install_peers() {
    local crate
    for crate in aiseo@0.8.0 oratos@0.3.2; do
        [[ -x $peers/bin/${crate%@*} ]] || cargo install --quiet --locked --root "$peers" "$crate"
    done
    if [[ ! -x $peers/geo/bin/geo-score ]]; then
        python3 -m venv "$peers/geo"
        "$peers/geo/bin/pip" install --quiet geo-score==1.8.3
    fi
    tools+=(aiseo oratos geo-score)
}

build --package visibility-cli
build --package visibility-tests --bin bare-parse --bin write-pages
tools=('parsing alone' visibility)
in_trial || install_peers

"$bin/write-pages" "$work/pages" "$many"
# Not to a pipe: Python would keep the line with the port to itself.
python3 -u -m http.server --directory "$work/pages" --bind 127.0.0.1 0 >"$work/port" 2>/dev/null &
server=$!
until grep -q port "$work/port"; do sleep 0.1; done
port=$(sed -n 's/.*port \([0-9]*\).*/\1/p' "$work/port")

readonly visibility=$bin/visibility

# The command of a tool for a page.
command_of() {
    local page=$work/pages/$2.html
    case $1 in
        visibility) echo "$visibility audit $page --format json" ;;
        'parsing alone') echo "$bin/bare-parse $page" ;;
        aiseo) echo "$peers/bin/aiseo audit $page --json" ;;
        oratos) echo "$peers/bin/oratos audit $page --format json" ;;
        geo-score) echo "$peers/geo/bin/geo-score http://127.0.0.1:$port/$2.html --json --sample 1" ;;
    esac
}

# The score that a tool gives a page; `-` if it gives none.
score_of() {
    local score
    score=$($(command_of "$1" "$2") 2>/dev/null | python3 -c '
import json, sys
report = json.load(sys.stdin)
found = report.get("gpt_visibility_score", report.get("score", report.get("data", {}).get("score") if isinstance(report.get("data"), dict) else None))
if isinstance(found, dict): found = found.get("total", found.get("score", found.get("overall")))
print("-" if found is None else found)' 2>/dev/null) || true
    printf '%s' "${score:--}"
}

printf '%s\n\n' "$(heading)"
printf '| one page of 350 KB | median | best | memory | ratio to parsing | empty shell | complete product |\n|---|---|---|---|---|---|---|\n'
floor=
for tool in "${tools[@]}"; do
    command=$(command_of "$tool" large)
    hyperfine --shell none --warmup 3 --runs "$rounds" --ignore-failure --style none \
        --export-json "$work/times" "$command" >/dev/null 2>&1
    # shellcheck disable=SC2086
    /usr/bin/time -f '%M' -o "$work/rss" $command >/dev/null 2>&1 || true
    read -r median best < <(python3 -c '
import json, sys
result = json.load(open(sys.argv[1]))["results"][0]
print(round(1000 * result["median"], 1), round(1000 * result["min"], 1))' "$work/times")
    floor=${floor:-$median}
    printf '| %s | %s ms | %s ms | %s MiB | %s | %s | %s |\n' "$tool" "$median" "$best" \
        "$(awk -v kib="$(tail -n 1 "$work/rss")" 'BEGIN { printf "%.1f", kib / 1024 }')" \
        "$(awk -v a="$median" -v b="$floor" 'BEGIN { printf "%.1f", a / b }')" \
        "$(score_of "$tool" shell)" "$(score_of "$tool" product)"
done

readonly folder=$work/pages/many
bytes=$(du --bytes --summarize "$folder" | cut -f 1)
hyperfine --shell none --warmup 1 --runs 5 --style none --export-json "$work/times" \
    "$visibility audit --dir $folder --format ndjson" >/dev/null 2>&1
/usr/bin/time -f '%M' -o "$work/rss" "$visibility" audit --dir "$folder" --format ndjson >"$work/out" 2>/dev/null
python3 -c '
import json, sys
result = json.load(open(sys.argv[1]))["results"][0]
wall, cpu = result["median"], result["user"] + result["system"]
pages, size, rss = int(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4])
print(f"""
| pages of a folder | results | time | CPU | cores | pages a second | memory |
|---|---|---|---|---|---|---|
| {pages}, {size / 1e6:.1f} MB | {sys.argv[5]} | {1000 * wall:.0f} ms | {1000 * cpu:.0f} ms | {cpu / wall:.2f} | {pages / wall:.0f} | {rss / 1024:.1f} MiB |""")
' "$work/times" "$many" "$bytes" "$(tail -n 1 "$work/rss")" "$(grep -c '"id"' "$work/out")"
