#!/usr/bin/env python3
"""Measures the questions about the agents that came on a large tenant, for tests/benches/traffic.sh [ROUNDS].

25 months, 27 agents, 4 hosts, 10 statuses and 24 combinations of a kind and a status group each day, all of them with records: no
tenant has more rows with so many hosts. Together they stand for a billion records. A batch arrived each minute for 90 days. The
tables are filled directly, in SQLite. Prints rows for docs/performance.md: CPU of the whole process, the least of the rounds: what
else the machine does can only add to it.
"""

import datetime
import http.client
import json
import os
import pathlib
import resource
import sqlite3
import subprocess
import sys
import re
import tempfile
import time
import urllib.parse

from trial import BIN, TARGET, amount

ROUNDS = int(sys.argv[1]) if len(sys.argv) > 1 else amount(6, 1)
DAYS = amount(760, 40)
HOUR_DAYS = amount(95, 3)
BATCHES = amount(90 * 24 * 60, 100)
HITS = amount(500, 5)
AGENTS = 27
HOSTS = 4
# So that 25 months of rollups are a billion records.
RECORDS_OF_A_ROW = 1219
SERVER = BIN / "visibility-server"
USER = "ada@example.com"
PASSWORD = "correct horse battery"
TABLES = ["rollup", "kind_day", "hour", "agent_seen"]


def run(data, *arguments, text=""):
    environment = {**os.environ, "VISIBILITY_DATA_DIR": data}
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run([SERVER, *arguments], env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, input=text)
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
        ((day, agent, host, status, RECORDS_OF_A_ROW, 34_000_000) for day in days for agent, host in pairs for status in range(200, 210)),
    )
    connection.executemany(
        "INSERT INTO kind_day VALUES ('acme', ?, ?, ?, ?, ?, ?, ?)",
        ((day, kind, agent, host, group, 508, 14_166_700) for day in days for agent, host in pairs for kind, group in groups),
    )
    first_hour = (today - HOUR_DAYS + 1) * 24
    connection.executemany(
        "INSERT INTO hour VALUES ('acme', ?, ?, ?, 508, 20, 100, 0)",
        ((hour, agent, host) for hour in range(first_hour, (today + 1) * 24) for agent, host in pairs),
    )
    now = int(time.time() * 1_000_000)
    connection.executemany(f"INSERT INTO agent_seen VALUES ('acme', ?, ?, 0, {now})", pairs)
    connection.executemany(
        "INSERT INTO batch (tenant, batch_id, received_at, received, accepted, rejected, body) VALUES ('acme', ?, ?, 10, 9, 1, x'00')",
        ((number.to_bytes(16, "big"), now - number * 60_000_000) for number in range(BATCHES)),
    )
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


QUESTIONS = [
    "summary",
    "summary --host www0.example.com --purpose search",
    "series --group purpose",
    "series --group vendor",
    "series --group agent",
    "series --group host",
    "series --group status",
    "series --group kind",
    "series --group host --purpose search",
    "agents",
    "hosts",
    "errors",
    "sources",
]
BY_HOUR = ["series --by hour --group purpose", "series --by hour --group agent", "series --by hour --group host"]


def measured(data, question, start, today):
    options = ["--from", str(start), "--to", str(today), "--format", "json"]
    name, *more = question.split()
    used = [run(data, "logs", name, "acme", *more, *options)[1] for _ in range(ROUNDS)]
    return f"{min(used) * 1000:.0f} ms"


class Service:
    """A running server, whose processor and memory are measured."""

    def __init__(self, data):
        environment = {**os.environ, "VISIBILITY_DATA_DIR": data}
        command = [SERVER, "serve", "--listen", "127.0.0.1:0", "--set", "log.level=error", "--set", "maintenance.interval=86400"]
        self.process = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        address = self.process.stdout.readline().strip().split("http://")[1]
        self.connection = http.client.HTTPConnection(address)
        self.headers = {}

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()

    def cpu(self):
        fields = pathlib.Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def rest(self):
        """Waits until what a server does at its start is done."""
        while True:
            before = self.cpu()
            time.sleep(0.5)
            if self.cpu() == before:
                return

    def peak_mib(self):
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(r"VmHWM:\s+(\d+)", status)[1]) / 1024

    def request(self, method, path, body=None, **headers):
        self.connection.request(method, path, body, {**self.headers, **headers})
        response = self.connection.getresponse()
        return response, response.read()

    def get(self, path, etag=""):
        response, body = self.request("GET", path, **{"If-None-Match": etag})
        return response.status, response.headers["ETag"], body

    def sign_in(self):
        """As a browser does it: the cookie of a visitor and the sign of the form, then the password."""
        response, page = self.request("GET", "/sign-in")
        self.headers["Cookie"] = response.headers["Set-Cookie"].split(";")[0]
        sign = re.search(r'name="csrf" value="([^"]*)"', page.decode())[1]
        form = urllib.parse.urlencode({"csrf": sign, "lang": "en", "name": USER, "password": PASSWORD})
        kind = {"Content-Type": "application/x-www-form-urlencoded"}
        response, _ = self.request("POST", "/sign-in", form, **kind)
        cookies = response.headers.get_all("Set-Cookie")
        assert response.status == 303, response.status
        self.headers["Cookie"] = "; ".join(cookie.split(";")[0] for cookie in cookies)


