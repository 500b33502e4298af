// Draws the visible items on a surface.
import type { Theme } from "./colours";
import { mix, poolColour } from "./colours";
import type { Item, Visible } from "./items";
import type { Surface } from "./surface";

export interface Transform {
  x: number; // of the picture's origin, in pixels
  y: number;
  k: number; // pixels for a unit
}

export interface Look {
  theme: Theme;
  colours: (item: Item) => { colour: string; share: number }[];
  name: (item: Item) => string;
  hidden: (item: Item) => boolean;
  selected: Item | null;
  lit: Set<Item> | null; // the others are faint
  field: Float64Array | null; // x, y of the input nodes below the selected item
  zoomed: number; // the scale beside that of the whole picture
}

const FAINT = 0.18;
const MANY = 1000;
const LABELS_AT_ONCE = 60;

export function radius(item: Item, count: number, zoomed: number): number {
  const base = count > 1500 ? 2.4 : count > 400 ? 3.2 : count > 80 ? 4.5 : 7;
  const grown = base * Math.min(item.count, 1e6) ** 0.22;
  return Math.min(24, grown) * Math.min(2.6, Math.max(0.75, zoomed ** 0.4));
}

export function formatCount(count: number): string {
  return count.toLocaleString("en");
}

function hull(points: [number, number][]): [number, number][] {
  const sorted = [...points].sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  const half = (ordered: [number, number][]) => {
    const chain: [number, number][] = [];
    for (const p of ordered) {
      while (chain.length > 1) {
        const [a, b] = chain.slice(-2);
        if ((b[0] - a[0]) * (p[1] - a[1]) - (b[1] - a[1]) * (p[0] - a[0]) > 0) break;
        chain.pop();
      }
      chain.push(p);
    }
    return chain.slice(0, -1);
  };
  return sorted.length < 3 ? sorted : [...half(sorted), ...half(sorted.reverse())];
}

export class Picture {
  constructor(
    readonly visible: Visible,
    readonly transform: Transform,
    readonly look: Look,
    readonly width: number,
    readonly height: number,
  ) {}

  private sx = (item: Item) => this.transform.x + this.transform.k * item.x;
  private sy = (item: Item) => this.transform.y + this.transform.k * item.y;
  private r = (item: Item) => radius(item, this.visible.items.length, this.look.zoomed);
  private alpha = (item: Item) => (this.look.lit && !this.look.lit.has(item) ? FAINT : 1);
  private inside(item: Item, margin = 40): boolean {
    const [x, y] = [this.sx(item), this.sy(item)];
    return x > -margin && y > -margin && x < this.width + margin && y < this.height + margin && !this.look.hidden(item);
  }

  draw(surface: Surface): void {
    this.drawGroups(surface);
    this.drawField(surface);
    this.drawLinks(surface);
    this.drawTethers(surface);
    // Small items on top of large ones.
    const inside = this.visible.items.filter((item) => this.inside(item)).sort((a, b) => b.count - a.count || a.index - b.index);
    this.drawItems(surface, inside);
    this.drawNames(surface, inside);
  }

  private drawGroups(surface: Surface): void {
    for (const group of this.visible.groups) {
      const members = group.members.filter((item) => this.visible.byKey.get(item.key) === item);
      if (!members.length) continue;
      // Mixed with the paper instead of transparent: fill and outline overlap.
      const colour = mix(this.look.theme.paper, poolColour(this.look.theme, group.id), this.look.theme.dark ? 0.2 : 0.14);
      const points = hull(members.map((item) => [this.sx(item), this.sy(item)] as [number, number]));
      const around = 2 * Math.max(...members.map(this.r)) + 14;
      surface.polygon(points.length > 1 ? points : [...points, ...points], colour, { colour, width: around }, 1);
    }
  }

  private drawField(surface: Surface): void {
    const field = this.look.field;
    if (!field) return;
    const dots: number[] = [];
    const { x, y, k } = this.transform;
    for (let i = 0; i < field.length; i += 2) {
      const [px, py] = [x + k * field[i], y + k * field[i + 1]];
      if (px > 0 && py > 0 && px < this.width && py < this.height) dots.push(px, py, 1.6);
    }
    surface.discs(dots, this.look.theme.accent, 0.55);
  }

