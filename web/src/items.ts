// What is visible: items, each of which stands for one or more nodes of a level, and the edges between them.
import type { Hierarchy } from "./hierarchy";

export type Kind = "node" | "bundle" | "rest" | "others";

export interface Item {
  key: string;
  kind: Kind;
  level: number;
  id: number; // the node; of a bundle and its rest: the bundle
  from: number; // the rest of a bundle begins with this node
  count: number; // nodes that it stands for
  x: number;
  y: number;
  parent: string | null; // the item that was opened
  index: number;
}

export interface Group {
  key: string;
  level: number;
  id: number;
  members: Item[];
}

export interface Visible {
  items: Item[];
  byKey: Map<string, Item>;
  groups: Group[]; // the open pools
  links: Int32Array; // pairs of indices of items
  tethers: { from: Item; to: Item; pool: number }[];
  moreLinks: boolean;
  ignored: string[]; // keys that could not be opened within the limits
}

export const nodeKey = (level: number, node: number) => `n${level}.${node}`;
export const bundleKey = (level: number, bundle: number) => `b${level}.${bundle}`;
const restKey = (level: number, bundle: number, from: number) => `r${level}.${bundle}.${from}`;

// A node that is drawn beside its bundle, which then has one less.
export const pulledKey = (level: number, node: number) => `p${level}.${node}`;

const AT_ONCE = 60; // nodes of a bundle
const MOST_TETHERS = 4; // of one item
const GOLDEN_ANGLE = 2.399963229728653;

export interface Limits {
  items: number;
  links: number;
}

class Builder {
  readonly byKey = new Map<string, Item>();
  readonly groups: Group[] = [];
  readonly ignored: string[] = [];

  constructor(
    readonly hierarchy: Hierarchy,
    readonly base: number,
    readonly limits: Limits,
  ) {}

  // All bundles of a level; of more than the limit the largest, and one item for all others.
  start(): void {
    const level = this.hierarchy.level(this.base);
    const order = Array.from({ length: level.numBundles }, (_, bundle) => bundle);
    if (order.length <= this.limits.items) {
      for (const bundle of order) this.addBundle(this.base, bundle, null);
      return;
    }
    const sizes = order.map((bundle) => level.bundleSize(bundle));
    order.sort((a, b) => sizes[b] - sizes[a] || a - b);
    const shown = Math.floor(this.limits.items * 0.75); // room to open some
    for (const bundle of order.slice(0, shown)) this.addBundle(this.base, bundle, null);
    const rest = order.slice(shown);
    const count = rest.reduce((sum, bundle) => sum + sizes[bundle], 0);
    const mean = (axis: Float64Array) => rest.reduce((sum, bundle) => sum + axis[bundle], 0) / rest.length;
    this.add("others", `m${this.base}`, this.base, -1, 0, count, mean(level.x), mean(level.y), null);
  }

  add(kind: Kind, key: string, level: number, id: number, from: number, count: number, x: number, y: number, parent: string | null): Item {
    const known = this.byKey.get(key);
    if (known) return known;
    const item: Item = { key, kind, level, id, from, count, x, y, parent, index: 0 };
    this.byKey.set(key, item);
    return item;
  }

  addBundle(level: number, bundle: number, parent: string | null): Item {
    const of = this.hierarchy.level(level);
    const size = of.bundleSize(bundle);
    if (size === 1) return this.addNode(level, of.nodesOfBundle(bundle)[0], parent);
    return this.add("bundle", bundleKey(level, bundle), level, bundle, 0, size, of.x[bundle], of.y[bundle], parent);
  }

  addNode(level: number, node: number, parent: string | null, slot = 0, step = 0): Item {
    const of = this.hierarchy.level(level);
    const bundle = of.bundleOf(node);
    const radius = step * Math.sqrt(slot);
    const x = of.x[bundle] + radius * Math.cos(GOLDEN_ANGLE * slot);
    const y = of.y[bundle] + radius * Math.sin(GOLDEN_ANGLE * slot);
    return this.add("node", nodeKey(level, node), level, node, 0, 1, x, y, parent);
  }

  open(key: string): void {
    if (key.startsWith("p")) return this.pull(key);
    const item = this.byKey.get(key);
    if (item?.kind === "node") this.openPool(item);
    else if (item && item.kind !== "others") this.openBundle(item, spacing(this.hierarchy, this.base));
  }

