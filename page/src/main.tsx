// SPDX-License-Identifier: Apache-2.0
// Starts the page: the work of the address, or an example to begin with.
import "./theme.ts"; // first, so that no wrong colours are seen
import { render } from "preact";
import { App } from "./app.tsx";
import { library } from "./library.ts";
import { check } from "./live.ts";
import { loadMethods } from "./methods.ts";
import { complain } from "./notice.ts";
import { openExample } from "./open_file.ts";
import { openWork, workOfAddress } from "./work.ts";

const FIRST_EXAMPLE = "oregonator";

async function begin(): Promise<void> {
  const id = workOfAddress();
  if (id) {
    try {
      await openWork(id);
      return check();
    } catch (error) {
      complain(error);
    }
  }
  const models = await library();
  const first = models.find((model) => model.name === FIRST_EXAMPLE) ?? models[0];
  if (first) openExample(first);
}

document.addEventListener("DOMContentLoaded", () => {
  const root = document.getElementById("root");
  if (!root) return;
  root.replaceChildren();
  render(<App />, root);
  void loadMethods();
  begin().catch(complain);
});
