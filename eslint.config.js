import tseslint from 'typescript-eslint';

const services = { api: '@ugc/indexer', indexer: '@ugc/api' };

/** Which way imports may point: main → app or worker → routes → content → shared; services never import each other. */
const directions = [
  ...Object.entries(services).map(([service, other]) =>
    forbid(
      `services/${service}/src/**`,
      [`${other}/*`, '@ugc/local-stack/*', '**/indexer/**', '**/services/**'],
      'Services know each other through @ugc/shared only.',
    ),
  ),
  forbid('packages/shared/src/**', ['@ugc/*'], '@ugc/shared imports nothing of ours.'),
  forbid(
    'packages/local-stack/src/**',
    ['@ugc/*', '!@ugc/shared', '@ugc/shared/*', '!@ugc/shared/cli'],
    '@ugc/local-stack starts servers and knows nothing of the service.',
  ),
  forbid(
    'services/api/src/content/**',
    ['koa', '@koa/router', '**/routes/*', '**/middleware/*', '**/relay/*'],
    "Koa's context stops at the routes.",
  ),
  forbid(
    'services/api/src/{middleware,routes,relay,auth}/**',
    ['**/main.ts', '**/app.ts', '**/start-api.ts', '**/commands/*'],
    'Imports point away from main.',
  ),
];

export default tseslint.config(
  { ignores: ['**/node_modules/**', '.local/**'] },
  {
    files: ['**/*.ts'],
    extends: [tseslint.configs.base],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-misused-promises': 'error',
      '@typescript-eslint/await-thenable': 'error',
      '@typescript-eslint/return-await': ['error', 'error-handling-correctness-only'],
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/no-unnecessary-condition': 'error',
      '@typescript-eslint/no-unnecessary-type-assertion': 'error',
      '@typescript-eslint/only-throw-error': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': 'error',
      'no-console': 'error',
      'no-restricted-properties': [
        'error',
        { object: 'process', property: 'exit', message: 'Only main, shutdown and commands end the process.' },
      ],
      eqeqeq: 'error',
      complexity: ['error', 10],
      'max-lines-per-function': ['error', { max: 40, skipComments: true }],
    },
  },
  ...directions,
  {
    files: ['**/commands/**', 'packages/shared/src/{cli/**,process/{env,shutdown}.ts}', 'test/**'],
    rules: { 'no-console': 'off', 'no-restricted-properties': 'off' },
  },
  { files: ['test/**'], rules: { 'max-lines-per-function': 'off', complexity: 'off', '@typescript-eslint/no-explicit-any': 'off' } },
);

function forbid(files, group, message) {
  return { files: [files], rules: { 'no-restricted-imports': ['error', { patterns: [{ group, message }] }] } };
}
