#!/usr/bin/env bash
# Compares the main text with labelled pages and with three other extractors, and prints rows for
# docs/performance.md. Usage: VISIBILITY_PAGES=FOLDER tests/benches/main_text.sh [OLDER_BINARY]
#
# FOLDER has pages as html/ID.html.gz and their labels as truth/ID.json, in the form of the Web Content
# eXtraction Benchmark. The figures are word F1, see main_text.py. With OLDER_BINARY, both programs read each page
# by turns; VISIBILITY_BINARY names another program than the one of this tree. The extractors are installed from
# their registry into $PEERS (a folder that goes away unless it is set) and run with default settings, except that
# resiliparse has to be switched to the main content. Needs Python 3 with venv, and GNU time.
. "$(dirname "${BASH_SOURCE[0]}")/common"

if [[ ! -d ${VISIBILITY_PAGES:-}/truth ]]; then
    printf 'tests/benches/main_text.sh: no pages: set VISIBILITY_PAGES to a folder with html/ and truth/\n' >&2
    exit 0
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
readonly peers=${PEERS:-$work/peers}

install_peers() {
    if [[ ! -x $peers/text/bin/trafilatura ]]; then
        python3 -m venv "$peers/text"
        "$peers/text/bin/pip" install --quiet --upgrade pip
        "$peers/text/bin/pip" install --quiet trafilatura==2.3.1 readability-lxml==0.9 Resiliparse==2.0.1
    fi
    python=$peers/text/bin/python
}

if [[ -z ${VISIBILITY_BINARY:-} ]]; then build --package visibility-cli; fi
python=python3
options=()
if in_trial; then options+=(--no-peers --rounds 1); else install_peers; fi

printf '%s, %s\n\n' "$(heading)" "$("$python" --version)"
"$python" tests/benches/main_text.py --folder "$VISIBILITY_PAGES" "${options[@]}" "${VISIBILITY_BINARY:-$bin/visibility}" "$@"
