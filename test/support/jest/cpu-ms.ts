/** @returns the processor time that this process takes meanwhile, in milliseconds: other programs do not lengthen it */
export function cpuMs(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}
