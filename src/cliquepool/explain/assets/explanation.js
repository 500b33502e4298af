// The switches of an explanation: every answer was computed when the page was made, none is computed here.
"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const one = (selector, root = document) => root.querySelector(selector);
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];
  const rows = all("tbody tr[data-pool]");
  const switches = all("input[data-bit]");
  const answers = decode(data.answers);
  const start = scoresOf(answers.length / data.columns - 1);
  let target = data.target;

  function decode(text) {
    const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
    const view = new DataView(bytes.buffer); // little-endian on every machine
    return Float32Array.from({ length: bytes.length / 4 }, (_, index) => view.getFloat32(4 * index, true));
  }

  function scoresOf(row) {
    const stored = [...answers.subarray(row * data.columns, (row + 1) * data.columns)];
    return data.columns < data.names.length ? [-stored[0], stored[0]] : stored;
  }

  const probability = (score) => 1 / (1 + Math.exp(-score));
  const signed = (value) => (value < 0 ? "−" : "+") + Math.abs(value).toFixed(3);
  const percent = (share) => (100 * share).toFixed(1) + " %";

  function predicted(scores) {
    if (data.kind === "numbers") return data.names.map((name, i) => `${name} = ${scores[i].toPrecision(4)}`).join(", ");
    if (data.kind === "labels") return data.names.filter((_, i) => scores[i] > 0).join(", ") || "none";
    return data.names[scores.indexOf(Math.max(...scores))];
  }

  function keptNodes(off) {
    const kept = new Set();
    const gone = new Set();
    data.pools.forEach((nodes, pool) => nodes.forEach((node) => (off.has(pool) ? gone : kept).add(node)));
    // A deleted node goes with any of its pools; a masked one only with all of them.
    return (node) => (data.deletes ? !gone.has(node) : kept.has(node));
  }

  function update() {
    const off = new Set(switches.filter((box) => !box.checked).map((box) => Number(box.dataset.pool)));
    const row = switches.reduce((sum, box) => sum + (box.checked ? 2 ** Number(box.dataset.bit) : 0), 0);
    const scores = scoresOf(row);
    const before = predicted(start);
    const answer = one("#answer");
    const without = off.size ? ` without ${off.size} of ${data.pools.length} pools` : "";
    answer.textContent = `${predicted(scores)}${without}`;
    answer.classList.toggle("changed", predicted(scores) !== before);
    data.names.forEach((_, index) => {
      const share = data.kind === "numbers" ? null : probability(scores[index]);
      if (share !== null) one(`rect[data-share="${index}"]`).setAttribute("width", String(100 * share));
      one(`output[data-score="${index}"]`).textContent =
        share === null ? scores[index].toPrecision(4) : `${percent(share)}  (${signed(scores[index])})`;
    });
    rows.forEach((line) => line.classList.toggle("off", off.has(Number(line.dataset.pool))));
    all(".blob").forEach((blob) => blob.classList.toggle("off", off.has(Number(blob.dataset.pool))));
    const isKept = keptNodes(off);
    all(".node").forEach((node) => node.classList.toggle("masked", !isKept(Number(node.dataset.node))));
    const state = off.size ? "#off=" + [...off].sort((a, b) => a - b).join(",") : location.pathname.split("/").pop();
    try { history.replaceState(null, "", state || "#"); } catch { /* some viewers of files forbid it */ }
  }

  function showTarget() {
    const largest = Math.max(...data.contributions.map((values) => Math.abs(values[target])), 1e-12);
    all(".target-name").forEach((place) => { place.textContent = data.names[target]; });
    const side = (value) => (value < 0 ? "against" : "for");
    rows.forEach((line) => {
      const pool = Number(line.dataset.pool);
      const value = data.contributions[pool][target];
      const bar = one("rect", line);
      bar.setAttribute("x", String(value < 0 ? (50 * value) / largest : 0));
      bar.setAttribute("width", String((50 * Math.abs(value)) / largest));
      bar.setAttribute("class", side(value));
      one("[data-value]", line).textContent = signed(value);
      if (data.errors) one("[data-error]", line).textContent = "± " + data.errors[pool][target].toFixed(3);
      const rest = data.without[pool][target];
      one("[data-without]", line).textContent = data.kind === "numbers" ? rest.toPrecision(4) : percent(probability(rest));
    });
    const strength = (blob) => Math.abs(data.contributions[Number(blob.dataset.pool)][target]);
    const bands = all(".blob").sort((a, b) => strength(a) - strength(b));
    bands.forEach((blob) => {
      blob.classList.remove("for", "against");
      blob.classList.add(side(data.contributions[Number(blob.dataset.pool)][target]));
      blob.style.setProperty("--strength", `${8 + (82 * strength(blob)) / largest}%`);
      blob.parentNode.append(blob);
    });
    const body = one("#pools");
    rows.sort((a, b) => Math.abs(data.contributions[b.dataset.pool][target]) - Math.abs(data.contributions[a.dataset.pool][target]));
    rows.forEach((line) => body.append(line));
  }

  function mark(pools, nodes) {
    rows.forEach((line) => line.classList.toggle("marked", pools.has(Number(line.dataset.pool)) && nodes.size > 0));
    const band = nodes.size === 0 && pools.size === 1 ? one(`.blob[data-pool="${[...pools][0]}"]`) : null;
    one("#mark")?.setAttribute("d", band?.getAttribute("d") ?? "");
    all(".node").forEach((node) => node.classList.toggle("marked", nodes.has(Number(node.dataset.node))));
  }
  const unmark = () => mark(new Set(), new Set());

  rows.forEach((line) => {
    const pool = new Set([Number(line.dataset.pool)]);
    ["mouseenter", "focusin"].forEach((event) => line.addEventListener(event, () => mark(pool, new Set())));
    ["mouseleave", "focusout"].forEach((event) => line.addEventListener(event, unmark));
  });
  all(".node").forEach((node) => {
    const id = Number(node.dataset.node);
    node.addEventListener("mouseenter", () => {
      mark(new Set(data.pools.flatMap((nodes, pool) => (nodes.includes(id) ? [pool] : []))), new Set([id]));
    });
    node.addEventListener("mouseleave", unmark);
  });
  switches.forEach((box) => { box.disabled = false; box.addEventListener("change", update); });
  all("button[data-all]").forEach((button) => button.addEventListener("click", () => {
    switches.forEach((box) => { box.checked = button.dataset.all === "on"; });
    update();
  }));
  const choice = one("#target");
  choice?.addEventListener("change", () => { target = Number(choice.value); showTarget(); });

  const asked = new Set((location.hash.match(/^#off=([\d,]+)$/)?.[1] ?? "").split(",").filter(Boolean).map(Number));
  switches.forEach((box) => { box.checked = !asked.has(Number(box.dataset.pool)); });
  showTarget();
  update();
})();