def over_http(data, today):
    """CPU of the server for an answer that the client has already."""
    with Service(data) as service:
        service.headers["Authorization"] = f"Bearer {run(data, 'keys', 'create', 'acme', '--scope', 'logs:read')[0].strip()}"
        start = today - datetime.timedelta(days=89)
        for question in ("summary", "series", "agents", "hosts", "errors", "sources"):
            path = f"/api/v1/logs/{question}?from={start}&to={today}"
            status, etag, _ = service.get(path)
            before = service.cpu()
            known = {service.get(path, etag)[0] for _ in range(HITS)}
            used = (service.cpu() - before) / HITS
            assert (status, known) == (200, {304}), (question, status, known)
            print(f"| {question} | {used * 1000:.2f} ms |")


def page(data, today, period, days):
    """A page as a browser gets it first, again, and if it has it; and the routes that have its numbers."""
    start, yesterday = today - datetime.timedelta(days=days - 1), today - datetime.timedelta(days=1)
    route = f"from={start}&to={today}"
    routes = [
        f"summary?{route}",
        f"summary?from={start}&to={yesterday}",
        f"series?{route}",
        f"series?{route}&group=vendor",
        f"agents?{route}",
        f"errors?{route}",
        f"sources?{route}",
    ]
    firsts, of_routes = [], []
    for _ in range(ROUNDS):
        with Service(data) as service:
            service.sign_in()
            service.rest()
            before = service.cpu()
            status, etag, body = service.get(f"/logs?period={period}")
            firsts.append(service.cpu() - before)
            assert status == 200, body[:500]
            before = service.cpu()
            again = {service.get(f"/logs?period={period}")[0] for _ in range(HITS)}
            warm = (service.cpu() - before) / HITS
            before = service.cpu()
            known = {service.get(f"/logs?period={period}", etag)[0] for _ in range(HITS)}
            kept = (service.cpu() - before) / HITS
            assert (again, known) == ({200}, {304}), (again, known)
            peak = service.peak_mib()
            before = service.cpu()
            assert {service.get(f"/logs/{path.replace('?', '.json?')}")[0] for path in routes} == {200}
            of_routes.append(service.cpu() - before)
    cells = [f"{min(firsts) * 1000:.0f} ms", f"{min(of_routes) * 1000:.0f} ms", f"{warm * 1000:.2f} ms", f"{kept * 1000:.2f} ms"]
    print(f"| {' | '.join([period, *cells, f'{len(body) / 1000:.0f} KB', f'{peak:.0f} MiB'])} |")


def main():
    today = datetime.datetime.now(datetime.timezone.utc).date()
    with tempfile.TemporaryDirectory() as folder:
        data = f"{folder}/data"
        run(data, "tenants", "create", "acme")
        fill(data, today.toordinal() - datetime.date(1970, 1, 1).toordinal())
        print("\n| question | 90 days | 25 months |\n|---|---|---|")
        spans = [today - datetime.timedelta(days=days - 1) for days in (90, DAYS)]
        for question in QUESTIONS:
            cells = [measured(data, question, start, today) for start in spans]
            print(f"| {question} | {cells[0]} | {cells[1]} |")
        print("\n| question | 31 days |\n|---|---|")
        for question in BY_HOUR:
            print(f"| {question} | {measured(data, question, today - datetime.timedelta(days=30), today)} |")
        print("\n| question | CPU of the server for an answer that the client has |\n|---|---|")
        over_http(data, today)
        run(data, "users", "create", "acme", USER, "--scope", "logs:read", "--password-stdin", text=PASSWORD)
        print("\n| `/logs` | first | its routes alone | again | if the browser has it | size | most memory |\n|---|---|---|---|---|---|---|")
        for period, days in [("30d", 30), ("90d", 90), ("25m", DAYS)]:
            page(data, today, period, days)


main()
