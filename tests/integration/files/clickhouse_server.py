"""The HTTP interface of ClickHouse, with chdb behind it.

The arguments are a user and a password. Prints its address. It knows what the server and the tests send: a statement in the body, or one in the query of the
address whose data is in the body, parameters and a database. chdb reads data from files, so `input` becomes `file`.

`POST /fault?next=…` makes the next insert go wrong: `silence` runs it and closes the connection without an answer, `part`
inserts every other row and fails, `refuse` does nothing and fails.
"""

import os
import re
import sys
import tempfile
from http.server import BaseHTTPRequestHandler, HTTPServer
from urllib.parse import parse_qs, urlsplit

from chdb.session import Session

DATA = "data.parquet"


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    session = None
    fault = None

    def do_POST(self):
        address = urlsplit(self.path)
        query = {name: values[0] for name, values in parse_qs(address.query, keep_blank_values=True).items()}
        body = self.body()
        if address.path == "/fault":
            Handler.fault = query["next"]
            return self.answer(200, b"")
        if [self.headers.get("X-ClickHouse-User"), self.headers.get("X-ClickHouse-Key")] != sys.argv[1:]:
            return self.answer(403, b"Code: 516. DB::Exception: Authentication failed")
        try:
            answer = self.run(query, body)
        except RuntimeError as error:
            return self.answer(500, str(error).encode())
        if answer is None:
            self.close_connection = True
            return None
        return self.answer(200, answer)

    def body(self):
        if self.headers.get("Transfer-Encoding") != "chunked":
            return self.rfile.read(int(self.headers.get("Content-Length", 0)))
        body = b""
        while size := int(self.rfile.readline(), 16):
            body += self.rfile.read(size)
            self.rfile.readline()
        self.rfile.readline()
        return body

    def run(self, query, body):
        self.session.query(f"CREATE DATABASE IF NOT EXISTS {query['database']} ENGINE = Atomic")
        self.session.query(f"USE {query['database']}")
        sql, fault = query.get("query"), None
        if sql is None:
            sql = body.decode()
        else:
            fault, Handler.fault = Handler.fault, None
            with open(DATA, "wb") as file:
                file.write(body)
            sql, found = re.subn(
                r"FROM input\('(.*)'\)\s+FORMAT Parquet$",
                lambda match: f"FROM file('{DATA}', 'Parquet', '{match[1]}')",
                sql,
            )
            if found != 1:
                raise RuntimeError(f"not an insert of a file: {sql}")
        if fault == "refuse":
            raise RuntimeError("Code: 252. DB::Exception: Too many parts")
        if fault == "part":
            sql += " WHERE rowNumberInAllBlocks() % 2 = 0"
        parameters = {name.removeprefix("param_"): value for name, value in query.items() if name.startswith("param_")}
        answer = self.session.query(sql, "TSV", params=parameters).bytes()
        if fault == "part":
            raise RuntimeError("Code: 241. DB::Exception: Memory limit exceeded")
        return None if fault == "silence" else bytes(answer or b"")

    def answer(self, status, body):
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


def main():
    with tempfile.TemporaryDirectory() as folder:
        # chdb reads files below the folder in which it runs, and no others.
        os.chdir(folder)
        Handler.session = Session(os.path.join(folder, "clickhouse"))
        server = HTTPServer(("127.0.0.1", 0), Handler)
        print(f"http://127.0.0.1:{server.server_port}", flush=True)
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            sys.exit(0)


main()
