// The state of the graph view: what the address of the page keeps, and what undo goes back to.

export interface State {
  level: number;
  opened: string[];
  selected: string | null;
  colour: string; // "pool", or the index of a colouring
  least: number; // smaller pools are hidden
}

export function encodeState(state: State): string {
  const fields: [string, string][] = [["l", String(state.level)]];
  if (state.opened.length) fields.push(["o", state.opened.join("~")]);
  if (state.selected) fields.push(["s", state.selected]);
  if (state.colour !== "pool") fields.push(["c", state.colour]);
  if (state.least > 1) fields.push(["m", String(state.least)]);
  return fields.map(([name, value]) => `${name}=${value}`).join("&");
}

const KEY = /^(n|b|p|m)\d+(\.\d+)?$|^r\d+\.\d+\.\d+$/;

// Reads what encodeState wrote. What is damaged is left out: an address may be typed by anybody.
export function decodeState(hash: string, start: State, top: number): State {
  const fields = new Map(hash.replace(/^#/, "").split("&").map((field) => field.split("=", 2) as [string, string]));
  const integer = (name: string, least: number, most: number, otherwise: number) => {
    const value = Number(fields.get(name));
    return fields.has(name) && Number.isInteger(value) && value >= least && value <= most ? value : otherwise;
  };
  const known = (key: string | undefined) => (key && KEY.test(key) ? key : null);
  return {
    level: integer("l", 0, top, start.level),
    opened: (fields.get("o") ?? "").split("~").filter((key) => known(key)),
    selected: known(fields.get("s")),
    colour: /^\d+$/.test(fields.get("c") ?? "") ? fields.get("c")! : start.colour,
    least: integer("m", 1, 1e9, start.least),
  };
}

export class History {
  private past: string[] = [];

  push(state: State): void {
    const text = JSON.stringify(state);
    if (this.past[this.past.length - 1] !== text) this.past.push(text);
    if (this.past.length > 200) this.past.shift();
  }
  // Returns the state before `now`, or null.
  back(now: State): State | null {
    const current = JSON.stringify(now);
    let text = this.past.pop();
    while (text === current) text = this.past.pop();
    return text === undefined ? null : (JSON.parse(text) as State);
  }
}
