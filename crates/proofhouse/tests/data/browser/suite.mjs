// `proofhouse serve --decide` in a real Chromium: node suite.mjs BASE TOKEN REPOSITORY SHOTS. What else is served
// beside that repository is looked at, too.
// Every line that begins with "no" is a failure; the last line says whether all of it held.
import { chromium } from "playwright-core";
import { appendFileSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { createServer } from "node:http";

const [, , base, token, repository, shots] = process.argv;
const port = new URL(base).port;
const key = repository.split("/").pop();
let failed = 0;
const holds = (what, is) => {
  console.log(`${is ? "yes" : "no "} ${what}`);
  if (!is) failed += 1;
};
const quiet = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
  "--disable-component-update", "--disable-sync", `--host-resolver-rules=MAP rebound.example 127.0.0.1`];
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM || "/usr/bin/chromium", args: quiet });

// Every kind of page that a link leads to from the first one, and the few that none does.
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const kind = (path) => {
  const parts = path.split("?")[0].split("/").filter(Boolean);
  if (parts[0] === "r" && parts.length > 1) parts[1] = "*";
  // A project of the factory has other pages than a run.
  const project = parts[2] === "run" && parts[3] === "p" ? "project/" : "";
  if (parts[2] === "state_store") return `${parts.slice(0, 3).join("/")}/*.${path.split(".").pop()}`;
  // Names of runs, tasks, modules, records and files vary; everything else tells one kind of page from another.
  return project + parts.map((part, at) => (at > 2 && at % 2 === 1 && parts[0] === "r" ? "*" : part)).join("/") + (path.includes("diff=") ? "?diff" : "");
};
const seeds = ["/", "/inbox/", "/index/?q=total", `/r/${key}/run/t/`, `/r/${key}/run/t/now/`, `/r/${key}/workflow/lights-out`, `/r/${key}/enrol`];
const found = new Map();
const crawl = async (page) => {
  const waiting = [...seeds];
  while (waiting.length) {
    const path = waiting.shift();
    if (found.has(kind(path))) continue;
    found.set(kind(path), path);
    await page.goto(base + path);
    const there = await page.waitForSelector("[data-part=head] h1, main > p.none:not(:has-text('Loading'))").then((one) => one.evaluate((it) => it.tagName === "H1"));
    if (!there) { holds(`a link leads to ${path}`, false); found.delete(kind(path)); continue; }
    const links = await page.$$eval("main a[href]", (all) => all.map((one) => one.href));
    for (const link of links) {
      const url = new URL(link);
      if (url.origin === base && !found.has(kind(url.pathname + url.search))) waiting.push(url.pathname + url.search);
    }
  }
};

