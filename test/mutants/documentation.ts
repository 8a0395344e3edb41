import type { Mutant } from './mutant.ts';

/** What developers meet first: the OpenAPI document, the files of pages, the interactive documentation, the client. */
export const DOCUMENTATION_MUTANTS: Mutant[] = [
  // The OpenAPI document.
  {
    file: 'services/api/src/openapi/json-schema.ts',
    from: "if (jsonSchema.type === 'object') jsonSchema.additionalProperties = true;",
    to: '',
    why: 'generated clients reject responses of a later release, which have more properties',
    test: 'api/openapi',
  },
  {
    file: 'services/api/src/openapi/json-schema.ts',
    from: "> INT32_MAX ? 'int64' : 'int32'",
    to: "> INT32_MAX ? 'int32' : 'int32'",
    why: 'generated clients in Java or Go read ids into 32 bits',
    test: 'api/openapi',
  },
  {
    file: 'services/api/src/search/list-parameters.ts',
    from: "{ type: 'string', pattern: sortKeyPattern }",
    to: '',
    why: 'the document forbids sort keys that the service accepts, such as name,DESC',
    test: 'api/openapi',
  },
  {
    file: 'services/api/src/search/list-parameters.ts',
    from: '`${field},desc` as const]',
    to: '`${field},descending` as const]',
    why: 'the document offers sort keys that the service does not accept',
    test: 'api/openapi',
  },
  {
    file: 'services/api/src/openapi/errors.ts',
    from: 'description, detail } = { ...ERRORS[status], ...replaced[status] }',
    to: 'description, detail } = { ...ERRORS[404], ...replaced[status] }',
    why: 'the examples of errors are not those that the service sends',
    test: 'api/openapi',
  },
  {
    file: 'services/api/src/openapi/errors.ts',
    from: 'new Set([429, 503])',
    to: 'new Set([412, 429, 503])',
    why: 'the document promises Retry-After where there is none',
    test: 'api/openapi',
  },
  {
    file: 'services/api/src/openapi/rating-operations.ts',
    from: 'const tags = [RATINGS.name];',
    to: 'const tags: string[] = [];',
    why: 'generated clients put ratings into a class named Default',
    test: 'api/openapi',
  },
  // Files that are served from memory.
  {
    file: 'services/api/src/pages/static-file.ts',
    from: "'.js': 'text/javascript; charset=utf-8'",
    to: "'.js': 'text/javascript'",
    why: 'a script with letters outside ASCII is a syntax error in the browser',
    test: 'unit/static-file',
  },
  {
    file: 'services/api/src/pages/static-file.ts',
    from: '`"${file.tag}-gzip"`',
    to: '`"${file.tag}"`',
    why: 'a cache mixes up the compressed file and the file',
    test: 'unit/static-file',
  },
  {
    file: 'services/api/src/pages/static-file.ts',
    from: 'isImmutable ? IMMUTABLE : REVALIDATED',
    to: 'IMMUTABLE',
    why: 'after a deployment, browsers show the previous page for a year',
    test: 'unit/static-file',
  },
  {
    file: 'services/api/src/pages/static-file.ts',
    from: ' && !/;\\s*q=0(\\.0*)?$/.test(coding)',
    to: '',
    why: 'a client that refuses gzip receives it',
    test: 'unit/static-file',
  },
  {
    file: 'services/api/src/pages/static-file.ts',
    from: "...(isText && { Vary: 'Accept-Encoding' }),",
    to: '',
    why: 'a proxy sends the compressed file to clients that cannot read it',
    test: 'unit/static-file',
  },
  // The interactive documentation.
  {
    file: 'services/api/src/pages/documentation-page.ts',
    from: "fileName: 'docs.html', content, isImmutable: false, policy: POLICY }",
    to: "fileName: 'docs.html', content, isImmutable: false }",
    why: 'the interactive documentation is an empty page',
    test: 'api/docs',
  },
  {
    file: 'services/api/src/pages/documentation-page.ts',
    from: "script-src 'self'",
    to: "script-src 'self' 'unsafe-inline'",
    why: 'an inline script runs in the interactive documentation',
    test: 'api/docs',
  },
  {
    file: 'services/api/src/pages/documentation-page.ts',
    from: 'const folderOfPackage = `/docs/${version}`',
    to: 'const folderOfPackage = `/docs/files`',
    why: 'after an update, browsers use the previous Swagger UI for a year',
    test: 'api/docs',
  },
  {
    file: 'services/api/src/pages/start-swagger-ui.js',
    from: "if (token !== null) history.replaceState(null, '', location.pathname);",
    to: '',
    why: 'the address that a developer shares contains the token',
    test: 'browser/docs',
  },
  {
    file: 'services/api/src/pages/start-swagger-ui.js',
    from: 'if (!hasToken || confirm(',
    to: 'if (!hasToken || !confirm(',
    why: 'a link replaces the token of the documentation without the consent of the user',
    test: 'browser/docs',
  },
  {
    file: 'services/api/src/pages/start-swagger-ui.js',
    from: 'persistAuthorization: false',
    to: 'persistAuthorization: true',
    why: 'the token stays in the storage of the browser',
    test: 'browser/docs',
  },
];
