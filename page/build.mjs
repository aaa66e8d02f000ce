// SPDX-License-Identifier: Apache-2.0
// node build.mjs FOLDER: bundles the page into FOLDER/dist and writes FOLDER/page_files.cpp, which
// holds the files of the page, compressed.
import { build } from "esbuild";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

const page = dirname(fileURLToPath(import.meta.url));
const folder = process.argv[2];
const dist = join(folder, "dist");
await mkdir(dist, { recursive: true });

const shared = { bundle: true, minify: true, logLevel: "warning", legalComments: "eof", target: ["es2021"] };
await build({
  ...shared,
  entryPoints: [join(page, "src/main.tsx")],
  outfile: join(dist, "app.js"),
  format: "iife",
  jsx: "automatic",
  jsxImportSource: "preact",
});
await build({ ...shared, target: ["chrome111", "firefox113", "safari16.4"], entryPoints: [join(page, "src/app.css")], outfile: join(dist, "app.css") });
for (const name of ["index.html", "icon.svg"]) await writeFile(join(dist, name), await readFile(join(page, "src", name)));

const files = [
  ["/", "index.html", "text/html; charset=utf-8"],
  ["/app.js", "app.js", "text/javascript; charset=utf-8"],
  ["/app.css", "app.css", "text/css; charset=utf-8"],
  ["/icon.svg", "icon.svg", "image/svg+xml"],
];
let arrays = "";
let entries = "";
for (const [index, [path, name, type]] of files.entries()) {
  const bytes = gzipSync(await readFile(join(dist, name)), { level: 9 });
  bytes[9] = 255; // which system packed it is nobody's business, and the same everywhere
  arrays += `const unsigned char file${index}[] = {${bytes.join(",")}};\n`;
  entries += `    {"${path}", "${type}", {reinterpret_cast<const char*>(file${index}), sizeof file${index}}, true},\n`;
}
await writeFile(
  join(folder, "page_files.cpp"),
  `// Made from page/src; do not edit.
#include "server/http/page_files.h"

namespace stiffit::internal {
namespace {

${arrays}
const PageFile files[] = {
${entries}};

}  // namespace

std::span<const PageFile> page_files() { return files; }

}  // namespace stiffit::internal
`,
);
