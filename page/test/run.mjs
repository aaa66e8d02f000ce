// SPDX-License-Identifier: Apache-2.0
// node test/run.mjs FOLDER: bundles test/*_test.ts into FOLDER and runs them with node's own runner.
import { build } from "esbuild";
import { spawnSync } from "node:child_process";
import { readdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const folder = process.argv[2];
const names = readdirSync(here).filter((name) => name.endsWith("_test.ts"));
rmSync(folder, { recursive: true, force: true });
await build({
  entryPoints: names.map((name) => join(here, name)),
  outdir: folder,
  outExtension: { ".js": ".mjs" },
  bundle: true,
  platform: "node",
  format: "esm",
  target: "node18",
  logLevel: "warning",
  external: ["node:*"],
});
const files = names.map((name) => join(folder, name.replace(/\.ts$/, ".mjs")));
process.exit(spawnSync(process.execPath, ["--test", ...files], { stdio: "inherit" }).status ?? 1);
