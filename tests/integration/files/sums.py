"""Counts records with DuckDB and compares every number with ours.

The one argument is a JSON file with `files`, the Parquet files of the records; `from`, the first day; `kinds`, the kind of each
path; `purposes` and `vendors`, those of each agent; `rows`, our tables; and `answers`, our series.
"""

import collections
import json
import sys

import duckdb

REFUSED = "(401, 403, 406, 429, 451)"
MISSING = "(404, 410)"


def status_group(status):
    """The status that stands for all of its first digit and class."""
    if status == 304:
        return 304
    if status in (401, 403, 406, 429, 451):
        return 403
    if status in (404, 410):
        return 404
    return status // 100 * 100


def kind_rows(connection, kinds):
    sums = collections.defaultdict(lambda: [0, 0])
    for day, agent, host, path, status, records, size in connection.execute(
        "SELECT CAST(day AS VARCHAR), agent, host, path, status_code, count(*), CAST(sum(response_bytes) AS BIGINT) "
        "FROM records GROUP BY ALL"
    ).fetchall():
        row = sums[day, agent, host, kinds[path], status_group(status)]
        row[0] += records
        row[1] += size
    return sorted([*key, *row] for key, row in sums.items())


def hour_rows(connection):
    found = connection.execute(
        "SELECT hour, agent, host, count(*), "
        f"count(*) FILTER (status_code IN {REFUSED}), count(*) FILTER (status_code IN {MISSING}), "
        "count(*) FILTER (status_code BETWEEN 500 AND 599) FROM records GROUP BY ALL"
    ).fetchall()
    return sorted([hour, agent, host, list(classes)] for hour, agent, host, *classes in found)


def seen_rows(connection):
    found = connection.execute(
        "SELECT agent, host, min(epoch_us(timestamp)), max(epoch_us(timestamp)) FROM records GROUP BY ALL"
    ).fetchall()
    return sorted(list(row) for row in found)


def series(connection, question, kinds, purposes, vendors):
    """The values of each group, and their names."""
    time = {"day": "CAST(day AS VARCHAR)", "hour": "strftime(make_timestamp(hour * 3600000000), '%Y-%m-%dT%H:00:00Z')"}
    column = {"purpose": "agent", "agent": "agent", "vendor": "agent", "host": "host", "status": "CAST(status_code AS VARCHAR)", "kind": "path"}
    keys = {"purpose": purposes.get, "vendor": vendors.get, "kind": kinds.get}.get(question["group"], lambda key: key)
    groups = collections.defaultdict(lambda: collections.defaultdict(int))
    for at, key, records in connection.execute(
        f"SELECT {time[question['by']]}, {column[question['group']]}, count(*) FROM records GROUP BY ALL"
    ).fetchall():
        groups[keys(key)][at] += records
    return groups


def compare(ours, theirs, what):
    if ours != theirs:
        sys.exit(f"{what}: {str(ours)[:2000]} is {str(theirs)[:2000]}")


def main(path):
    with open(path, encoding="utf-8") as file:
        both = json.load(file)
    connection = duckdb.connect()
    # No time zones: they are an extension, which would be downloaded.
    connection.execute("SET autoinstall_known_extensions = false")
    connection.execute(
        "CREATE TABLE records AS SELECT split_part(request_path, '?', 1) AS path, host, agent, status_code, response_bytes, timestamp, "
        "epoch_us(timestamp) // 3600000000 AS hour, CAST(make_timestamp(epoch_us(timestamp)) AS DATE) AS day "
        f"FROM read_parquet({json.dumps(both['files'])}) WHERE day >= CAST('{both['from']}' AS DATE)"
    )
    rows = both["rows"]
    compare(sorted(rows["kinds"]), kind_rows(connection, both["kinds"]), "kinds")
    compare(sorted(rows["hours"]), hour_rows(connection), "hours")
    if rows["seen"] is not None:
        compare(sorted(rows["seen"]), seen_rows(connection), "seen")
    for answer in both["answers"]:
        theirs = series(connection, answer, both["kinds"], both["purposes"], both["vendors"])
        times = answer["days" if answer["by"] == "day" else "hours"]
        name = f"{answer['group']} by {answer['by']}"
        compare({group["key"] for group in answer["groups"]}, set(theirs), name)
        for group in answer["groups"]:
            values = theirs[group["key"]]
            compare(group["values"], [values[time] for time in times], f"{name}: {group['key']}")
            compare(group["requests"], sum(values.values()), f"{name}: {group['key']}")
    print(f"{len(both['answers'])} answers agree")


main(sys.argv[1])
