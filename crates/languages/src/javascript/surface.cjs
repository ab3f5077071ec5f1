// Reads what a JavaScript module makes public, puts stubs into it, or looks for tests that reach past
// its surface. It parses, with the parser that node carries, and never imports: nothing of the module
// runs. JSON goes to standard output.
//
// Usage: node --expose-internals -e SURFACE surface|stub|nothing|anything|tests FOLDER NAME [USED...]
// A used module that begins with `!` is there because others use it: the module itself may not.
"use strict";

const fs = require("node:fs");
const path = require("node:path");
const acorn = require("internal/deps/acorn/acorn/dist/acorn");
const walk = require("internal/deps/acorn/acorn-walk/dist/walk");

const ROOT = "index.mjs";
// What a module may take of node's own: everything else could end its tests, or have them pass.
const BUILT_IN = new Set(
  "buffer crypto events fs fs/promises http https net os path path/posix perf_hooks querystring readline stream stream/promises string_decoder timers timers/promises tls url util zlib".split(" "),
);
const GLOBALS = new Set(
  "Object Array String Number Boolean Symbol BigInt Math JSON Date RegExp Map Set WeakMap WeakSet WeakRef Promise Proxy Reflect Intl Iterator Error AggregateError EvalError RangeError ReferenceError SyntaxError TypeError URIError DOMException ArrayBuffer SharedArrayBuffer DataView Atomics Int8Array Uint8Array Uint8ClampedArray Int16Array Uint16Array Int32Array Uint32Array Float32Array Float64Array BigInt64Array BigUint64Array parseInt parseFloat isNaN isFinite encodeURI encodeURIComponent decodeURI decodeURIComponent escape unescape undefined NaN Infinity TextEncoder TextDecoder URL URLSearchParams structuredClone setTimeout clearTimeout setInterval clearInterval setImmediate clearImmediate queueMicrotask AbortController AbortSignal Event EventTarget console Buffer Blob File FormData Headers Request Response fetch crypto performance atob btoa ReadableStream WritableStream TransformStream".split(" "),
);
const ERRORS = new Set("Error AggregateError EvalError RangeError ReferenceError SyntaxError TypeError URIError".split(" "));
// A program from the command line has node's own modules as globals; a module has not.
const OFFERED = new Set(require("node:module").builtinModules);
// Every other global that there is: the process, its loader, what makes code of texts.
const FORBIDDEN = new Set(
  Object.getOwnPropertyNames(globalThis)
    .filter((name) => !GLOBALS.has(name) && !OFFERED.has(name))
    .concat("process", "require", "module", "exports", "__filename", "__dirname"),
);
const SETTERS = new Set(["defineProperty", "defineProperties", "assign", "setPrototypeOf", "set", "deleteProperty"]);
const STUBS = {
  stub: 'throw new Error("this is a stub");',
  nothing: "return undefined;",
  anything: "return new (class Anything {})();",
};

class Broken extends Error {}

function filesOf(folder) {
  const found = [];
  for (const one of fs.readdirSync(folder, { withFileTypes: true })) {
    if (one.isDirectory()) found.push(...filesOf(path.join(folder, one.name)).map((inner) => one.name + "/" + inner));
    else found.push(one.name);
  }
  return found.sort();
}

function parse(folder, name, shown = name) {
  const bytes = fs.readFileSync(path.join(folder, name));
  let text;
  try {
    text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new Broken(`${shown} is not UTF-8`);
  }
  try {
    return { text, tree: acorn.parse(text, { sourceType: "module", ecmaVersion: "latest", locations: true }) };
  } catch (error) {
    throw new Broken(`${shown}:${error.loc ? error.loc.line : 1}: ${error.message}`);
  }
}

const line = (node) => node.loc.start.line;
const isFunction = (node) => ["FunctionDeclaration", "FunctionExpression", "ArrowFunctionExpression"].includes(node && node.type);
const named = (node) => (node.type === "Literal" ? String(node.value) : node.name);

/// The name at the beginning of `a.b.c[d]`.
function root(node) {
  while (node && ["MemberExpression", "ChainExpression"].includes(node.type)) node = node.object || node.expression;
  return node && node.type === "Identifier" ? node.name : null;
}

