#!/usr/bin/env python3
"""Several servers on one PostgreSQL, compared with one; PostgreSQL with SQLite; and a bucket with a folder, if there is one.
Prints rows for docs/performance.md.

Usage: [tests/s3] tests/postgres tests/benches/nodes.py [ROUNDS]

Each server may use a quarter of a core, by a control group, so that this machine can be several. The senders and
PostgreSQL have the rest of it. Needs root, and release builds of visibility-server, generate-logs and send-logs:

    cargo build --release --package visibility-server --package visibility-tests --bins
"""

import contextlib
import json
import os
import pathlib
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import uuid

from trial import BIN, IN_TRIAL, amount

DATABASE = os.environ["VISIBILITY_TEST_DATABASE"]
BUCKET = os.environ.get("VISIBILITY_TEST_S3")
GROUPS = pathlib.Path("/sys/fs/cgroup")
TICK = os.sysconf("SC_CLK_TCK")
PERIOD = 100_000

RECORDS = amount(5_000, 100)  # of a batch
BATCHES = amount(60, 4)  # for each node
SENDERS = 4  # for each node
TENANTS = 10
FULL_RECORDS = amount(500_000, 2_000)
FULL_BATCHES = amount(3, 1)
STATS = amount(10, 1)
WHAT = ("CPU of the server for a full batch", "its memory at most", "CPU of `logs stats` with paths")


def control_group(name, share):
    """A control group of version 1 or 2 whose processes have this share of a core."""
    is_second = (GROUPS / "cgroup.controllers").exists()
    folder = (GROUPS if is_second else GROUPS / "cpu") / f"visibility-{name}"
    folder.mkdir(exist_ok=True)
    quota = int(share * PERIOD)
    if is_second:
        (folder / "cpu.max").write_text(f"{quota} {PERIOD}")
    else:
        (folder / "cpu.cfs_period_us").write_text(str(PERIOD))
        (folder / "cpu.cfs_quota_us").write_text(str(quota))
    return folder


class Place:
    """Stores with tenants, for some nodes."""

    def __init__(self, folder, is_postgres, has_bucket=False):
        self.folder = pathlib.Path(tempfile.mkdtemp(dir=folder))
        self.stores = {}
        if is_postgres:
            schema = f"bench_{uuid.uuid4().hex}"
            run(["psql", "--quiet", DATABASE, "--command", f"CREATE SCHEMA {schema}"])
            self.stores = {
                "VISIBILITY_DATABASE__URL": f"{DATABASE}?options=-csearch_path%3D{schema}",
                "VISIBILITY_OBJECTS__URL": f"file://{self.folder}/objects",
            }
        if has_bucket:
            self.stores |= {
                "VISIBILITY_OBJECTS__URL": f"s3://visibility/{uuid.uuid4().hex}",
                "VISIBILITY_OBJECTS__ENDPOINT": BUCKET,
                "AWS_ACCESS_KEY_ID": os.environ["AWS_ACCESS_KEY_ID"],
                "AWS_SECRET_ACCESS_KEY": os.environ["AWS_SECRET_ACCESS_KEY"],
            }
        self.tokens = ""
        for number in range(TENANTS):
            self.command("tenants", "create", f"t{number}")
            token = self.command("tokens", "create", f"t{number}", "--format", "json")
            self.tokens += f"t{number} {json.loads(token)['token']}\n"

    def environment(self, node):
        return {"PATH": os.environ["PATH"], "VISIBILITY_DATA_DIR": f"{self.folder}/{node}"} | self.stores

    def command(self, *arguments):
        return run([BIN / "visibility-server", *arguments], env=self.environment(0))


