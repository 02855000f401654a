"""Answers questions about the busiest paths with DuckDB, from the records themselves, and compares every answer with ours.

The one argument is a JSON file with `files`, the Parquet files of the records, and `questions` with our answers.
"""

import json
import sys

import duckdb


def answer(connection, question):
    wanted = ["day BETWEEN CAST(? AS DATE) AND CAST(? AS DATE)", "starts_with(path, ?)"]
    values = [question["from"], question["to"], question["prefix"]]
    if question["host"] is not None:
        wanted.append("host = ?")
        values.append(question["host"])
    if question["agents"] is not None:
        wanted.append("list_contains(?, agent)")
        values.append(question["agents"])
    if question["status_class"] is not None:
        wanted.append("status_code // 100 = ?")
        values.append(question["status_class"])
    where = " AND ".join(wanted)
    records = connection.execute(f"SELECT count(*) FROM records WHERE {where}", values).fetchone()[0]
    paths = connection.execute(
        f"SELECT path, count(*) AS records, CAST(sum(response_bytes) AS BIGINT) AS bytes FROM records WHERE {where} "
        f"GROUP BY path ORDER BY {question['by']} DESC, path LIMIT {question['top']}",
        values,
    ).fetchall()
    return {"records": records, "paths": [list(path) for path in paths]}


def main(path):
    with open(path, encoding="utf-8") as file:
        both = json.load(file)
    connection = duckdb.connect()
    # No time zones: they are an extension, which would be downloaded.
    connection.execute("SET autoinstall_known_extensions = false")
    connection.execute(
        "CREATE TABLE records AS SELECT split_part(request_path, '?', 1) AS path, host, agent, status_code, response_bytes, "
        f"CAST(make_timestamp(epoch_us(timestamp)) AS DATE) AS day FROM read_parquet({json.dumps(both['files'])})"
    )
    agreed = 0
    for question in both["questions"]:
        theirs = answer(connection, question)
        if theirs != question["answer"]:
            sys.exit(f"{question} is answered {theirs}")
        agreed += 1
    print(f"{agreed} agree")


main(sys.argv[1])
