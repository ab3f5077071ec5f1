// What a second user of the machine sees of somebody's pages, in a Chromium of their own: node second.mjs BASE FILE
import { chromium } from "playwright-core";
import { readFileSync } from "node:fs";

const [, , base, file] = process.argv;
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM || "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking", "--disable-dev-shm-usage"] });
const page = await browser.newPage();
const tried = {};
await page.goto(base + "/");
await page.waitForSelector("main p.none");
tried.page = (await page.textContent("main")).includes("no key to it") ? "nothing" : await page.textContent("main");
tried.asked = await page.evaluate(async () => {
  const ask = async (path, options) => (await fetch(path, options)).status;
  const post = { method: "POST", headers: { "Content-Type": "application/json" }, body: "{}" };
  return [await ask("/live/"), await ask("/live/", { headers: { "X-Proofhouse-Token": "00" } }), await ask("/start", post), await ask("/stop", post)];
});
tried.opened = await page.goto(`file://${file}`).then((one) => (one ? "shown" : "refused"), () => "refused");
try { readFileSync(file); tried.file = "read"; } catch (error) { tried.file = error.code; }
console.log(JSON.stringify(tried));
await browser.close();
