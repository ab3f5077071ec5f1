// The tools behind `serve --mcp`, asked by the protocol's own conformance suite and inspector: node tools.mjs NODE22
// ADDRESS KEY PROGRAM REPOSITORY. The suite can send no header of ours, so it asks through a relay on loopback.
import { createServer, request } from "node:http";
import { spawn } from "node:child_process";

const [, , node, address, key, program, repository] = process.argv;
const target = new URL(address);
const relay = createServer((asked, answer) => {
  const own = `localhost:${relay.address().port}`;
  const named = (value) => (value || "").replaceAll(own, target.host);
  const headers = { ...asked.headers, authorization: `Bearer ${key}`, host: named(asked.headers.host) };
  if (headers.origin) headers.origin = named(headers.origin);
  const there = request({ host: "127.0.0.1", port: target.port, path: target.pathname, method: asked.method, headers }, (said) => {
    answer.writeHead(said.statusCode, said.headers);
    said.pipe(answer);
  });
  asked.pipe(there);
});
await new Promise((done) => relay.listen(0, "127.0.0.1", done));
const run = (args, more = {}) => new Promise((done) => {
  const child = spawn(node, args, { stdio: ["ignore", "pipe", "pipe"], ...more });
  let text = "";
  child.stdout.on("data", (data) => { text += data; });
  child.stderr.on("data", (data) => { text += data; });
  child.on("close", (code) => done({ code, text }));
});
let failed = 0;
const holds = (what, is) => { console.log(`${is ? "yes" : "no "} ${what}`); if (!is) failed += 1; };

const suite = "node_modules/@modelcontextprotocol/conformance/dist/index.js";
const listed = await run([suite, "list", "--server"]);
const scenarios = [...listed.text.split("Client scenarios")[0].matchAll(/^  - (\S+)/gm)].map((one) => one[1]);
// What holds for every server; the others call tools, prompts and resources of the suite's own, which no product has.
const ours = ["server-initialize", "ping", "tools-list", "dns-rebinding-protection"];
for (const scenario of scenarios) {
  const said = await run([suite, "server", "--url", `http://localhost:${relay.address().port}/mcp`, "--scenario", scenario]);
  if (ours.includes(scenario)) holds(`conformance ${scenario}${said.code ? `\n${said.text}` : ""}`, said.code === 0);
  else console.log(`    ${said.code === 0 ? "passes as well" : "asks for what is not here"}: ${scenario}`);
}
holds(`the suite has all four among its ${scenarios.length}`, ours.every((one) => scenarios.includes(one)));

const inspector = "node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js";
const names = ["start", "status", "inbox", "evidence", "take", "hand_in"];
const tools = (said) => { try { return JSON.parse(said.text).tools.map((one) => one.name).join(); } catch { return said.text; } };
const header = ["--transport", "http", "--header", `Authorization: Bearer ${key}`];
const over = await run([inspector, "--cli", address, ...header, "--method", "tools/list"]);
holds(`inspector over HTTP lists ${tools(over)}`, tools(over) === names.join());
const status = await run([inspector, "--cli", address, ...header, "--method", "tools/call", "--tool-name", "status"]);
holds(`inspector over HTTP calls status: ${status.text.replace(/\s+/g, " ").slice(0, 120)}`, status.code === 0 && status.text.includes("`t`"));
const bare = await run([inspector, "--cli", address, "--transport", "http", "--method", "tools/list"]);
holds("without the key it is told nothing", bare.code !== 0 && !bare.text.includes("hand_in"));
const input = await run([inspector, "--cli", program, "mcp", "--repo", repository, "--method", "tools/list"]);
holds(`inspector over standard input lists ${tools(input)}`, tools(input) === names.join());
relay.close();
console.log(failed === 0 ? "all of it held" : `${failed} did not hold`);
process.exit(failed === 0 ? 0 : 1);
