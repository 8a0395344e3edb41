/** @returns a function that forwards at most one value per `intervalMs` to `report` and drops the others */
export function throttle<T>(intervalMs: number, report: (value: T) => void): (value: T) => void {
  let reportedAtMs = -Infinity;
  return (value) => {
    if (performance.now() - reportedAtMs < intervalMs) return;
    reportedAtMs = performance.now();
    report(value);
  };
}
