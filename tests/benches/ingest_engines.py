"""Runs the same batch through our code, DuckDB and ClickHouse, and compares CPU, memory and counts.

Each run is a process of its own; CPU seconds are user and system time of the process as the kernel
counts them. What Python takes to start and to load an engine is measured as well and subtracted.

The rules are those of `POST /v1/logs`, as exactly as SQL states them without a function of one's own.
Left out, in favor of the engines: line numbers and reasons of rejections, percent-decoding and nested
queries of denied parameters, names that are denied by their parts, conditional names, the form of
ports and addresses in hosts, values that are redacted, the id of the agent (its token is kept), and for
ClickHouse escapes in strings.
"""

import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
CORE = ROOT / "visibility-core" / "data"
FIELDS = (
    "timestamp user_agent request_method request_path status_code response_bytes "
    "referrer host client_ip_hash"
).split()
TIME = r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|\+00:00)$"
HOST = r"^[a-z0-9_]([a-z0-9_.-]*[a-z0-9_])?(:[0-9]+)?$"
HASH = r"^[0-9A-Za-z:_+/=.-]{16,128}$"
ADDRESS = r"^[0-9]{1,3}(\.[0-9]{1,3}){3}$"


def quoted(texts):
    return ", ".join("'" + text.replace("'", "''") + "'" for text in texts)


def tokens():
    agents = json.loads((CORE / "agents.json").read_text())["agents"]
    listed = [agent for agent in agents if agent["in_log_allowlist"]]
    names = {token for agent in listed for token in agent["user_agent_tokens"]}
    # The longest first: an alternation takes the first that fits.
    return sorted(names, key=lambda name: (-len(name), name))


def denied():
    profile = json.loads((CORE / "query_denylist.json").read_text())["default_profile"]
    names = {entry["name"] for entry in profile["exact"]}
    return sorted(names | set(profile["segment_names"]))


def duckdb_sql(source, target, now):
    any_token = "|".join(re.escape(token) for token in tokens())
    at = {field: f"v[{number}]" for number, field in enumerate(FIELDS, 1)}
    paths = quoted("$." + field for field in FIELDS)
    types = quoted(
        "UBIGINT" if field in ("status_code", "response_bytes") else "VARCHAR" for field in FIELDS
    )
    names = (
        "list_transform(regexp_extract_all(request_path, '[?&;#]([^=&;#?]*)', 1), "
        "lambda name: regexp_replace(lower(name), '[_.:$ \\[\\]-]', '', 'g'))"
    )
    return f"""
COPY (
  WITH lines AS (
    SELECT json_keys(json) AS k, json_type(json, [{paths}]) AS t,
           json_extract_string(json, [{paths}]) AS v
    FROM read_ndjson_objects('{source}', maximum_object_size = 16777216)
  ), whole AS (
    SELECT {", ".join(f"{place} AS {field}" for field, place in at.items())} FROM lines
    WHERE len(k) = 9 AND list_has_all([{quoted(FIELDS)}], k) AND t = [{types}]
  ), formed AS (
    SELECT * REPLACE (
      try_cast(timestamp AS TIMESTAMPTZ) AS timestamp, try_cast(status_code AS INTEGER) AS status_code,
      try_cast(response_bytes AS BIGINT) AS response_bytes
    ) FROM whole
    WHERE regexp_matches(timestamp, '{TIME}')
  )
  SELECT timestamp, lower(regexp_extract(user_agent, '(?i)(^|[^a-z0-9_-])({any_token})($|[^a-z0-9_-])', 2))
           AS agent, user_agent, request_method, request_path, status_code, response_bytes, referrer, host,
         client_ip_hash, 'claimed' AS verification
  FROM formed
  WHERE timestamp IS NOT NULL AND response_bytes IS NOT NULL AND status_code BETWEEN 100 AND 599
    AND regexp_matches(request_method, '^[A-Z0-9!#$%&*+.^_|~-]+$') AND request_path[1] = '/'
    AND strlen(referrer) <= 8192 AND strlen(host) <= 259 AND regexp_matches(lower(host), '{HOST}')
    AND regexp_matches(client_ip_hash, '{HASH}') AND NOT regexp_matches(client_ip_hash, '{ADDRESS}')
    AND agent <> ''
    AND timestamp >= TIMESTAMPTZ '{now}' - INTERVAL 90 DAY
    AND timestamp <= TIMESTAMPTZ '{now}' + INTERVAL 5 SECOND
    AND strlen(request_path) <= 8192
    AND (NOT regexp_matches(request_path, '[?;#]') OR NOT list_has_any({names}, [{quoted(denied())}]))
) TO '{target}' (FORMAT parquet, COMPRESSION zstd, COMPRESSION_LEVEL 1, ROW_GROUP_SIZE 131072)
"""


