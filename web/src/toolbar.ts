// The controls above the picture.
import { button, el } from "./elements";
import type { Model } from "./model";
import type { State } from "./state";

export interface ToolbarEvents {
  level(level: number): void;
  colour(colour: string): void;
  least(size: number): void;
  undo(): void;
  fit(): void;
  theme(): void;
  save(kind: "svg" | "png"): void;
}

const SIZES = [1, 2, 3, 4, 5, 6, 8, 10, 15, 20, 50, 100];

export class Toolbar {
  readonly element: HTMLElement;
  private level: HTMLInputElement;
  private levelText = el("output", { class: "level-text" });
  private colour: HTMLSelectElement;
  private least: HTMLSelectElement;

  constructor(
    readonly model: Model,
    events: ToolbarEvents,
  ) {
    const top = model.head.levels.length - 1;
    this.level = el("input", { type: "range", id: "level", min: 0, max: top, step: 1, input: () => events.level(Number(this.level.value)) });
    const options = [["pool", "pool"], ...model.head.colours.map(({ name }, i) => [String(i), name])];
    this.colour = el("select", { id: "colour", change: () => events.colour(this.colour.value) }, ...options.map(([value, text]) => el("option", { value }, text)));
    this.least = el("select", { id: "least", change: () => events.least(Number(this.least.value)) }, ...SIZES.map((size) => el("option", { value: size }, size === 1 ? "any size" : `≥ ${size}`)));
    const field = (id: string, text: string, ...inner: HTMLElement[]) => el("span", { class: "field" }, el("label", { for: id }, text), ...inner);
    this.element = el("div", { class: "toolbar", role: "toolbar", "aria-label": "Picture" },
      field("level", "Level", this.level, this.levelText),
      field("colour", "Colour", this.colour),
      field("least", "Pools", this.least),
      el("span", { class: "buttons" },
        button("Undo", "Undo (u)", events.undo),
        button("Fit", "Fit all into the picture (0)", events.fit),
        button("SVG", "Download as SVG", () => events.save("svg")),
        button("PNG", "Download as PNG", () => events.save("png")),
        button("◐", "Light or dark (d)", events.theme),
      ),
    );
  }

  show(state: State): void {
    this.level.value = String(state.level);
    const { nodes } = this.model.head.levels[state.level];
    const text = `${state.level} · ${nodes.toLocaleString("en")}`;
    this.levelText.textContent = text;
    this.level.setAttribute("aria-valuetext", `level ${state.level}, ${nodes.toLocaleString("en")} nodes`);
    this.colour.value = state.colour;
    this.least.value = String(state.least);
  }
}
