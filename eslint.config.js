import tseslint from 'typescript-eslint';
import { readdirSync } from 'node:fs';

const KOA = ['koa', '@koa/router'];
const HAS_NO_CODE = ['styles'];

/**
 * The folders and files that each folder or file may import, besides its own folder. Files that are not listed, such as app and
 * start-api, assemble a service and may import all of its folders; no folder may import them.
 */
const layers = {
  'services/api/src': {
    'page-settings': { folders: [], packages: KOA },
    'env.ts': { folders: ['page-settings'], packages: KOA },
    http: { folders: ['env'] },
    'http/pages': { folders: ['../env', '../page-settings', 'entity-tag', 'request-log'] },
    auth: { folders: ['env', 'http'] },
    limits: { folders: ['auth', 'env', 'http'] },
    search: { folders: ['env', 'http', 'limits'], packages: KOA },
    indexing: { folders: ['limits'], packages: KOA },
    operators: { folders: ['env', 'http', 'indexing', 'limits', 'search'] },
    endpoints: { folders: ['auth', 'env', 'http', 'indexing', 'limits', 'operators', 'search'] },
    commands: { folders: ['auth', 'env', 'search/prompt/read-synonyms'], packages: KOA },
  },
  'services/api/src/search': {
    prompt: { folders: ['response', 'session', 'text-fields'], packages: KOA },
    pages: { folders: ['response', 'session'], packages: KOA },
    meaning: {
      folders: ['../limits', 'pages', 'parameters', 'prompt', 'query', 'response', 'session', 'sort'],
      packages: KOA,
    },
    highlight: { folders: [], packages: KOA },
    facets: {
      folders: [
        '../env',
        '../http',
        'answerable',
        'downloads',
        'filters',
        'list',
        'parameters',
        'prompt',
        'query',
        'response',
        'session',
        'text-fields',
        'where',
      ],
      packages: KOA,
    },
    similar: {
      folders: [
        '../env',
        '../http',
        'answerable',
        'filters',
        'list',
        'parameters',
        'query',
        'render-items',
        'session',
        'text-fields',
        'where',
      ],
      packages: KOA,
    },
    insights: { folders: ['filters', 'list', 'parameters'], packages: KOA },
    suggestions: { folders: ['../env', '../http', 'downloads', 'list', 'prompt', 'session', 'text-fields'], packages: KOA },
  },
  'services/indexer/src': {
    documents: { folders: [] },
    embeddings: { folders: ['documents', 'env'] },
    conflicts: { folders: ['documents'] },
    jobs: { folders: ['conflicts', 'documents', 'metrics'] },
    targets: { folders: ['conflicts'] },
    comparison: { folders: ['conflicts', 'documents', 'targets'] },
    rebuild: { folders: ['comparison', 'conflicts', 'documents', 'targets'] },
    purge: { folders: ['conflicts', 'documents', 'targets'] },
    commands: { folders: ['comparison', 'documents', 'env', 'jobs', 'purge', 'rebuild', 'targets'] },
  },
  'packages/web/src': {
    messages: { folders: [] },
    'messages/later': { folders: ['fill'] },
    shared: { folders: ['messages'] },
    'sign-in': { folders: ['messages', 'page/token/claims'] },
  },
  'packages/web/src/operations': {
    status: { folders: ['../shared'] },
    parts: { folders: ['../shared', 'status'] },
    chart: { folders: ['../shared', 'status'] },
    cards: { folders: ['../shared', 'chart', 'parts', 'status'] },
  },
  'packages/web/src/page': {
    'settings.ts': { folders: [] },
    location: { folders: ['../messages', '../shared', 'settings'] },
    token: { folders: ['../messages', '../shared', '../sign-in', 'notice', 'settings'] },
    // Types alone: the client exports only what it packs.
    api: { folders: ['../../../client/src/generated', '../messages', '../shared', 'location', 'settings', 'token'] },
    parts: { folders: ['../messages', '../shared', 'api', 'location'] },
    search: { folders: ['../messages', '../shared', 'api', 'location', 'parts'] },
    filters: { folders: ['../messages', '../shared', 'api', 'later', 'location', 'settings', 'token'] },
    results: { folders: ['../messages', '../shared', 'api', 'later', 'location', 'parts', 'settings', 'token'] },
    form: { folders: ['../messages', '../shared', 'api', 'later', 'location', 'notice', 'parts', 'settings', 'token'] },
    'own-fields': { folders: ['../messages', '../shared', 'api', 'filters', 'form', 'location', 'settings'] },
    item: {
      folders: ['../messages', '../shared', 'api', 'form', 'later', 'location', 'notice', 'outage-banner', 'parts', 'settings', 'token'],
    },
  },
  'packages/items/src': {
    'account.ts': { folders: [] },
    problems: { folders: [] },
    pictures: { folders: [] },
    fields: { folders: ['pictures', 'problems'] },
    changes: { folders: ['account', 'fields', 'pictures', 'problems'] },
    people: { folders: ['account', 'changes', 'fields', 'problems'] },
    files: { folders: ['changes', 'fields', 'people', 'problems'] },
    sources: { folders: ['fields', 'files', 'problems'] },
  },
  'packages/fields/src': {
    types: { folders: ['definition', 'field-type'] },
  },
  'packages/text/src': {
    languages: { folders: [] },
    words: { folders: ['languages'] },
    rules: { folders: ['languages', 'words'] },
    forms: { folders: ['languages', 'rules', 'words'] },
    ways: { folders: ['languages', 'rules', 'words'] },
    prompt: { folders: ['forms', 'languages', 'rules', 'ways', 'words'] },
    marks: { folders: ['forms', 'prompt', 'rules', 'words'] },
  },
  'packages/shared/src': {
    environment: { folders: [] },
    timing: { folders: ['environment'] },
    config: { folders: ['environment', 'process', 'timing'] },
    process: { folders: ['timing'] },
    cli: { folders: ['process'] },
    tracing: { folders: ['process', 'timing'] },
    postgres: { folders: ['config', 'process', 'timing', 'tracing'] },
    elasticsearch: { folders: ['config', 'timing', 'tracing'] },
    failures: { folders: ['config', 'elasticsearch', 'postgres'] },
    redis: { folders: ['config', 'failures', 'process', 'timing'] },
    contracts: { folders: ['postgres'] },
    fields: { folders: ['contracts', 'postgres', 'process', 'timing'] },
    embeddings: { folders: ['config', 'contracts', 'postgres', 'process', 'timing'] },
    outbox: { folders: ['contracts', 'postgres', 'process', 'timing', 'tracing'] },
    indices: { folders: ['contracts', 'elasticsearch', 'postgres', 'timing'] },
    ownership: { folders: ['contracts', 'elasticsearch', 'indices', 'outbox', 'postgres', 'process', 'timing'] },
    status: {
      folders: [
        'contracts',
        'elasticsearch',
        'failures',
        'fields',
        'indices',
        'outbox',
        'ownership',
        'postgres',
        'process',
        'redis',
        'timing',
      ],
    },
  },
};

