// SPDX-License-Identifier: Apache-2.0
// The page: header, editor on the left, tabs on the right.
import { useEffect, useState } from "preact/hooks";
import { Editor, goTo } from "./editor/editor.tsx";
import { check, live } from "./live.ts";
import { complain, hush, notice } from "./notice.ts";
import { OpenDialog } from "./open_dialog.tsx";
import { openFiles } from "./open_file.ts";
import { useStore } from "./store.ts";
import { TABS, type TabName } from "./tabs/tabs.tsx";
import { theme, toggleTheme } from "./theme.ts";
import { change, keeping, keepMine, openWork, work } from "./work.ts";

function KeepState() {
  const { state, message } = useStore(keeping, (value) => value);
  const words = { kept: "kept", keeping: "keeping …", "newer elsewhere": "conflict", "not kept": "not kept" }[state];
  return (
    <span class={`keep-state keep-${state.replace(" ", "-")}`} role="status" title={message || "Every change is kept by the server."}>
      {words}
    </span>
  );
}

function Header({ open }: { open: () => void }) {
  const title = useStore(work, (value) => value.title);
  const id = useStore(keeping, (value) => value.id);
  const dark = useStore(theme, (value) => value.dark);
  return (
    <header class="head">
      <span class="brand"><img src="/icon.svg" alt="" width="22" height="22" /> Stiffit</span>
      <input
        class="title"
        aria-label="Title of this work"
        placeholder="Untitled"
        value={title}
        onInput={(event) => change({ title: event.currentTarget.value })}
      />
      <KeepState />
      <nav class="head-actions" aria-label="Work">
        <button type="button" onClick={open}>Open</button>
        <a class={id ? "button" : "button disabled"} {...(id ? { href: `/api/work/${id}/export` } : { "aria-disabled": "true" as const })} download title="One file with the model, the data and the results">Share</a>
        <button type="button" class="quiet" aria-label={dark ? "Light colours" : "Dark colours"} title={dark ? "Light colours" : "Dark colours"} onClick={toggleTheme}>
          {dark ? "☀" : "☾"}
        </button>
      </nav>
    </header>
  );
}

function Notices() {
  const { text, bad } = useStore(notice, (value) => value);
  const { state, id } = useStore(keeping, (value) => value);
  return (
    <div class="notices" aria-live="polite">
      {state === "newer elsewhere" && (
        <div class="notice bad" role="alert">
          This work was changed in another tab.
          <button type="button" onClick={() => void openWork(id).then(check, complain)}>Take that one</button>
          <button type="button" onClick={() => void keepMine().catch(complain)}>Keep this one</button>
        </div>
      )}
      {text && (
        <div class={bad ? "notice bad" : "notice"} role={bad ? "alert" : "status"}>
          {text}
          <button type="button" class="quiet" aria-label="Close this message" onClick={hush}>✕</button>
        </div>
      )}
    </div>
  );
}

function Problems() {
  const diagnostics = useStore(live, (value) => value.diagnostics);
  if (diagnostics.length === 0) return <div class="problems none" aria-live="polite" />;
  const errors = diagnostics.filter((d) => d.severity === "error").length;
  const warnings = diagnostics.length - errors;
  const count = (n: number, what: string) => (n === 0 ? "" : `${n} ${what}${n === 1 ? "" : "s"}`);
  return (
    <section class="problems" aria-label="Messages of the compiler" aria-live="polite">
      <h2>{[count(errors, "mistake"), count(warnings, "warning")].filter(Boolean).join(", ")}</h2>
      <ul>
        {diagnostics.map((diagnostic, index) => (
          <li key={index}>
            <button type="button" class={`row ${diagnostic.severity}`} onClick={() => goTo(diagnostic)}>
              <span class="place">{diagnostic.line}:{diagnostic.column}</span>
              <span>{diagnostic.message}{diagnostic.hint ? <span class="hint-line faint">{diagnostic.hint}</span> : null}</span>
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Tabs() {
  const chosen = useStore(work, (value) => value.tab) as TabName;
  const current = TABS.some((tab) => tab.name === chosen) ? chosen : "curves";
  const move = (event: KeyboardEvent) => {
    const step = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
    if (step === 0) return;
    event.preventDefault();
    const index = TABS.findIndex((tab) => tab.name === current);
    const next = TABS[(index + step + TABS.length) % TABS.length];
    if (!next) return;
    change({ tab: next.name });
    document.getElementById(`tab-${next.name}`)?.focus();
  };
  const Panel = TABS.find((tab) => tab.name === current)?.Panel;
  return (
    <main class="right">
      <div class="tabs" role="tablist" aria-label="Views" onKeyDown={move}>
        {TABS.map((tab) => (
          <button
            key={tab.name}
            id={`tab-${tab.name}`}
            type="button"
            role="tab"
            class="tab"
            data-title={tab.title}
            aria-selected={tab.name === current}
            aria-controls="panel"
            tabIndex={tab.name === current ? 0 : -1}
            onClick={() => change({ tab: tab.name })}
          >
            {tab.title}
          </button>
        ))}
      </div>
      <div id="panel" class="panel" role="tabpanel" aria-labelledby={`tab-${current}`}>
        {Panel && <Panel />}
      </div>
    </main>
  );
}

export function App() {
  const [opening, setOpening] = useState(false);
  const [dropping, setDropping] = useState(false);
  useEffect(() => {
    const over = (event: DragEvent) => {
      if (!event.dataTransfer?.types.includes("Files")) return;
      event.preventDefault();
      setDropping(true);
    };
    const leave = (event: DragEvent) => {
      if (!event.relatedTarget) setDropping(false);
    };
    const drop = (event: DragEvent) => {
      setDropping(false);
      if (!event.dataTransfer?.files.length) return;
      event.preventDefault();
      void openFiles(event.dataTransfer.files);
    };
    document.addEventListener("dragover", over);
    document.addEventListener("dragleave", leave);
    document.addEventListener("drop", drop);
    return () => {
      document.removeEventListener("dragover", over);
      document.removeEventListener("dragleave", leave);
      document.removeEventListener("drop", drop);
    };
  }, []);
  return (
    <div class={dropping ? "page dropping" : "page"}>
      <Header open={() => setOpening(true)} />
      <Notices />
      <div class="body">
        <section class="left" aria-label="Model">
          <Editor />
          <Problems />
        </section>
        <Tabs />
      </div>
      <OpenDialog open={opening} close={() => setOpening(false)} />
    </div>
  );
}
