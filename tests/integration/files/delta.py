"""Reads the Delta table of a tenant with four engines and compares every group with our counts.

The one argument is a JSON file with `table`, the folder of the table, and `stats`, as `visibility-server logs stats`
prints them.
"""

import json
import os
import sys
from importlib.resources import files

import chdb
import deltalake
import duckdb
import polars

def expected(stats):
    """The counts by day, agent, host and status."""
    return {
        "day": {one["day"]: (one["records"], one["bytes"]) for one in stats["days"]},
        "agent": {one["id"]: (one["records"], one["bytes"]) for one in stats["agents"]},
        "host": {one["host"]: (one["records"], one["bytes"]) for one in stats["hosts"]},
        "status_code": {str(one["status"]): (one["records"], one["bytes"]) for one in stats["statuses"]},
    }


def sql_groups(run, day, text):
    """The counts as an engine with SQL has them: `run` selects columns, `text` makes one a text."""
    keys = {"day": day, "agent": "agent", "host": "host", "status_code": text("status_code")}
    return {
        name: {row[0]: (int(row[1]), int(row[2])) for row in run(f"{key}, count(*), sum(response_bytes)")}
        for name, key in keys.items()
    }


def by_duckdb(table):
    connection = duckdb.connect(config={"allow_unsigned_extensions": "true"})
    connection.execute("SET autoinstall_known_extensions = false")
    extension = next(
        os.path.join(folder, name)
        for folder, _, names in os.walk(str(files("duckdb_extension_delta")))
        for name in names
        if name.endswith(".duckdb_extension")
    )
    connection.execute(f"LOAD '{extension}'")

    def run(columns):
        return connection.execute(f"SELECT {columns} FROM delta_scan('{table}') GROUP BY 1").fetchall()

    day = "CAST(CAST(make_timestamp(epoch_us(timestamp)) AS DATE) AS VARCHAR)"
    return sql_groups(run, day, "CAST({} AS VARCHAR)".format)


def by_clickhouse(table):
    # It reads files below the folder in which it runs, and no others.
    os.chdir(table)

    def run(columns):
        sql = f"SELECT {columns} FROM deltaLakeLocal('{table}') GROUP BY 1 FORMAT JSONCompact"
        return json.loads(str(chdb.query(sql)))["data"]

    return sql_groups(run, "toString(toDate(timestamp, 'UTC'))", "toString({})".format)


def frame_groups(frame):
    column = polars.col
    keys = {
        "day": column("timestamp").dt.date().cast(polars.String),
        "agent": column("agent"),
        "host": column("host"),
        "status_code": column("status_code").cast(polars.String),
    }
    return {
        name: {
            key: (count, size)
            for key, count, size in frame.group_by(key.alias("key"))
            .agg(polars.len().cast(polars.Int64).alias("count"), column("response_bytes").sum().alias("size"))
            .iter_rows()
        }
        for name, key in keys.items()
    }


def by_polars(table):
    return frame_groups(polars.scan_delta(table).collect())


def by_delta_rs(table):
    return frame_groups(polars.DataFrame(deltalake.DeltaTable(table).to_pyarrow_table()))


def main(path):
    with open(path, encoding="utf-8") as file:
        given = json.load(file)
    wanted = expected(given["stats"])
    for name, read in {
        "delta-rs": by_delta_rs,
        "polars": by_polars,
        "DuckDB": by_duckdb,
        "ClickHouse": by_clickhouse,
    }.items():
        found = read(given["table"])
        if found != wanted:
            sys.exit(f"{name}: {found} is not {wanted}")
        print(f"{name} agrees")


main(sys.argv[1])
