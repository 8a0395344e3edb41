/** Passes on the first report, then at most one in `intervalMs`: what fails without a pause must not fill the log. */
export function throttle<T>(intervalMs: number, report: (what: T) => void): (what: T) => void {
  let reportedAt = -Infinity;
  return (what) => {
    if (performance.now() - reportedAt < intervalMs) return;
    reportedAt = performance.now();
    report(what);
  };
}