// A folder without a row could import anything.
for (const [root, rows] of Object.entries(layers)) {
  const folders = readdirSync(`${import.meta.dirname}/${root}`, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  const missing = folders.find(({ name }) => !(name in rows) && !(`${root}/${name}` in layers) && !HAS_NO_CODE.includes(name));
  if (missing) throw new Error(`\`layers\` in eslint.config.js has no row for ${root}/${missing.name}`);
}

const WEB = ['@ugc/*', '!@ugc/shared', '@ugc/shared/*', '!@ugc/shared/contracts'];

const NO_SERVICE = ['@ugc/indexer/*', '@ugc/local-stack/*'];

/** The packages of this repository that each package must not import. */
const forbiddenPackages = {
  'services/api/src': NO_SERVICE,
  'services/api/src/search': NO_SERVICE,
  'services/indexer/src': ['@ugc/api/*', '@ugc/local-stack/*'],
  'packages/items/src': ['@ugc/*', '!@ugc/fields', '!@ugc/shared', '!@ugc/text'],
  'packages/fields/src': ['@ugc/*', '!@ugc/text'],
  'packages/text/src': ['@ugc/*'],
  'packages/shared/src': ['@ugc/*', '!@ugc/fields', '!@ugc/text'],
  'packages/web/src': WEB,
  'packages/web/src/page': WEB,
  'packages/web/src/operations': WEB,
  'packages/client/src': ['@ugc/*'],
  'packages/local-stack/src': [
    '@ugc/*',
    '!@ugc/shared',
    '@ugc/shared/*',
    '!@ugc/shared/cli',
    '!@ugc/shared/environment',
    '!@ugc/shared/timing',
  ],
};

/** Files of other packages, by their paths. */
const NO_OTHER_SOURCE = { regex: '^\\.\\.?/.*\\bsrc/', message: 'Import another package by its name.' };

const WAITING = 'IfStatement, TryStatement, ExpressionStatement:has(> AwaitExpression, > AssignmentExpression > AwaitExpression)';

// What a word or a letter is stands in packages/text. A file with such an expression says here why it has one.
const HAVE_CLASSES_OF_CHARACTERS = [
  'packages/text/**',
  'services/api/src/page-settings/page-fields.ts', // control characters in a setting
  'services/api/src/search/insights/prompt-counts.ts', // invisible characters in what operators read
  'packages/shared/src/environment/env-values.ts', // invisible characters in a setting
  'packages/shared/src/process/terminal.ts', // what moves the cursor of a terminal
  'packages/web/src/page/form/file-name.ts', // control characters in the name of a file
  'packages/web/src/page/form/draft.ts', // the page loads nothing of packages/text
  'packages/web/src/page/form/tag-completions.ts', // the page loads nothing of packages/text
  'packages/web/src/page/search/mark-typed.ts', // the page loads nothing of packages/text
  'packages/web/src/page/item/link-parts.ts', // control characters in an address
  'packages/web/src/page/item/markup.ts', // the page loads nothing of packages/text
  'packages/web/src/page/results/without-markup.ts', // the page loads nothing of packages/text
];

// A later entry replaces the rule of an earlier one, so the entry of a folder repeats the patterns of its package.
const directions = Object.entries(forbiddenPackages).flatMap(([root, packages]) => [
  restrictImports(`${root}/**/*.{ts,tsx}`, [notPackages(packages), NO_OTHER_SOURCE]),
  ...Object.entries(layers[root] ?? {}).map(([folder, { folders, packages: more = [] }]) =>
    restrictImports(folder.endsWith('.ts') ? `${root}/${folder}` : `${root}/${folder}/**/*.{ts,tsx}`, [
      notPackages([...packages, ...more]),
      onlyFolders(folder, folders),
    ]),
  ),
]);

const noClassesOfCharacters = {
  create: (context) => {
    const check = (node, text) => {
      if (/\\[pP]\{/.test(text)) context.report({ node, message: 'See HAVE_CLASSES_OF_CHARACTERS in eslint.config.js.' });
    };
    return {
      Literal: (node) => check(node, node.regex?.pattern ?? ''),
      TemplateElement: (node) => check(node, node.value.raw),
    };
  },
};

/** It takes quadratic time for what others write. These files may use it: the first limits the marks, the others say why. */
const MAY_NORMALIZE = [
  'packages/text/src/words/normalized.ts',
  'packages/fields/src/types/texts.ts', // names and values are stored with all of their marks, and are short
  'packages/web/**', // what the user of the page types, and at most 2,000 characters of a description at once
  'packages/client/src/stored-edit.ts', // the name and the tags of one item, in the process of a client
];

const noNormalize = {
  create: (context) => ({
    MemberExpression: ({ property }) => {
      if ([property.name, property.value].includes('normalize'))
        context.report({ node: property, message: 'Use `normalized` of packages/text: it limits the marks of a letter.' });
    },
  }),
};

export default tseslint.config(
  {
    ignores: [
      '**/node_modules/**',
      '.local/**',
      'packages/client/dist/**',
      'packages/client/src/generated/**',
      'packages/web/dist/**',
      'tools/generated-clients/typescript/**',
    ],
  },
  {
    files: ['**/*.ts', '**/*.tsx'],
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
      'no-restricted-syntax': [
        'error',
        {
          selector: `Program > :matches(${WAITING}) ~ :matches(VariableDeclaration:has(> VariableDeclarator[id.name=/^[A-Z]/]), ClassDeclaration)`,
          message: 'Functions that run while the module waits would use this before it is initialized: declare it above.',
        },
      ],
      eqeqeq: 'error',
      complexity: ['error', 10],
      'max-lines-per-function': ['error', { max: 40, skipComments: true }],
      'max-lines': ['error', { max: 250 }],
    },
  },
  {
    files: ['services/**/*.ts', 'packages/**/*.{ts,tsx}'],
    ignores: HAVE_CLASSES_OF_CHARACTERS,
    plugins: { text: { rules: { 'no-classes-of-characters': noClassesOfCharacters } } },
    rules: { 'text/no-classes-of-characters': 'error' },
  },
  {
    files: ['services/**/*.ts', 'packages/**/*.{ts,tsx}'],
    ignores: MAY_NORMALIZE,
    plugins: { normalization: { rules: { 'no-normalize': noNormalize } } },
    rules: { 'normalization/no-normalize': 'error' },
  },
  ...directions,
  {
    files: ['packages/shared/src/{elasticsearch/transport,postgres/postgres,postgres/statements}.ts'],
    rules: {
      'no-restricted-syntax': [
        'error',
        {
          selector: "AssignmentExpression[left.type='MemberExpression'] > :matches(ArrowFunctionExpression, FunctionExpression).right",
          message: 'Assign the function to a constant first: docs/decisions/0022-code-for-speed.md.',
        },
      ],
    },
  },
  {
    files: ['**/commands/**', 'packages/shared/src/{cli/**,config/env.ts,process/lifecycle.ts}', 'test/**', 'tools/**'],
    rules: { 'no-restricted-properties': 'off' },
  },
  {
    // Commands print with `cli/output.ts`, which makes harmless what others have written.
    files: ['packages/shared/src/config/env.ts', 'test/**', 'tools/**'],
    rules: { 'no-console': 'off' },
  },
  {
    // One list of texts, which the same keys order in each language.
    files: ['packages/web/src/messages/**'],
    rules: { 'max-lines': 'off' },
  },
  {
    files: ['test/**', 'tools/**'],
    rules: { 'max-lines': 'off', 'max-lines-per-function': 'off', complexity: 'off', '@typescript-eslint/no-explicit-any': 'off' },
  },
);

function restrictImports(files, patterns) {
  return { files: [files], rules: { 'no-restricted-imports': ['error', { patterns }] } };
}

function notPackages(group) {
  return { group, message: 'See `layers` and `forbiddenPackages` in eslint.config.js.' };
}

function onlyFolders(folder, folders) {
  const allowed = folders.map((name) => `${name}[/.]`).join('|') || '$';
  const prefix = folder.endsWith('.ts') ? '\\./' : '\\.\\./';
  const message = `${folder} may import ${folders.join(', ') || 'no other folder'}; see \`layers\` in eslint.config.js.`;
  return { regex: `^${prefix}(?!${allowed})`, message };
}
