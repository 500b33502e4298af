// The levels of a hierarchy: nodes, twin classes, bundles, pools and edges. Mirrors cliquepool.view.scene.
import { adjacency, byGroup, groups, lists, type Lists, type Part, row, transpose, varints } from "./payload";

export class Level {
  readonly numNodes: number;
  readonly numBundles: number;
  readonly x: Float64Array;
  readonly y: Float64Array;
  readonly classOfNode: Int32Array;
  readonly bundleOfClass: Int32Array;
  readonly pools: Lists | null; // of the next level, as lists of classes
  private readonly joinedBits: Uint8Array;
  private readonly stored: Lists | null;
  private cache: { nodesOfClass?: Lists; classesOfBundle?: Lists; poolsOfClass?: Lists } = {};

  constructor(part: Part) {
    const { header, arrays } = part;
    this.numNodes = header.nodes;
    this.numBundles = header.numBundles;
    this.classOfNode = groups(varints(arrays.get("classes")));
    this.bundleOfClass = groups(varints(arrays.get("bundles")));
    this.joinedBits = arrays.get("joined")!;
    const raw = arrays.get("positions")!;
    const quantised = new Uint16Array(raw.slice().buffer);
    const place = (axis: number) => (_: unknown, i: number) =>
      header.origin[axis] + header.unit * quantised[axis * this.numBundles + i];
    this.x = Float64Array.from({ length: this.numBundles }, place(0));
    this.y = Float64Array.from({ length: this.numBundles }, place(1));
    const sizes = arrays.get("poolSizes");
    this.pools = sizes ? lists(varints(sizes), varints(arrays.get("poolMembers"))) : null;
    const degrees = arrays.get("degrees");
    this.stored = degrees ? adjacency(varints(degrees, this.numBundles), varints(arrays.get("targets"))) : null;
  }

  get edges(): Lists | null {
    return this.stored;
  }
  bundleOf(node: number): number {
    return this.bundleOfClass[this.classOfNode[node]];
  }
  isJoined(bundle: number): boolean {
    return (this.joinedBits[bundle >> 3] & (1 << (bundle & 7))) !== 0;
  }
  nodesOfClass(one: number): Int32Array {
    this.cache.nodesOfClass ??= byGroup(this.classOfNode, this.bundleOfClass.length);
    return row(this.cache.nodesOfClass, one);
  }
  classesOfBundle(bundle: number): Int32Array {
    this.cache.classesOfBundle ??= byGroup(this.bundleOfClass, this.numBundles);
    return row(this.cache.classesOfBundle, bundle);
  }
  nodesOfBundle(bundle: number): Int32Array {
    const classes = this.classesOfBundle(bundle);
    if (classes.length === 1) return this.nodesOfClass(classes[0]);
    return Int32Array.from([...classes].flatMap((one) => [...this.nodesOfClass(one)])).sort();
  }
  bundleSize(bundle: number): number {
    let size = 0;
    for (const one of this.classesOfBundle(bundle)) size += this.nodesOfClass(one).length;
    return size;
  }
  // The pools of the next level that contain a class; empty at the top.
  poolsOfClass(one: number): Int32Array {
    if (!this.pools) return new Int32Array(0);
    this.cache.poolsOfClass ??= transpose(this.pools, this.bundleOfClass.length);
    return row(this.cache.poolsOfClass, one);
  }
  poolsOf(node: number): Int32Array {
    return this.poolsOfClass(this.classOfNode[node]);
  }
}

export class Hierarchy {
  readonly levels: (Level | undefined)[];
  private derived: Map<number, Int32Array>[];

  constructor(count: number) {
    this.levels = new Array(count);
    this.derived = Array.from({ length: count }, () => new Map());
  }

  get top(): number {
    return this.levels.length - 1;
  }
  has(level: number): boolean {
    return this.levels[level] !== undefined;
  }
  level(level: number): Level {
    return this.levels[level]!;
  }

  // The classes of the level below that a node is the pool of.
  members(level: number, node: number): Int32Array {
    const below = level > 0 ? this.levels[level - 1] : undefined;
    return below?.pools ? row(below.pools, node) : new Int32Array(0);
  }
  memberCount(level: number, node: number): number {
    let count = 0;
    for (const one of this.members(level, node)) count += this.level(level - 1).nodesOfClass(one).length;
    return count;
  }

  // Whether a pool has several members: the others need no colour.
  isReal(level: number, pool: number): boolean {
    const members = this.members(level, pool);
    return members.length > 1 || (members.length === 1 && this.level(level - 1).nodesOfClass(members[0]).length > 1);
  }

  // The neighbouring bundles of a bundle. Where the page has no edges of a level, two pools are joined if a node of one
  // is a neighbour of, or is, a node of the other.
  neighbours(level: number, bundle: number): Int32Array {
    const here = this.level(level);
    if (here.edges) return row(here.edges, bundle);
    const known = this.derived[level].get(bundle);
    if (known) return known;
    if (!this.has(level - 1)) return new Int32Array(0);
    const below = this.level(level - 1);
    const found = new Set<number>();
    const pool = here.nodesOfBundle(bundle)[0];
    const addPools = (one: number) => {
      for (const other of below.poolsOfClass(one)) found.add(here.bundleOf(other));
    };
    const around = new Set<number>();
    for (const one of this.members(level, pool)) {
      addPools(one);
      for (const beside of this.neighbours(level - 1, below.bundleOfClass[one])) around.add(beside);
    }
    for (const beside of around) for (const one of below.classesOfBundle(beside)) addPools(one);
    found.delete(bundle);
    const result = Int32Array.from(found).sort();
    this.derived[level].set(bundle, result);
    return result;
  }

  // The nodes of level `to` below some nodes of a level, as a mask; null where a level is still being read.
  below(level: number, nodes: Iterable<number>, to: number): Uint8Array | null {
    for (let l = to; l <= level; l++) if (!this.has(l)) return null;
    let mask = new Uint8Array(this.level(level).numNodes);
    for (const node of nodes) mask[node] = 1;
    for (let l = level; l > to; l--) {
      const finer = this.level(l - 1);
      const classes = new Uint8Array(finer.bundleOfClass.length);
      for (let node = 0; node < mask.length; node++) {
        if (mask[node]) for (const one of this.members(l, node)) classes[one] = 1;
      }
      mask = new Uint8Array(finer.numNodes);
      for (let node = 0; node < mask.length; node++) mask[node] = classes[finer.classOfNode[node]];
    }
    return mask;
  }
}
