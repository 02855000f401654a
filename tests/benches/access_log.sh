#!/usr/bin/env bash
# Measures `visibility logs filter` and `logs report`, and prints rows for docs/performance.md. Usage: tests/benches/access_log.sh [ROUNDS]
#
# A log of 1,000,000 requests in the combined format, 5 % of AI agents with 59,021 different user agents in all; beside
# `grep -c GPTBot`, which looks for one word, and GoAccess, which does more: reports are the fair pair for it. The same
# requests as JSON of nginx and of Caddy, beside grep of the same file. Everything is local. Needs GNU time, goaccess, bash 5.
. "$(dirname "${BASH_SOURCE[0]}")/common"

readonly rounds=${1:-$(amount 5 1)}
readonly lines=${LINES_OF_LOG:-$(amount 1000000 2000)}
readonly visibility=$bin/visibility

require /usr/bin/time time
require goaccess
build --package visibility-cli

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
head -c 32 /dev/urandom >"$work/key"
chmod 600 "$work/key"

# Prints CPU in ms and memory in KiB.
measure() {
    local status=0
    LC_ALL=C /usr/bin/time -f '%U %S %M' -o "$work/time" "$@" >"$work/out" 2>"$work/err" || status=$?
    if [[ $status -gt 1 ]]; then
        complain "exit $status of: $*"
        cat "$work/err" >&2
        exit 1
    fi
    awk '{ printf "%d %d\n", ($1 + $2) * 1000, $3 }' "$work/time"
}
median() { sort -n "$1" | awk '{ v[NR] = $1; if ($2 > top) top = $2 } END { print v[int((NR + 1) / 2)], top }'; }

awk -v lines="$lines" -v work="$work" 'BEGIN {
    srand(67)
    split("GPTBot/1.3 ClaudeBot/1.0 ChatGPT-User/1.0 PerplexityBot/1.0 OAI-SearchBot/1.3", bots, " ")
    start = systime() - 14 * 86400
    for (i = 0; i < lines; i++) {
        epoch = start + int(i * 13 * 86400 / lines)
        time = strftime("%d/%b/%Y:%H:%M:%S +0000", epoch, 1)
        is_bot = rand() < 0.05
        if (is_bot) ua = "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; " bots[int(rand() * 5) + 1] "; +https://example.com/bot)"
        else ua = "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/" int(rand() * 59021) ".0 Safari/537.36"
        ip = int(rand() * 223) + 1 "." int(rand() * 256) "." int(rand() * 256) "." int(rand() * 256)
        path = "/products/item-" int(rand() * 5000) (rand() < 0.2 ? "?utm_source=newsletter&page=" int(rand() * 9) : "")
        bytes = int(rand() * 90000)
        printf "%s - - [%s] \"GET %s HTTP/1.1\" 200 %d \"https://www.example.com/\" \"%s\"\n", ip, time, path, bytes, ua > (work "/combined.log")
        printf "{\"time\":\"%d.120\",\"remote_addr\":\"%s\",\"host\":\"www.example.com\",\"request_method\":\"GET\",\"request_uri\":\"%s\",\"status\":\"200\",\"body_bytes_sent\":\"%d\",\"http_referer\":\"https://www.example.com/\",\"http_user_agent\":\"%s\"}\n", epoch, ip, path, bytes, ua > (work "/nginx_json.log")
        printf "{\"level\":\"info\",\"ts\":%d.6053874,\"logger\":\"http.log.access.log0\",\"msg\":\"handled request\",\"request\":{\"remote_ip\":\"%s\",\"remote_port\":\"47790\",\"proto\":\"HTTP/2.0\",\"method\":\"GET\",\"host\":\"www.example.com\",\"uri\":\"%s\",\"headers\":{\"Accept-Encoding\":[\"gzip, br\"],\"Accept\":[\"*/*\"],\"User-Agent\":[\"%s\"],\"Referer\":[\"https://www.example.com/\"]},\"tls\":{\"resumed\":false,\"version\":772,\"cipher_suite\":4865,\"proto\":\"h2\",\"server_name\":\"www.example.com\"}},\"user_id\":\"\",\"duration\":0.007458084,\"size\":%d,\"status\":200,\"resp_headers\":{\"Last-Modified\":[\"Fri, 20 Nov 2026 23:20:06 GMT\"],\"Server\":[\"Caddy\"],\"Content-Type\":[\"text/html; charset=utf-8\"]}}\n", epoch, ip, path, ua, bytes > (work "/caddy.log")
    }
}'
grep -E 'GPTBot|ClaudeBot|ChatGPT-User|PerplexityBot|OAI-SearchBot' "$work/combined.log" >"$work/agents.part"
for ((i = 0; i < 20; i++)); do cat "$work/agents.part"; done >"$work/agents.log"

