// The page of a source: line cursor, selection, capture. site.js holds the keys and comes first.
"use strict";
(() => {
  const { text, tools } = window.yoimKeys;
  const { $, $$, typing, shown, say, store, press } = tools;
  const SHORTEST = 12;
  const LONGEST = 1500;
  const RELATIONS = { s: "supports", r: "refutes", c: "contextualizes", x: "" };
  const points = (text) => [...text].length;

  const reader = $("#reader");
  const strip = $("#strip");
  if (!reader || !strip) return;
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
      $$("[aria-pressed=true][data-relation]:not([data-fixed])", form).forEach((button) => button.setAttribute("aria-pressed", "false"));
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
    // A relation on a line in hand means that line: nobody has to select what the cursor stands on.
    if (!taken && name in RELATIONS && $("li.cur", reader)) { selectLines(); onSelection(); }
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

  // The line that the ref names, or the address: keys begin there.
  const named = /^#L[0-9]+$/.test(location.hash) ? $(location.hash, reader) : null;
  const target = $("li.cur", reader) || named;
  if (target) {
    setCursor(numberOf(target));
    if (document.activeElement === target) reader.focus({ preventScroll: true });
    if (!location.hash) target.scrollIntoView({ block: "center" });
  }
  Object.assign(text, { key, letGo });
})();