class Node:
    def __init__(self, place, number, group=None):
        arguments = ["serve", "--listen", "127.0.0.1:0", "--set", "log.level=warn"]
        arguments += ["--set", "limits.burst=0", "--set", "limits.batches_per_hour=0"]
        self.process = subprocess.Popen(
            [BIN / "visibility-server", *arguments],
            env=place.environment(number),
            stdout=subprocess.PIPE,
            text=True,
        )
        self.address = re.search(r"http://(\S+)", self.process.stdout.readline())[1]
        if group:
            (group / "cgroup.procs").write_text(str(self.process.pid))

    def cpu(self):
        """Seconds of a processor that it has used."""
        fields = pathlib.Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(") ")[2].split()
        return (int(fields[11]) + int(fields[12])) / TICK

    def peak(self):
        """MiB that it has held at most."""
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(r"VmHWM:\s+(\d+)", status)[1]) / 1024

    def send(self, place, body, batches, senders):
        """Begins to send batches; what is returned says what became of them."""
        sender = subprocess.Popen(
            [BIN / "send-logs", self.address, body, str(batches), str(senders)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        sender.stdin.write(place.tokens)
        sender.stdin.close()

        def finish():
            reply = json.loads(sender.stdout.read())
            assert sender.wait() == 0 and sum(reply["statuses"].values()) == batches, reply
            assert set(reply["statuses"]) <= {"202", "207"}, reply
            return reply

        return finish

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()


def run(arguments, **others):
    return subprocess.run(arguments, check=True, capture_output=True, text=True, **others).stdout


def load(folder, body, groups):
    """Batches a second and milliseconds of a processor for each, of as many nodes as there are groups."""
    place = Place(folder, is_postgres=True)
    with contextlib.ExitStack() as ends:
        nodes = [ends.enter_context(Node(place, number, group)) for number, group in enumerate(groups)]
        before = sum(node.cpu() for node in nodes)
        replies = [node.send(place, body, BATCHES, SENDERS) for node in nodes]
        seconds = max(reply()["ms"] for reply in replies) / 1_000
        cpu = sum(node.cpu() for node in nodes) - before
    batches = BATCHES * len(nodes)
    return batches / seconds, cpu * 1_000 / batches


def full(folder, body, **kind):
    """Milliseconds of a processor for a full batch, the memory in MiB, and milliseconds of a processor for counting the paths
    of all."""
    place = Place(folder, **kind)
    with Node(place, 0) as node:
        before = node.cpu()
        node.send(place, body, FULL_BATCHES, 1)()
        cpu = node.cpu() - before
        peak = node.peak()
    before = os.times()
    for _ in range(STATS):
        place.command("logs", "stats", "t0", "--top", "50", "--format", "json")
    after = os.times()
    stats = after.children_user + after.children_system - before.children_user - before.children_system
    return cpu * 1_000 / FULL_BATCHES, peak, stats * 1_000 / STATS


def main():
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else amount(5, 1)
    folder = tempfile.mkdtemp()
    try:
        bodies = {}
        for records in (RECORDS, FULL_RECORDS):
            run([BIN / "generate-logs", f"{folder}/{records}.ndjson", str(records)])
            bodies[records] = f"{folder}/{records}.ndjson.gz"
        # Not every machine that tests lets a program limit its processors.
        groups = [None, None] if IN_TRIAL else [control_group(number, 0.25) for number in range(2)]
        rows = []
        for _ in range(rounds):
            one = load(folder, bodies[RECORDS], groups[:1])
            two = load(folder, bodies[RECORDS], groups)
            sqlite = full(folder, bodies[FULL_RECORDS], is_postgres=False)
            postgres = full(folder, bodies[FULL_RECORDS], is_postgres=True)
            bucket = full(folder, bodies[FULL_RECORDS], is_postgres=True, has_bucket=True) if BUCKET else ()
            rows.append((*one, *two, *sqlite, *postgres, *bucket))
            print(" ".join(f"{value:.1f}" for value in rows[-1]), file=sys.stderr)
        medians = [statistics.median(column) for column in zip(*rows)]
        one, one_cpu, two, two_cpu, *of_full = medians
        sqlite, postgres, *bucket = (of_full[start : start + 3] for start in range(0, len(of_full), 3))
        print(f"Medians of {rounds} rounds; batches of {RECORDS:,} records.\n")
        print("| what | one | two | ratio |\n|---|---|---|---|")
        print(f"| batches a second, a quarter of a core each | {one:.1f} | {two:.1f} | {two / one:.2f} |")
        print(f"| CPU of the servers for a batch | {one_cpu:.1f} ms | {two_cpu:.1f} ms | {two_cpu / one_cpu:.2f} |")
        for name, other in zip(("PostgreSQL", "PostgreSQL and a bucket"), (postgres, *bucket)):
            print(f"\n| what | SQLite and a folder | {name} | ratio |\n|---|---|---|---|")
            for what, unit, embedded, shared in zip(WHAT, ("ms", "MiB", "ms"), sqlite, other):
                print(f"| {what} | {embedded:.0f} {unit} | {shared:.0f} {unit} | {shared / embedded:.2f} |")
    finally:
        shutil.rmtree(folder)
        for group in range(2):
            for version in (GROUPS, GROUPS / "cpu"):
                if (version / f"visibility-{group}").exists():
                    (version / f"visibility-{group}").rmdir()


if __name__ == "__main__":
    main()
