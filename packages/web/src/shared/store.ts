import { useLayoutEffect, useReducer } from 'preact/hooks';

/** A value outside of components that several of them show. */
export type Store<T> = {
  get(): T;
  set(next: T): void;
  /** @returns a function that ends the subscription */
  subscribe(listener: () => void): () => void;
};

export function createStore<T>(initial: T): Store<T> {
  const listeners = new Set<() => void>();
  let value = initial;
  return {
    get: () => value,
    set: (next) => {
      value = next;
      for (const listener of listeners) listener();
    },
    subscribe: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}

/** The value of the store; the component renders again when it changes. */
export function useStore<T>(store: Store<T>): T {
  const [, render] = useReducer((count: number) => count + 1, 0);
  useLayoutEffect(() => store.subscribe(() => render(undefined)), [store]);
  return store.get();
}
