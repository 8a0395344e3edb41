process.env['STORE_TIMEOUT_FACTOR'] = '1';
const { default: config } = await import('./jest.config.js');

/**
 * The tests whose subject is a time. They run alone after all others, and a test that fails is repeated once: the first
 * failure is printed, the second one counts. Jest exits without waiting for timers: ioredis keeps that of a command after the
 * connection is closed, for 100 s where a test multiplies the time limits.
 */
export default { ...config, setupFilesAfterEnv: ['<rootDir>/support/jest/repeat-once.js'], maxWorkers: 1, forceExit: true };
