// SPDX-License-Identifier: Apache-2.0
// The equations of the model, typeset by the browser from MathML.
import { useEffect, useRef } from "preact/hooks";
import { Empty } from "../fields.tsx";
import { live } from "../live.ts";
import { useStore } from "../store.ts";
import type { Equation } from "../types.ts";

const MATHML = "http://www.w3.org/1998/Math/MathML";

/** Only MathML elements get onto the page; anything else is shown as plain text. */
function readMath(source: string): Node | null {
  const wrapped = source.trimStart().startsWith("<math") ? source : `<math xmlns="${MATHML}">${source}</math>`;
  const tree = new DOMParser().parseFromString(
    wrapped.includes("xmlns=") ? wrapped : wrapped.replace("<math", `<math xmlns="${MATHML}"`),
    "application/xml",
  );
  const elements = [tree.documentElement, ...tree.querySelectorAll("*")];
  if (elements.some((element) => element.namespaceURI !== MATHML)) return null;
  for (const element of elements) {
    for (const attribute of [...element.attributes]) {
      if (/^(on|href|style|xlink)/i.test(attribute.name)) element.removeAttribute(attribute.name);
    }
  }
  return document.importNode(tree.documentElement, true);
}

function Formula({ equation }: { equation: Equation }) {
  const host = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const math = readMath(equation.mathml);
    host.current?.replaceChildren(math ?? document.createTextNode(equation.left));
  }, [equation.mathml]);
  return <div class="formula" ref={host} />;
}

const KINDS = [
  { kind: "derivative", title: "What changes" },
  { kind: "rate", title: "Rates of the reactions" },
  { kind: "rule", title: "What holds at all times" },
  { kind: "observable", title: "What is observed" },
  { kind: "function", title: "Functions" },
];

export function EquationsTab() {
  const model = useStore(live, (l) => l.model);
  if (!model) return <Empty>The equations of the model appear here once the text can be read.</Empty>;
  const equations = model.equations ?? [];
  return (
    <div class="equations">
      {equations.length === 0 && <Empty>This model has no equations of change.</Empty>}
      {KINDS.map(({ kind, title }) => {
        const some = equations.filter((equation) => (equation.kind ?? "derivative") === kind);
        if (some.length === 0) return null;
        return (
          <section key={kind}>
            <h2>{title}</h2>
            {some.map((equation) => <Formula key={equation.left} equation={equation} />)}
          </section>
        );
      })}
      {(model.moieties ?? []).length > 0 && (
        <section>
          <h2>What is conserved</h2>
          <ul class="plain">{model.moieties?.map((moiety) => <li key={moiety}><code>{moiety}</code></li>)}</ul>
        </section>
      )}
      {(model.features ?? []).length > 0 && (
        <p class="faint">The model uses: {model.features?.join(", ")}.</p>
      )}
    </div>
  );
}