// In both widths and schemes: nothing is cut, nothing is refused by our own policy, and axe finds nothing.
let seen = 0;
for (const width of [1280, 390]) for (const colorScheme of ["light", "dark"]) {
  const context = await browser.newContext({ viewport: { width, height: 900 }, colorScheme });
  const page = await context.newPage();
  const said = [];
  page.on("console", (message) => said.push(message.text()));
  page.on("pageerror", (error) => said.push(error.message));
  page.on("request", (request) => { if (!request.url().startsWith(base) && !request.url().startsWith("blob:")) said.push(`asks ${request.url()}`); });
  await page.goto(`${base}/#t=${token}`);
  await page.waitForSelector("[data-part=head]");
  holds("the token is gone from the address", !page.url().includes(token));
  if (!found.size) {
    await crawl(page);
    console.log(`    ${found.size} kinds of pages: ${[...found.keys()].join(", ")}`);
  }
  for (const path of found.values()) {
    await page.goto(base + path);
    await page.waitForSelector("[data-part=head] h1");
    await page.evaluate(() => document.querySelectorAll("details").forEach((one) => { one.open = true; }));
    const over = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    if (over > 0) holds(`${path} fits ${width} px, ${colorScheme}: ${over} px too wide`, false);
    await page.evaluate(axe);
    const faults = await page.evaluate(() => globalThis.axe.run(document, { runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"] }));
    for (const fault of faults.violations) {
      const where = fault.nodes.slice(0, 3).map((one) => `${one.target.join(" ")} ${one.html.slice(0, 90)} ${(one.any[0] || {}).message || ""}`);
      holds(`${path} ${width} ${colorScheme}, axe ${fault.id}: ${fault.help}\n      ${where.join("\n      ")}`, false);
    }
    const landmarks = await page.evaluate(() => {
      const names = [...document.querySelectorAll("nav")].map((one) => one.getAttribute("aria-label"));
      const own = names.length > 1 && names.every(Boolean) && new Set(names).size === names.length;
      return own && document.querySelectorAll("main").length === 1 && document.querySelectorAll("h1").length === 1;
    });
    if (!landmarks) holds(`${path} has landmarks, each with a name of its own, and one first heading`, false);
    seen += 1;
    if (shots) {
      await page.evaluate(() => document.querySelectorAll("details").forEach((one) => { one.open = false; }));
      await page.screenshot({ path: `${shots}/${kind(path).replaceAll("*", "x").replace(/\W+/g, "_") || "home"}-${width}-${colorScheme}.png`, fullPage: true });
    }
  }
  holds(`nothing was complained about or asked of others: ${said.join("; ")}`, said.length === 0);
  await context.close();
}
holds(`${seen} pages were held against axe in two widths and two schemes`, seen === 4 * found.size);

// Others: a page of another port, a rebound name, a frame, a form, an address without its fragment.
const hostile = createServer((request, answer) => {
  answer.setHeader("content-type", "text/html");
  answer.end(`<!DOCTYPE html><title>hostile</title><iframe src="${base}/"></iframe>
    <form method="post" action="${base}/start" enctype="text/plain"><input name='{"repo":"${key}","sentence":"x' value='"}'><button>go</button></form>`);
});
await new Promise((done) => hostile.listen(0, "127.0.0.1", done));
const other = `http://localhost:${hostile.address().port}`;
{
  const context = await browser.newContext();
  const own = await context.newPage();
  await own.goto(`${base}/#t=${token}`);
  await own.waitForSelector("[data-part=head]");
  const page = await context.newPage();
  await page.goto(other);
  const tried = await page.evaluate(async ([base, token]) => {
    const ask = async (path, options) => {
      try { const answer = await fetch(base + path, options); return `${answer.status} ${(await answer.text()).slice(0, 20)}`; } catch { return "refused"; }
    };
    return [
      await ask("/live/"), await ask("/live/", { credentials: "include" }), await ask("/live/", { headers: { "X-Proofhouse-Token": token } }),
      await ask("/start", { method: "POST", body: "{}" }), await ask("/live/", { mode: "no-cors" }),
    ];
  }, [base, token]);
  holds(`a page of another port reads nothing: ${tried}`, tried.every((one) => one === "refused" || one === "0 "));
  await page.waitForTimeout(500);
  const frame = page.frames().find((one) => one !== page.mainFrame());
  holds("it cannot frame us", !frame || !frame.url().startsWith(base));
  const [answer] = await Promise.all([page.waitForResponse((one) => one.url().includes("/start")), page.click("button")]);
  holds(`its form is refused: ${answer.status()}`, [401, 403].includes(answer.status()));
  const rebound = await context.newPage();
  const reached = await rebound.goto(`http://rebound.example:${port}/`).then((one) => one.status(), () => 0);
  holds(`a rebound name is refused: ${reached}`, reached === 421 || reached === 0);
  await context.close();
  const stranger = await (await browser.newContext()).newPage();
  await stranger.goto(`${base}/`);
  await stranger.waitForSelector("main p.none");
  holds("an address without its fragment shows nothing", (await stranger.textContent("main")).includes("no key to it"));
}

// Back and forward show the page of the address; a link with a wrong token takes nothing away.
{
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(`${base}/#t=${token}`);
  await page.waitForSelector(".rows a");
  await page.click(".rows a");
  await page.waitForSelector("[data-part=course]");
  await page.goBack();
  await page.waitForSelector("[data-part=waiting]");
  holds("back shows the page of the address", (await page.title()).includes("wait") && !(await page.$("[data-part=course]")));
  await page.goForward();
  await page.waitForSelector("[data-part=course]");
  holds("forward too", new URL(page.url()).pathname.includes("/run/t/"));
  await page.goto("about:blank");
  await page.goto(`${base}/#t=dead`);
  await page.waitForSelector("[data-part=waiting]");
  holds("a wrong token in a link takes nothing away", true);
  await context.close();
}

// A person: enrols a passkey, sees what is signed, signs, and the page follows by itself.
{
  const context = await browser.newContext();
  const page = await context.newPage();
  const devtools = await context.newCDPSession(page);
  await devtools.send("WebAuthn.enable");
  const { authenticatorId } = await devtools.send("WebAuthn.addVirtualAuthenticator", { options: {
    protocol: "ctap2", transport: "internal", hasResidentKey: true, hasUserVerification: true, isUserVerified: true, automaticPresenceSimulation: true } });
  await page.goto(`${base}/#t=${token}`);
  await page.waitForSelector("[data-part=head]");
  await page.goto(`${base}/r/${key}/enrol`);
  await page.fill("#name", "ann@example.org");
  await page.click("text=Make a passkey");
  await page.waitForSelector("form.enrol .signed:not([hidden])");
  const line = /'(.*)'/.exec(await page.textContent("form.enrol code"))[1];
  appendFileSync(`${repository}/.proofhouse/approvers`, `${line}\n`);
  await page.goto(`${base}/r/${key}/run/t/`);
  await page.waitForSelector("form.decide");
  holds("nothing is chosen for the person", await page.evaluate(() => !document.querySelector("form.decide input:checked[type=radio]")));
  // By keyboard alone, from the top of the page: each stop can be seen.
  const to = async (wanted) => {
    for (let stops = 0; stops < 300; stops += 1) {
      await page.keyboard.press("Tab");
      const at = await page.evaluate((wanted) => {
        const now = document.activeElement;
        const outlined = now === document.body || getComputedStyle(now).outlineStyle !== "none";
        return { there: now.matches(wanted), outlined };
      }, wanted);
      if (!at.outlined) return "a stop that cannot be seen";
      if (at.there) return "there";
    }
    return "not reached";
  };
  const reached = [await to("form.decide input[type=radio]")];
  for (let tries = 0; tries < 9 && !(await page.isChecked("input[value=approve]")); tries += 1) await page.keyboard.press(tries ? "ArrowDown" : "Space");
  reached.push(await to("#because"));
  await page.keyboard.type("looked at the diff");
  reached.push(await to("form.decide button[type=submit]"));
  await page.keyboard.press("Enter");
  await page.waitForSelector("form.decide .signed:not([hidden])");
  holds(`a keyboard gets as far as what is signed: ${reached}`, reached.every((one) => one === "there"));
  holds("and stands on the button that signs", await page.evaluate(() => document.activeElement.matches("[data-sign]")));
  if (shots) await page.locator("section.answer").screenshot({ path: `${shots}/decide.png` });
  await page.waitForSelector("form.decide .signed:not([hidden])");
  holds("and none of them is cut", await page.$$eval(".signed:not([hidden]) pre", (all) => all.every((one) => one.scrollHeight <= one.clientHeight && one.scrollWidth <= one.clientWidth)));
  holds("the words are shown first", (await page.textContent("form.decide .signed code")).includes("option 7: approve"));
  await page.fill("#because", "something else");
  holds("other words hide the button", await page.isHidden("[data-sign]"));
  await devtools.send("WebAuthn.setUserVerified", { authenticatorId, isUserVerified: false });
  await page.click("text=Show what I sign");
  await page.click("[data-sign]");
  await page.waitForFunction(() => document.querySelector("form.decide .said").textContent !== "");
  holds("without verification nothing is decided", (await page.textContent("h1")).includes("Waiting"));
  // A passkey of somebody else, made in the same browser: whoever automates it has one, and is nobody.
  const { credentials } = await devtools.send("WebAuthn.getCredentials", { authenticatorId });
  await devtools.send("WebAuthn.setUserVerified", { authenticatorId, isUserVerified: true });
  await devtools.send("WebAuthn.clearCredentials", { authenticatorId });
  await page.evaluate(() => navigator.credentials.create({ publicKey: { challenge: new Uint8Array(32), rp: { id: "localhost", name: "x" },
    user: { id: new Uint8Array(16), name: "x", displayName: "x" }, pubKeyCredParams: [{ type: "public-key", alg: -7 }],
    authenticatorSelection: { residentKey: "required", userVerification: "required" } } }).then(() => null));
  await page.click("text=Show what I sign");
  await page.waitForSelector("form.decide .signed:not([hidden])");
  await page.click("[data-sign]");
  await page.waitForFunction(() => document.querySelector("form.decide .said").textContent.includes("listed"));
  holds("a passkey that nobody listed decides nothing", (await page.textContent("h1")).includes("Waiting"));
  await devtools.send("WebAuthn.clearCredentials", { authenticatorId });
  for (const credential of credentials) await devtools.send("WebAuthn.addCredential", { authenticatorId, credential });
  await page.click("text=Show what I sign");
  await page.waitForSelector("form.decide .signed:not([hidden])");
  await page.click("[data-sign]");
  await page.waitForFunction(() => /Proven|Done/.test(document.querySelector("h1")?.textContent || ""), null, { timeout: 30000 });
  holds("the page follows by itself", true);
  await context.close();
}
hostile.close();
await browser.close();
console.log(failed === 0 ? "all of it held" : `${failed} did not hold`);
process.exit(failed === 0 ? 0 : 1);
