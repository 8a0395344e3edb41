/** @returns a function that calls `load` at most once per `maxAgeMs`; concurrent calls share its result or error */
export function cached<T>(maxAgeMs: number, load: () => Promise<T>): () => Promise<T> {
  let result: Promise<T> | undefined;
  let loadedAtMs = 0;
  return () => {
    if (!result || performance.now() - loadedAtMs > maxAgeMs) {
      loadedAtMs = performance.now();
      result = load();
    }
    return result;
  };
}
