process.env['STORE_TIMEOUT_FACTOR'] = '1';
const { default: config } = await import('./jest.config.js');

/**
 * The tests whose subject is a time. They run alone after all others, and a test that fails is repeated once: the first
 * failure is printed, the second one counts.
 */
export default { ...config, setupFilesAfterEnv: ['<rootDir>/support/jest/repeat-once.js'], maxWorkers: 1 };
