// SPDX-License-Identifier: Apache-2.0
// Small controls used all over the page.
import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { formatNumber, readNumber } from "./numbers.ts";

interface NumberFieldProps {
  value: number | null;
  label: string;
  invalid?: boolean; // whatever is in it
  placeholder?: string;
  hidden?: boolean; // the label is for readers of screens only
  disabled?: boolean;
  allow?: (value: number) => boolean;
  change: (value: number | null, event: Event) => void;
}

/** A number as text: what cannot be read is marked and not taken over; empty means none. */
export function NumberField({ value, label, invalid, placeholder, hidden, disabled, allow, change }: NumberFieldProps) {
  const written = value === null ? "" : formatNumber(value, 5).replace(/−/g, "-");
  const [text, setText] = useState(written);
  const [focused, setFocused] = useState(false);
  useEffect(() => {
    if (!focused) setText(written);
  }, [written, focused]);
  const read = readNumber(text);
  const wrong = text.trim() !== "" && (read === null || (allow !== undefined && !allow(read)));
  return (
    <label class="field">
      <span class={hidden ? "unseen" : "field-name"}>{label}</span>
      <input
        class="number"
        inputMode="decimal"
        disabled={disabled ?? false}
        value={text}
        placeholder={placeholder ?? ""}
        aria-invalid={wrong || (invalid ?? false)}
        onFocus={() => setFocused(true)}
        onBlur={() => setFocused(false)}
        onInput={(event) => {
          const typed = event.currentTarget.value;
          setText(typed);
          if (typed.trim() === "") return change(null, event);
          const number = readNumber(typed);
          if (number !== null && (!allow || allow(number))) change(number, event);
        }}
      />
    </label>
  );
}

interface SelectProps<T extends string> {
  value: T;
  label: string;
  invalid?: boolean;
  hidden?: boolean;
  disabled?: boolean;
  options: { value: T; name: string }[];
  change: (value: T) => void;
}

export function Select<T extends string>({ value, label, invalid, hidden, disabled, options, change }: SelectProps<T>) {
  return (
    <label class="field">
      <span class={hidden ? "unseen" : "field-name"}>{label}</span>
      <select value={value} disabled={disabled ?? false} aria-invalid={invalid ?? false} onChange={(event) => change(event.currentTarget.value as T)}>
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.name}
          </option>
        ))}
      </select>
    </label>
  );
}

interface LinesFieldProps {
  value: string;
  label: string;
  placeholder: string;
  problems: string[];
  change: (value: string) => void;
}

/** Formulas, one in each line, with what is wrong with them below. */
export function LinesField({ value, label, placeholder, problems, change }: LinesFieldProps) {
  const rows = Math.max(2, Math.min(8, value.split("\n").length));
  return (
    <label class="lines-field">
      <span class="field-name">{label}</span>
      <textarea rows={rows} spellcheck={false} value={value} placeholder={placeholder} aria-invalid={problems.length > 0}
        onInput={(event) => change(event.currentTarget.value)} />
      <Problems list={problems} />
    </label>
  );
}

export function Problems({ list }: { list: string[] }) {
  return <>{list.map((words) => <Problem key={words}>{words}</Problem>)}</>;
}

export function Check(props: { checked: boolean; label: ComponentChildren; change: (checked: boolean) => void }) {
  return (
    <label class="check">
      <input type="checkbox" checked={props.checked} onChange={(event) => props.change(event.currentTarget.checked)} />
      <span>{props.label}</span>
    </label>
  );
}

/** Said where there is nothing to show yet, with what to do about it. */
export function Empty({ children }: { children: ComponentChildren }) {
  return <p class="empty">{children}</p>;
}

/** A mistake in words. */
export function Problem({ children }: { children: ComponentChildren }) {
  return (
    <p class="problem" role="alert">
      {children}
    </p>
  );
}

/** Shown only when something takes longer than half a second. */
export function Busy({ busy, words }: { busy: boolean; words: string }) {
  const [late, setLate] = useState(false);
  useEffect(() => {
    if (!busy) return setLate(false);
    const timer = setTimeout(() => setLate(true), 500);
    return () => clearTimeout(timer);
  }, [busy]);
  return (
    <span class="busy" role="status">
      {busy && late ? (
        <>
          <span class="spinner" aria-hidden="true" /> {words}
        </>
      ) : null}
    </span>
  );
}
