import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { ApiEnv } from '../../env.ts';
import type * as render from './render-markdown.ts';
import { PROBLEM_KINDS } from '@ugc/items/problems/problem-kinds';
import { escapeHtml, pagePolicy, shortHash, staticFile, type LazyFile, type StaticFile } from './static-file.ts';

/** Swagger UI draws its icons from `data:` images. */
const POLICY = pagePolicy(["img-src 'self' data:", "font-src 'self'"]);

const PACKAGE = 'swagger-ui-dist';
const PACKAGE_FILES = ['swagger-ui-bundle.js', 'swagger-ui-bundle.js.LICENSE.txt', 'swagger-ui.css', 'favicon-32x32.png'];
/** The address that the commands of the documents have. */
const EXAMPLE_ADDRESS = /(?:http:\/\/)?localhost:3000/g;
const EXAMPLE_URL = 'http://localhost:3000';
/** Stands for PAGE_NAME. */
const NAME = 'NAME OF THE SERVICE';
const START = 'start-swagger-ui.js';
/** The commands have the address of the page in a browser. */
const SHOW_ADDRESS = 'show-address.js';
const STYLE = 'guide.css';

const require = createRequire(import.meta.url);
const readOwn = (path: string): Buffer => readFileSync(new URL(path, import.meta.url));

/** A guide with all operations, and the complete reference. Rendering takes 0.1 s, so it waits for the first request. */
export function documentationPage({ PUBLIC_URL, PAGE_NAME }: Pick<ApiEnv, 'PUBLIC_URL' | 'PAGE_NAME'>): (StaticFile | LazyFile)[] {
  const { version } = require(`${PACKAGE}/package.json`) as { version: string };
  const [start, showAddress, style] = [START, SHOW_ADDRESS, STYLE].map(readOwn) as [Buffer, Buffer, Buffer];
  const reference = readOwn('../../../../../docs/api.md');
  // Relative, because a proxy may serve the pages under a path of its own.
  const swagger = `docs/${version}`;
  const own = `docs/${shortHash(Buffer.concat([start, showAddress, style]))}`;
  const address = escapeHtml(PUBLIC_URL?.replace(/\/+$/, '') ?? EXAMPLE_URL);
  const page = (path: string, toBody: (render: Render) => string): LazyFile => {
    const make = async (): Promise<StaticFile> => {
      const root = path === '/docs' ? '' : '../';
      const body = toBody(await import('./render-markdown.ts')).replaceAll(EXAMPLE_ADDRESS, () => address);
      const main = `<main data-root="./${root}" data-address="${address}">${body}</main>`;
      const content = toHtml(`${root}${swagger}`, `${root}${own}`, main).replaceAll(NAME, () => escapeHtml(PAGE_NAME));
      return staticFile({ path, fileName: 'docs.html', content, isImmutable: false, policy: POLICY });
    };
    let made: Promise<StaticFile> | undefined;
    return { path, make: () => (made ??= make()) };
  };
  return [
    page('/docs', (render) => `<article class="guide">${toGuide(render)}</article>\n${toOperations(swagger, own)}`),
    page('/docs/api', ({ renderMarkdown }) => `<article class="guide">${renderMarkdown(reference.toString())}</article>`),
    staticFile({ path: '/docs/api.md', fileName: 'api.md', content: reference, isImmutable: false }),
    ...PACKAGE_FILES.map((fileName) => asset(swagger, fileName, readFileSync(require.resolve(`${PACKAGE}/${fileName}`)))),
    asset(own, START, start),
    asset(own, SHOW_ADDRESS, showAddress),
    asset(own, STYLE, style),
  ];
}

function asset(folder: string, fileName: string, content: Buffer): StaticFile {
  return staticFile({ path: `/${folder}/${fileName}`, fileName, content, isImmutable: true });
}

type Render = typeof render;

/** Each kind of error has the id that `type` of an error names. A browser opens the list for it. */
function toGuide({ renderMarkdown, renderInline }: Render): string {
  const kinds = Object.entries(PROBLEM_KINDS).map(
    ([code, { statuses, description }]) =>
      `<dt id="${code}"><code>${code}</code> ${statuses.join(', ')}</dt><dd>${renderInline(description)}</dd>`,
  );
  const list = `<details><summary>All kinds of errors</summary><dl>${kinds.join('\n')}</dl></details>`;
  return renderMarkdown(readOwn('guide.md').toString()).replace('<p>KINDS</p>', list);
}

function toOperations(swagger: string, own: string): string {
  return `<link rel="stylesheet" href="${swagger}/swagger-ui.css">
<script defer src="${swagger}/swagger-ui-bundle.js"></script>
<script defer src="${own}/${START}"></script>
<div id="documentation"><noscript>The operations need JavaScript; <a href="docs/api">the reference</a> does not.</noscript></div>`;
}

function toHtml(swagger: string, own: string, body: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${NAME}: API</title>
<link rel="icon" href="${swagger}/favicon-32x32.png">
<link rel="stylesheet" href="${own}/${STYLE}">
<script defer src="${own}/${SHOW_ADDRESS}"></script>
</head>
<body>
${body}
</body>
</html>
`;
}
