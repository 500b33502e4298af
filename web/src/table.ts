// A table that sorts by any column, by mouse and by keyboard, and shows long lists in parts.
import { el } from "./elements";

export interface Column<T> {
  name: string;
  title: string;
  value: (row: T) => string | number;
}

const ROWS = 60;

export class SortableTable<T> {
  readonly element = el("div", { class: "table" });
  private rows: T[] = [];
  private sorted = { column: -1, down: true };
  private shown = ROWS;
  private key: (row: T) => string;
  private chosen: string | null = null;

  constructor(
    readonly columns: Column<T>[],
    key: (row: T) => string,
    readonly choose: (row: T, open: boolean) => void,
  ) {
    this.key = key;
  }

  show(rows: T[], chosen: string | null): void {
    this.rows = rows;
    this.chosen = chosen;
    this.render();
  }

  private order(): T[] {
    const { column, down } = this.sorted;
    if (column < 0) return this.rows;
    const value = this.columns[column].value;
    const sign = down ? -1 : 1;
    return [...this.rows].sort((a, b) => {
      const [x, y] = [value(a), value(b)];
      if (typeof x === "number" && typeof y === "number") return sign * (x - y);
      return sign * String(x).localeCompare(String(y), "en", { numeric: true });
    });
  }

  private sortBy(column: number): void {
    const same = this.sorted.column === column;
    const numeric = this.rows.length > 0 && typeof this.columns[column].value(this.rows[0]) === "number";
    this.sorted = { column, down: same ? !this.sorted.down : numeric };
    this.render();
    this.element.querySelectorAll<HTMLElement>("th button")[column]?.focus();
  }

  private render(): void {
    const focused = this.element.contains(document.activeElement) && document.activeElement?.tagName === "TR";
    const head = el("tr", {}, ...this.columns.map((column, index) => {
      const direction = this.sorted.column === index ? (this.sorted.down ? "descending" : "ascending") : "none";
      const arrow = { descending: " ↓", ascending: " ↑", none: "" }[direction];
      return el("th", { scope: "col", "aria-sort": direction }, el("button", { type: "button", title: column.title, click: () => this.sortBy(index) }, column.name + arrow));
    }));
    const body = el("tbody", {}, ...this.order().slice(0, this.shown).map((row) => this.row(row)));
    const parts: HTMLElement[] = [el("table", {}, el("thead", {}, head), body)];
    const left = this.rows.length - this.shown;
    if (left > 0) {
      const more = () => ((this.shown += ROWS), this.render());
      parts.push(el("button", { type: "button", class: "more", click: more }, `${left.toLocaleString("en")} more rows`));
    }
    this.element.replaceChildren(...parts);
    if (focused) this.element.querySelector<HTMLElement>("tr.chosen")?.focus();
  }

  private row(row: T): HTMLElement {
    const key = this.key(row);
    const chosen = key === this.chosen;
    const cells = this.columns.map((column) => {
      const value = column.value(row);
      return typeof value === "number" ? el("td", { class: "number" }, value.toLocaleString("en")) : el("td", {}, value);
    });
    const move = (event: KeyboardEvent) => {
      const target = event.currentTarget as HTMLElement;
      if (event.key === "Enter") this.choose(row, true);
      else if (event.key === " ") this.choose(row, false);
      else if (event.key === "ArrowDown") (target.nextElementSibling as HTMLElement | null)?.focus();
      else if (event.key === "ArrowUp") (target.previousElementSibling as HTMLElement | null)?.focus();
      else return;
      event.preventDefault();
      event.stopPropagation();
    };
    return el("tr", { tabindex: 0, class: chosen ? "chosen" : "", "aria-selected": String(chosen), click: () => this.choose(row, false), dblclick: () => this.choose(row, true), keydown: move }, ...cells);
  }
}
