// SPDX-License-Identifier: Apache-2.0
// The editor: colours, completion, and the compiler's diagnostics at their places.
import { autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { bracketMatching, indentUnit } from "@codemirror/language";
import { lintGutter, lintKeymap, setDiagnostics } from "@codemirror/lint";
import { highlightSelectionMatches, searchKeymap } from "@codemirror/search";
import { EditorState } from "@codemirror/state";
import {
  EditorView, drawSelection, highlightActiveLine, highlightActiveLineGutter, highlightSpecialChars, keymap, lineNumbers,
} from "@codemirror/view";
import { useEffect, useRef } from "preact/hooks";
import { live, textChanged } from "../live.ts";
import type { Diagnostic } from "../types.ts";
import { work } from "../work.ts";
import { completionSource } from "./completion.ts";
import { stiffitColours, stiffitLanguage } from "./language.ts";
import { rangeOfDiagnostic } from "./places.ts";

function showDiagnostics(view: EditorView, diagnostics: Diagnostic[]): void {
  const text = view.state.doc.toString();
  view.dispatch(
    setDiagnostics(
      view.state,
      diagnostics.map((diagnostic) => ({
        ...rangeOfDiagnostic(text, diagnostic),
        severity: diagnostic.severity,
        message: diagnostic.hint ? `${diagnostic.message}\n${diagnostic.hint}` : diagnostic.message,
      })),
    ),
  );
}

const PHRASES = { "Control character": "control character" };

function makeView(parent: HTMLElement): EditorView {
  return new EditorView({
    parent,
    state: EditorState.create({
      doc: work.value.text,
      extensions: [
        lineNumbers(),
        highlightSpecialChars(),
        history(),
        drawSelection(),
        indentUnit.of("  "),
        bracketMatching(),
        closeBrackets(),
        autocompletion({ override: [completionSource(() => live.value.model)], icons: false }),
        highlightActiveLine(),
        highlightActiveLineGutter(),
        highlightSelectionMatches(),
        lintGutter(),
        stiffitLanguage,
        stiffitColours,
        EditorView.lineWrapping,
        EditorView.contentAttributes.of({ "aria-label": "The model as text", spellcheck: "false" }),
        EditorState.phrases.of(PHRASES),
        // Escape, then Tab leaves the editor; Tab alone indents.
        keymap.of([
          ...closeBracketsKeymap, ...defaultKeymap, ...searchKeymap, ...historyKeymap, ...completionKeymap,
          ...lintKeymap, indentWithTab,
        ]),
        EditorView.updateListener.of((update) => {
          if (!update.docChanged) return;
          const text = update.state.doc.toString();
          if (text !== work.value.text) textChanged(text);
        }),
      ],
    }),
  });
}

export let editorView: EditorView | null = null;

/** Puts the cursor at a diagnostic. */
export function goTo(diagnostic: Diagnostic): void {
  if (!editorView) return;
  const { from, to } = rangeOfDiagnostic(editorView.state.doc.toString(), diagnostic);
  editorView.dispatch({ selection: { anchor: from, head: to }, scrollIntoView: true });
  editorView.focus();
}

export function Editor() {
  const host = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const view = makeView(host.current as HTMLElement);
    editorView = view;
    let shown: Diagnostic[] = [];
    const forgetWork = work.subscribe(() => {
      const { text } = work.value;
      if (text === view.state.doc.toString()) return;
      view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text } });
    });
    const follow = () => {
      if (live.value.diagnostics === shown) return;
      shown = live.value.diagnostics;
      showDiagnostics(view, shown);
    };
    follow();
    const forgetLive = live.subscribe(follow);
    return () => {
      forgetWork();
      forgetLive();
      view.destroy();
      editorView = null;
    };
  }, []);
  return (
    <>
      <div class="editor" ref={host} />
      <p class="editor-note">
        <code>A -&gt; B; k</code> is mass action here, <code>k*A</code>; <code>(k)</code> is a constant rate. Antimony
        files (.ant) are translated when opened.
      </p>
    </>
  );
}
