#!/usr/bin/env python3
"""What a million records cost: CPU of a server, bytes of objects and of ClickHouse, and requests to a bucket. Prints the
rows of docs/scaling.md.

Small batches are one body that is sent many times, so nothing is said of them merged: the same records compress too well.

Usage: LAKE_PYTHON=PYTHON tests/postgres tests/benches/costs.py

Needs release builds of visibility-server, generate-logs and send-logs, and the Python of `tests/run engines` for
ClickHouse:

    cargo build --release --package visibility-server --package visibility-tests --bins
"""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

from nodes import Node, Place, run
from trial import BIN, amount

MILLION = 1_000_000
BATCHES = amount({500_000: 6, 5_000: 200}, {2_000: 2, 100: 3})
PART = 5 * 1024 * 1024


def objects(place):
    """The sizes of all objects by kind."""
    sizes = {"records": [], "counts": [], "answers": []}
    for path in pathlib.Path(place.folder, "objects").rglob("*"):
        if path.is_file() and "_delta_log" not in path.parts and path.name != "store.json":
            kind = "answers" if "answers" in path.parts else "counts" if ".partial." in path.name else "records"
            sizes[kind].append(path.stat().st_size)
    return sizes


def requests(sizes):
    """Requests that write objects of these sizes: one, or one for each part, and two more."""
    return sum(1 if size <= PART else -(-size // PART) + 2 for kind in sizes.values() for size in kind)


def live_files(place):
    return len(json.loads(place.command("files", "--format", "json")))


def clickhouse(folder):
    script = pathlib.Path(__file__).resolve().parent.parent / "integration/files/clickhouse_server.py"
    server = subprocess.Popen(
        [os.environ["LAKE_PYTHON"], script, "visibility", "secret"], stdout=subprocess.PIPE, text=True
    )
    password = pathlib.Path(folder, "password")
    password.write_text("secret")
    password.chmod(0o600)
    return server, server.stdout.readline().strip(), password


def ask(url, sql):
    request = urllib.request.Request(
        f"{url}/?database=visibility",
        data=sql.encode(),
        headers={"X-ClickHouse-User": "visibility", "X-ClickHouse-Key": "secret"},
    )
    return urllib.request.urlopen(request).read().decode().strip()


def measure(folder, records):
    batches = BATCHES[records]
    body = f"{folder}/{records}.ndjson"
    run([BIN / "generate-logs", body, str(records)])
    place = Place(folder, is_postgres=True)
    row = {}
    with Node(place, 0) as node:
        before = node.cpu()
        node.send(place, f"{body}.gz", batches, 1)()
        cpu = node.cpu() - before
    accepted = json.loads(place.command("check", "--format", "json"))["tenants"]
    accepted = sum(tenant["ledger"] for tenant in accepted.values())
    fresh = objects(place)
    per = accepted / MILLION
    row["CPU to accept them"] = f"{cpu / per:.2f} s"
    row["requests to write their objects"] = f"{requests(fresh) / per:.0f}"
    row["objects before merging"] = f"{sum(sum(kind) for kind in fresh.values()) / per / 1e6:.1f} MB"
    if records != max(BATCHES):
        return row

    # One round of maintenance merges the files.
    place.stores |= {"VISIBILITY_MAINTENANCE__COMPACT_AFTER": "0", "VISIBILITY_MAINTENANCE__INTERVAL": "1"}
    place.stores |= {"VISIBILITY_MAINTENANCE__GRACE": "0"}
    with Node(place, 0) as node:
        files = None
        while files != (files := live_files(place)) or files > 60:
            time.sleep(5)
        cpu = node.cpu()
        time.sleep(3)
    row["CPU to merge them"] = f"{cpu / per:.2f} s"
    merged = objects(place)
    row["objects after merging"] = f"{sum(sum(kind) for kind in merged.values()) / per / 1e6:.1f} MB"
    del place.stores["VISIBILITY_MAINTENANCE__COMPACT_AFTER"], place.stores["VISIBILITY_MAINTENANCE__INTERVAL"]

    server, url, password = clickhouse(folder)
    place.stores |= {
        "VISIBILITY_CLICKHOUSE__URL": url,
        "VISIBILITY_CLICKHOUSE__DATABASE": "visibility",
        "VISIBILITY_CLICKHOUSE__USER": "visibility",
        "VISIBILITY_CLICKHOUSE__PASSWORD_FILE": str(password),
    }
    with Node(place, 0) as node:
        count = 0
        while count < accepted:
            time.sleep(2)
            try:
                count = int(ask(url, "SELECT count() FROM logs"))
            except urllib.error.HTTPError:
                continue
        row["CPU of the server to copy them to ClickHouse"] = f"{node.cpu() / per:.2f} s"
    ask(url, "OPTIMIZE TABLE logs FINAL")
    stored = ask(url, "SELECT sum(bytes_on_disk) FROM system.parts WHERE active AND table = 'logs'")
    row["ClickHouse"] = f"{int(stored) / per / 1e6:.1f} MB"
    server.kill()
    print(row, file=sys.stderr)
    return row


def main():
    folder = tempfile.mkdtemp()
    try:
        rows = [measure(folder, records) for records in BATCHES]
        print("| a million records cost | " + " | ".join(f"in batches of {records:,}" for records in BATCHES) + " |")
        print("|---|" + "---|" * len(rows))
        for name in rows[0]:
            print(f"| {name} | " + " | ".join(row.get(name, "") for row in rows) + " |")
    finally:
        shutil.rmtree(folder)


main()