class File {
  constructor(module, name) {
    this.module = module;
    this.name = name;
    Object.assign(this, parse(module.folder, name));
    this.bound = new Map();
    this.imported = new Map();
    this.exported = new Map();
    this.stars = [];
    for (const one of this.tree.body) this.statement(one);
    this.everywhere();
  }

  bind(declaration) {
    if (declaration.type === "VariableDeclaration") {
      const names = [];
      for (const one of declaration.declarations) {
        if (one.id.type === "Identifier") {
          this.bound.set(one.id.name, { node: one.init || one, line: line(one), kind: declaration.kind });
          names.push(one.id.name);
        } else {
          walk.full(one.id, (node) => {
            if (node.type !== "Identifier") return;
            this.bound.set(node.name, { node, line: line(node), kind: declaration.kind });
            names.push(node.name);
          });
        }
      }
      return names;
    }
    if (!declaration.id) return [];
    this.bound.set(declaration.id.name, { node: declaration, line: line(declaration), kind: "const" });
    return [declaration.id.name];
  }

  statement(one) {
    if (one.type === "ImportDeclaration") {
      for (const each of one.specifiers) {
        const original = { ImportDefaultSpecifier: "default", ImportNamespaceSpecifier: "*" }[each.type];
        this.imported.set(each.local.name, { source: one.source.value, name: original || named(each.imported) });
      }
    } else if (one.type === "ExportNamedDeclaration") {
      for (const name of one.declaration ? this.bind(one.declaration) : []) this.exported.set(name, { local: name, line: line(one) });
      for (const each of one.specifiers) {
        const from = one.source ? { source: one.source.value, name: named(each.local) } : { local: named(each.local) };
        this.exported.set(named(each.exported), { ...from, line: line(each) });
      }
    } else if (one.type === "ExportDefaultDeclaration") {
      if (one.declaration.id) this.bind(one.declaration);
      this.exported.set("default", { node: one.declaration, line: line(one) });
    } else if (one.type === "ExportAllDeclaration") {
      if (one.exported) this.exported.set(named(one.exported), { whole: true, line: line(one) });
      else this.stars.push({ source: one.source.value, line: line(one) });
    } else if (["FunctionDeclaration", "ClassDeclaration", "VariableDeclaration"].includes(one.type)) {
      this.bind(one);
    }
  }

  forges(node, what) {
    this.module.forging.push({ file: this.name, line: line(node), what });
  }

  source(node, literal) {
    const value = literal && literal.type === "Literal" ? literal.value : null;
    const allowed =
      typeof value === "string" &&
      (this.module.inside(this.name, value) !== null ||
        (value.startsWith("#") && this.module.used.has(value.slice(1))) ||
        BUILT_IN.has(value.replace(/^node:/, "")));
    const beyond = typeof value === "string" && this.module.used.has("!" + value.slice(1));
    if (beyond) this.module.undeclared.push({ file: this.name, line: line(node), what: value.slice(1) });
    else if (!allowed) this.forges(node, "import " + (value === null ? "(...)" : JSON.stringify(value)));
  }

