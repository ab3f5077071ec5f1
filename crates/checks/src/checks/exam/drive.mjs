// Asks a JavaScript product: calls in, one frame of answers out. What must hold of the answers is not here.
import { spawnSync } from "node:child_process";
import { readFileSync, writeSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";

const shown = (value, depth = 0) => {
  if (depth > 40) return { $object: "too deep" };
  if (value === undefined) return { $object: "undefined" };
  if (value === null || typeof value === "boolean" || typeof value === "string") return value;
  if (typeof value === "bigint") return { $number: value.toString() };
  if (typeof value === "number") {
    const plain = Number.isFinite(value) && Math.abs(value) <= 2 ** 53;
    return plain ? value : { $number: String(value) };
  }
  const deeper = (one) => shown(one, depth + 1);
  if (Array.isArray(value)) return value.map(deeper);
  if (value instanceof Map) return { $pairs: [...value].map((pair) => pair.map(deeper)) };
  if (value instanceof Set) return { $set: [...value].map(deeper).sort() };
  if (value instanceof Date) return { $date: Number.isNaN(+value) ? "NaN" : value.toISOString() };
  if (ArrayBuffer.isView(value)) return { $bytes: Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString("hex") };
  if (typeof value === "object") {
    return Object.fromEntries(Object.keys(value).map((key) => [key, deeper(value[key])]));
  }
  return { $object: typeof value };
};

class Missing extends Error {}

const found = async (call, inputs) => {
  if (call.startsWith(".")) {
    const whose = inputs.shift();
    return whose[call.slice(1)].bind(whose);
  }
  const at = call.lastIndexOf(":");
  const [file, name] = [call.slice(0, at), call.slice(at + 1)];
  const place = resolve(file);
  let module;
  try {
    module = await import(pathToFileURL(place).href);
  } catch (error) {
    if (error?.code === "ERR_MODULE_NOT_FOUND" && String(error.message).includes(`'${place}'`)) throw new Missing();
    throw error;
  }
  const thing = name in module ? module[name] : module.default?.[name];
  if (thing === undefined) throw new Missing();
  return thing;
};

const filled = (value, given) => {
  if (Array.isArray(value)) return value.map((one) => filled(one, given));
  if (value && typeof value === "object") {
    if ("$answer" in value) return given[value.$answer];
    if ("$number" in value && Object.keys(value).length === 1) return Number(value.$number);
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, filled(one, given)]));
  }
  return value;
};

const kinds = (error) => {
  const names = error?.code ? [String(error.code)] : [];
  for (let kind = error?.constructor; kind?.name; kind = Object.getPrototypeOf(kind)) names.push(kind.name);
  return names.length ? names : [typeof error];
};

const said = (error) => {
  try {
    const text = String(error?.message ?? error).slice(0, 4000);
    return text.toWellFormed ? text.toWellFormed() : text;
  } catch {
    return "";
  }
};

const asked = async (one) => {
  const [given, answers] = [{}, []];
  for (const [number, step] of one.steps.entries()) {
    try {
      const inputs = (step.with ?? []).map((input) => filled(input, given));
      const value = await (await found(step.call, inputs))(...inputs);
      answers.push({ value: shown(value) });
      given[number] = value;
    } catch (error) {
      answers.push(error instanceof Missing ? { missing: "" } : { error: kinds(error), says: said(error) });
    }
  }
  return answers;
};

const apart = (one, self) => {
  const input = JSON.stringify({ apart: false, cases: [one] });
  const ended = spawnSync(process.execPath, ["--input-type=module", "-e", self, "--", self], { input, stdio: ["pipe", "pipe", "inherit"], maxBuffer: 1 << 26 });
  try {
    return JSON.parse(ended.stdout.toString()).answers[0];
  } catch {
    return [];
  }
};

const say = (frame) => {
  let bytes = Buffer.from(frame);
  while (bytes.length) {
    try {
      bytes = bytes.subarray(writeSync(1, bytes));
    } catch (error) {
      if (error.code !== "EAGAIN") throw error;
    }
  }
};

process.stdout.write = process.stderr.write.bind(process.stderr);
const order = JSON.parse(readFileSync(0, "utf8"));
const answers = [];
for (const one of order.cases) {
  answers.push(order.apart ? apart(one, process.argv.at(-1)) : await asked(one));
}
say(JSON.stringify({ answers }));
process.exit(0);
