// SPDX-License-Identifier: Apache-2.0
// A value that can be watched. Components re-render when the part they chose changes.
import { useEffect, useReducer, useRef } from "preact/hooks";

export class Store<T extends object> {
  private listeners = new Set<() => void>();
  constructor(private current: T) {}

  get value(): T {
    return this.current;
  }

  set(change: Partial<T>): void {
    this.current = { ...this.current, ...change };
    for (const listener of [...this.listeners]) listener();
  }

  subscribe(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }
}

export function useStore<T extends object, P>(store: Store<T>, choose: (value: T) => P): P {
  const [, render] = useReducer((n: number) => n + 1, 0);
  const chosen = choose(store.value);
  const last = useRef(chosen);
  last.current = chosen;
  const chooser = useRef(choose);
  chooser.current = choose;
  useEffect(() => {
    const look = () => {
      if (!Object.is(chooser.current(store.value), last.current)) render(0);
    };
    look();
    return store.subscribe(look);
  }, [store]);
  return chosen;
}
