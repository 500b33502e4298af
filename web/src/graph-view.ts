// The graph view: a picture of the levels of a hierarchy, a panel and a table that say the same in words.
import { light } from "./colours";
import { breadcrumb, detailsOf } from "./details";
import { button, counted, download, el } from "./elements";
import { legendOf } from "./legend";
import { coversOf, type Item, makeVisible, nodeKey, pathTo, pulledKey, type Visible } from "./items";
import type { Model } from "./model";
import { Morph } from "./morph";
import { type Look, Picture, radius, type Transform } from "./picture";
import { SearchBox } from "./search";
import { Stage } from "./stage";
import { decodeState, encodeState, History, type State } from "./state";
import { CanvasSurface, SvgSurface } from "./surface";
import { SortableTable } from "./table";
import { Themes } from "./theme";
import { Toolbar } from "./toolbar";
import { poolShares, poolsOfItem } from "./values";

export class GraphView {
  private state: State;
  private history = new History();
  private visible!: Visible;
  private stage: Stage;
  private themes: Themes;
  private toolbar: Toolbar;
  private fitted = 1;
  private sizes = new Map<string, number>();
  private morph: Morph | null = null;
  private hovered: Item | null = null;

  private crumbs = el("nav", { class: "crumbs", "aria-label": "What is open" });
  private details = el("section", { class: "details", "aria-label": "Selected item", "aria-live": "polite" });
  private status = el("p", { class: "status", role: "status" });
  private legend = el("div", { class: "legend" });
  private tip = el("div", { class: "tip", hidden: true });
  private table: SortableTable<Item>;
  private search: SearchBox;

  constructor(
    readonly model: Model,
    host: HTMLElement,
  ) {
    const start: State = { level: model.head.start, opened: [], selected: null, colour: "pool", least: 1 };
    this.state = decodeState(location.hash, start, model.hierarchy.top);
    if (!model.hierarchy.has(this.state.level)) this.state.level = model.head.start; // until it has been read
    this.toolbar = new Toolbar(model, {
      level: (level) => this.change({ level, opened: [], selected: null }),
      colour: (colour) => this.change({ colour }),
      least: (least) => this.change({ least }),
      undo: () => this.undo(),
      fit: () => this.fit(),
      theme: () => this.themes.toggle(),
      save: (kind) => this.save(kind),
    });
    this.search = new SearchBox((text) => model.search(text, 12), (node) => model.nodeName(node), (node) => this.reveal(0, node));
    this.table = this.makeTable();
    const picture = el("div", { class: "picture", tabindex: 0, role: "application", "aria-label": "Picture of the level. Arrow keys choose an item, Enter opens it, Backspace closes it, plus and minus zoom.", keydown: (event: KeyboardEvent) => this.onKey(event) });
    host.append(this.frame(picture));
    this.themes = new Themes(() => this.stage && this.update());
    this.stage = new Stage(picture, {
      draw: (context, width, height, transform) => this.picture(width, height, transform).draw(new CanvasSurface(context)),
      tap: (x, y) => this.select(this.itemAt(x, y)),
      doubleTap: (x, y) => this.openOrClose(this.itemAt(x, y)),
      hover: (x, y) => this.hover(x, y),
      resized: () => this.stage?.isFitted && this.fit(),
    });
    picture.append(this.tip, this.legend);
    document.addEventListener("keydown", (event) => this.onDocumentKey(event));
    window.addEventListener("hashchange", () => this.restore());
    this.rebuild();
    this.fit();
  }

  private frame(picture: HTMLElement): HTMLElement {
    const title = el("h1", {}, this.model.head.title);
    const side = el("aside", { class: "side" }, this.details, el("h3", { class: "table-title" }, "What is drawn"), this.table.element);
    return el("main", { class: "graph" },
      el("header", {}, title, this.search.element, this.toolbar.element),
      this.crumbs, picture, side, el("footer", {}, this.status),
    );
  }

  private makeTable(): SortableTable<Item> {
    return new SortableTable<Item>(
      [
        { name: "Item", title: "Sort by name", value: (item) => this.model.name(item) },
        { name: "Level", title: "Sort by level", value: (item) => item.level },
        { name: "Holds", title: "Sort by the number of nodes of its level that it stands for", value: (item) => item.count },
        { name: "Pool", title: "Sort by the size of the pool that it is, or on level 0 lies in", value: (item) => this.sizeOf(item) },
        { name: "In", title: "Sort by the number of pools of the next level that it lies in", value: (item) => poolsOfItem(this.model.hierarchy, item).length },
      ],
      (item) => item.key,
      (item, open) => (open ? this.openOrClose(item) : this.select(item, true)),
    );
  }

