/**
 * Makes the figures by which languages are detected one module for all test files of a process: they have no state, and take
 * a quarter of a second of processor time to load. Jest would load them for each file.
 */
export default {
  process: (_source, path) => ({ code: `export const { eld } = loadOnce(${JSON.stringify(path)});` }),
};
