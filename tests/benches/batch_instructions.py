#!/usr/bin/env python3
"""Instructions of a full batch, from the first byte of the request to its answer, by callgrind.

Usage: tests/benches/batch_instructions.py visibility-server [OTHER ...]

Each binary serves under callgrind twice, with two full batches (500,000 records) and with none; half of the difference
is a batch. Callgrind counts the instructions of the program and no time, so a busy machine changes nothing.
"""

import datetime
import gzip
import http.client
import json
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import uuid

from trial import amount

RECORDS = amount(500_000, 100)
BATCHES = amount(2, 1)
AGENTS = [
    "GPTBot/1.2",
    "ClaudeBot/1.0",
    "PerplexityBot/1.0",
    "Mozilla/5.0 (compatible; OAI-SearchBot/1.0)",
]


def body():
    choose = random.Random(7)
    now = datetime.datetime.now(datetime.timezone.utc)
    lines = []
    for _ in range(RECORDS):
        time = now - datetime.timedelta(seconds=choose.randrange(86_400))
        lines.append(
            json.dumps(
                {
                    "timestamp": time.strftime("%Y-%m-%dT%H:%M:%SZ"),
                    "user_agent": choose.choice(AGENTS),
                    "request_method": "GET",
                    "request_path": f"/blog/{choose.randrange(5000)}/{'x' * choose.randrange(40)}",
                    "status_code": choose.choice([200, 200, 200, 404, 301]),
                    "response_bytes": choose.randrange(100_000),
                    "referrer": "",
                    "host": choose.choice(["a.example", "b.example"]),
                    "client_ip_hash": "0123456789abcdef",
                }
            )
        )
    return gzip.compress(("\n".join(lines) + "\n").encode(), 6)


def instructions(binary, batch, batches):
    with tempfile.TemporaryDirectory() as folder:
        environment = {"VISIBILITY_DATA_DIR": f"{folder}/data", "PATH": os.environ["PATH"]}

        def run(*arguments):
            done = subprocess.run(
                [binary, *arguments], env=environment, check=True, capture_output=True, text=True
            )
            return done.stdout

        run("tenants", "create", "acme")
        token = json.loads(run("tokens", "create", "acme", "--format", "json"))["token"]
        with open(f"{folder}/log", "w") as log:
            service = subprocess.Popen(
                ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", binary, "serve"]
                + ["--listen", "127.0.0.1:0", "--set", "maintenance.interval=86400"],
                env=environment,
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
            )
            address = service.stdout.readline().strip().split("http://")[1]
            for _ in range(batches):
                connection = http.client.HTTPConnection(address, timeout=600)
                connection.request(
                    "POST",
                    "/v1/logs",
                    batch,
                    {
                        "Authorization": f"Bearer {token}",
                        "X-Service-Tenant": "acme",
                        "X-Service-Schema": "1",
                        "Content-Type": "application/x-ndjson",
                        "Content-Encoding": "gzip",
                        "X-Service-Batch-Id": str(uuid.uuid4()),
                    },
                )
                answer = connection.getresponse()
                assert answer.status == 202, answer.read()
                answer.read()
            service.send_signal(signal.SIGTERM)
            service.wait(timeout=600)
        with open(f"{folder}/log") as log:
            return int(re.search(r"Collected : (\d+)", log.read()).group(1))


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    batch = body()
    for binary in sys.argv[1:]:
        none, some = (instructions(binary, batch, batches) for batches in (0, BATCHES))
        print(f"{binary}: {(some - none) / BATCHES / 1e6:.1f} million instructions a batch")


if __name__ == "__main__":
    main()
