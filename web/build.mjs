// Bundles the viewer into src/cliquepool/view/bundle, with a hash of its sources that a test compares.
import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = fileURLToPath(new URL(".", import.meta.url));
const target = join(here, "..", "src", "cliquepool", "view", "bundle");

// The same in tests/view/test_bundle.py.
function sourceHash() {
  const hash = createHash("sha256");
  for (const name of readdirSync(join(here, "src")).sort()) {
    hash.update(name + "\n").update(readFileSync(join(here, "src", name), "utf8").replaceAll("\r\n", "\n"));
  }
  return hash.digest("hex");
}

const common = { bundle: true, charset: "utf8", legalComments: "none", target: "es2022", logLevel: "warning" };

if (process.argv.includes("--test")) {
  await build({ ...common, entryPoints: [join(here, "src", "testing.ts")], format: "esm", outfile: join(here, "build", "testing.mjs") });
} else {
  mkdirSync(target, { recursive: true });
  const banner = { js: `/* sources ${sourceHash()} */`, css: `/* sources ${sourceHash()} */` };
  await build({ ...common, banner, minify: true, format: "iife", entryPoints: [join(here, "src", "main.ts")], outfile: join(target, "viewer.js") });
  await build({ ...common, banner, minify: true, entryPoints: [join(here, "src", "style.css")], outfile: join(target, "viewer.css") });
  // A closing tag would end the script element of the page.
  for (const name of ["viewer.js", "viewer.css"]) {
    const text = readFileSync(join(target, name), "utf8").trimEnd();
    if (/<\/(script|style)|<!--/i.test(text)) throw new Error(`${name}: expected no closing tag of HTML`);
    writeFileSync(join(target, name), text);
  }
}