  // ---- state ----

  private change(part: Partial<State>): void {
    this.history.push(this.state);
    this.goTo({ ...this.state, ...part });
  }
  private goTo(state: State): void {
    this.morph?.end();
    const before = { level: this.state.level, visible: this.visible, transform: this.stage.transform };
    this.state = state;
    this.rebuild();
    if (this.state.level === before.level) return;
    this.fit();
    const after = { level: this.state.level, visible: this.visible, transform: this.stage.transform };
    const draw = (transform: Transform) => {
      this.stage.transform = transform;
      this.stage.redraw();
    };
    this.morph = Morph.start(this.model.hierarchy, before, after, draw, () => (this.morph = null));
  }
  private undo(): void {
    const before = this.history.back(this.state);
    if (before) this.goTo(before);
  }
  private restore(): void {
    const state = decodeState(location.hash, this.state, this.model.hierarchy.top);
    if (encodeState(state) === encodeState(this.state)) return;
    this.state = state;
    this.rebuild();
    this.fit();
  }
  // Called when another part of the page has been read.
  arrived(): void {
    const wanted = decodeState(location.hash, this.state, this.model.hierarchy.top);
    const fit = wanted.level !== this.state.level && this.model.hierarchy.has(wanted.level);
    if (fit) this.state = wanted;
    this.sizes.clear();
    this.rebuild();
    if (fit) this.fit();
  }

  private rebuild(): void {
    this.compute();
    this.update();
  }
  private compute(): void {
    const { head, hierarchy } = this.model;
    if (!hierarchy.has(this.state.level)) this.state.level = head.start;
    this.visible = makeVisible(hierarchy, this.state.level, this.state.opened, { items: head.mostItems, links: head.mostEdges });
    if (this.state.opened.some((key) => this.visible.ignored.includes(key))) {
      this.state.opened = this.state.opened.filter((key) => !this.visible.ignored.includes(key));
    }
  }
  private update(): void {
    const item = this.selected;
    this.toolbar.show(this.state);
    this.legend.replaceChildren(...legendOf(this.model.head.colours[Number(this.state.colour)], this.themes?.current ?? light));
    this.details.replaceChildren(...detailsOf(this.model, item, this.themes?.current ?? light, {
      open: (key) => this.open(key),
      close: (key) => this.close(key),
      reveal: (level, node) => this.reveal(level, node),
    }));
    this.crumbs.replaceChildren(...breadcrumb(this.model, this.state.level, this.state.opened, item, (opened) => this.change({ opened, selected: null })));
    const shown = this.visible.items.filter((one) => !this.hidden(one));
    this.table.show(shown, this.state.selected);
    this.status.textContent = this.statusText(shown);
    this.stage?.redraw();
    if (this.model.isComplete) this.writeAddress();
  }
  private writeAddress(): void {
    try {
      history.replaceState(null, "", `#${encodeState(this.state)}`);
    } catch {
      // A page inside a notebook has no address of its own.
    }
  }
  private statusText(shown: Item[]): string {
    const { levels, mostItems, mostEdges } = this.model.head;
    const level = levels[this.state.level];
    const number = (value: number) => value.toLocaleString("en");
    const parts = [
      `Level ${this.state.level}: ${counted(level.nodes, "node")} and ${counted(level.edges, "edge")} as ${counted(level.items, "item")}`,
      `${number(shown.length)} drawn, ${counted(this.visible.links.length / 2, "link")}`,
    ];
    if (this.visible.moreLinks) parts.push(`more links than the ${number(mostEdges)} that are drawn at most`);
    const hidden = this.visible.items.length - shown.length;
    if (hidden) parts.push(`${number(hidden)} hidden by the filter`);
    if (this.visible.ignored.length) parts.push(`opening that would draw more than ${number(mostItems)} items: close something first`);
    if (!this.model.isComplete) parts.push("reading finer levels…");
    return parts.join(" · ");
  }

  // ---- actions ----

