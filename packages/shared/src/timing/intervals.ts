/**
 * @param errorMaxAgeMs for how long an error is kept
 * @returns a function that calls `load` at most once per `maxAgeMs`; concurrent calls share its result or error
 */
export function cached<T>(maxAgeMs: number, load: () => Promise<T>, errorMaxAgeMs = maxAgeMs): () => Promise<T> {
  let result: Promise<T> | undefined;
  let loadedAtMs = 0;
  let keptMs = maxAgeMs;
  return () => {
    if (!result || performance.now() - loadedAtMs > keptMs) {
      loadedAtMs = performance.now();
      keptMs = maxAgeMs;
      result = load();
      result.catch(() => (keptMs = errorMaxAgeMs));
    }
    return result;
  };
}

/** @returns a function that forwards at most one value per `intervalMs` to `report` and drops the others */
export function throttle<T>(intervalMs: number, report: (value: T) => void): (value: T) => void {
  let reportedAtMs = -Infinity;
  return (value) => {
    if (performance.now() - reportedAtMs < intervalMs) return;
    reportedAtMs = performance.now();
    report(value);
  };
}
