import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { pagePolicy, shortHash, staticFile, type StaticFile } from './static-file.ts';

/** Swagger UI draws its icons from `data:` images. */
const POLICY = pagePolicy(["img-src 'self' data:", "font-src 'self'"]);

const PACKAGE = 'swagger-ui-dist';
const PACKAGE_FILES = ['swagger-ui-bundle.js', 'swagger-ui-bundle.js.LICENSE.txt', 'swagger-ui.css', 'index.css', 'favicon-32x32.png'];
const START = 'start-swagger-ui.js';

const require = createRequire(import.meta.url);

export function documentationPage(): StaticFile[] {
  const { version } = require(`${PACKAGE}/package.json`) as { version: string };
  const start = readFileSync(new URL(START, import.meta.url));
  const folderOfPackage = `/docs/${version}`;
  const folderOfStart = `/docs/${shortHash(start)}`;
  const assets = PACKAGE_FILES.map((fileName) => asset(folderOfPackage, fileName, readFileSync(require.resolve(`${PACKAGE}/${fileName}`))));
  const content = toHtml(folderOfPackage, folderOfStart);
  const page = staticFile({ path: '/docs', fileName: 'docs.html', content, isImmutable: false, policy: POLICY });
  return [page, ...assets, asset(folderOfStart, START, start)];
}

function asset(folder: string, fileName: string, content: Buffer): StaticFile {
  return staticFile({ path: `${folder}/${fileName}`, fileName, content, isImmutable: true });
}

function toHtml(folderOfPackage: string, folderOfStart: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>API of user-generated content</title>
<link rel="icon" href="${folderOfPackage}/favicon-32x32.png">
<link rel="stylesheet" href="${folderOfPackage}/swagger-ui.css">
<link rel="stylesheet" href="${folderOfPackage}/index.css">
<script defer src="${folderOfPackage}/swagger-ui-bundle.js"></script>
<script defer src="${folderOfStart}/${START}"></script>
</head>
<body>
<div id="documentation"><noscript>The page needs JavaScript. The description without it: <a href="/openapi.json">OpenAPI</a>.</noscript></div>
</body>
</html>
`;
}
