// The colourings of a page: values of input nodes, and of pools as the means of their members.
import { poolColour, scaleColour, type Theme } from "./colours";
import type { Hierarchy } from "./hierarchy";
import type { Item } from "./items";

export interface Colouring {
  name: string;
  kind: "classes" | "numbers";
  names?: string[];
  low?: number;
  high?: number;
}

export interface Share {
  colour: string;
  share: number;
}

const MOST_COLOURS = 6;
const MOST_NODES = 400; // of a bundle, for a mean

// The values of each node of each level, `width` numbers each.
export class Values {
  readonly width: number;
  private levels: Float32Array[] = [];

  constructor(
    readonly hierarchy: Hierarchy,
    readonly colouring: Colouring,
    values: ArrayLike<number>,
  ) {
    this.width = colouring.kind === "classes" ? colouring.names!.length : 1;
    const first = new Float32Array(values.length * this.width);
    for (let node = 0; node < values.length; node++) {
      if (colouring.kind === "classes") first[node * this.width + values[node]] = 1;
      else first[node] = values[node];
    }
    this.levels.push(first);
  }

  at(level: number): Float32Array {
    while (this.levels.length <= level) this.levels.push(this.next(this.levels.length));
    return this.levels[level];
  }

  private next(level: number): Float32Array {
    const before = this.levels[level - 1];
    const below = this.hierarchy.level(level - 1);
    const count = this.hierarchy.level(level).numNodes;
    const { width } = this;
    const means = new Float32Array(count * width);
    for (let node = 0; node < count; node++) {
      let members = 0;
      for (const one of this.hierarchy.members(level, node)) {
        for (const member of below.nodesOfClass(one)) {
          members++;
          for (let i = 0; i < width; i++) means[node * width + i] += before[member * width + i];
        }
      }
      for (let i = 0; i < width; i++) means[node * width + i] /= members || 1;
    }
    return means;
  }

  mean(item: Item): Float32Array {
    const values = this.at(item.level);
    const nodes = item.kind === "node" ? [item.id] : item.id < 0 ? [] : this.hierarchy.level(item.level).nodesOfBundle(item.id).subarray(item.from, item.from + MOST_NODES);
    const mean = new Float32Array(this.width);
    for (const node of nodes) for (let i = 0; i < this.width; i++) mean[i] += values[node * this.width + i] / nodes.length;
    return mean;
  }

  shares(item: Item, theme: Theme): Share[] {
    const mean = this.mean(item);
    if (this.colouring.kind === "numbers") {
      return [{ colour: scaleColour(theme, mean[0], this.colouring.low!, this.colouring.high!), share: 1 }];
    }
    const parts = [...mean].map((share, i) => ({ colour: poolColour(theme, i), share })).filter(({ share }) => share > 0.02);
    return parts.length ? parts : [{ colour: theme.plain, share: 1 }];
  }
}

const known = new WeakMap<Item, Int32Array>();

// The pools that an item lies in: the same number means the same pool. Empty at the top.
export function poolsOfItem(hierarchy: Hierarchy, item: Item): Int32Array {
  let pools = known.get(item);
  if (!pools) known.set(item, (pools = findPools(hierarchy, item)));
  return pools;
}

function findPools(hierarchy: Hierarchy, item: Item): Int32Array {
  if (item.kind === "others" || item.level >= hierarchy.top) return new Int32Array(0);
  const level = hierarchy.level(item.level);
  if (item.kind === "node") return level.poolsOf(item.id);
  const pools = new Set<number>();
  for (const one of level.classesOfBundle(item.id)) for (const pool of level.poolsOfClass(one)) pools.add(pool);
  return Int32Array.from(pools).sort();
}

const shared = new WeakMap<Item, { theme: Theme; shares: Share[] }>();

export function poolShares(hierarchy: Hierarchy, item: Item, theme: Theme): Share[] {
  let found = shared.get(item);
  if (found?.theme !== theme) shared.set(item, (found = { theme, shares: findShares(hierarchy, item, theme) }));
  return found.shares;
}

function findShares(hierarchy: Hierarchy, item: Item, theme: Theme): Share[] {
  const pools = poolsOfItem(hierarchy, item).filter((pool) => hierarchy.isReal(item.level + 1, pool));
  if (!pools.length || (item.kind !== "node" && pools.length > MOST_COLOURS)) return [{ colour: theme.plain, share: 1 }];
  const shown = [...pools.subarray(0, MOST_COLOURS)];
  return shown.map((pool) => ({ colour: poolColour(theme, pool), share: 1 / shown.length }));
}
