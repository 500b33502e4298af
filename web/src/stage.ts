// The canvas: pan, zoom and pinch, and quick redrawing. While the picture moves, the last drawing is moved as a whole;
// it is drawn anew when it rests.
import type { Transform } from "./picture";

export interface StageEvents {
  draw(context: CanvasRenderingContext2D, width: number, height: number, transform: Transform): void;
  tap(x: number, y: number): void;
  doubleTap(x: number, y: number): void;
  hover(x: number, y: number): void;
  resized(): void;
}

const REST = 90; // milliseconds without movement
const MARGIN = 0.12; // drawn around the canvas, so that a pan shows no empty edge
const DRAG = 4; // pixels

export class Stage {
  readonly canvas = document.createElement("canvas");
  transform: Transform = { x: 0, y: 0, k: 1 };
  isFitted = false; // until the reader moves the picture
  width = 0;
  height = 0;
  private cache = document.createElement("canvas");
  private cached: Transform = { x: 0, y: 0, k: 1 };
  private stale = true;
  private frame = 0;
  private timer = 0;
  private pointers = new Map<number, { x: number; y: number }>();
  private dragged = false;
  private lastTap = { time: 0, x: 0, y: 0 };

  constructor(
    readonly host: HTMLElement,
    readonly events: StageEvents,
  ) {
    host.append(this.canvas);
    new ResizeObserver(() => this.resize()).observe(host);
    this.resize();
    this.listen();
  }

  private resize(): void {
    const box = this.host.getBoundingClientRect();
    const ratio = this.ratio();
    if (box.width === this.width && box.height === this.height) return;
    this.width = box.width;
    this.height = box.height;
    this.canvas.width = Math.max(1, Math.round(box.width * ratio));
    this.canvas.height = Math.max(1, Math.round(box.height * ratio));
    this.redraw();
    this.events.resized();
  }
  private ratio(): number {
    return Math.min(2, window.devicePixelRatio || 1);
  }

  // Draws everything anew in the next frame.
  redraw(): void {
    this.stale = true;
    this.request();
  }
  // Draws at once, for measurements and downloads.
  flush(): void {
    cancelAnimationFrame(this.frame);
    this.frame = 0;
    this.paint();
  }
  private request(): void {
    if (!this.frame) this.frame = requestAnimationFrame(() => ((this.frame = 0), this.paint()));
  }

  private paint(): void {
    if (!this.width || !this.height) return;
    if (this.stale) this.fillCache();
    const context = this.canvas.getContext("2d", { alpha: false })!;
    const scale = this.transform.k / this.cached.k;
    const [mx, my] = [this.width * MARGIN, this.height * MARGIN];
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.fillStyle = getComputedStyle(this.host).backgroundColor;
    context.fillRect(0, 0, this.canvas.width, this.canvas.height);
    const ratio = this.ratio();
    const x = this.transform.x - (this.cached.x + mx) * scale;
    const y = this.transform.y - (this.cached.y + my) * scale;
    context.drawImage(this.cache, x * ratio, y * ratio, this.cache.width * scale, this.cache.height * scale);
  }

  private fillCache(): void {
    const ratio = this.ratio();
    const [width, height] = [this.width * (1 + 2 * MARGIN), this.height * (1 + 2 * MARGIN)];
    this.cache.width = Math.round(width * ratio);
    this.cache.height = Math.round(height * ratio);
    const context = this.cache.getContext("2d")!;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    const { x, y, k } = this.transform;
    this.events.draw(context, width, height, { x: x + this.width * MARGIN, y: y + this.height * MARGIN, k });
    this.cached = { ...this.transform };
    this.stale = false;
  }

  // Moves the picture: quickly now, sharply when it rests.
  moveTo(transform: Transform): void {
    this.transform = transform;
    this.request();
    clearTimeout(this.timer);
    this.isFitted = false;
    this.timer = window.setTimeout(() => this.redraw(), REST);
  }
  pan(dx: number, dy: number): void {
    this.moveTo({ ...this.transform, x: this.transform.x + dx, y: this.transform.y + dy });
  }
  zoom(factor: number, x = this.width / 2, y = this.height / 2): void {
    const { x: ox, y: oy, k } = this.transform;
    this.moveTo({ k: k * factor, x: x - (x - ox) * factor, y: y - (y - oy) * factor });
  }
  // Fits a box of the picture into the canvas.
  fit(box: { left: number; top: number; right: number; bottom: number }, room = 48): void {
    const [w, h] = [Math.max(box.right - box.left, 1e-6), Math.max(box.bottom - box.top, 1e-6)];
    const k = Math.min((this.width - 2 * room) / w, (this.height - 2 * room) / h, 160);
    this.transform = {
      k,
      x: this.width / 2 - (k * (box.left + box.right)) / 2,
      y: this.height / 2 - (k * (box.top + box.bottom)) / 2,
    };
    this.isFitted = true;
    this.redraw();
  }

  private at(event: PointerEvent | WheelEvent): { x: number; y: number } {
    const box = this.canvas.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  }

  private listen(): void {
    const canvas = this.canvas;
    canvas.addEventListener("wheel", (event) => {
      event.preventDefault();
      const { x, y } = this.at(event);
      const speed = event.ctrlKey ? 0.01 : event.deltaMode ? 0.05 : 0.0016;
      this.zoom(Math.exp(-event.deltaY * speed), x, y);
    }, { passive: false });
    canvas.addEventListener("pointerdown", (event) => {
      canvas.setPointerCapture(event.pointerId);
      this.pointers.set(event.pointerId, this.at(event));
      if (this.pointers.size === 1) this.dragged = false;
    });
    canvas.addEventListener("pointermove", (event) => this.onMove(event));
    canvas.addEventListener("pointerup", (event) => this.onUp(event));
    canvas.addEventListener("pointercancel", (event) => this.pointers.delete(event.pointerId));
  }

  private onMove(event: PointerEvent): void {
    const now = this.at(event);
    const before = this.pointers.get(event.pointerId);
    if (!before) {
      this.events.hover(now.x, now.y);
      return;
    }
    const [dx, dy] = [now.x - before.x, now.y - before.y];
    if (this.pointers.size === 1) {
      if (!this.dragged && Math.hypot(dx, dy) < DRAG) return;
      this.dragged = true;
      this.pan(dx, dy);
    } else {
      this.dragged = true;
      const other = [...this.pointers].find(([id]) => id !== event.pointerId)![1];
      const factor = Math.hypot(now.x - other.x, now.y - other.y) / Math.max(1, Math.hypot(before.x - other.x, before.y - other.y));
      this.zoom(factor, (now.x + other.x) / 2, (now.y + other.y) / 2);
      this.pan(dx / 2, dy / 2);
    }
    this.pointers.set(event.pointerId, now);
  }

  private onUp(event: PointerEvent): void {
    const known = this.pointers.delete(event.pointerId);
    if (!known || this.dragged) return;
    const { x, y } = this.at(event);
    const again = event.timeStamp - this.lastTap.time < 400 && Math.hypot(x - this.lastTap.x, y - this.lastTap.y) < 12;
    this.lastTap = { time: again ? 0 : event.timeStamp, x, y };
    if (again) this.events.doubleTap(x, y);
    else this.events.tap(x, y);
  }
}