  private pull(key: string): void {
    const [level, node] = key.slice(1).split(".").map(Number);
    if (!this.hierarchy.has(level) || !(node < this.hierarchy.level(level).numNodes)) return;
    const bundle = this.hierarchy.level(level).bundleOf(node);
    for (const item of this.byKey.values()) {
      const holds = item.level === level && item.id === bundle && (item.kind === "bundle" || item.kind === "rest");
      if (!holds || item.count < 2 || this.byKey.has(nodeKey(level, node))) continue;
      this.byKey.set(item.key, { ...item, count: item.count - 1 });
      this.addNode(level, node, bundleKey(level, bundle), 1, spacing(this.hierarchy, this.base));
      return;
    }
  }

  private openPool(item: Item): void {
    if (item.level === 0 || !this.hierarchy.has(item.level - 1)) return;
    const below = this.hierarchy.level(item.level - 1);
    const classes = this.hierarchy.members(item.level, item.id);
    if (this.byKey.size + classes.length > this.limits.items) {
      this.ignored.push(item.key);
      return;
    }
    this.byKey.delete(item.key);
    const members: Item[] = [];
    for (const one of classes) {
      const nodes = below.nodesOfClass(one);
      if (nodes.length > 1) members.push(this.addBundle(item.level - 1, below.bundleOfClass[one], item.key));
      else members.push(this.addNode(item.level - 1, nodes[0], item.key));
    }
    this.groups.push({ key: item.key, level: item.level, id: item.id, members });
  }

  private openBundle(item: Item, step: number): void {
    const nodes = this.hierarchy.level(item.level).nodesOfBundle(item.id);
    const end = Math.min(nodes.length, item.from + AT_ONCE);
    if (this.byKey.size + end - item.from > this.limits.items) {
      this.ignored.push(item.key);
      return;
    }
    this.byKey.delete(item.key);
    const parent = bundleKey(item.level, item.id);
    for (let i = item.from; i < end; i++) this.addNode(item.level, nodes[i], parent, i + 1, step);
    let count = 0;
    for (let i = end; i < nodes.length; i++) if (!this.byKey.has(nodeKey(item.level, nodes[i]))) count++;
    if (count > 0) {
      const of = this.hierarchy.level(item.level);
      this.add("rest", restKey(item.level, item.id, end), item.level, item.id, end, count, of.x[item.id], of.y[item.id], parent);
    }
  }
}

// How far apart the nodes of an open bundle stand.
function spacing(hierarchy: Hierarchy, base: number): number {
  const level = hierarchy.level(base);
  const extent = (axis: Float64Array) => {
    let low = Infinity;
    let high = -Infinity;
    for (const value of axis) {
      low = Math.min(low, value);
      high = Math.max(high, value);
    }
    return high - low;
  };
  const area = extent(level.x) * extent(level.y);
  return 0.35 * Math.sqrt(Math.max(area, level.numBundles) / Math.max(level.numBundles, 40));
}

const NONE: Item[] = [];

function inner<Value>(maps: Map<number, Map<number, Value>>, key: number): Map<number, Value> {
  let found = maps.get(key);
  if (!found) maps.set(key, (found = new Map()));
  return found;
}

// Finds the visible items that show a node: itself, its bundle, or the visible pools above it.
class Covers {
  private known = new Map<number, Map<number, Item[]>>(); // by level, then by class
  private ofBundle = new Map<number, Map<number, Item[]>>(); // by level, then by bundle

  constructor(
    readonly hierarchy: Hierarchy,
    readonly base: number,
    readonly byKey: Map<string, Item>,
  ) {
    for (const item of byKey.values()) {
      if (item.kind === "others") continue;
      const bundle = item.kind === "node" ? hierarchy.level(item.level).bundleOf(item.id) : item.id;
      const here = inner(this.ofBundle, item.level);
      const found = here.get(bundle);
      if (found) found.push(item);
      else here.set(bundle, [item]);
    }
  }

  shownOf(level: number, bundle: number): Item[] {
    return this.ofBundle.get(level)?.get(bundle) ?? NONE;
  }

