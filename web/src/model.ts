// The data of the graph view: levels that arrive one after another, names, colourings, and questions about items.
import { Hierarchy, Level } from "./hierarchy";
import { bundleOfItem, type Item, type Visible } from "./items";
import { readPart, sums, varints } from "./payload";
import { type Colouring, poolsOfItem, Values } from "./values";

export interface Head {
  title: string;
  start: number;
  mostItems: number;
  mostEdges: number;
  colours: Colouring[];
  levels: { nodes: number; edges: number; items: number; links: number }[];
}

const MOST_FIELD = 6000; // dots

export class Model {
  readonly hierarchy: Hierarchy;
  readonly values: Values[] = [];
  private names: (string | number)[] | null = null;
  private fields = new WeakMap<Item, Int32Array>();
  private cachedDots: { item: Item; dots: Float64Array | null } | null = null;
  private cachedLit: { key: string; visible: Visible; lit: Set<Item> } | null = null;

  constructor(readonly head: Head) {
    this.hierarchy = new Hierarchy(head.levels.length);
  }

  static async read(): Promise<Model> {
    const part = await readPart("head");
    if (!part) throw new Error("this page has no data");
    const model = new Model(part.header as Head);
    for (let level = model.head.start; level < model.head.levels.length; level++) await model.readLevel(level);
    return model;
  }
  // Reads what stands behind the script; calls `arrived` after each part.
  async readRest(arrived: () => void): Promise<void> {
    for (let level = this.head.start - 1; level >= 0; level--) {
      await this.readLevel(level);
      arrived();
    }
    await this.readNames();
    for (let i = 0; i < this.head.colours.length; i++) {
      const part = await readPart(`colour-${i}`);
      const bytes = part!.arrays.get("values")!;
      const values = this.head.colours[i].kind === "classes" ? varints(bytes) : new Float32Array(bytes.slice().buffer);
      this.values[i] = new Values(this.hierarchy, this.head.colours[i], values);
    }
    arrived();
  }
  private async readLevel(level: number): Promise<void> {
    const part = await readPart(`level-${level}`);
    if (part) this.hierarchy.levels[level] = new Level(part);
  }
  private async readNames(): Promise<void> {
    const part = await readPart("labels");
    if (part?.header.kind === "text") this.names = part.header.names;
    if (part?.header.kind === "integers") this.names = Array.from(sums(varints(part.arrays.get("values"))));
  }

  get isComplete(): boolean {
    return this.hierarchy.has(0);
  }
  nodeName(node: number): string {
    return this.names ? String(this.names[node]) : `node ${node}`;
  }
  name(item: Item): string {
    if (item.kind === "others") return `${item.count.toLocaleString("en")} smaller ones`;
    if (item.kind === "rest") return `${item.count.toLocaleString("en")} more`;
    if (item.kind === "bundle") return `${item.count.toLocaleString("en")} ${item.level ? "pools" : "nodes"}`;
    return item.level === 0 ? this.nodeName(item.id) : `pool ${item.id}`;
  }
  describe(item: Item): string {
    if (item.kind === "others") return "the bundles of this level that are not drawn, within the limit of items";
    const level = this.hierarchy.level(item.level);
    const one = item.level ? "pool" : "node";
    if (item.kind === "node") return item.level ? `a pool: one node of level ${item.level}` : "a node of the graph";
    const joined = level.isJoined(bundleOfItem(this.hierarchy, item));
    return joined ? `${one}s joined to each other, with the same neighbours` : `${one}s with the same neighbours, not joined to each other`;
  }
  // The size of the pool that an item is or, on level 0, lies in.
  poolSize(item: Item): number {
    if (item.kind === "others") return Infinity;
    const level = this.hierarchy.level(item.level);
    const node = item.kind === "node" ? item.id : level.nodesOfBundle(item.id)[0];
    if (item.level > 0) return this.hierarchy.has(item.level - 1) ? this.hierarchy.memberCount(item.level, node) : Infinity;
    let largest = 1;
    for (const pool of level.poolsOf(node)) if (this.hierarchy.has(1)) largest = Math.max(largest, this.hierarchy.memberCount(1, pool));
    return largest;
  }
  nodesOf(item: Item): Int32Array {
    if (item.kind === "others") return new Int32Array(0);
    if (item.kind === "node") return Int32Array.of(item.id);
    return this.hierarchy.level(item.level).nodesOfBundle(item.id).subarray(item.from);
  }

  // The receptive field: the input nodes below an item; null while level 0 is being read.
  field(item: Item): Int32Array | null {
    const known = this.fields.get(item);
    if (known) return known;
    const found = this.findField(item);
    if (found) this.fields.set(item, found);
    return found;
  }
  private findField(item: Item): Int32Array | null {
    const mask = this.hierarchy.below(item.level, this.nodesOf(item), 0);
    if (!mask) return null;
    const nodes: number[] = [];
    for (let node = 0; node < mask.length; node++) if (mask[node]) nodes.push(node);
    return Int32Array.from(nodes);
  }
  fieldDots(item: Item): Float64Array | null {
    if (this.cachedDots?.item !== item) this.cachedDots = { item, dots: this.findDots(item) };
    return this.cachedDots.dots;
  }
  private findDots(item: Item): Float64Array | null {
    const field = item.level > 0 ? this.field(item) : null;
    if (!field) return null;
    const bottom = this.hierarchy.level(0);
    const bundles = [...new Set(Array.from(field, (node) => bottom.bundleOf(node)))].slice(0, MOST_FIELD);
    return Float64Array.from(bundles.flatMap((bundle) => [bottom.x[bundle], bottom.y[bundle]]));
  }

  // What lights up with an item: what lies below it, what shares a pool with it, and its neighbours.
  lit(item: Item, visible: Visible): Set<Item> {
    if (this.cachedLit?.key === item.key && this.cachedLit.visible === visible) return this.cachedLit.lit;
    const lit = new Set<Item>([item]);
    const { links, items } = visible;
    for (let i = 0; i < links.length; i += 2) {
      if (links[i] === item.index) lit.add(items[links[i + 1]]);
      if (links[i + 1] === item.index) lit.add(items[links[i]]);
    }
    for (const { from, to } of visible.tethers) {
      if (from === item) lit.add(to);
      if (to === item) lit.add(from);
    }
    const pools = new Set(poolsOfItem(this.hierarchy, item));
    const masks = new Map<number, Uint8Array | null>();
    for (const other of visible.items) {
      if (other.kind === "others") continue;
      if (item.parent !== null && other.parent === item.parent) lit.add(other);
      if (other.level === item.level && poolsOfItem(this.hierarchy, other).some((pool) => pools.has(pool))) lit.add(other);
      if (other.level >= item.level) continue;
      if (!masks.has(other.level)) masks.set(other.level, this.hierarchy.below(item.level, this.nodesOf(item), other.level));
      const mask = masks.get(other.level);
      if (mask && this.nodesOf(other).some((node) => mask[node])) lit.add(other);
    }
    this.cachedLit = { key: item.key, visible, lit };
    return lit;
  }

  // Level-0 nodes whose name contains a text; those that begin with it first.
  search(text: string, most: number): number[] {
    const wanted = text.trim().toLowerCase();
    if (!wanted) return [];
    const first: number[] = [];
    const later: number[] = [];
    for (let node = 0; node < this.head.levels[0].nodes && first.length < most; node++) {
      const at = this.nodeName(node).toLowerCase().indexOf(wanted);
      if (at === 0) first.push(node);
      else if (at > 0 && later.length < most) later.push(node);
    }
    return [...first, ...later].slice(0, most);
  }
}