  private get selected(): Item | null {
    return (this.state.selected && this.visible?.byKey.get(this.state.selected)) || null;
  }
  private select(item: Item | null, centre = false): void {
    if ((item?.key ?? null) === this.state.selected) return;
    this.history.push(this.state);
    this.state = { ...this.state, selected: item?.key ?? null };
    this.update();
    if (item && centre) this.centre(item);
  }
  private openOrClose(item: Item | null): void {
    if (!item) return;
    const opens = item.kind === "bundle" || item.kind === "rest" || (item.kind === "node" && item.level > 0);
    if (opens) this.open(item.key);
    else if (item.parent) this.close(item.parent);
  }
  private open(key: string): void {
    const before = new Set(this.visible.byKey.keys());
    this.history.push(this.state);
    this.state = { ...this.state, opened: [...this.state.opened, key] };
    this.compute();
    const fresh = this.visible.items.filter((item) => !before.has(item.key));
    this.state.selected = fresh[0]?.key ?? null;
    this.update();
    if (fresh.length > 1) this.comeCloser(fresh);
  }
  // Zooms in where what was opened is too small to be told apart.
  private comeCloser(items: Item[]): void {
    const span = (values: number[]) => [Math.min(...values), Math.max(...values)];
    const [left, right] = span(items.map((item) => item.x));
    const [top, bottom] = span(items.map((item) => item.y));
    const { k } = this.stage.transform;
    const extent = k * Math.max(right - left, bottom - top);
    if (extent > 160 || extent <= 0) return;
    const near = k * Math.min(8, 260 / extent);
    this.stage.moveTo({ k: near, x: this.stage.width / 2 - (near * (left + right)) / 2, y: this.stage.height / 2 - (near * (top + bottom)) / 2 });
  }
  // Closes an item, and with it everything that was opened inside it.
  private close(key: string): void {
    const at = this.state.opened.indexOf(key);
    if (at < 0) {
      const pulled = this.state.opened.filter((one) => !one.startsWith("p"));
      if (pulled.length < this.state.opened.length) this.change({ opened: pulled, selected: key });
      return;
    }
    const kept = this.state.opened.filter((one, index) => index !== at && !(key.startsWith("b") && one.startsWith(`r${key.slice(1)}.`)));
    this.change({ opened: kept, selected: key });
  }
  // Selects a node of a level; opens what it is in where it is not visible.
  private reveal(level: number, node: number): void {
    const { hierarchy } = this.model;
    const own = this.visible.byKey.get(nodeKey(level, node));
    if (own) return this.select(own, true), undefined;
    if (level > this.state.level) {
      if (hierarchy.has(level)) this.change({ level, opened: [], selected: null });
    }
    let opened = this.state.opened;
    if (level === 0) opened = [...opened, ...pathTo(hierarchy, this.state.level, node).filter((key) => !opened.includes(key))];
    else opened = [...opened, pulledKey(level, node)];
    this.change({ opened, selected: nodeKey(level, node) });
    const item = this.visible.byKey.get(nodeKey(level, node)) ?? coversOf(hierarchy, this.state.level, this.visible, level, node)[0];
    if (!item) return;
    this.state.selected = item.key;
    this.update();
    this.centre(item);
  }

  private fit(): void {
    const { items } = this.visible;
    if (!items.length) return;
    const [xs, ys] = [items.map((item) => item.x).sort((a, b) => a - b), items.map((item) => item.y).sort((a, b) => a - b)];
    this.stage.fit({ left: xs[0], right: xs[xs.length - 1], top: ys[0], bottom: ys[ys.length - 1] });
    this.fitted = this.stage.transform.k;
  }
  private centre(item: Item): void {
    const { k } = this.stage.transform;
    this.stage.moveTo({ k, x: this.stage.width / 2 - k * item.x, y: this.stage.height / 2 - k * item.y });
  }

  // ---- drawing ----

  private sizeOf(item: Item): number {
    let size = this.sizes.get(item.key);
    if (size === undefined) this.sizes.set(item.key, (size = this.model.poolSize(item)));
    return size;
  }
  private hidden = (item: Item) => this.state.least > 1 && this.sizeOf(item) < this.state.least;

