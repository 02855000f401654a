// Puts a key on every request: the conformance suite has no option for one.
//
// `node bearer-proxy.js BASE KEY` prints its own address and ends with standard input. A request that has
// credentials of its own keeps them. Host and Origin are the suite's own business: it tests how both are
// refused, so they go on unchanged but for the port, which is the proxy's.
import http from "node:http";
import process from "node:process";

const [base, key] = process.argv.slice(2);
const target = new URL(base);

const server = http.createServer((request, response) => {
  const own = `:${server.address().port}`;
  const headers = { authorization: `Bearer ${key}`, ...request.headers };
  for (const name of ["host", "origin"]) {
    headers[name] &&= headers[name].replace(own, `:${target.port}`);
  }
  const options = { host: target.hostname, port: target.port, path: request.url, method: request.method, headers };
  const passed = http.request(options, (answer) => {
    response.writeHead(answer.statusCode, answer.headers);
    answer.pipe(response);
  });
  // A client that closes its connection stops the work, also through the proxy.
  response.on("close", () => passed.destroy());
  passed.on("error", () => response.destroy());
  request.pipe(passed);
});

server.listen(0, "127.0.0.1", () => console.log(`http://127.0.0.1:${server.address().port}`));
process.stdin.resume();
process.stdin.on("end", () => process.exit());
