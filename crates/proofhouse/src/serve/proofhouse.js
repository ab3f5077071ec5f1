// Shows pages that the server wrote and keeps them true. It makes no markup of its own and decides nothing.
"use strict";
(() => {
  const KEY = "proofhouse-token";
  const main = document.getElementById("page");
  const link = document.getElementById("link");
  // The one way from text to markup: what our own server wrote, where every value is escaped.
  const policy = window.trustedTypes
    ? trustedTypes.createPolicy("proofhouse", { createHTML: (text) => text })
    : { createHTML: (text) => text };

  const given = /^#t=([0-9a-f]+)$/.exec(location.hash);
  if (given) {
    localStorage.setItem(KEY, given[1]);
    history.replaceState(null, "", location.pathname + location.search);
  }
  const headers = (more) => ({ "X-Proofhouse-Token": localStorage.getItem(KEY) || "", ...more });

  let turn = 0; // the page that is shown now; answers to older ones are dropped
  let stop = null;
  let last = ""; // the id of the last event

  const note = (text) => { if (link.textContent !== text) link.textContent = text; };
  const say = (text) => {
    const p = document.createElement("p");
    p.className = "none";
    p.textContent = text;
    main.replaceChildren(p);
  };

  // What a person has opened or closed stays so when its part is written anew.
  const folds = (root) => {
    const open = new Map();
    root.querySelectorAll("details").forEach((one, at) => open.set(foldName(one, at), one.open));
    return open;
  };
  const foldName = (one, at) => (one.querySelector("summary")?.textContent || "").trim().slice(0, 80) + "#" + (one.id || at);

  const fill = (box, html) => {
    const before = folds(box);
    const template = document.createElement("template");
    template.innerHTML = policy.createHTML(html);
    template.content.querySelectorAll("details").forEach((one, at) => {
      const was = before.get(foldName(one, at));
      if (was !== undefined) one.open = was;
    });
    // Pictures carry no header, so they are asked for by hand.
    template.content.querySelectorAll("img[src]").forEach((one) => {
      const from = new URL(one.getAttribute("src"), location.href);
      one.removeAttribute("src");
      fetch("/file" + from.pathname, { headers: headers() })
        .then((answer) => (answer.ok ? answer.blob() : null))
        .then((blob) => { if (blob) one.src = URL.createObjectURL(blob); });
    });
    const held = box.contains(document.activeElement) && document.activeElement.id;
    box.replaceChildren(template.content);
    if (held) document.getElementById(held)?.focus({ preventScroll: true });
  };

  const boxOf = (id) => main.querySelector(`:scope > [data-part="${CSS.escape(id)}"]`);
  const show = (page, fresh) => {
    document.title = page.title + " \u00b7 Proofhouse";
    if (fresh) {
      const boxes = page.parts.map((part) => {
        const box = boxOf(part.id) || document.createElement("div");
        box.dataset.part = part.id;
        fill(box, part.html);
        return box;
      });
      main.replaceChildren(...boxes);
      document.dispatchEvent(new Event("proofhouse-page"));
      return;
    }
    for (const part of page.parts) {
      const box = boxOf(part.id);
      if (box) fill(box, part.html);
    }
    document.dispatchEvent(new Event("proofhouse-page"));
  };

  const heard = (text) => {
    let name = "message", id = "", data = "";
    for (const line of text.split("\n")) {
      if (line.startsWith("event: ")) name = line.slice(7);
      else if (line.startsWith("id: ")) id = line.slice(4);
      else if (line.startsWith("data: ")) data += line.slice(6);
    }
    if (!data) return;
    const first = last === "";
    last = id;
    show(JSON.parse(data), name === "page");
    if (first && location.hash) document.getElementById(location.hash.slice(1))?.scrollIntoView();
  };

  const listen = async (mine, wait) => {
    stop = new AbortController();
    try {
      const answer = await fetch("/live" + location.pathname + location.search, {
        headers: headers(last ? { "Last-Event-ID": last } : {}), signal: stop.signal, cache: "no-store",
      });
      if (mine !== turn) return;
      if (answer.status === 401) { note(""); return say("Open the address that \u201cproofhouse serve\u201d printed: this browser has no key to it, or an old one."); }
      if (answer.status === 404) { note(""); return say("There is no such page here."); }
      if (!answer.ok) throw new Error(String(answer.status));
      note("live");
      wait = 250;
      const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
      let rest = "";
      for (;;) {
        const { value, done } = await reader.read();
        if (done || mine !== turn) break;
        rest += value;
        let end;
        while ((end = rest.indexOf("\n\n")) >= 0) {
          heard(rest.slice(0, end));
          rest = rest.slice(end + 2);
        }
      }
    } catch (error) {
      if (mine !== turn) return;
    }
    if (mine !== turn) return;
    note("not connected; trying again");
    setTimeout(() => { if (mine === turn) listen(mine, Math.min(wait * 2, 5000)); }, wait);
  };

  const open = () => {
    turn += 1;
    if (stop) stop.abort();
    last = "";
    main.replaceChildren();
    listen(turn, 250);
  };

  document.addEventListener("click", (event) => {
    const to = event.target.closest("a[href]");
    if (!to || event.defaultPrevented || event.button || event.metaKey || event.ctrlKey || event.shiftKey) return;
    const url = new URL(to.getAttribute("href"), location.href);
    if (url.origin !== location.origin) return;
    if (url.pathname === location.pathname && url.search === location.search && url.hash) return;
    event.preventDefault();
    history.pushState(null, "", url.pathname + url.search + url.hash);
    scrollTo(0, 0);
    open();
  });
  let here = location.pathname + location.search;
  addEventListener("popstate", () => {
    const now = location.pathname + location.search;
    if (now !== here) open();
    here = now;
  });
  open();
})();

