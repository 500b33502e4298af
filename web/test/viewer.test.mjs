import assert from "node:assert/strict";
import { test } from "node:test";
import { deflateSync } from "node:zlib";
import * as viewer from "../build/testing.mjs";

// A part as cliquepool.view.payload.pack writes it; arrays of small numbers are their own varints.
async function level({ nodes, classes, bundles, joined = [0], positions, poolSizes, poolMembers, degrees, targets }) {
  const arrays = { classes, bundles, joined, positions, poolSizes, poolMembers, degrees, targets };
  const named = Object.entries(arrays).filter(([, values]) => values);
  const header = {
    nodes,
    numClasses: classes.length,
    numBundles: positions.length / 4,
    origin: [0, 0],
    unit: 1,
    arrays: named.map(([name, values]) => [name, values.length]),
  };
  const text = Buffer.from(JSON.stringify(header));
  const length = Buffer.alloc(4);
  length.writeUInt32LE(text.length);
  const part = Buffer.concat([length, text, ...named.map(([, values]) => Buffer.from(values))]);
  return new viewer.Level(await viewer.unpack(new Uint8Array(deflateSync(part))));
}

// The path 0-1-2: pools {0, 1} and {1, 2}, then one.
async function path() {
  const hierarchy = new viewer.Hierarchy(3);
  hierarchy.levels[0] = await level({ nodes: 3, classes: [0, 0, 0], bundles: [0, 0, 2], positions: [0, 0, 9, 0, 0, 0, 9, 0], poolSizes: [2, 2], poolMembers: [0, 0, 1, 0], degrees: [1, 0], targets: [0] });
  hierarchy.levels[1] = await level({ nodes: 2, classes: [0, 1], bundles: [0], joined: [1], positions: [4, 0, 4, 0], poolSizes: [1], poolMembers: [0], degrees: [0], targets: [] });
  hierarchy.levels[2] = await level({ nodes: 1, classes: [0], bundles: [0], positions: [4, 0, 4, 0], degrees: [0], targets: [] });
  return hierarchy;
}

const LIMITS = { items: 100, links: 100 };
const keys = (visible) => visible.items.map((item) => item.key).sort();

test("varints of several bytes are decoded", () => {
  assert.deepEqual([...viewer.varints(Uint8Array.of(1, 0xac, 0x02, 0))], [1, 300, 0]);
});

test("groups, sums, lists and edges are the inverses of the packing", () => {
  assert.deepEqual([...viewer.groups(Int32Array.of(0, 0, 2, 0, 1))], [0, 1, 0, 2, 2]);
  assert.deepEqual([...viewer.sums(Int32Array.of(10, 4, 1))], [5, 7, 6]);
  assert.deepEqual([...viewer.lists(Int32Array.of(2, 0, 1), Int32Array.of(3, 0, 7)).members], [3, 4, 7]);
  const edges = viewer.adjacency(Int32Array.of(2, 1, 0), Int32Array.of(0, 0, 0));
  assert.deepEqual([0, 1, 2].map((v) => [...viewer.row(edges, v)]), [[1, 2], [0, 2], [0, 1]]);
});

test("the items of a level stand for all of its nodes, also when some are open", async () => {
  const hierarchy = await path();
  for (const opened of [[], ["b0.0"], ["p0.2"], ["p0.2", "b0.0"]]) {
    const visible = viewer.makeVisible(hierarchy, 0, opened, LIMITS);
    assert.equal(visible.items.reduce((sum, item) => sum + item.count, 0), 3, opened.join());
  }
});

test("a node of two open pools is drawn once, and tethered to a closed one", async () => {
  const hierarchy = await path();
  const one = viewer.makeVisible(hierarchy, 1, ["b1.0", "n1.0"], LIMITS);
  assert.deepEqual(keys(one), ["n0.0", "n0.1", "n1.1"]);
  assert.deepEqual(one.tethers.map(({ from, to }) => [from.key, to.key]), [["n0.1", "n1.1"]]);
  const both = viewer.makeVisible(hierarchy, 1, ["b1.0", "n1.0", "n1.1"], LIMITS);
  assert.deepEqual(keys(both), ["n0.0", "n0.1", "n0.2"]);
  assert.equal(both.links.length / 2, 2);
});

test("nothing is opened beyond the limit of items", async () => {
  const hierarchy = await path();
  const visible = viewer.makeVisible(hierarchy, 1, ["b1.0", "n1.0"], { items: 2, links: 9 });
  assert.deepEqual(visible.ignored, ["b1.0"]);
  assert.deepEqual(keys(visible), ["b1.0"]);
});

test("the path to a node makes it visible", async () => {
  const hierarchy = await path();
  for (const node of [0, 1, 2]) {
    const visible = viewer.makeVisible(hierarchy, 2, viewer.pathTo(hierarchy, 2, node), LIMITS);
    assert.ok(visible.byKey.has(`n0.${node}`));
  }
});

test("a damaged address is read as far as it is right", () => {
  const start = { level: 2, opened: [], selected: null, colour: "pool", least: 1 };
  const state = { level: 1, opened: ["n1.0", "r1.2.60"], selected: "b0.4", colour: "0", least: 3 };
  assert.deepEqual(viewer.decodeState(viewer.encodeState(state), start, 5), state);
  assert.deepEqual(viewer.decodeState("#l=77&o=<img>~n1.0&s=javascript:1&c=x&m=-1", start, 5), { ...start, opened: ["n1.0"] });
});

test("undo goes back over repeated states", () => {
  const history = new viewer.History();
  const state = (level) => ({ level, opened: [], selected: null, colour: "pool", least: 1 });
  history.push(state(1));
  history.push(state(1));
  history.push(state(2));
  assert.equal(history.back(state(3)).level, 2);
  assert.equal(history.back(state(2)).level, 1);
  assert.equal(history.back(state(1)), null);
});

test("names are escaped in SVG", () => {
  const surface = new viewer.SvgSurface(10, 10, "#fff");
  surface.text("<script>\"&'", 1, 1, 12, "#000", "");
  assert.ok(!surface.toString().includes("<script>"));
});
