// What a picture is drawn on: a canvas, or the text of an SVG file. Both take the same calls.

export interface Stroke {
  colour: string;
  width: number;
  alpha?: number;
  dash?: number[];
}

export interface Surface {
  lines(coordinates: ArrayLike<number>, stroke: Stroke): void; // x1, y1, x2, y2, …
  discs(coordinates: ArrayLike<number>, fill: string, alpha?: number): void; // x, y, r, …
  rings(coordinates: ArrayLike<number>, stroke: Stroke): void; // x, y, r, …
  sector(x: number, y: number, r: number, from: number, to: number, fill: string, alpha?: number): void;
  polygon(points: [number, number][], fill: string, stroke: Stroke, alpha: number): void;
  text(text: string, x: number, y: number, size: number, colour: string, halo: string, align?: "center" | "left"): void;
}

export const FONT = 'system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif';

const DISCS_AT_ONCE = 50;

export class CanvasSurface implements Surface {
  constructor(readonly context: CanvasRenderingContext2D) {}

  private stroke(stroke: Stroke, path: () => void): void {
    const c = this.context;
    c.globalAlpha = stroke.alpha ?? 1;
    c.strokeStyle = stroke.colour;
    c.lineWidth = stroke.width;
    c.setLineDash(stroke.dash ?? []);
    c.beginPath();
    path();
    c.stroke();
    c.globalAlpha = 1;
  }
  lines(at: ArrayLike<number>, stroke: Stroke): void {
    const c = this.context;
    // Many short paths: one path of thousands of lines takes far longer without a graphics card.
    for (let begin = 0; begin < at.length; begin += 400) {
      this.stroke(stroke, () => {
        for (let i = begin; i < Math.min(at.length, begin + 400); i += 4) {
          c.moveTo(at[i], at[i + 1]);
          c.lineTo(at[i + 2], at[i + 3]);
        }
      });
    }
  }
  discs(at: ArrayLike<number>, fill: string, alpha = 1): void {
    const c = this.context;
    c.globalAlpha = alpha;
    c.fillStyle = fill;
    for (let begin = 0; begin < at.length; begin += 3 * DISCS_AT_ONCE) {
      c.beginPath();
      for (let i = begin; i < Math.min(at.length, begin + 3 * DISCS_AT_ONCE); i += 3) {
        const [x, y, r] = [at[i], at[i + 1], at[i + 2]];
        if (r < 2) c.rect(x - r, y - r, 2 * r, 2 * r); // nobody sees that it is no disc
        else c.moveTo(x + r, y), c.arc(x, y, r, 0, 2 * Math.PI);
      }
      c.fill();
    }
    c.globalAlpha = 1;
  }
  rings(at: ArrayLike<number>, stroke: Stroke): void {
    const c = this.context;
    this.stroke(stroke, () => {
      for (let i = 0; i < at.length; i += 3) {
        c.moveTo(at[i] + at[i + 2], at[i + 1]);
        c.arc(at[i], at[i + 1], at[i + 2], 0, 2 * Math.PI);
      }
    });
  }
  sector(x: number, y: number, r: number, from: number, to: number, fill: string, alpha = 1): void {
    const c = this.context;
    c.globalAlpha = alpha;
    c.fillStyle = fill;
    c.beginPath();
    c.moveTo(x, y);
    c.arc(x, y, r, from, to);
    c.closePath();
    c.fill();
    c.globalAlpha = 1;
  }
  polygon(points: [number, number][], fill: string, stroke: Stroke, alpha: number): void {
    const c = this.context;
    c.lineJoin = "round";
    const path = () => {
      points.forEach(([x, y], i) => (i ? c.lineTo(x, y) : c.moveTo(x, y)));
      c.closePath();
    };
    c.globalAlpha = alpha;
    c.fillStyle = fill;
    c.beginPath();
    path();
    c.fill();
    this.stroke(stroke, path);
  }
  text(text: string, x: number, y: number, size: number, colour: string, halo: string, align: "center" | "left" = "center"): void {
    const c = this.context;
    c.font = `500 ${size}px ${FONT}`;
    c.textAlign = align;
    c.textBaseline = "middle";
    c.lineJoin = "round";
    if (halo) {
      c.strokeStyle = halo;
      c.lineWidth = 3;
      c.setLineDash([]);
      c.strokeText(text, x, y);
    }
    c.fillStyle = colour;
    c.fillText(text, x, y);
  }
}

