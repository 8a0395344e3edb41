import { describe, expect, it } from '@jest/globals';
import { openApiDocument } from '@ugc/api/endpoints/openapi';
import { ApiEnv } from '@ugc/api/env';
import { existsSync, readFileSync } from 'node:fs';

const ENVIRONMENT = {
  DATABASE_URL: 'postgres://localhost/ugc',
  REDIS_URL: 'redis://localhost',
  ELASTICSEARCH_URL: 'http://localhost',
  JWT_SECRET: 'x'.repeat(32),
};

describe('the table of errors in docs/api.md', () => {
  const text = readFileSync(new URL('../../docs/api.md', import.meta.url), 'utf8');
  const rows = [...text.matchAll(/^\| (4\d\d|5\d\d) \|.*\|$/gm)].map(([row, status]) => ({ status, row }));

  it('has every error status of the OpenAPI document', () => {
    const { paths } = openApiDocument(ApiEnv.parse(ENVIRONMENT));
    const operations = Object.values<object>(paths).flatMap((methods) => Object.values<{ responses: object }>({ ...methods }));
    const statuses = operations.flatMap(({ responses }) => Object.keys(responses)).filter((status) => Number(status) >= 400);
    expect(statuses.length).toBeGreaterThan(50);
    expect(rows.map(({ status }) => status)).toEqual(expect.arrayContaining([...new Set(statuses)]));
  });

  it('names files that exist', () => {
    const files = rows.flatMap(({ row }) => [...row.matchAll(/`([\w/-]+\.ts)`/g)].map(([, file]) => file ?? ''));
    expect(files.length).toBeGreaterThan(10);
    const missing = files.filter((file) => !existsSync(new URL(`../../services/api/src/${file}`, import.meta.url)));
    expect(missing).toEqual([]);
  });
});
