"""Reads the live files of a tenant with DuckDB and polars and compares every group with our counts.

The one argument is a JSON file with `files`, as `visibility-server files` prints them, and `stats`, as
`visibility-server logs stats` does.
"""

import json
import sys

import duckdb
import polars


def expected(stats):
    def by(members, key):
        return {str(one[key]): (one["records"], one["bytes"]) for one in members}

    return {
        "all": {"all": (stats["records"], stats["bytes"])},
        "day": by(stats["days"], "day"),
        "agent": by(stats["agents"], "id"),
        "host": by(stats["hosts"], "host"),
        "status": by(stats["statuses"], "status"),
        "path": by(stats["top_paths"]["paths"], "path"),
    }


KEYS = {
    "all": "'all'",
    "day": "CAST(CAST(make_timestamp(epoch_us(timestamp)) AS DATE) AS VARCHAR)",
    "agent": "agent",
    "host": "host",
    "status": "CAST(status_code AS VARCHAR)",
    "path": "split_part(request_path, '?', 1)",
}


def duckdb_groups(paths):
    connection = duckdb.connect()
    # No time zones: they are an extension, which would be downloaded.
    connection.execute("SET autoinstall_known_extensions = false")
    groups = {}
    for name, key in KEYS.items():
        rows = connection.execute(
            f"SELECT {key}, count(*), CAST(sum(response_bytes) AS BIGINT) "
            f"FROM read_parquet({json.dumps(paths)}) GROUP BY 1"
        ).fetchall()
        groups[name] = {row[0]: (row[1], row[2]) for row in rows}
    return groups


def polars_groups(paths):
    column = polars.col
    keys = {
        "all": polars.lit("all"),
        "day": column("timestamp").dt.date().cast(polars.String),
        "agent": column("agent"),
        "host": column("host"),
        "status": column("status_code").cast(polars.String),
        "path": column("request_path").str.split("?").list.first(),
    }
    frame = polars.read_parquet(paths, hive_partitioning=False)
    groups = {}
    for name, key in keys.items():
        counted = frame.group_by(key.alias("key")).agg(
            polars.len().cast(polars.Int64).alias("n"), column("response_bytes").sum().alias("bytes")
        )
        groups[name] = {key: (n, size) for key, n, size in counted.iter_rows()}
    return groups


def check(engine, groups, wanted):
    for name, members in wanted.items():
        found = groups[name]
        if name == "path":
            # Ours are the busiest: each is right, and none that is left out is busier.
            least = min((records for records, _ in members.values()), default=0)
            rest = [path for path, (n, _) in found.items() if path not in members and n > least]
            if rest:
                sys.exit(f"{engine}: busier paths are missing: {rest[:3]}")
            found = {path: found.get(path) for path in members}
        if found != members:
            sys.exit(f"{engine}: {name}: {found} is not {members}")
    print(f"{engine} agrees")


def main(path):
    with open(path, encoding="utf-8") as file:
        given = json.load(file)
    paths = [file["path"] for file in given["files"]]
    wanted = expected(given["stats"])
    check("DuckDB", duckdb_groups(paths), wanted)
    check("polars", polars_groups(paths), wanted)


main(sys.argv[1])