  private drawLinks(surface: Surface): void {
    const { items, links } = this.visible;
    const strong: number[] = [];
    const weak: number[] = [];
    for (let i = 0; i < links.length; i += 2) {
      const [a, b] = [items[links[i]], items[links[i + 1]]];
      if (this.look.hidden(a) || this.look.hidden(b)) continue;
      const [ax, ay, bx, by] = [this.sx(a), this.sy(a), this.sx(b), this.sy(b)];
      if (Math.max(ax, bx) < 0 || Math.max(ay, by) < 0 || Math.min(ax, bx) > this.width || Math.min(ay, by) > this.height) continue;
      const faint = this.look.lit && !(this.look.lit.has(a) && this.look.lit.has(b));
      (faint ? weak : strong).push(ax, ay, bx, by);
    }
    const many = links.length / 2;
    const alpha = many > 4000 ? 0.16 : many > 800 ? 0.28 : 0.55;
    const colour = this.look.theme.line;
    surface.lines(weak, { colour, width: 1, alpha: alpha * FAINT * 1.6 });
    surface.lines(strong, { colour, width: many > 800 ? 1 : 1.4, alpha: this.look.lit ? Math.max(alpha, 0.5) : alpha });
  }

  private drawTethers(surface: Surface): void {
    for (const { from, to, pool } of this.visible.tethers) {
      if (this.look.hidden(from) || this.look.hidden(to)) continue;
      const alpha = Math.min(this.alpha(from), this.alpha(to)) * 0.8;
      surface.lines([this.sx(from), this.sy(from), this.sx(to), this.sy(to)], {
        colour: poolColour(this.look.theme, pool),
        width: 1.6,
        alpha,
        dash: [2, 4],
      });
    }
  }

  private drawItems(surface: Surface, inside: Item[]): void {
    const outlines: number[] = [];
    const many = new Map<string, number[]>(); // faint items, or very many, colour by colour: their order does not matter
    for (const item of inside) {
      const [x, y, r, alpha] = [this.sx(item), this.sy(item), this.r(item), this.alpha(item)];
      const colours = this.look.colours(item);
      if (item.kind !== "node" && alpha === 1) outlines.push(x, y, r + 2.5);
      if (colours.length > 1 && r > 2) {
        let angle = -Math.PI / 2;
        for (const { colour, share } of colours) {
          surface.sector(x, y, r, angle, (angle += share * 2 * Math.PI), colour, alpha);
        }
      } else {
        const key = `${colours[0].colour} ${alpha}`;
        if (alpha === 1 && inside.length < MANY) surface.discs([x, y, r], colours[0].colour);
        else many.get(key)?.push(x, y, r) ?? many.set(key, [x, y, r]);
      }
      if (r > 3 && alpha === 1) surface.rings([x, y, r], { colour: this.look.theme.paper, width: 1 });
    }
    for (const [key, at] of many) surface.discs(at, key.split(" ")[0], Number(key.split(" ")[1]));
    surface.rings(outlines, { colour: this.look.theme.muted, width: 1, alpha: 0.8 });
    const chosen = this.look.selected;
    if (chosen && this.inside(chosen)) {
      surface.rings([this.sx(chosen), this.sy(chosen), this.r(chosen) + 4], { colour: this.look.theme.paper, width: 5 });
      surface.rings([this.sx(chosen), this.sy(chosen), this.r(chosen) + 4], { colour: this.look.theme.accent, width: 2.5 });
    }
  }

  // Names of the largest items, where they do not run into each other.
  private drawNames(surface: Surface, inside: Item[]): void {
    const { theme, selected, lit } = this.look;
    const wanted = inside.filter((item) => !lit || lit.has(item)).sort((a, b) => Number(b === selected) - Number(a === selected) || b.count - a.count || a.index - b.index);
    const taken: number[][] = [];
    for (const item of wanted.slice(0, 4 * LABELS_AT_ONCE)) {
      if (taken.length >= LABELS_AT_ONCE) break;
      const text = item.kind === "node" ? this.look.name(item) : `${formatCount(item.count)}${item.kind === "bundle" ? "" : " more"}`;
      const [x, y] = [this.sx(item), this.sy(item) + this.r(item) + 10];
      const half = Math.min(text.length, 24) * 3.4 + 4;
      const free = taken.every(([left, right, top]) => x + half < left || x - half > right || Math.abs(y - top) > 15);
      const covers = wanted.length < 900 && inside.some((other) => other !== item && Math.abs(this.sx(other) - x) < half && Math.abs(this.sy(other) - y) < 8);
      if (item !== selected && (!free || covers)) continue;
      taken.push([x - half, x + half, y]);
      const shown = text.length > 26 ? `${text.slice(0, 25)}…` : text;
      surface.text(shown, x, y, 12, item === selected ? theme.accent : theme.ink, theme.paper);
    }
  }
}