def clickhouse_sql(source, target, now):
    def raw(field):
        return f"v[indexOf(k, '{field}')]"

    strings = [field for field in FIELDS if field not in ("status_code", "response_bytes")]
    are_strings = " AND ".join(f"startsWith({raw(field)}, '\"')" for field in strings)
    texts = ", ".join(
        f"substring({raw(field)}, 2, length({raw(field)}) - 2) AS "
        + ("sent" if field == "timestamp" else field)
        for field in strings
    )
    any_token = "|".join(re.escape(token) for token in tokens()).replace("\\", "\\\\")
    names = (
        "arrayMap(name -> replaceRegexpAll(lower(name), '[_.:$ \\\\[\\\\]-]', ''), "
        "extractAll(request_path, '[?&;#]([^=&;#?]*)'))"
    )
    time, host = TIME.replace("\\", "\\\\"), HOST.replace("\\", "\\\\")
    address = ADDRESS.replace("\\", "\\\\")
    return f"""
INSERT INTO FUNCTION file('{target}', 'Parquet')
SELECT assumeNotNull(at) AS timestamp, lower(token) AS agent, user_agent, request_method, request_path,
       toInt32(status) AS status_code, assumeNotNull(sent_bytes) AS response_bytes, referrer, host,
       client_ip_hash, 'claimed' AS verification
FROM (
  SELECT JSONExtractKeysAndValuesRaw(line) AS kv, kv.1 AS k, kv.2 AS v, {texts},
         parseDateTime64BestEffortOrNull(sent, 6, 'UTC') AS at,
         toInt32OrNull({raw("status_code")}) AS status, toInt64OrNull({raw("response_bytes")}) AS sent_bytes,
         extractGroups(user_agent, '(?i)(^|[^a-z0-9_-])({any_token})($|[^a-z0-9_-])')[2] AS token
  FROM file('{source}', 'LineAsString', 'line String')
  WHERE length(k) = 9 AND hasAll([{quoted(FIELDS)}], k) AND {are_strings}
)
WHERE match(sent, '{time}') AND isNotNull(at) AND isNotNull(sent_bytes) AND sent_bytes >= 0
  AND status BETWEEN 100 AND 599
  AND match(request_method, '^[A-Z0-9!#$%&*+.^_|~-]+$') AND startsWith(request_path, '/')
  AND length(referrer) <= 8192 AND length(host) <= 259 AND match(lower(host), '{host}')
  AND match(client_ip_hash, '{HASH}') AND NOT match(client_ip_hash, '{address}')
  AND multiSearchAnyCaseInsensitive(user_agent, [{quoted(tokens())}]) AND token != ''
  AND at >= toDateTime64('{now}', 6, 'UTC') - INTERVAL 90 DAY
  AND at <= toDateTime64('{now}', 6, 'UTC') + INTERVAL 5 SECOND
  AND length(request_path) <= 8192
  AND (NOT match(request_path, '[?;#]') OR NOT hasAny({names}, [{quoted(denied())}]))
SETTINGS output_format_parquet_compression_method = 'zstd', output_format_parquet_row_group_size = 131072,
         engine_file_truncate_on_insert = 1, output_format_compression_level = 1
"""


def run_engine(engine, source, target, now):
    """What the child process does. Without a source it only loads the engine."""
    if engine == "duckdb":
        import duckdb

        connection = duckdb.connect()
        connection.execute("SET preserve_insertion_order = true")
        if source:
            connection.execute(duckdb_sql(source, target, now))
        else:
            connection.execute("SELECT 1")
    else:
        import chdb

        chdb.query(clickhouse_sql(source, target, now.rstrip("Z")) if source else "SELECT 1", "CSV")


def measured(command):
    """CPU seconds and peak MiB of a process."""
    child = os.posix_spawn(command[0], command, os.environ, file_actions=[
        (os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)
    ])
    _, status, usage = os.wait4(child, 0)
    if status != 0:
        sys.exit(f"failed: {' '.join(command)}")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def rows(path):
    import duckdb

    return duckdb.sql(f"SELECT count(*) FROM read_parquet('{path}')").fetchall()[0][0]


def truth(batch):
    path = Path(batch.replace(".ndjson.gz", ".truth.json"))
    return json.loads(path.read_text())["accepted"] if path.exists() else None


def main(batch, rounds):
    now = os.environ.get("NOW") or subprocess.check_output(
        ["date", "-u", "-r", batch, "+%Y-%m-%dT%H:%M:%SZ"], text=True
    ).strip()
    release = ROOT / "target" / "release"
    ours = os.environ.get("FILE_TO_PARQUET", str(release / "file-to-parquet"))
    with tempfile.TemporaryDirectory() as folder:
        out = {name: f"{folder}/{name}.parquet" for name in ("ours", "duckdb", "clickhouse")}
        me = [sys.executable, os.path.abspath(__file__)]
        commands = {
            "ours": [ours, batch, out["ours"], "--now", now],
            "duckdb": [*me, "--engine", "duckdb", batch, out["duckdb"], now],
            "clickhouse": [*me, "--engine", "clickhouse", batch, out["clickhouse"], now],
        }
        loads = {
            name: measured([*me, "--engine", name, "", "", now])[0] for name in ("duckdb", "clickhouse")
        }
        runs = {name: [] for name in commands}
        for _ in range(rounds):
            for name, command in commands.items():
                cpu, peak = measured(command)
                runs[name].append((cpu - loads.get(name, 0), peak))
        expected = truth(batch) or rows(out["ours"])
        base = statistics.median(cpu for cpu, _ in runs["ours"])
        print(f"{'engine':12}{'CPU s':>8}{'ours = 1':>10}{'peak MiB':>10}{'file MB':>9}{'accepted':>10}")
        for name, figures in runs.items():
            cpu = statistics.median(cpu for cpu, _ in figures)
            peak = max(peak for _, peak in figures)
            size = os.path.getsize(out[name]) / 1e6
            accepted = rows(out[name])
            note = "" if accepted == expected else f"  (expected {expected})"
            print(f"{name:12}{cpu:8.2f}{cpu / base:10.1f}{peak:10.0f}{size:9.2f}{accepted:10}{note}")


if __name__ == "__main__":
    if sys.argv[1] == "--engine":
        run_engine(*sys.argv[2:6])
    else:
        main(sys.argv[1], int(sys.argv[2]))