// Passkeys: asks the browser, hands on what it answers. What is signed comes from the server and is shown first.
(() => {
  const token = () => localStorage.getItem("proofhouse-token") || "";
  const to64 = (buffer) => btoa(String.fromCharCode(...new Uint8Array(buffer))).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
  const from64 = (text) => Uint8Array.from(atob(text.replace(/-/g, "+").replace(/_/g, "/")), (c) => c.charCodeAt(0));
  const ask = async (path, body) => {
    const answer = await fetch(path, body
      ? { method: "POST", headers: { "X-Proofhouse-Token": token(), "Content-Type": "application/json" }, body: JSON.stringify(body) }
      : { headers: { "X-Proofhouse-Token": token() } });
    const text = await answer.text();
    if (answer.ok) return JSON.parse(text);
    let why = text;
    try { const said = JSON.parse(text); why = `${said.what} (${said.mend})`; } catch { /* plain words */ }
    throw new Error(why);
  };
  const place = () => location.pathname.split("/");
  const say = (form, text) => { form.querySelector(".said").textContent = text; };

  const show = async (form) => {
    const box = form.querySelector(".signed");
    box.hidden = true;
    const data = new FormData(form);
    const query = new URLSearchParams({ option: data.get("option"), because: data.get("because") });
    const words = await ask(`/words/${place()[2]}/${encodeURIComponent(form.dataset.run)}?${query}`);
    box.querySelector("code").textContent = words.text;
    box.hidden = false;
    form.words = words;
    say(form, "");
    box.querySelector("[data-sign]").focus();
  };
  const sign = async (form) => {
    const data = new FormData(form);
    const words = form.words;
    const given = await navigator.credentials.get({ publicKey: {
      challenge: from64(words.challenge), rpId: words.home, userVerification: "required", timeout: 120000,
    } });
    const said = await ask("/decide", {
      repo: place()[2], run: form.dataset.run, option: data.get("option"), because: data.get("because"),
      go_on: data.get("go_on") !== null,
      authenticator_data: to64(given.response.authenticatorData),
      client_data: to64(given.response.clientDataJSON), signature: to64(given.response.signature),
    });
    say(form, `On record; it is in ${said.state}. ${said.begun}`);
  };
  const enrol = async (form) => {
    const name = new FormData(form).get("name").trim();
    const made = await navigator.credentials.create({ publicKey: {
      challenge: crypto.getRandomValues(new Uint8Array(32)), rp: { id: "localhost", name: "Proofhouse" },
      user: { id: crypto.getRandomValues(new Uint8Array(16)), name, displayName: name },
      pubKeyCredParams: [{ type: "public-key", alg: -7 }],
      authenticatorSelection: { residentKey: "required", userVerification: "required" }, timeout: 120000,
    } });
    const said = await ask("/enrol", { name, key: to64(made.response.getPublicKey()) });
    const box = form.querySelector(".signed");
    box.querySelector("code").textContent = said.command;
    box.hidden = false;
    say(form, "");
  };
  const attempt = (form, what) => what(form).catch((error) => say(form, error.message));
  document.addEventListener("submit", (event) => {
    event.preventDefault();
    if (event.target.matches("form.decide")) attempt(event.target, show);
    if (event.target.matches("form.enrol")) attempt(event.target, enrol);
  });
  document.addEventListener("click", (event) => {
    if (event.target.matches("[data-sign]")) attempt(event.target.closest("form"), sign);
  });
  // Other words than those that were shown are not signed.
  document.addEventListener("input", (event) => {
    const form = event.target.closest("form.decide");
    if (form) form.querySelector(".signed").hidden = true;
  });
})();