const escape = (text: string) => text.replace(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`);
const round = (value: number) => String(Math.round(value * 10) / 10);

export class SvgSurface implements Surface {
  private parts: string[] = [];

  constructor(
    readonly width: number,
    readonly height: number,
    readonly paper: string,
  ) {}

  private strokeText(s: Stroke): string {
    const dash = s.dash?.length ? ` stroke-dasharray="${s.dash.join(" ")}"` : "";
    return `fill="none" stroke="${s.colour}" stroke-width="${s.width}" stroke-opacity="${s.alpha ?? 1}"${dash}`;
  }
  lines(at: ArrayLike<number>, stroke: Stroke): void {
    const path: string[] = [];
    for (let i = 0; i < at.length; i += 4) path.push(`M${round(at[i])} ${round(at[i + 1])}L${round(at[i + 2])} ${round(at[i + 3])}`);
    if (path.length) this.parts.push(`<path d="${path.join("")}" ${this.strokeText(stroke)}/>`);
  }
  discs(at: ArrayLike<number>, fill: string, alpha = 1): void {
    for (let i = 0; i < at.length; i += 3) {
      this.parts.push(`<circle cx="${round(at[i])}" cy="${round(at[i + 1])}" r="${round(at[i + 2])}" fill="${fill}" fill-opacity="${alpha}"/>`);
    }
  }
  rings(at: ArrayLike<number>, stroke: Stroke): void {
    for (let i = 0; i < at.length; i += 3) {
      this.parts.push(`<circle cx="${round(at[i])}" cy="${round(at[i + 1])}" r="${round(at[i + 2])}" ${this.strokeText(stroke)}/>`);
    }
  }
  sector(x: number, y: number, r: number, from: number, to: number, fill: string, alpha = 1): void {
    const point = (angle: number) => `${round(x + r * Math.cos(angle))} ${round(y + r * Math.sin(angle))}`;
    const large = to - from > Math.PI ? 1 : 0;
    this.parts.push(`<path d="M${round(x)} ${round(y)}L${point(from)}A${round(r)} ${round(r)} 0 ${large} 1 ${point(to)}Z" fill="${fill}" fill-opacity="${alpha}"/>`);
  }
  polygon(points: [number, number][], fill: string, stroke: Stroke, alpha: number): void {
    const path = points.map(([x, y]) => `${round(x)},${round(y)}`).join(" ");
    this.parts.push(`<polygon points="${path}" fill="${fill}" fill-opacity="${alpha}" stroke="${stroke.colour}" stroke-width="${stroke.width}" stroke-opacity="${stroke.alpha ?? 1}" stroke-linejoin="round"/>`);
  }
  text(text: string, x: number, y: number, size: number, colour: string, halo: string, align: "center" | "left" = "center"): void {
    const around = halo ? ` stroke="${halo}" stroke-width="3" stroke-linejoin="round" paint-order="stroke"` : "";
    this.parts.push(`<text x="${round(x)}" y="${round(y)}" font-size="${size}" font-weight="500" text-anchor="${align === "center" ? "middle" : "start"}" dominant-baseline="central" fill="${colour}"${around}>${escape(text)}</text>`);
  }
  toString(): string {
    return (
      `<svg xmlns="http://www.w3.org/2000/svg" width="${this.width}" height="${this.height}" viewBox="0 0 ${this.width} ${this.height}" font-family="${escape(FONT)}">` +
      `<rect width="100%" height="100%" fill="${this.paper}"/>${this.parts.join("")}</svg>`
    );
  }
}
