// The search box: finds nodes by their names, as one types.
import { el } from "./elements";

export class SearchBox {
  readonly element: HTMLElement;
  private input: HTMLInputElement;
  private list = el("ul", { class: "hits", id: "hits", role: "listbox", "aria-label": "Nodes found" });
  private active = 0;
  private hits: number[] = [];

  constructor(
    readonly find: (text: string) => number[],
    readonly name: (node: number) => string,
    readonly choose: (node: number) => void,
  ) {
    this.input = el("input", {
      type: "search",
      placeholder: "Search names  ( / )",
      "aria-label": "Search names",
      role: "combobox",
      "aria-expanded": "false",
      "aria-controls": "hits",
      "aria-autocomplete": "list",
      autocomplete: "off",
      spellcheck: "false",
      input: () => this.update(),
      keydown: (event: KeyboardEvent) => this.onKey(event),
      blur: () => setTimeout(() => this.close(), 150),
    });
    this.element = el("div", { class: "search" }, this.input, this.list);
    this.close();
  }

  focus(): void {
    this.input.focus();
    this.input.select();
  }
  private close(): void {
    this.list.hidden = true;
    this.input.setAttribute("aria-expanded", "false");
    this.input.removeAttribute("aria-activedescendant");
  }
  private update(): void {
    this.hits = this.find(this.input.value);
    this.active = 0;
    this.render();
  }
  private render(): void {
    if (!this.input.value.trim()) return this.close();
    const rows = this.hits.map((node, index) =>
      el("li", { id: `hit-${index}`, role: "option", "aria-selected": String(index === this.active), pointerdown: () => this.take(index) }, this.name(node)),
    );
    if (!rows.length) rows.push(el("li", { role: "option", "aria-selected": "false", "aria-disabled": "true" }, "no such name"));
    this.list.replaceChildren(...rows);
    this.list.hidden = false;
    this.input.setAttribute("aria-expanded", "true");
    if (this.hits.length) this.input.setAttribute("aria-activedescendant", `hit-${this.active}`);
  }
  private take(index: number): void {
    if (index >= this.hits.length) return;
    this.close();
    this.choose(this.hits[index]);
  }
  private onKey(event: KeyboardEvent): void {
    event.stopPropagation();
    if (event.key === "Enter") this.take(this.active);
    else if (event.key === "Escape") {
      this.close();
      this.input.blur();
    } else if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      const step = event.key === "ArrowDown" ? 1 : -1;
      this.active = Math.max(0, Math.min(this.hits.length - 1, this.active + step));
      this.render();
    } else return;
    event.preventDefault();
  }
}
