// The meaning of the colours, at the corner of the picture.
import { poolColour, scaleColour, type Theme } from "./colours";
import { el } from "./elements";
import type { Colouring } from "./values";

const STEPS = 5;

function entry(colour: string, text: string): HTMLElement {
  const dot = el("span", { class: "dot" });
  dot.style.background = colour;
  return el("span", { class: "entry" }, dot, text);
}

// Nothing for pools: they are told apart by their colours, which mean nothing else.
export function legendOf(colouring: Colouring | undefined, theme: Theme): HTMLElement[] {
  if (!colouring) return [];
  if (colouring.kind === "classes") return colouring.names!.map((name, i) => entry(poolColour(theme, i), name));
  const [low, high] = [colouring.low!, colouring.high!];
  const values = low === high ? [low] : Array.from({ length: STEPS }, (_, i) => low + ((high - low) * i) / (STEPS - 1));
  return values.map((value) => entry(scaleColour(theme, value, low, high), value.toLocaleString("en", { maximumSignificantDigits: 3 })));
}
