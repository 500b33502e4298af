// Tables: sort by the column whose button is pressed, copy as Markdown, LaTeX or CSV in the order that is shown.
"use strict";
(() => {
  const nothing = new Set(["", "–"]);
  const words = (cell) => (cell.dataset.words ?? cell.textContent).trim();

  // A column is one of numbers if any of its cells has a data-value; cells without one come last.
  function keyOf(rows, index) {
    const numeric = rows.some((row) => row.cells[index].dataset.value !== undefined);
    return (row) => {
      const cell = row.cells[index];
      if (numeric) return cell.dataset.value === undefined ? null : Number(cell.dataset.value);
      return nothing.has(words(cell)) ? null : words(cell);
    };
  }

  function sortBy(table, index) {
    const body = table.tBodies[0];
    const rows = [...body.rows];
    const key = keyOf(rows, index);
    const head = table.tHead.rows[0].cells[index];
    const textual = rows.some((row) => typeof key(row) === "string");
    const before = head.getAttribute("aria-sort");
    // The first press sorts numbers from the highest, text from A.
    const descending = before === "none" ? !textual : before === "ascending";
    const compare = (one, other) => {
      const [a, b] = [key(one), key(other)];
      if (a === null || b === null) return (a === null) - (b === null);
      const order = typeof a === "number" ? a - b : a.localeCompare(b, "en", { numeric: true });
      return descending ? -order : order;
    };
    for (const other of table.tHead.rows[0].cells) other.setAttribute("aria-sort", "none");
    head.setAttribute("aria-sort", descending ? "descending" : "ascending");
    body.append(...rows.sort(compare));
  }

  // ---- copying ----

  const cells = (row) => [...row.cells].map(words);
  const lines = (table) => [...table.tBodies[0].rows];
  const heads = (table) => cells(table.tHead.rows[0]);

  function markdown(table) {
    const line = (values) => `| ${values.map((value) => value.replaceAll("|", "\\|")).join(" | ")} |\n`;
    const rows = [heads(table), heads(table).map(() => "---"), ...lines(table).map(cells)];
    return rows.map(line).join("");
  }

  const escapes = {
    "\\": "\\textbackslash{}", "±": "$\\pm$", "–": "--", "−": "$-$", "×": "$\\times$", "≠": "$\\neq$", "…": "\\dots{}",
    "~": "\\textasciitilde{}", "^": "\\textasciicircum{}",
  };
  const latexOf = (value) => value.replace(/[\\±–−×≠…~^]/g, (sign) => escapes[sign] ?? sign);
  const escaped = (value) =>
    value.split(/([&%$#_{}])/).map((part) => (/^[&%$#_{}]$/.test(part) ? `\\${part}` : latexOf(part))).join("");

  function latex(table) {
    const line = (values) => `${values.map(escaped).join(" & ")} \\\\`;
    const numeric = heads(table).map((_, index) => lines(table).some((row) => row.cells[index].dataset.value !== undefined));
    return [
      `\\begin{tabular}{${numeric.map((is) => (is ? "r" : "l")).join("")}}`,
      "\\toprule", line(heads(table)), "\\midrule", ...lines(table).map((row) => line(cells(row))),
      "\\bottomrule", "\\end{tabular}", "",
    ].join("\n");
  }

  function csv(table) {
    const columns = [...table.tHead.rows[0].cells];
    const parts = columns.map((head) => (head.dataset.parts ? JSON.parse(head.dataset.parts) : [words(head)]));
    const values = (row) => parts.flatMap((names, index) => {
      const { parts: own, value } = row.cells[index].dataset;
      if (names.length > 1) return own ? JSON.parse(own) : names.map(() => null);
      const shown = words(row.cells[index]);
      // The first column has names, whatever it is sorted by.
      if (index > 0 && value !== undefined) return [Number(value)];
      return [nothing.has(shown) ? null : shown];
    });
    const quoted = (value) => (/[",\n\r]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value);
    const line = (row) => row.map((value) => (value === null ? "" : quoted(String(value)))).join(",");
    return [line(parts.flat()), ...lines(table).map((row) => line(values(row))), ""].join("\n");
  }

  const formats = { markdown, latex, csv };

  // Where the browser keeps the clipboard to itself, the text is shown, selected, to be copied by hand.
  async function copy(tools, content, name) {
    const told = tools.querySelector("output");
    tools.querySelector("textarea")?.remove();
    try {
      await navigator.clipboard.writeText(content);
      told.textContent = `Copied as ${name}.`;
    } catch {
      const area = document.createElement("textarea");
      area.readOnly = true;
      area.value = content;
      area.setAttribute("aria-label", `The table as ${name}`);
      tools.append(area);
      area.focus();
      area.select();
      told.textContent = "Press Ctrl-C to copy.";
    }
  }

  for (const place of document.querySelectorAll("div.table")) {
    const table = place.querySelector("table");
    [...table.tHead.rows[0].cells].forEach((head, index) => {
      head.querySelector("button").addEventListener("click", () => sortBy(table, index));
    });
    const tools = place.querySelector(".tools");
    tools.hidden = false;
    for (const button of tools.querySelectorAll("[data-copy]")) {
      button.addEventListener("click", () => copy(tools, formats[button.dataset.copy](table), button.textContent));
    }
  }
})();