  // What could decide the module's own tests, wherever it stands.
  everywhere() {
    const cut = (node) => this.text.slice(node.start, node.end).split("\n")[0].slice(0, 60);
    const theirs = (node) => {
      const name = root(node);
      return name !== null && (GLOBALS.has(name) || this.imported.has(name)) && !this.bound.has(name);
    };
    const keys = new Set();
    walk.full(this.tree, (node) => {
      if (node.type === "MemberExpression" && !node.computed) keys.add(node.property);
      if (["Property", "MethodDefinition", "PropertyDefinition"].includes(node.type) && !node.computed && !node.shorthand) keys.add(node.key);
    });
    const name = (node) => {
      if (!keys.has(node) && FORBIDDEN.has(node.name)) this.forges(node, node.name);
    };
    walk.full(this.tree, (node) => {
      if (["ImportDeclaration", "ExportAllDeclaration", "ImportExpression"].includes(node.type)) this.source(node, node.source);
      else if (node.type === "ExportNamedDeclaration" && node.source) this.source(node, node.source);
      else if (node.type === "Identifier") name(node);
      else if (node.type === "VariablePattern") name(node);
      else if (node.type === "AssignmentExpression" && node.left.type === "MemberExpression" && theirs(node.left)) this.forges(node, cut(node));
      else if (node.type === "UpdateExpression" && node.argument.type === "MemberExpression" && theirs(node.argument)) this.forges(node, cut(node));
      else if (node.type === "UnaryExpression" && node.operator === "delete" && theirs(node.argument)) this.forges(node, cut(node));
      else if (node.type === "CallExpression" && node.callee.type === "MemberExpression" && SETTERS.has(node.callee.property.name) && node.arguments[0] && theirs(node.arguments[0])) this.forges(node, cut(node));
      else if (node.type === "MemberExpression") {
        const key = node.computed ? (node.property.type === "Literal" ? node.property.value : null) : node.property.name;
        if (key === "__proto__" || (key === "constructor" && node.object.type !== "ThisExpression")) this.forges(node, cut(node));
      } else if (node.type === "ThrowStatement" && node.argument.type === "NewExpression" && node.argument.callee.name) this.module.raises.add(node.argument.callee.name);
    });
  }
}

class Module {
  constructor(folder, used) {
    this.folder = folder;
    this.used = new Set(used);
    this.forging = [];
    this.undeclared = [];
    this.unseen = [];
    this.raises = new Set();
    const all = filesOf(folder);
    this.names = new Set(all.filter((name) => name.endsWith(".mjs")));
    for (const name of all) {
      // Another one would change what names of modules mean below it.
      if (path.basename(name) === "package.json") this.forging.push({ file: name, line: 1, what: "package.json" });
    }
    this.files = new Map([...this.names].map((name) => [name, new File(this, name)]));
  }

