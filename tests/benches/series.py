#!/usr/bin/env python3
"""Measures `visibility-server logs series` on a large tenant, and what its counts take on disk. Usage: tests/benches/series.py [ROUNDS]

25 months, 27 agents, 4 hosts, 10 statuses and 24 combinations of a kind and a status group each day, all of them with records: no
tenant has more rows with so many hosts. The tables are filled directly, in SQLite. Prints rows for docs/performance.md: CPU of the
whole process, the median of the rounds.
"""

import datetime
import json
import os
import resource
import sqlite3
import statistics
import subprocess
import sys
import tempfile

from trial import BIN, TARGET, amount

ROUNDS = int(sys.argv[1]) if len(sys.argv) > 1 else amount(3, 1)
DAYS = amount(760, 40)
HOUR_DAYS = amount(95, 3)
AGENTS = 27
HOSTS = 4
SERVER = BIN / "visibility-server"
TABLES = ["rollup", "kind_day", "hour", "agent_seen"]


def run(data, *arguments):
    environment = {**os.environ, "VISIBILITY_DATA_DIR": data}
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run([SERVER, *arguments], env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode != 0:
        sys.exit(f"{arguments}: {done.stderr}")
    return done.stdout, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def agents():
    """Ids of the agents that the server knows."""
    registry = json.loads((TARGET.parent / "visibility-core/data/agents.json").read_text())
    return sorted(agent["id"] for agent in registry["agents"])[:AGENTS]


def fill(data, today):
    connection = sqlite3.connect(f"{data}/state.sqlite")
    names = agents()
    hosts = [f"www{number}.example.com" for number in range(HOSTS)]
    groups = [(kind, group) for kind in range(8) for group in (200, 304, 404)]
    pairs = [(agent, host) for agent in names for host in hosts]
    days = range(today - DAYS + 1, today + 1)
    connection.executemany(
        "INSERT INTO rollup VALUES ('acme', ?, ?, ?, ?, ?, ?)",
        ((day, agent, host, status, 12, 340_000) for day in days for agent, host in pairs for status in range(200, 210)),
    )
    connection.executemany(
        "INSERT INTO kind_day VALUES ('acme', ?, ?, ?, ?, ?, ?, ?)",
        ((day, kind, agent, host, group, 5, 141_667) for day in days for agent, host in pairs for kind, group in groups),
    )
    first_hour = (today - HOUR_DAYS + 1) * 24
    connection.executemany(
        "INSERT INTO hour VALUES ('acme', ?, ?, ?, 5, 1, 1, 0)",
        ((hour, agent, host) for hour in range(first_hour, (today + 1) * 24) for agent, host in pairs),
    )
    connection.executemany("INSERT INTO agent_seen VALUES ('acme', ?, ?, 0, 1)", pairs)
    connection.commit()
    for table in TABLES:
        (rows,) = connection.execute(f"SELECT count(*) FROM {table}").fetchone()
        try:
            (size,) = connection.execute("SELECT sum(pgsize) FROM dbstat WHERE name = ?", (table,)).fetchone()
            print(f"| {table} | {rows} rows | {size / 1024 / 1024:.1f} MiB |")
        except sqlite3.OperationalError:
            # A SQLite without the table of sizes.
            print(f"| {table} | {rows} rows | |")
    connection.close()


def main():
    today = datetime.datetime.now(datetime.timezone.utc).date()
    with tempfile.TemporaryDirectory() as folder:
        data = f"{folder}/data"
        run(data, "tenants", "create", "acme")
        fill(data, today.toordinal() - datetime.date(1970, 1, 1).toordinal())
        print("\n| | CPU |\n|---|---|")
        for days in (90, DAYS):
            start = today - datetime.timedelta(days=days - 1)
            for group in ("purpose", "agent", "host", "status", "kind"):
                options = ["--from", str(start), "--to", str(today), "--group", group, "--format", "json"]
                used = [run(data, "logs", "series", "acme", *options)[1] for _ in range(ROUNDS)]
                print(f"| {group}, {days} days | {statistics.median(used) * 1000:.0f} ms |")
        start = today - datetime.timedelta(days=30)
        for group in ("purpose", "agent", "host"):
            options = ["--by", "hour", "--from", str(start), "--to", str(today), "--group", group, "--format", "json"]
            used = [run(data, "logs", "series", "acme", *options)[1] for _ in range(ROUNDS)]
            print(f"| {group} by hour, 31 days | {statistics.median(used) * 1000:.0f} ms |")


main()