  of(level: number, node: number): Item[] {
    const here = this.hierarchy.level(level);
    const own = this.byKey.get(nodeKey(level, node));
    if (own) return [own];
    const bundled = this.shownOf(level, here.bundleOf(node)).filter((item) => item.kind !== "node");
    if (bundled.length) return bundled;
    if (level >= this.base) return [];
    const known = inner(this.known, level);
    const key = here.classOfNode[node];
    let found = known.get(key);
    if (!found) {
      const all = new Set<Item>();
      for (const pool of here.poolsOf(node)) for (const item of this.of(level + 1, pool)) all.add(item);
      found = [...all];
      known.set(key, found);
    }
    return found;
  }
}

export function bundleOfItem(hierarchy: Hierarchy, item: Item): number {
  return item.kind === "node" ? hierarchy.level(item.level).bundleOf(item.id) : item.id;
}

function findLinks(hierarchy: Hierarchy, items: Item[], covers: Covers, most: number): { links: Int32Array; more: boolean } {
  const seen = new Set<number>();
  const links: number[] = [];
  let more = false;
  const join = (a: Item, b: Item) => {
    const [low, high] = a.index < b.index ? [a.index, b.index] : [b.index, a.index];
    const key = low * items.length + high;
    if (low === high || seen.has(key)) return;
    if (links.length >= 2 * most) {
      more = true;
      return;
    }
    seen.add(key);
    links.push(low, high);
  };
  for (const item of items) {
    if (more) break;
    if (item.kind === "others") continue;
    const level = hierarchy.level(item.level);
    const bundle = bundleOfItem(hierarchy, item);
    for (const beside of hierarchy.neighbours(item.level, bundle)) {
      const shown = covers.shownOf(item.level, beside);
      // Two items of a level are joined by the first of them.
      if (shown.length) {
        for (const other of shown) if (other.index > item.index) join(item, other);
      } else for (const node of level.nodesOfBundle(beside).subarray(0, 8)) for (const other of covers.of(item.level, node)) if (other.level !== item.level) join(item, other);
    }
    if (item.kind === "node" && level.isJoined(bundle)) for (const other of covers.shownOf(item.level, bundle)) join(item, other);
  }
  return { links: Int32Array.from(links), more };
}

function findTethers(hierarchy: Hierarchy, items: Item[], covers: Covers): Visible["tethers"] {
  const tethers: Visible["tethers"] = [];
  for (const item of items) {
    if (item.level >= covers.base || item.kind !== "node") continue;
    const closed: Visible["tethers"] = [];
    for (const pool of hierarchy.level(item.level).poolsOf(item.id)) {
      for (const other of covers.of(item.level + 1, pool)) {
        if (closed.length < MOST_TETHERS && !closed.some(({ to }) => to === other)) closed.push({ from: item, to: other, pool });
      }
    }
    tethers.push(...closed);
  }
  return tethers;
}

// Returns what is visible when level `base` is shown and `opened` are opened in this order.
export function makeVisible(hierarchy: Hierarchy, base: number, opened: string[], limits: Limits): Visible {
  const builder = new Builder(hierarchy, base, limits);
  builder.start();
  for (const key of opened) builder.open(key);
  const items = [...builder.byKey.values()];
  items.forEach((item, index) => (item.index = index));
  const covers = new Covers(hierarchy, base, builder.byKey);
  const { links, more } = findLinks(hierarchy, items, covers, limits.links);
  return {
    items,
    byKey: builder.byKey,
    groups: builder.groups,
    links,
    tethers: findTethers(hierarchy, items, covers),
    moreLinks: more,
    ignored: builder.ignored,
  };
}

// Returns the visible items that show a node of a level.
export function coversOf(hierarchy: Hierarchy, base: number, visible: Visible, level: number, node: number): Item[] {
  return new Covers(hierarchy, base, visible.byKey).of(level, node);
}

// Returns the keys to open, one after another, until a node of level 0 is visible.
export function pathTo(hierarchy: Hierarchy, base: number, node: number): string[] {
  const path = [node];
  for (let level = 0; level < base; level++) path.push(hierarchy.level(level).poolsOf(path[level])[0]);
  const keys: string[] = [];
  for (let level = base; level >= 0; level--) {
    const of = hierarchy.level(level);
    const bundle = of.bundleOf(path[level]);
    if (of.bundleSize(bundle) > 1) keys.push(pulledKey(level, path[level]));
    if (level > 0) keys.push(nodeKey(level, path[level]));
  }
  return keys;
}
