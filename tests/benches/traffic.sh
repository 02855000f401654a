#!/usr/bin/env bash
# Measures the questions about the agents that came, on 25 months of counts that stand for a billion records, and prints rows for
# docs/performance.md. Usage: tests/benches/traffic.sh [ROUNDS]
. "$(dirname "${BASH_SOURCE[0]}")/common"

require python3
build --bin visibility-server
printf '%s\n\n' "$(heading)"
exec python3 tests/benches/traffic.py "$@"