for ((i = 0; i < rounds; i++)); do
    for format in combined nginx_json caddy agents; do
        measure grep -c GPTBot "$work/$format.log" >>"$work/grep_$format"
        measure "$visibility" logs filter "$work/$format.log" --host www.example.com --hash-key-file "$work/key" \
            --no-progress -o "$work/records" >>"$work/filter_$format"
    done
done
# A report beside that of GoAccess, and one of a log whose paths are all different.
awk -v lines="$lines" -v work="$work" 'BEGIN {
    for (i = 0; i < lines; i++) {
        ua = i % 2 ? "Mozilla/5.0 (X11; Linux x86_64; rv:130.0) Gecko/20100101 Firefox/130.0" : "Mozilla/5.0 (compatible; GPTBot/1.3; +https://openai.com/gptbot)"
        printf "203.0.113.9 - - [20/Nov/2026:23:20:36 +0000] \"GET /products/some-category/a-rather-long-name-%d/more-%d HTTP/1.1\" %d 5 \"-\" \"%s\"\n", i, i * 7, i % 10 ? 200 : 404, ua > (work "/paths.log")
    }
}'
# What a report is compared with: address lists, a robots.txt of 100 rules, and a sitemap of 50,000 pages.
printf '{"schema_version":1,"lists":[{"source":"https://openai.com/gptbot.json","fetched_at":"2026-11-27T00:00:00Z","published_at":null,"prefixes":["192.0.2.0/24"]}]}' >"$work/ranges.json"
{
    printf 'User-agent: *\n'
    for ((i = 0; i < 100; i++)); do printf 'Disallow: /products/item-%d7$\n' "$i"; done
} >"$work/robots.txt"
for ((i = 0; i < 50000; i++)); do printf 'https://www.example.com/products/item-%d\n' "$i"; done >"$work/sitemap.txt"
compared=(--ranges "$work/ranges.json" --robots "$work/robots.txt" --sitemap "$work/sitemap.txt")
for ((i = 0; i < rounds; i++)); do
    for log in combined paths; do
        measure "$visibility" logs report "$work/$log.log" --format json --no-progress -o "$work/report" >>"$work/report_$log"
    done
    measure "$visibility" logs report "$work/combined.log" --host www.example.com "${compared[@]}" --format json --no-progress \
        -o "$work/report" >>"$work/report_compared"
    measure "$visibility" logs report "$work/paths.log" --host www.example.com "${compared[@]}" --format json --no-progress \
        -o "$work/report" >>"$work/report_paths_compared"
done
measure goaccess "$work/combined.log" --log-format=COMBINED --no-progress -o "$work/report.json" >"$work/goaccess_all"
measure goaccess "$work/combined.log" --log-format=COMBINED --crawlers-only --no-progress -o "$work/report.json" >"$work/goaccess"

printf '%s, medians of %s rounds\n\n' "$(heading)" "$rounds"
printf '| log, %s lines | `grep -c GPTBot` | `logs filter` | ratio | memory |\n|---|---|---|---|---|\n' "$lines"
for format in combined nginx_json caddy agents; do
    read -r floor _ < <(median "$work/grep_$format")
    read -r ours memory < <(median "$work/filter_$format")
    awk -v f="$format" -v a="$floor" -v b="$ours" -v m="$memory" -v s="$(stat -c %s "$work/$format.log")" \
        'BEGIN { printf "| `%s`, %d MB | %.2f s | %.2f s | %.1f | %.1f MiB |\n", f, s / 1e6, a / 1000, b / 1000, b / (a > 0 ? a : 1), m / 1024 }'
done
read -r ours _ < <(median "$work/filter_combined")
awk -v ours="$ours" '{ printf "\nGoAccess --crawlers-only: %.1f s CPU, %.0f MiB; the filter needs 1/%.0f of it.\n", $1 / 1000, $2 / 1024, $1 / ours }' "$work/goaccess"
read -r ours memory < <(median "$work/report_combined")
awk -v ours="$ours" -v m="$memory" '{ printf "logs report: %.2f s, %.1f MiB; GoAccess: %.1f s, %.0f MiB; ratio 1/%.1f.\n", ours / 1000, m / 1024, $1 / 1000, $2 / 1024, $1 / ours }' "$work/goaccess_all"
read -r ours memory < <(median "$work/report_compared")
awk -v ours="$ours" -v m="$memory" '{ printf "logs report with --ranges, --robots, --sitemap: %.2f s, %.1f MiB; ratio 1/%.1f.\n", ours / 1000, m / 1024, $1 / ours }' "$work/goaccess_all"
read -r ours memory < <(median "$work/report_paths_compared")
awk -v ours="$ours" -v m="$memory" 'BEGIN { printf "the same, all paths different: %.2f s, %.1f MiB.\n", ours / 1000, m / 1024 }'
read -r ours memory < <(median "$work/report_paths")
awk -v ours="$ours" -v m="$memory" 'BEGIN { printf "logs report, all paths different: %.2f s, %.1f MiB.\n", ours / 1000, m / 1024 }'
