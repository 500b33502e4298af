// Colours: palettes that people with colour-vision deficiencies can tell apart, for light and dark pages.

export interface Theme {
  dark: boolean;
  paper: string;
  ink: string;
  muted: string;
  line: string;
  accent: string;
  plain: string; // an item without a colour
  pools: string[];
}

// Paul Tol's "muted" scheme, then three of his "bright" one; on dark paper the darkest are lighter.
const LIGHT = ["#4477aa", "#cc6677", "#117733", "#ddaa33", "#882255", "#44aa99", "#999933", "#aa4499", "#66ccee", "#ee7733"];
const DARK = ["#77aadd", "#ee8899", "#44bb66", "#eecc66", "#cc6699", "#66ccbb", "#bbbb55", "#dd88cc", "#88ddff", "#ff9955"];

export const light: Theme = {
  dark: false,
  paper: "#ffffff",
  ink: "#1f2733",
  muted: "#5d6775",
  line: "#8793a3",
  accent: "#0b63ce",
  plain: "#9aa5b4",
  pools: LIGHT,
};
export const dark: Theme = {
  dark: true,
  paper: "#14181f",
  ink: "#e8ecf2",
  muted: "#a3adbb",
  line: "#66717f",
  accent: "#6fb1ff",
  plain: "#7d8896",
  pools: DARK,
};

export function poolColour(theme: Theme, pool: number): string {
  return theme.pools[pool % theme.pools.length];
}

function channels(colour: string): number[] {
  return [1, 3, 5].map((i) => parseInt(colour.slice(i, i + 2), 16));
}

export function mix(a: string, b: string, share: number): string {
  const [from, to] = [channels(a), channels(b)];
  const mixed = from.map((value, i) => Math.round(value + (to[i] - value) * share));
  return `#${mixed.map((value) => value.toString(16).padStart(2, "0")).join("")}`;
}

// Blue below zero and orange above, grey at zero; a scale without negative values goes from grey to orange.
export function scaleColour(theme: Theme, value: number, low: number, high: number): string {
  if (!Number.isFinite(value)) return theme.plain;
  const middle = theme.dark ? "#3a424e" : "#e3e6ea";
  if (low >= 0) return mix(middle, theme.dark ? "#ffa94d" : "#b3520a", high > low ? (value - low) / (high - low) : 1);
  const extent = Math.max(-low, high) || 1;
  const end = value < 0 ? (theme.dark ? "#5aa9ff" : "#1f5fa8") : theme.dark ? "#ffa94d" : "#b3520a";
  return mix(middle, end, Math.min(1, Math.abs(value) / extent));
}
