import { afterAll } from '@jest/globals';

const { now } = performance;
let passedMs = 0;
performance.now = () => now.call(performance) + passedMs;
afterAll(() => void (performance.now = now));

/** Moves the clock of this process, so that a service in it asks again for what it has kept for some seconds. */
export function passTime(ms: number): void {
  passedMs += ms;
}
