// Sort a table by the column whose button is pressed: numbers by data-value, others by their text. Cells
// without a value come last in either order.
"use strict";
for (const table of document.querySelectorAll("table")) {
  const heads = [...table.tHead.rows[0].cells];
  const body = table.tBodies[0];
  const key = (row, index) => {
    const cell = row.cells[index];
    if (cell.dataset.value !== undefined) return Number(cell.dataset.value);
    return index === 0 ? cell.textContent : null;
  };
  heads.forEach((head, index) => {
    head.firstElementChild.addEventListener("click", () => {
      const descending = head.getAttribute("aria-sort") === (index === 0 ? "ascending" : "descending");
      const down = index === 0 ? descending : !descending;
      const compare = (one, other) => {
        const [a, b] = [key(one, index), key(other, index)];
        if (a === null || b === null) return (a === null) - (b === null);
        const order = typeof a === "number" ? a - b : a.localeCompare(b);
        return down ? -order : order;
      };
      for (const other of heads) other.setAttribute("aria-sort", "none");
      head.setAttribute("aria-sort", down ? "descending" : "ascending");
      body.append(...[...body.rows].sort(compare));
    });
  });
}
