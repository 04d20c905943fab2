// The script of every page. Reading works without it; it adds keys (reader.js the capture of selected words).
//
// Keys for every page, without a script of its own:
//   data-key="g"        on a button or link: the key clicks it; on a field: the key puts the cursor there.
//   data-key-label="…"  what the list of keys (?) says of it; else the element's own text.
//   data-rows           on a list, with data-row on each row: j and k move the current row (class "cur"),
//                       and a data-key inside a row acts for the current row only.
// Only visible, enabled elements count, no key acts while somebody types, and none with Ctrl, Alt or Meta.
// Single-character keys can be switched off in the list of keys (WCAG 2.1.4).
"use strict";
(() => {
  // One registry: [where it acts, key, what it does]. A test holds that no two share a meaning.
  const KEYS = [
    ["everywhere", "/", "search the workspace"],
    ["everywhere", "?", "show all keys"],
    ["everywhere", "Escape", "let go"],
    ["rows", "j", "next row"],
    ["rows", "k", "previous row"],
    ["text", "j", "next line"],
    ["text", "k", "previous line"],
    ["text", "J", "select this line, then one more"],
    ["text", "K", "select this line, then one before"],
    ["text", ".", "capture the selection like the last one"],
    ["selection", "s", "supports"],
    ["selection", "r", "refutes"],
    ["selection", "c", "contextualizes"],
    ["selection", "x", "keep in the shoebox only"],
    ["selection", "0", "bears on the question itself"],
    ["selection", "1", "bears on the first hypothesis, and so on to 9"],
    ["selection", "w", "write why it matters"],
    ["selection", "Enter", "save the quote"],
    ["grid", "Arrows", "next cell of the matrix"],
  ];

  const $ = (selector, root = document) => root.querySelector(selector);
  const $$ = (selector, root = document) => [...root.querySelectorAll(selector)];
  const typing = (element) =>
    element && (element.isContentEditable || /^(TEXTAREA|SELECT)$/.test(element.tagName) ||
      (element.tagName === "INPUT" && !/^(button|checkbox|radio|range|reset|submit)$/.test(element.type)));
  const shown = (element) => !element.disabled && element.checkVisibility({ visibilityProperty: true });
  const say = (text) => { $("#status").textContent = text; };
  const store = {
    get: (name) => { try { return JSON.parse(localStorage.getItem(name)); } catch { return null; } },
    set: (name, value) => { try { localStorage.setItem(name, JSON.stringify(value)); } catch { /* private mode */ } },
  };

  // ---- keys of every page ----
  const rows = () => $$("[data-rows] [data-row]").filter(shown);
  const currentRow = () => $("[data-row].cur");
  const scopeOf = (element) => element.closest("[data-row]");

  function keyed(key) {
    const row = currentRow();
    return $$("[data-key]").filter((element) => element.dataset.key === key && shown(element))
      .find((element) => !scopeOf(element) || scopeOf(element) === row);
  }

  function press(element) {
    // What has just been swapped in is taken over by htmx a moment later; before that a form would load a page.
    if (element.closest(".htmx-added")) { setTimeout(() => press(element), 30); return; }
    if (typing(element)) { element.focus(); element.select?.(); return; }
    element.click();
    // What opens below a summary is a form: its first field is what the key was pressed for.
    if (element.matches("summary")) $("input:not([type=hidden]), select, textarea", element.parentElement)?.focus();
  }

  function makeCurrent(row, focus = true) {
    currentRow()?.classList.remove("cur");
    if (!row) return;
    row.classList.add("cur");
    row.tabIndex = -1;
    if (focus) { row.focus({ preventScroll: true }); row.scrollIntoView({ block: "nearest" }); }
  }

  function moveRow(step) {
    const all = rows();
    const at = all.indexOf(currentRow());
    makeCurrent(all[Math.min(Math.max(at + step, 0), all.length - 1)]);
  }

  function lettersOff() { return store.get("yoim-letters-off") === true; }

  function onKey(event) {
    if (event.defaultPrevented || event.isComposing || event.ctrlKey || event.metaKey || event.altKey) return;
    const key = event.key;
    if (key === "Escape") { escape(); return; }
    if (typing(event.target) || $("dialog[open]")) {
      if (key === "?" && $("#key-list")?.open) { event.preventDefault(); $("#key-list").close(); }
      return;
    }
    if (key.length === 1 && lettersOff()) return;
    if (act(key, event)) event.preventDefault();
  }

  function act(key, event) {
    if (key === "/") { const box = $("#q"); box?.focus(); box?.select(); return Boolean(box); }
    if (key === "?") { showKeys(); return true; }
    if (text.key(key, event)) return true;
    // Enter and Space belong to the control in hand.
    if ((key === "Enter" || key === " ") && event.target.closest("a, button, summary, input, label")) return false;
    if ((key === "j" || key === "k") && rows().length) { moveRow(key === "j" ? 1 : -1); return true; }
    const element = keyed(key);
    if (element) press(element);
    return Boolean(element);
  }

  function escape() {
    if ($("#strip")?.contains(document.activeElement)) { $("#reader").focus({ preventScroll: true }); return; }
    if (typing(document.activeElement)) { document.activeElement.blur(); return; }
    text.letGo();
  }

  // ---- the list of keys ----
  function keysHere() {
    const where = { everywhere: true, rows: rows().length > 0, text: Boolean($("#reader")), selection: Boolean($("#capture")), grid: Boolean($("[role=grid]")) };
    const list = KEYS.filter(([place]) => where[place]).map(([, key, does]) => [key, does]);
    const row = currentRow();
    for (const element of $$("[data-key]").filter(shown)) {
      if (scopeOf(element) && scopeOf(element) !== row && list.some(([key]) => key === element.dataset.key)) continue;
      list.push([element.dataset.key, element.dataset.keyLabel || labelOf(element)]);
    }
    return list.filter(([key, does], at) => list.findIndex((one) => one[0] === key && one[1] === does) === at);
  }

  function labelOf(element) {
    const copy = element.cloneNode(true);
    $$("kbd, .sr, svg", copy).forEach((part) => part.remove());
    return (copy.textContent || element.labels?.[0]?.textContent || element.name || "").trim();
  }

  function showKeys() {
    $("#key-list")?.remove();
    const dialog = document.createElement("dialog");
    dialog.id = "key-list";
    dialog.setAttribute("aria-labelledby", "key-list-head");
    const head = dialog.appendChild(document.createElement("h2"));
    head.id = "key-list-head";
    head.textContent = "Keys on this page";
    const list = dialog.appendChild(document.createElement("dl"));
    list.className = "kv";
    for (const [key, does] of keysHere()) {
      const term = list.appendChild(document.createElement("dt"));
      term.appendChild(document.createElement("kbd")).textContent = key === " " ? "Space" : key;
      list.appendChild(document.createElement("dd")).textContent = does;
    }
    const label = dialog.appendChild(document.createElement("p")).appendChild(document.createElement("label"));
    const box = label.appendChild(document.createElement("input"));
    box.type = "checkbox";
    box.checked = !lettersOff();
    box.addEventListener("change", () => store.set("yoim-letters-off", !box.checked));
    label.append(" Single letters act as keys");
    const close = dialog.appendChild(document.createElement("button"));
    close.type = "button";
    close.textContent = "Close";
    close.addEventListener("click", () => dialog.close());
    document.body.appendChild(dialog);
    dialog.showModal();
  }

  function collisions() {
    const found = [];
    const reserved = KEYS.filter(([place]) => place === "everywhere" || (place === "rows" && rows().length) ||
      (place !== "rows" && $("#reader"))).map(([, key]) => key);
    const seen = new Map();
    for (const element of $$("[data-key]").filter(shown)) {
      const key = element.dataset.key;
      if (reserved.includes(key)) found.push(`${key} is reserved`);
      const scopes = seen.get(key) || [];
      const scope = scopeOf(element);
      if (scopes.some((other) => other === scope || !other || !scope)) found.push(`${key} stands twice`);
      seen.set(key, [...scopes, scope]);
    }
    return found;
  }

  // What acts on the lines of a text and on the selection in it: reader.js puts it here on the page that has them.
  const text = { key: () => false, letGo: () => {} };

  // A grid (the matrix) is one stop for Tab; the arrow keys go from cell to cell.
  function onGridKey(event) {
    const step = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] }[event.key];
    if (!step || event.ctrlKey || event.metaKey || event.altKey || typing(event.target)) return;
    const cell = event.target.closest("[role=grid] td, [role=grid] th");
    const table = cell ? cell.closest("table") : $(":scope > [role=grid]", event.target);
    if (!table) return;
    const [row, column] = cell ? [cell.parentElement.rowIndex + step[0], cell.cellIndex + step[1]] : [1, 1];
    const next = table.rows[row]?.cells[column];
    if (!next) return;
    event.preventDefault();
    next.tabIndex = -1;
    next.focus({ preventScroll: true });
    next.scrollIntoView({ block: "nearest", inline: "nearest" });
  }

  document.addEventListener("keydown", onKey);
  document.addEventListener("keydown", onGridKey);

  // A swapped row loses the focus; wherever it lies now it gets it back, else the row that took its place.
  let rowInHand = -1, idInHand = "";
  document.body.addEventListener("htmx:beforeSwap", () => {
    rowInHand = rows().indexOf(currentRow());
    idInHand = currentRow()?.id || "";
  });
  document.body.addEventListener("htmx:afterSettle", () => {
    const all = rows();
    if (rowInHand >= 0 && !currentRow() && all.length) {
      const same = idInHand && all.find((row) => row.id === idInHand);
      makeCurrent(same || all[Math.min(rowInHand, all.length - 1)], document.activeElement === document.body);
    }
    rowInHand = -1;
  });

  // The key bar names the list of keys on every page that has one.
  const bar = $("footer.keys");
  if (bar) {
    const button = bar.appendChild(document.createElement("button"));
    button.type = "button";
    button.className = "bare";
    button.append(Object.assign(document.createElement("kbd"), { textContent: "?" }), " all keys");
    button.addEventListener("click", showKeys);
  }

  window.yoimKeys = { list: KEYS, collisions, text, tools: { $, $$, typing, shown, say, store, press } };
})();
