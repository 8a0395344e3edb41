import { expect, it } from '@jest/globals';
import { ApiEnv } from '@ugc/api/env';
import { openApiDocument } from '@ugc/api/endpoints/openapi';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const PACKAGE = fileURLToPath(new URL('../../packages/client/', import.meta.url));
const GENERATED = join(PACKAGE, 'src/generated');

/** Everything has its default. */
const ENVIRONMENT = {
  DATABASE_URL: 'postgres://localhost/ugc',
  REDIS_URL: 'redis://localhost',
  ELASTICSEARCH_URL: 'http://localhost',
  JWT_SECRET: 'x'.repeat(32),
};

function generate(documentFile: string, folder: string): void {
  writeFileSync(documentFile, JSON.stringify(openApiDocument(ApiEnv.parse(ENVIRONMENT))));
  execFileSync(process.execPath, [join(PACKAGE, 'generate.ts'), documentFile, folder], { stdio: ['ignore', 'ignore', 'inherit'] });
}

function readFiles(folder: string): Record<string, string> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = files.map(({ parentPath, name }) => join(parentPath, name));
  return Object.fromEntries(paths.map((path) => [path.slice(folder.length), readFileSync(path, 'utf8')]));
}

it('the generated part of the client is what the OpenAPI document results in (UPDATE_CLIENT=1 generates it)', () => {
  const folder = mkdtempSync(join(tmpdir(), 'ugc-client-'));
  try {
    const documentFile = join(folder, 'openapi.json');
    if (process.env['UPDATE_CLIENT'] === '1') generate(documentFile, GENERATED);
    generate(documentFile, join(folder, 'generated'));
    expect(readFiles(GENERATED)).toEqual(readFiles(join(folder, 'generated')));
  } finally {
    rmSync(folder, { recursive: true });
  }
});

it('the generator has an exact version, because its minor versions change what it generates', () => {
  const { devDependencies } = JSON.parse(readFileSync(join(PACKAGE, 'package.json'), 'utf8')) as {
    devDependencies: Record<string, string>;
  };
  expect(devDependencies['@hey-api/openapi-ts']).toMatch(/^\d+\.\d+\.\d+$/);
});
