// The panel that says in words what is selected.
import type { Theme } from "./colours";
import { poolColour } from "./colours";
import { button, counted, el } from "./elements";
import { type Item, nodeKey } from "./items";
import type { Model } from "./model";
import { poolsOfItem } from "./values";

export interface Actions {
  open(key: string): void;
  close(key: string): void;
  reveal(level: number, node: number): void;
}

const SHOWN = 12;

function chip(text: string, colour: string | null, click: () => void): HTMLElement {
  const dot = el("span", { class: "dot" });
  if (colour) dot.style.background = colour;
  return el("button", { type: "button", class: "chip", click }, ...(colour ? [dot] : []), text);
}

function listed(title: string, chips: HTMLElement[], total: number): HTMLElement[] {
  if (!chips.length) return [];
  const rest = total - chips.length;
  const more = rest > 0 ? [el("span", { class: "muted" }, `and ${rest.toLocaleString("en")} more`)] : [];
  return [el("h3", {}, title), el("div", { class: "chips" }, ...chips, ...more)];
}

// The members of a pool, or the nodes of a bundle.
function contents(model: Model, item: Item, actions: Actions): HTMLElement[] {
  const { hierarchy } = model;
  const show = (level: number, node: number) =>
    chip(level ? `pool ${node}` : model.nodeName(node), null, () => actions.reveal(level, node));
  if (item.kind !== "node") {
    const nodes = model.nodesOf(item);
    return listed("Holds", [...nodes.subarray(0, SHOWN)].map((node) => show(item.level, node)), nodes.length);
  }
  if (item.level === 0 || !hierarchy.has(item.level - 1)) return [];
  const below = hierarchy.level(item.level - 1);
  const nodes: number[] = [];
  for (const one of hierarchy.members(item.level, item.id)) {
    if (nodes.length >= SHOWN) break;
    nodes.push(...below.nodesOfClass(one).subarray(0, SHOWN - nodes.length));
  }
  return listed("Members", nodes.map((node) => show(item.level - 1, node)), hierarchy.memberCount(item.level, item.id));
}

function pools(model: Model, item: Item, theme: Theme, actions: Actions): HTMLElement[] {
  const found = poolsOfItem(model.hierarchy, item);
  const chips = [...found.subarray(0, SHOWN)].map((pool) =>
    chip(`pool ${pool}`, poolColour(theme, pool), () => actions.reveal(item.level + 1, pool)),
  );
  return listed(found.length > 1 ? `In ${found.length.toLocaleString("en")} pools of level ${item.level + 1}` : `In a pool of level ${item.level + 1}`, chips, found.length);
}

export function detailsOf(model: Model, item: Item | null, theme: Theme, actions: Actions): HTMLElement[] {
  if (!item) {
    return [el("p", { class: "muted" }, "Click an item to see what it holds. Double-click it, or press Enter, to open it.")];
  }
  const facts: [string, string][] = [["level", String(item.level)]];
  if (item.count > 1) facts.push([item.level ? "pools" : "nodes", item.count.toLocaleString("en")]);
  if (item.level > 0 && item.kind === "node") facts.push(["members", model.hierarchy.memberCount(item.level, item.id).toLocaleString("en")]);
  const field = item.level > 0 ? model.field(item) : null;
  if (field) facts.push(["receptive field", counted(field.length, "node")]);
  const buttons: HTMLElement[] = [];
  const opens = item.kind === "bundle" || item.kind === "rest" || (item.kind === "node" && item.level > 0);
  if (opens) buttons.push(button("Open", "Open the selected item (Enter)", () => actions.open(item.key), { class: "primary" }));
  if (item.parent) buttons.push(button("Close", "Close what it was opened from (Backspace)", () => actions.close(item.parent!)));
  return [
    el("h2", {}, model.name(item)),
    el("p", { class: "muted" }, model.describe(item)),
    el("dl", {}, ...facts.flatMap(([name, value]) => [el("dt", {}, name), el("dd", {}, value)])),
    ...(buttons.length ? [el("div", { class: "buttons" }, ...buttons)] : []),
    ...pools(model, item, theme, actions),
    ...contents(model, item, actions),
  ];
}

// What is open, from the level shown down to the selected item.
export function breadcrumb(model: Model, level: number, opened: string[], item: Item | null, goTo: (opened: string[]) => void): HTMLElement[] {
  const chain: string[] = [];
  for (let key = item?.parent ?? null; key; ) {
    chain.unshift(key);
    const [l, id] = key.slice(1).split(".").map(Number);
    const above = key.startsWith("n") ? parentOf(model, opened, l, id) : opened.includes(nodeKey(l, id)) ? nodeKey(l, id) : null;
    key = above && !chain.includes(above) ? above : null;
  }
  const crumbs = [el("button", { type: "button", click: () => goTo([]) }, `Level ${level}`)];
  for (const key of chain) {
    const [l, id] = key.slice(1).split(".");
    const text = key.startsWith("n") ? `pool ${id}` : `bundle of level ${l}`;
    crumbs.push(el("button", { type: "button", click: () => goTo(opened.slice(0, opened.indexOf(key) + 1)) }, text));
  }
  if (item) crumbs.push(el("button", { type: "button", "aria-current": "true" }, model.name(item)));
  return crumbs;
}

function parentOf(model: Model, opened: string[], level: number, node: number): string | null {
  if (level >= model.hierarchy.top) return null;
  for (const pool of model.hierarchy.level(level).poolsOf(node)) if (opened.includes(nodeKey(level + 1, pool))) return nodeKey(level + 1, pool);
  return null;
}