  private look(): Look {
    const theme = this.themes.current;
    const selected = this.selected;
    const values = this.state.colour === "pool" ? null : this.model.values[Number(this.state.colour)];
    return {
      theme,
      selected,
      colours: (item) => (values ? values.shares(item, theme) : poolShares(this.model.hierarchy, item, theme)),
      name: (item) => this.model.name(item),
      hidden: this.hidden,
      lit: selected ? this.model.lit(selected, this.visible) : null,
      field: selected ? this.model.fieldDots(selected) : null,
      zoomed: this.stage.transform.k / this.fitted,
    };
  }
  private picture(width: number, height: number, transform: Transform): Picture {
    return new Picture(this.morph?.visible ?? this.visible, transform, this.look(), width, height);
  }
  private itemAt(x: number, y: number): Item | null {
    const { x: ox, y: oy, k } = this.stage.transform;
    let best: Item | null = null;
    let least = Infinity;
    for (const item of this.visible.items) {
      if (this.hidden(item)) continue;
      const distance = Math.hypot(ox + k * item.x - x, oy + k * item.y - y) - radius(item, this.visible.items.length, k / this.fitted);
      if (distance < 6 && distance < least) [best, least] = [item, distance];
    }
    return best;
  }
  private hover(x: number, y: number): void {
    const item = this.itemAt(x, y);
    this.stage.canvas.style.cursor = item ? "pointer" : "grab";
    if (item) this.tip.style.transform = `translate(${Math.round(x + 14)}px, ${Math.round(y + 10)}px)`;
    if (item === this.hovered) return;
    this.hovered = item;
    this.tip.hidden = !item;
    if (item) this.tip.textContent = `${this.model.name(item)} · ${this.model.describe(item)}`;
  }
  private save(kind: "svg" | "png"): void {
    const name = this.model.head.title.replace(/[^\w-]+/g, "-").replace(/^-+|-+$/g, "") || "picture";
    const { width, height, transform } = this.stage;
    if (kind === "svg") {
      const surface = new SvgSurface(Math.round(width), Math.round(height), this.themes.current.paper);
      this.picture(width, height, transform).draw(surface);
      download(`${name}.svg`, new Blob([surface.toString()], { type: "image/svg+xml" }));
      return;
    }
    const canvas = document.createElement("canvas");
    [canvas.width, canvas.height] = [Math.round(2 * width), Math.round(2 * height)];
    const context = canvas.getContext("2d")!;
    context.scale(2, 2);
    context.fillStyle = this.themes.current.paper;
    context.fillRect(0, 0, width, height);
    this.picture(width, height, transform).draw(new CanvasSurface(context));
    canvas.toBlob((blob) => blob && download(`${name}.png`, blob));
  }

  // ---- keyboard ----

  private onDocumentKey(event: KeyboardEvent): void {
    const typing = event.target instanceof HTMLInputElement || event.target instanceof HTMLSelectElement;
    if ((event.ctrlKey || event.metaKey) && event.key === "z") this.undo();
    else if (typing || event.ctrlKey || event.metaKey || event.altKey) return;
    else if (event.key === "/") this.search.focus();
    else if (event.key === "u") this.undo();
    else if (event.key === "d") this.themes.toggle();
    else if (event.key === "0") this.fit();
    else if (event.key === "Escape") this.select(null);
    else if (event.key === "PageUp") this.step(1);
    else if (event.key === "PageDown") this.step(-1);
    else return;
    event.preventDefault();
  }
  private step(by: number): void {
    const level = this.state.level + by;
    if (this.model.hierarchy.has(level)) this.change({ level, opened: [], selected: null });
  }
  private onKey(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const directions: Record<string, [number, number]> = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
    const direction = directions[event.key];
    if (direction && event.shiftKey) this.stage.pan(-80 * direction[0], -80 * direction[1]);
    else if (direction) this.selectBeside(direction);
    else if (event.key === "Enter") this.openOrClose(this.selected);
    else if (event.key === "Backspace" && this.selected?.parent) this.close(this.selected.parent);
    else if (event.key === "+" || event.key === "=") this.stage.zoom(1.3);
    else if (event.key === "-") this.stage.zoom(1 / 1.3);
    else return;
    event.preventDefault();
  }
  // Selects the nearest item in a direction; the largest where none is selected.
  private selectBeside([dx, dy]: [number, number]): void {
    const from = this.selected;
    const others = this.visible.items.filter((item) => item !== from && !this.hidden(item));
    const cost = (item: Item) => {
      if (!from) return -item.count;
      const [x, y] = [item.x - from.x, item.y - from.y];
      const along = x * dx + y * dy;
      const across = Math.abs(x * dy - y * dx);
      return along > 1e-9 && across <= 2 * along ? along + 2 * across : Infinity;
    };
    const costs = others.map(cost);
    const least = Math.min(...costs);
    if (Number.isFinite(least)) this.select(others[costs.indexOf(least)], true);
  }

  // For measurements: opens the item that stands for the most nodes and draws at once; returns the milliseconds.
  openNow(): number {
    const begin = performance.now();
    const item = this.visible.items.reduce((best, one) => (one.level > 0 && one.count > best.count ? one : best));
    this.open(item.key);
    this.stage.flush();
    return performance.now() - begin;
  }
}

export function showError(host: HTMLElement, text: string): void {
  host.replaceChildren(el("p", { class: "error", role: "alert" }, text), button("Reload", "Reload the page", () => location.reload()));
}