  /// The file of this module that a specifier names; none: it names something else.
  inside(from, specifier) {
    if (!/^\.\.?\//.test(specifier)) return null;
    const found = path.posix.join(path.posix.dirname(from), specifier);
    return this.names.has(found) ? found : null;
  }

  /// Where what a file exports under a name is defined.
  exported(from, name, depth = 0) {
    const file = this.files.get(from);
    const found = file && depth < 16 ? file.exported.get(name) : null;
    if (!found) {
      for (const star of file && depth < 16 ? file.stars : []) {
        const inside = this.inside(from, star.source);
        const further = inside && name !== "default" ? this.exported(inside, name, depth + 1) : null;
        if (further) return further;
      }
      return null;
    }
    if (found.node) return { file, node: found.node, line: found.line, kind: "const" };
    if (found.whole) return { file, whole: true, line: found.line };
    if (found.source) return this.from(file, found, depth);
    return this.local(file, found.local, depth);
  }

  from(file, found, depth) {
    const inside = this.inside(file.name, found.source);
    if (inside) return found.name === "*" ? { file, whole: true, line: 1 } : this.exported(inside, found.name, depth + 1);
    return { file, foreign: found.source.replace(/^#|^node:/, ""), line: found.line || 1 };
  }

  local(file, name, depth = 0) {
    const imported = file.imported.get(name);
    if (imported) return this.from(file, imported, depth);
    const bound = file.bound.get(name);
    return bound ? { file, ...bound } : null;
  }

  isError(file, node, depth = 0) {
    const above = node.superClass && node.superClass.type === "Identifier" ? node.superClass.name : null;
    if (above === null || depth > 16) return false;
    const found = this.local(file, above);
    if (!found) return ERRORS.has(above);
    if (found.foreign) return /(Error|Exception)$/.test(above);
    return Boolean(found.node) && /^Class/.test(found.node.type) && this.isError(found.file, found.node, depth + 1);
  }

  /// The public names, and where each is defined.
  public(from = ROOT, depth = 0) {
    const file = this.files.get(from);
    const found = new Map();
    for (const star of file && depth < 16 ? file.stars : []) {
      const inside = this.inside(from, star.source);
      if (!inside) {
        this.unseen.push({ file: from, line: star.line, what: "`export *` of " + JSON.stringify(star.source) });
        continue;
      }
      for (const [name, where] of this.public(inside, depth + 1)) if (name !== "default") found.set(name, where);
    }
    for (const [name, one] of file ? file.exported : []) found.set(name, { at: one.line, in: from, ...this.exported(from, name) });
    return found;
  }
}

function parameters(node) {
  return node.params.map((one) => {
    let need = "required";
    if (one.type === "RestElement") [need, one] = ["rest", one.argument];
    if (one.type === "AssignmentPattern") [need, one] = ["optional", one.left];
    const name = one.type === "Identifier" ? one.name : "{" + (one.properties || []).map((each) => (each.key ? named(each.key) : "...")).join(", ") + "}";
    return { name, type: null, need };
  });
}

function kindOf(module, found) {
  const node = found.node;
  if (isFunction(node) && found.kind === "const") {
    return { is: "function", parameters: parameters(node), returns: null, call: node.async ? "async" : "sync" };
  }
  if (/^Class/.test(node.type)) {
    if (module.isError(found.file, node)) return { is: "exception" };
    const fields = new Map();
    for (const one of node.body.body) {
      if (one.type === "PropertyDefinition" && !one.static && one.key.type === "Identifier") fields.set(one.key.name, line(one));
    }
    const constructor = node.body.body.find((one) => one.kind === "constructor");
    walk.full(constructor ? constructor.value : node.id || node.body, (one) => {
      const left = one.type === "AssignmentExpression" ? one.left : {};
      if (left.type === "MemberExpression" && left.object.type === "ThisExpression" && left.property.type === "Identifier" && !left.computed) {
        if (!fields.has(left.property.name)) fields.set(left.property.name, line(one));
      }
    });
    const open = [...fields].filter(([name]) => !name.startsWith("_"));
    return { is: "record", fields: open.map(([name, at]) => ({ name, type: null, line: at })) };
  }
  const frozen = node.type === "CallExpression" && found.kind === "const" && root(node.callee) === "Object" && node.callee.property && node.callee.property.name === "freeze";
  if (frozen && node.arguments[0] && node.arguments[0].type === "ObjectExpression") {
    const members = node.arguments[0].properties;
    if (members.every((one) => one.type === "Property" && !one.computed)) {
      return { is: "choice", variants: members.map((one) => ({ name: named(one.key), type: null, line: line(one) })) };
    }
  }
  return { is: "constant" };
}

/// The methods of a class that callers can call.
const methods = (node) =>
  node.body.body.filter((one) => one.type === "MethodDefinition" && one.kind !== "constructor" && one.key.type === "Identifier" && !one.key.name.startsWith("_"));

function surface(module) {
  if (!module.names.has(ROOT)) throw new Broken(`there is no ${ROOT}`);
  const items = [];
  const say = (name, found, kind) => items.push({ name, file: found.file.name, line: found.line, kind });
  for (const [name, found] of module.public()) {
    if (!found.file) module.unseen.push({ file: found.in, line: found.at, what: "`" + name + "`, which is not found," });
    else if (found.foreign) say(name, found, { is: "foreign", from: found.foreign });
    else if (found.whole) say(name, found, { is: "other", word: "namespace" });
    else if (name === "default") say(name, found, { is: "other", word: "default export" });
    else {
      say(name, found, kindOf(module, found));
      if (/^Class/.test(found.node.type)) {
        for (const one of methods(found.node)) say(name + "." + one.key.name, { file: found.file, line: line(one) }, { is: "method", of: name });
      }
    }
  }
  items.sort((a, b) => (a.file < b.file ? -1 : a.file > b.file ? 1 : a.line - b.line || (a.name < b.name ? -1 : 1)));
  return {
    surface: { items, unseen: module.unseen, forging: module.forging, raises: [...module.raises].sort(), aliases: {}, undeclared: module.undeclared },
    runner: "node " + process.versions.node,
  };
}

/// Every public function and method does this as its first act, and nothing else.
function stub(module, text) {
  const cuts = new Map();
  let stubs = 0;
  const cut = (file, node) => {
    stubs += 1;
    const list = cuts.get(file) || cuts.set(file, []).get(file);
    // An expression may stand in brackets that are no part of it.
    const arrow = file.text.lastIndexOf("=>", node.body.start) + 2;
    if (node.body.type === "BlockStatement") list.push([node.body.start + 1, " " + text]);
    else list.push([arrow, " { " + text + " return ("], [node.end, "); }"]);
  };
  const seen = new Set();
  for (const found of module.public().values()) {
    if (!found.node || seen.has(found.node)) continue;
    seen.add(found.node);
    if (isFunction(found.node)) cut(found.file, found.node);
    else if (/^Class/.test(found.node.type)) for (const one of methods(found.node)) cut(found.file, one.value);
  }
  for (const [file, list] of cuts) {
    let made = file.text;
    for (const [at, more] of list.sort((a, b) => b[0] - a[0])) made = made.slice(0, at) + more + made.slice(at);
    fs.writeFileSync(path.join(module.folder, file.name), made);
  }
  return { stubs };
}

/// Places in tests that reach past the surface.
function tests(folder, own, module) {
  const reaches = [];
  const open = new Set(module.public().keys());
  for (const name of filesOf(folder)) {
    if (path.basename(name) === "package.json") reaches.push({ file: name, line: 1, by: "a `package.json` of its own" });
    if (!/\.[cm]?js$/.test(name)) continue;
    const { tree } = parse(folder, name, "tests/" + name);
    const say = (node, by) => reaches.push({ file: name, line: line(node), by });
    const mine = new Set();
    const source = (node, literal, names) => {
      const value = literal && literal.type === "Literal" ? String(literal.value) : null;
      if (value === null) return;
      if (value === "#" + own) {
        for (const each of names) if (!open.has(each)) say(node, "`" + each + "`, which is private");
      } else if (/^\.\.?\//.test(value) || value.startsWith("/") || value.startsWith("file:")) {
        const inside = path.posix.join("tests", path.posix.dirname(name), value);
        if (!/^\.\.?\//.test(value) || !inside.startsWith("tests/")) say(node, "the file " + JSON.stringify(value));
      }
    };
    walk.full(tree, (node) => {
      if (node.type === "ImportDeclaration") {
        for (const each of node.specifiers) if (node.source.value === "#" + own) mine.add(each.local.name);
        source(node, node.source, node.specifiers.filter((one) => one.type === "ImportSpecifier").map((one) => named(one.imported)));
      } else if (node.type === "ImportExpression" || node.type === "ExportAllDeclaration") source(node, node.source, []);
      else if (node.type === "ExportNamedDeclaration" && node.source) source(node, node.source, node.specifiers.map((one) => named(one.local)));
      else if (node.type === "Literal" && typeof node.value === "string" && /implementation\//.test(node.value)) say(node, "the text " + JSON.stringify(node.value.slice(0, 80)));
      else if (node.type === "TemplateElement" && /implementation\//.test(node.value.raw)) say(node, "the text " + JSON.stringify(node.value.raw.slice(0, 80)));
      else if (node.type === "MemberExpression" && node.object.type === "MetaProperty" && node.property.name === "resolve") say(node, "`import.meta.resolve`");
      else if (node.type === "MemberExpression" && node.property.name === "createRequire") say(node, "`createRequire`");
    });
    walk.full(tree, (node) => {
      if (node.type === "MemberExpression" && !node.computed && node.property.name === "toString" && node.object.type === "Identifier" && mine.has(node.object.name)) say(node, "`" + node.object.name + ".toString`");
    });
  }
  return { reaches: reaches.sort((a, b) => (a.file < b.file ? -1 : a.file > b.file ? 1 : a.line - b.line || (a.by < b.by ? -1 : 1))) };
}

function main() {
  const [mode, folder, own, ...used] = process.argv.slice(1);
  let said;
  try {
    const module = new Module(path.join(folder, "implementation"), used);
    if (STUBS[mode]) said = stub(module, STUBS[mode]);
    else if (mode === "tests") said = tests(path.join(folder, "tests"), own, module);
    else said = surface(module);
  } catch (error) {
    if (error instanceof Broken) said = { broken: error.message };
    else if (error instanceof RangeError) said = { broken: "an expression is nested too deep; write it in smaller pieces" };
    else throw error;
  }
  process.stdout.write(JSON.stringify(said) + "\n");
}

main();
