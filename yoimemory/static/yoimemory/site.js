// The only script of our own. Reading works without it; it adds keys, and the capture of selected words.
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
  const SHORTEST = 12;
  const LONGEST = 1500;
  const RELATIONS = { s: "supports", r: "refutes", c: "contextualizes", x: "" };

  const $ = (selector, root = document) => root.querySelector(selector);
  const $$ = (selector, root = document) => [...root.querySelectorAll(selector)];
  const points = (text) => [...text].length;
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

  // ---- the text of a source: line cursor, selection, capture ----
  const text = (() => {
    const reader = $("#reader");
    const strip = $("#strip");
    if (!reader || !strip) return { key: () => false, letGo: () => {} };
    const form = $("#capture");
    const lines = () => $$("li[id^=L]", reader);
    const numberOf = (line) => Number(line.id.slice(1));
    let taken = null; // { words, line, column } of the selection in hand
    let cursor = null; // number of the line cursor
    let anchor = null; // number of the line at which a selection by lines began
    let cached = null; // the whole text with the offset of each line

    const lineAt = (number) => document.getElementById(`L${number}`);
    const last = () => store.get(`yoim-last-${strip.dataset.shoebox}`) || {};

    // A hidden character is written out on the page; its own code goes into the quote.
    function* nodesOf(line) {
      const walker = document.createTreeWalker($("p", line), NodeFilter.SHOW_TEXT);
      while (walker.nextNode()) {
        const node = walker.currentNode;
        if (node.parentElement.closest(".more")) continue;
        const hidden = node.parentElement.closest(".hid");
        yield [node, hidden ? String.fromCodePoint(parseInt(hidden.dataset.c, 16)) : node.data, Boolean(hidden)];
      }
    }
    const textOf = (line) => [...nodesOf(line)].map(([, source]) => source).join("");
    const endOf = (line) => ("cr" in line.dataset ? "\r\n" : "\n");

    function whole() {
      if (cached) return cached;
      const offsets = new Map();
      let all = "";
      let before = 0;
      for (const line of lines()) {
        const number = numberOf(line);
        if (before && number !== before + 1) all += "\n\u0000\n"; // lines that are not shown part the text
        offsets.set(number, all.length);
        all += textOf(line) + endOf(line);
        before = number;
      }
      cached = { all, offsets };
      return cached;
    }

    // The part of one line that a range takes: what is before it, and the words.
    function cut(line, range) {
      let before = "";
      let words = "";
      for (const [node, source, hidden] of nodesOf(line)) {
        if (!range.intersectsNode(node)) { if (!words) before += source; continue; }
        let from = node === range.startContainer ? range.startOffset : 0;
        let to = node === range.endContainer ? range.endOffset : node.length;
        if (hidden) [from, to] = to > from ? [0, 1] : [0, 0];
        if (!words) before += source.slice(0, from);
        words += source.slice(from, to);
      }
      return { number: numberOf(line), before, words, end: endOf(line) };
    }

    function read(range) {
      const pieces = lines().filter((line) => range.intersectsNode($("p", line))).map((line) => cut(line, range));
      const first = pieces.findIndex((piece) => piece.words.trim());
      if (first < 0) return null;
      const all = pieces.map((piece, at) => piece.words + (at < pieces.length - 1 ? piece.end : "")).join("");
      const piece = pieces[first];
      const lead = piece.words.length - piece.words.trimStart().length;
      const until = pieces.findLastIndex((one) => one.words.trim());
      return {
        words: all.trim(), line: piece.number, until: pieces[until].number,
        column: points(piece.before) + points(piece.words.slice(0, lead)) + 1, units: piece.before.length + lead,
      };
    }

    // "unique here" or "2 of 3", counted in what the page shows.
    function place(one) {
      const { all, offsets } = whole();
      const here = offsets.get(one.line) + one.units;
      let count = 0;
      let which = 0;
      for (let at = all.indexOf(one.words); at >= 0; at = all.indexOf(one.words, at + 1)) {
        count += 1;
        if (at <= here) which = count;
      }
      const where = "partial" in reader.dataset ? "in the lines shown" : "here";
      return count > 1 ? `${which} of ${count} ${where}` : `unique ${where}`;
    }

    function show(one) {
      taken = one;
      strip.hidden = false;
      if (form) form.hidden = false;
      $("#strip-said").replaceChildren();
      const size = points(one.words);
      const lineWord = one.until > one.line ? `L${one.line}–${one.until}` : `L${one.line}`;
      const mark = document.createElement("b");
      mark.textContent = lineWord;
      $(".sel", strip).replaceChildren(mark, ` ${one.words.replace(/\s+/g, " ")}`);
      const fits = size >= SHORTEST && size <= LONGEST;
      const count = document.createElement("b");
      count.textContent = `${size.toLocaleString("en")} characters`;
      const note = size < SHORTEST ? `at least ${SHORTEST} are needed` : size > LONGEST ? `at most ${LONGEST} fit` : place(one);
      $(".count", strip).replaceChildren(count, `, ${note}`);
      if (form) {
        form.elements.quote.value = one.words;
        form.elements.line.value = one.line;
        form.elements.column.value = one.column;
        if (!$("[data-target][aria-pressed=true]", form)) choose("target", last().target) || choose("target");
        $(".go", form).disabled = !fits;
      }
      keepInSight(one);
    }

    // The strip never covers the line in hand.
    function keepInSight(one) {
      const bottom = lineAt(one.until)?.getBoundingClientRect().bottom || 0;
      const top = strip.getBoundingClientRect().top;
      if (bottom > top && bottom < window.innerHeight + 200) window.scrollBy({ top: bottom - top + 8, behavior: "instant" });
    }

    function choose(kind, value) {
      const buttons = $$(`[data-${kind}]`, form);
      const wanted = value === undefined ? buttons[0] : buttons.find((button) => button.dataset[kind] === value);
      if (!wanted) return false;
      buttons.forEach((button) => button.setAttribute("aria-pressed", String(button === wanted)));
      form.elements[kind].value = wanted.dataset[kind];
      if (kind === "relation") $(".targets", form).hidden = wanted.dataset.relation === "";
      return true;
    }

    function release() {
      taken = null;
      anchor = null;
      if (form) {
        form.hidden = true;
        form.elements.why.value = "";
        $$("[aria-pressed=true][data-relation]", form).forEach((button) => button.setAttribute("aria-pressed", "false"));
      }
      strip.hidden = !$("#strip-said").textContent.trim();
    }

    function letGo() {
      $("#strip-said").replaceChildren();
      document.getSelection().removeAllRanges();
      release();
    }

    function onSelection() {
      if (strip.contains(document.activeElement) && typing(document.activeElement)) return;
      const selection = document.getSelection();
      if (!selection.rangeCount || selection.isCollapsed) { if (taken) release(); return; }
      const range = selection.getRangeAt(0);
      if (!range.intersectsNode(reader) || (!reader.contains(range.startContainer) && !reader.contains(range.endContainer))) return;
      const one = read(range);
      if (one) show(one); else if (taken) release();
    }

    function setCursor(number) {
      $$("li.cur", reader).forEach((line) => line.classList.remove("cur"));
      cursor = number;
      lineAt(number)?.classList.add("cur");
    }

    function moveCursor(step, extend) {
      const all = lines().filter((line) => !line.classList.contains("bl"));
      if (!all.length) return;
      let at = all.findIndex((line) => numberOf(line) === cursor);
      const fresh = at < 0;
      if (fresh) at = Math.max(all.findIndex((line) => line.getBoundingClientRect().top > 60), 0);
      // The first Shift selects the line in hand; further ones extend.
      if (!fresh && !(extend && anchor === null)) at = Math.min(Math.max(at + step, 0), all.length - 1);
      setCursor(numberOf(all[at]));
      if (extend) selectLines(); else { anchor = null; document.getSelection().removeAllRanges(); }
      all[at].scrollIntoView({ block: "nearest" });
      if (document.activeElement !== reader) reader.focus({ preventScroll: true });
    }

    // Chromium has no caret in read-only text: the line cursor makes the selection itself.
    function selectLines() {
      if (anchor === null) anchor = cursor;
      const [first, until] = [Math.min(anchor, cursor), Math.max(anchor, cursor)];
      const range = document.createRange();
      range.setStart($("p", lineAt(first)), 0);
      const end = $("p", lineAt(until));
      range.setEnd(end, end.childNodes.length);
      const selection = document.getSelection();
      selection.removeAllRanges();
      selection.addRange(range);
    }

    function save() {
      if (!form || !taken) return;
      if (!$("[data-relation][aria-pressed=true]", form)) {
        $("#strip-said").textContent = "Choose first: s supports, r refutes, c contextualizes, x keep only.";
        return;
      }
      if (!$(".go", form).disabled) form.requestSubmit();
    }

    function repeat() {
      const before = last();
      if (!taken || !form || before.relation === undefined) return false;
      choose("relation", before.relation);
      choose("target", before.target);
      form.elements.why.value = before.why || "";
      save();
      return true;
    }

    function key(name) {
      const at = document.activeElement;
      const inText = reader.contains(at) || at === document.body || at === null || at.id === "main";
      if (!inText && !(strip.contains(at) && !typing(at))) return false;
      if (name === "j" || name === "k") { moveCursor(name === "j" ? 1 : -1, false); return true; }
      if (name === "J" || name === "K") { moveCursor(name === "J" ? 1 : -1, true); return true; }
      onSelection(); // the event of a selection comes later than a quick hand
      if (!taken || !form) return false;
      if (name === ".") return repeat();
      if (name in RELATIONS) return choose("relation", RELATIONS[name]);
      if (/^[0-9]$/.test(name)) {
        const targets = $$("[data-target]", form);
        return choose("target", (name === "0" ? targets.at(-1) : targets.slice(0, -1)[Number(name) - 1])?.dataset.target ?? null);
      }
      if (name === "w") { form.elements.why.focus({ preventScroll: true }); return true; }
      // A line takes the focus from an address with a fragment or from a click; a link or button keeps its Enter.
      if (name === "Enter" && inText && !at?.closest("a, button, summary, input, label")) { save(); return true; }
      return false;
    }

    form?.addEventListener("click", (event) => {
      const button = event.target.closest("[data-relation], [data-target]");
      if (button) choose("relation" in button.dataset ? "relation" : "target", button.dataset.relation ?? button.dataset.target);
    });
    form?.addEventListener("submit", (event) => {
      if ($("[data-relation][aria-pressed=true]", form)) return;
      event.preventDefault();
      event.stopImmediatePropagation();
      save();
    }, true);
    // A press on a button of the strip must not take the selection out of the text.
    strip.addEventListener("mousedown", (event) => { if (event.target.closest("button")) event.preventDefault(); });
    document.addEventListener("selectionchange", () => requestAnimationFrame(onSelection));

    document.body.addEventListener("evidence-extracted", () => {
      if (form && taken) {
        const [relation, target] = [form.elements.relation.value, form.elements.target.value];
        store.set(`yoim-last-${strip.dataset.shoebox}`, { relation, target, why: form.elements.why.value });
      }
      if (strip.contains(document.activeElement)) reader.focus({ preventScroll: true });
      document.getSelection().removeAllRanges();
      release();
    });
    document.body.addEventListener("htmx:afterSettle", () => {
      cached = null;
      if (cursor !== null) lineAt(cursor)?.classList.add("cur");
      strip.hidden = !taken && !$("#strip-said").textContent.trim();
      if ($("#strip-said").textContent.trim()) say($("#strip-said").textContent.trim());
    });

    const target = $("li.cur", reader);
    if (target) {
      cursor = numberOf(target);
      if (document.activeElement === target) reader.focus({ preventScroll: true });
      if (!location.hash) target.scrollIntoView({ block: "center" });
    }
    return { key, letGo };
  })();

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

  // A swapped row loses the focus; the row that took its place gets it, so that keys go on working.
  let rowInHand = -1;
  document.body.addEventListener("htmx:beforeSwap", () => { rowInHand = rows().indexOf(currentRow()); });
  document.body.addEventListener("htmx:afterSettle", () => {
    if (rowInHand >= 0 && !currentRow() && rows().length) {
      makeCurrent(rows()[Math.min(rowInHand, rows().length - 1)], document.activeElement === document.body);
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

  window.yoimKeys = { list: KEYS, collisions };
})();
