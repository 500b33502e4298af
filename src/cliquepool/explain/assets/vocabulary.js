// The table of a vocabulary: choose the class to look at, sort by any column, filter by level.
"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const one = (selector, root = document) => root.querySelector(selector);
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];
  const body = one("#words");
  const rows = all("tr", body);
  const heads = all("th[data-key]");
  let target = data.target;
  let order = { key: "strength", descending: true };

  const signed = (value) => (value < 0 ? "−" : "+") + Math.abs(value).toFixed(3);
  const word = (row) => data.words[Number(row.dataset.word)];
  // The end of the interval that is nearest to zero, zero where the interval has both signs.
  const sure = (w) => {
    const low = w.low?.[target] ?? 0;
    const high = w.high?.[target] ?? 0;
    return low > 0 ? low : high < 0 ? high : 0;
  };
  const keys = {
    strength: (w) => Math.abs(sure(w)),
    mean: (w) => w.mean[target],
    graphs: (w) => w.graphs,
    support: (w) => w.support,
    level: (w) => w.level,
    text: (w) => w.text,
  };

  function show() {
    const largest = Math.max(...data.words.map((w) => Math.max(Math.abs(w.mean[target]), Math.abs(sure(w)))), 1e-12);
    const scale = (value) => Math.max(-50, Math.min(50, (46 * value) / largest));
    all(".target-name").forEach((place) => { place.textContent = data.names[target]; });
    rows.forEach((row) => {
      const w = word(row);
      const value = w.mean[target];
      const side = value < 0 ? "against" : "for";
      const bar = one("rect", row);
      bar.setAttribute("x", String(Math.min(0, scale(value))));
      bar.setAttribute("width", String(Math.abs(scale(value))));
      bar.setAttribute("class", side);
      const whisker = one("line.whisker", row);
      whisker.setAttribute("x1", String(scale(w.low?.[target] ?? value)));
      whisker.setAttribute("x2", String(scale(w.high?.[target] ?? value)));
      one("[data-mean]", row).textContent = signed(value);
      one("[data-interval]", row).textContent = w.low ? `${signed(w.low[target])} to ${signed(w.high[target])}` : "one graph";
      all(".blob", row).forEach((blob) => {
        blob.classList.remove("for", "against");
        blob.classList.add(side);
      });
    });
    sort();
  }

  function sort() {
    const key = keys[order.key];
    const sign = order.descending ? -1 : 1;
    const compare = (a, b) => (typeof a === "string" ? a.localeCompare(b) : a - b);
    rows.sort((a, b) => sign * compare(key(word(a)), key(word(b))) || Number(a.dataset.word) - Number(b.dataset.word));
    rows.forEach((row) => body.append(row));
    heads.forEach((head) => {
      const own = head.dataset.key === order.key;
      head.setAttribute("aria-sort", own ? (order.descending ? "descending" : "ascending") : "none");
    });
  }

  heads.forEach((head) => one("button", head).addEventListener("click", () => {
    const key = head.dataset.key;
    order = { key, descending: order.key === key ? !order.descending : key !== "text" && key !== "level" };
    sort();
  }));
  const choice = one("#target");
  choice?.addEventListener("change", () => { target = Number(choice.value); show(); });
  const level = one("#level");
  level?.addEventListener("change", () => {
    rows.forEach((row) => { row.hidden = level.value !== "" && word(row).level !== Number(level.value); });
  });
  show();
})();
