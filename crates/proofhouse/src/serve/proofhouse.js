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

  // A token counts when the server has taken it: a link with a wrong one takes nothing away.
  const given = /^#t=([0-9a-f]+)$/.exec(location.hash);
  let token = (given && given[1]) || localStorage.getItem(KEY) || "";
  if (given) history.replaceState(null, "", location.pathname + location.search);
  const headers = (more) => ({ "X-Proofhouse-Token": token, ...more });
  addEventListener("storage", (event) => {
    if (event.key === KEY && event.newValue && event.newValue !== token) { token = event.newValue; listenAgain(); }
  });
  const shownPlace = () => location.pathname + location.search;
  let here = "";

  let followed = false;
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

  // Changes what differs and leaves the rest alone: focus, folds and the place that one reads at stay.
  const morph = (from, to) => {
    if (from.nodeName !== to.nodeName) return from.replaceWith(to);
    if (from.isEqualNode(to)) return;
    if (from.nodeType !== Node.ELEMENT_NODE) { from.nodeValue = to.nodeValue; return; }
    for (const { name } of [...from.attributes]) if (!to.hasAttribute(name) && name !== "open") from.removeAttribute(name);
    for (const { name, value } of [...to.attributes]) if (name !== "open" && from.getAttribute(name) !== value) from.setAttribute(name, value);
    const named = new Map([...from.children].filter((one) => one.id).map((one) => [one.id, one]));
    let at = from.firstChild;
    for (const child of [...to.childNodes]) {
      const same = child.id ? named.get(child.id) : at && !at.id && at.nodeName === child.nodeName ? at : null;
      if (!same) { from.insertBefore(child, at); continue; }
      if (same === at) at = at.nextSibling; else from.insertBefore(same, at);
      morph(same, child);
    }
    while (at) { const next = at.nextSibling; at.remove(); at = next; }
  };

  const fill = (box, html) => {
    const template = document.createElement("template");
    template.innerHTML = policy.createHTML(html);
    // Pictures carry no header, so they are asked for by hand.
    template.content.querySelectorAll("img[src]").forEach((one) => {
      const from = new URL(one.getAttribute("src"), location.href);
      one.removeAttribute("src");
      fetch("/file" + from.pathname, { headers: headers() })
        .then((answer) => (answer.ok ? answer.blob() : null))
        .then((blob) => { if (blob) one.src = URL.createObjectURL(blob); });
    });
    box.querySelectorAll("button.copy").forEach((one) => one.remove());
    const fresh = document.createElement("div");
    fresh.dataset.part = box.dataset.part;
    fresh.append(template.content);
    morph(box, fresh);
    // A command is copied by a button; the button is the browser's own, and not in the markup.
    box.querySelectorAll("pre.command, .signed pre").forEach((one) => {
      if (one.nextElementSibling?.matches("button.copy")) return;
      const button = document.createElement("button");
      button.type = "button";
      button.className = "copy";
      button.textContent = "Copy";
      button.addEventListener("click", () => navigator.clipboard.writeText(one.textContent.trim()).then(() => { button.textContent = "Copied"; }));
      one.after(button);
    });
  };

  // How long something has worked, while one looks at it.
  const tick = () => {
    for (const one of document.querySelectorAll("time[data-since]")) {
      const seconds = Math.max(0, Math.round((Date.now() - Date.parse(one.dataset.since)) / 1000));
      const parts = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
      one.textContent = parts[0] ? `${parts[0]} h ${parts[1]} min` : parts[1] ? `${parts[1]} min ${parts[2]} s` : `${seconds} s`;
    }
  };
  setInterval(tick, 1000);
  document.addEventListener("proofhouse-page", () => {
    tick();
    document.querySelectorAll("pre[data-end]").forEach((one) => { one.scrollTop = one.scrollHeight; });
  });

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
      const same = main.children.length === boxes.length && boxes.every((box, at) => main.children[at] === box);
      if (!same) main.replaceChildren(...boxes);
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
      if (answer.status === 401) {
        const kept = localStorage.getItem(KEY);
        if (kept && kept !== token) { token = kept; return listen(mine, wait); }
        note("no key to this server, or an old one: open the address that \u201cproofhouse serve\u201d printed");
        if (!main.querySelector("[data-part]")) say("Open the address that \u201cproofhouse serve\u201d printed: this browser has no key to it, or an old one.");
        return;
      }
      if (answer.status === 404) { note(""); return say("There is no such page here."); }
      if (!answer.ok) throw new Error(String(answer.status));
      localStorage.setItem(KEY, token);
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
    here = shownPlace();
    // The frame is the same on every page; where one is, is said here.
    for (const one of document.querySelectorAll("body > nav a")) {
      if (one.pathname === location.pathname) one.setAttribute("aria-current", "page"); else one.removeAttribute("aria-current");
    }
    main.replaceChildren();
    listen(turn, 250);
  };
  const listenAgain = () => { turn += 1; if (stop) stop.abort(); listen(turn, 250); };

  document.addEventListener("click", (event) => {
    const to = event.target.closest("a[href]");
    if (!to || event.defaultPrevented || event.button || event.metaKey || event.ctrlKey || event.shiftKey) return;
    const url = new URL(to.getAttribute("href"), location.href);
    if (url.origin !== location.origin) return;
    if (url.pathname === location.pathname && url.search === location.search && url.hash) return;
    event.preventDefault();
    history.pushState(null, "", url.pathname + url.search + url.hash);
    followed = true;
    scrollTo(0, 0);
    open();
  });
  addEventListener("popstate", () => { if (shownPlace() !== here) open(); });
  // Whoever follows a link by ear or by keyboard begins at the heading.
  document.addEventListener("proofhouse-page", () => {
    if (document.activeElement !== document.body || !followed) return;
    const first = main.querySelector("h1");
    if (first) { first.tabIndex = -1; first.focus({ preventScroll: true }); followed = false; }
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
  const say = (form, text) => { form.querySelector(".said").textContent = text; };

  // What an answer to a project needs, as it stands in the fields; the server makes of it what is signed.
  const filled = (form) => (form.dataset.about === undefined ? {} : { about: form.dataset.about,
    filled: Object.fromEntries([...form.querySelectorAll("[data-name]")].map((one) => [one.dataset.name, one.value])) });
  const show = async (form) => {
    const box = form.querySelector(".signed");
    box.hidden = true;
    const data = new FormData(form);
    const query = new URLSearchParams({ option: data.get("option"), because: data.get("because"), head: form.dataset.head });
    const words = form.dataset.about === undefined
      ? await ask(`/words/${encodeURIComponent(form.dataset.repo)}/${encodeURIComponent(form.dataset.run)}?${query}`)
      : await ask("/words", { repo: form.dataset.repo, run: form.dataset.run, head: form.dataset.head,
        option: data.get("option"), because: data.get("because"), ...filled(form) });
    box.querySelector("code").textContent = words.text;
    const carries = box.querySelector("[data-carries]");
    carries.querySelector("code").textContent = words.carries || "";
    carries.hidden = !words.carries;
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
      repo: form.dataset.repo, head: form.dataset.head, run: form.dataset.run, option: data.get("option"), because: data.get("because"), ...filled(form),
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
  // Starts or ends an engine; the page follows by itself.
  const act = async (form) => {
    say(form, "One moment.");
    const said = await ask(form.dataset.to, { repo: form.dataset.repo, run: form.dataset.run });
    say(form, said.said);
  };
  const begin = async (form) => {
    const data = new FormData(form);
    say(form, "It is being begun.");
    const said = await ask("/start", { repo: data.get("repo"), sentence: data.get("sentence") });
    form.reset();
    say(form, "");
    location.assign(said.address);
  };
  // A run that begins where another one was.
  const fork = async (form) => {
    const data = new FormData(form);
    say(form, "It is being begun.");
    const said = await ask("/fork", { repo: form.dataset.repo, run: form.dataset.run, at: Number(form.dataset.at),
      name: data.get("name"), agent: data.get("agent") });
    say(form, "");
    follow(said.address);
  };
  // The words of `--message` from a terminal, signed here for `--signature`.
  const words = async (form) => {
    const text = form.querySelector("textarea").value;
    const asked = await ask("/challenge", { text });
    const given = await navigator.credentials.get({ publicKey: {
      challenge: from64(asked.challenge), rpId: asked.home, userVerification: "required", timeout: 120000,
    } });
    const said = await ask("/signature", { repo: form.dataset.repo,
      authenticator_data: to64(given.response.authenticatorData),
      client_data: to64(given.response.clientDataJSON), signature: to64(given.response.signature) });
    const box = form.querySelector(".signed");
    box.querySelector("code").textContent = said.signature;
    box.hidden = false;
    say(form, "");
  };
  // A search is a page of its own, with an address that can be kept.
  const follow = (to) => {
    const link = document.createElement("a");
    link.href = to;
    document.body.append(link);
    link.click();
    link.remove();
  };
  const plain = (error) => (error.name === "NotAllowedError" ? "The passkey was not used: it was cancelled, or took too long." : error.message);
  const attempt = (form, what) => what(form).catch((error) => say(form, plain(error)));
  document.addEventListener("submit", (event) => {
    event.preventDefault();
    if (event.target.matches("form.decide")) attempt(event.target, show);
    if (event.target.matches("form.enrol")) attempt(event.target, enrol);
    if (event.target.matches("form.words")) attempt(event.target, words);
    if (event.target.matches("form.search")) follow(`/index/?${new URLSearchParams(new FormData(event.target))}`);
    if (event.target.matches("form.start")) attempt(event.target, begin);
    if (event.target.matches("form.fork")) attempt(event.target, fork);
    if (event.target.matches("form.act")) attempt(event.target, act);
  });
  document.addEventListener("click", (event) => {
    if (event.target.matches("[data-sign]")) attempt(event.target.closest("form"), sign);
  });
  // Other words than those that were shown are not signed.
  document.addEventListener("input", (event) => {
    const form = event.target.closest("form.decide");
    if (form && event.target.name !== "go_on") form.querySelector(".signed").hidden = true;
  });
})();
