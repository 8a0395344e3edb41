import { TestEnvironment } from 'jest-environment-node';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { appendFileSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const COUNTED = { processes: 'child_process', servers: 'tracing:net.server.listen:asyncEnd' };

/** Records in the file TEST_RECORD what each test file costs, and sets STORE_TIMEOUT_FACTOR for a file that names another one. */
export default class RecordedEnvironment extends TestEnvironment {
  #file;
  #counts = { tests: 0, processes: 0, servers: 0 };
  #counters = Object.entries(COUNTED).map(([what, channel]) => [channel, () => (this.#counts[what] += 1)]);
  #beganMs = Date.now();
  #cpuSecondsBefore = cpuSeconds();

  constructor(config, context) {
    super(config, context);
    const [factor] = [context.docblockPragmas['store-timeout-factor'] ?? []].flat();
    if (factor !== undefined) this.global.process.env['STORE_TIMEOUT_FACTOR'] = factor;
    // For share-figures.js.
    this.global.loadOnce = createRequire(import.meta.url);
    this.#file = context.testPath.replace(/^.*\/test\/(.*)\.test\.ts$/, '$1');
    for (const [channel, count] of this.#counters) subscribe(channel, count);
  }

  handleTestEvent({ name }) {
    if (name === 'test_done') this.#counts.tests += 1;
  }

  async teardown() {
    await super.teardown();
    for (const [channel, count] of this.#counters) unsubscribe(channel, count);
    const [seconds, cpu] = [(Date.now() - this.#beganMs) / 1_000, cpuSeconds() - this.#cpuSecondsBefore];
    const line = { file: this.#file, ...this.#counts, seconds: rounded(seconds), cpuSeconds: rounded(cpu) };
    const record = process.env['TEST_RECORD'];
    if (record) appendFileSync(record, `${JSON.stringify(line)}\n`);
  }
}

function rounded(seconds) {
  return Math.round(seconds * 100) / 100;
}

/** The processor time of this process, and of those that it has started and that have ended. */
function cpuSeconds() {
  try {
    // Linux counts 100 ticks per second.
    const fields = readFileSync('/proc/self/stat', 'utf8').split(') ')[1].split(' ');
    return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) / 100;
  } catch {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1_000_000;
  }
}
