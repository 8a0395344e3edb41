/** Files and connections of the process itself: to the stores, to the embedding service, and those that Node.js has. */
const OWN_FILES = 100;
const CONNECTIONS_MIN = 10;

/** Beyond the open files, connections are closed without a line or a count. @returns how many connections the process accepts */
export function connectionLimit(wanted: number, poolSize: number, openFiles = openFilesMax()): number {
  return Math.max(CONNECTIONS_MIN, Math.min(wanted, openFiles - OWN_FILES - poolSize));
}

/** What `ulimit -n` has set; Infinity where it is unknown. */
export function openFilesMax(): number {
  // Otherwise the report looks up the names of all connections.
  Object.assign(process.report, { excludeNetwork: true });
  const { userLimits } = process.report.getReport() as { userLimits?: { open_files?: { soft: number | 'unlimited' } } };
  const soft = userLimits?.open_files?.soft;
  return typeof soft === 'number' ? soft : Infinity;
}
