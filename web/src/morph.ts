// The movement from one level to the next: the items of the finer one leave their pools, or gather in them.
import type { Hierarchy } from "./hierarchy";
import { bundleKey, type Item, nodeKey, type Visible } from "./items";
import type { Transform } from "./picture";
import { poolsOfItem } from "./values";

const MILLISECONDS = 320;
const MOST_ITEMS = 1200; // more cannot be drawn often enough
const still = window.matchMedia("(prefers-reduced-motion: reduce)");

export interface Scene {
  level: number;
  visible: Visible;
  transform: Transform;
}

// The item of the coarser level that shows the first pool of an item.
function target(hierarchy: Hierarchy, item: Item, coarse: Visible): Item | undefined {
  const pool = poolsOfItem(hierarchy, item)[0];
  if (pool === undefined) return undefined;
  const level = item.level + 1;
  return coarse.byKey.get(nodeKey(level, pool)) ?? coarse.byKey.get(bundleKey(level, hierarchy.level(level).bundleOf(pool)));
}

export class Morph {
  readonly visible: Visible; // the finer level, which is drawn while it moves
  private paths: { item: Item; own: [number, number]; pool: [number, number] }[];
  private frame = 0;

  private constructor(
    hierarchy: Hierarchy,
    readonly before: Scene,
    readonly after: Scene,
    readonly draw: (transform: Transform) => void,
    readonly ended: () => void,
  ) {
    const [fine, coarse] = before.level < after.level ? [before, after] : [after, before];
    this.visible = fine.visible;
    this.paths = fine.visible.items.map((item) => {
      const to = target(hierarchy, item, coarse.visible) ?? item;
      return { item, own: [item.x, item.y], pool: [to.x, to.y] };
    });
    const start = performance.now();
    const step = (now: number) => {
      const share = Math.min(1, Math.max(0, (now - start) / MILLISECONDS));
      if (share === 1) return this.end();
      this.move(share * share * (3 - 2 * share));
      this.frame = requestAnimationFrame(step);
    };
    this.move(0);
    this.frame = requestAnimationFrame(step);
  }

  // Starts a movement; null where there is none: between far levels, with many items, or where motion is not wanted.
  static start(hierarchy: Hierarchy, before: Scene, after: Scene, draw: (transform: Transform) => void, ended: () => void): Morph | null {
    const many = Math.max(before.visible.items.length, after.visible.items.length) > MOST_ITEMS;
    if (still.matches || many || Math.abs(before.level - after.level) !== 1) return null;
    return new Morph(hierarchy, before, after, draw, ended);
  }

  private move(share: number): void {
    const spread = this.before.level < this.after.level ? 1 - share : share; // 1: at its own place
    for (const { item, own, pool } of this.paths) {
      item.x = pool[0] + (own[0] - pool[0]) * spread;
      item.y = pool[1] + (own[1] - pool[1]) * spread;
    }
    const [from, to] = [this.before.transform, this.after.transform];
    const between = (a: number, b: number) => a + (b - a) * share;
    this.draw({ x: between(from.x, to.x), y: between(from.y, to.y), k: between(from.k, to.k) });
  }

  end(): void {
    cancelAnimationFrame(this.frame);
    for (const { item, own } of this.paths) [item.x, item.y] = own;
    this.ended();
    this.draw(this.after.transform);
  }
}
