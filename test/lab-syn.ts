import { readFile } from 'node:fs/promises';
import { ApiEnv } from '@ugc/api/env';
import { startApi } from '@ugc/api/start-api';
import { parseEnv } from '@ugc/shared/config/env';
import { createLog } from '@ugc/shared/process/log';
import { stemOf } from '@ugc/text/words/terms';
import { Client } from './support/http/client.ts';
const { env } = JSON.parse(await readFile('/tmp/search-npm.env', 'utf8'));
const api = await startApi(parseEnv(ApiEnv, { ...env, PORT: '0', OPERATIONS_PORT: '0', SYNONYMS_FILE: '/tmp/search-synonyms.txt', LIST_TIMEOUT_MS: '60000', STORE_TIMEOUT_FACTOR: '10' }), createLog('test', 'silent'));
const client = new Client(`http://127.0.0.1:${api.port}`);
const lines = (await readFile('/tmp/search-synonyms.txt', 'utf8')).trim().split('\n').map((l) => l.split(', '));
const words = (t: string) => (t.toLowerCase().match(/[a-z0-9]+/g) ?? []).map((w) => stemOf(w) ?? w);
let withSynonym = 0, lists = 0, bad = 0, badTen = 0, skipped = 0; const shown: string[] = [];
for (const [n, [typed = '', synonym = '']] of lines.entries()) {
  if (n % Number(process.argv[2] ?? 2) !== 0) continue;
  const other = process.argv[4] ? lines[(n * 7 + 3) % lines.length]?.[0] ?? '' : '';
  const { status, body } = await client.list({ prompt: other ? `${typed} ${other}` : typed, ...(other ? { match: 'any' } : {}), sort: process.argv[3] ?? 'relevance', size: 100 });
  if (status !== 200) { skipped++; continue; }
  lists++;
  const has = (i: any, w: string) => { const s = stemOf(w) ?? w; const t = `${i.name} ${i.description ?? ''}`; return words(t).includes(s) || t.toLowerCase().includes(w); };
  const kinds = body.content.map((i: any) => has(i, typed) ? 't' : has(i, synonym) ? 's' : 'o');
  if (kinds.includes('s')) withSynonym++;
  const lastTyped = kinds.lastIndexOf('t');
  const early = kinds.map((k: string, at: number) => k === 's' && at < lastTyped);
  if (early.includes(true)) { bad++; if (early.slice(0, 10).includes(true)) badTen++; if (shown.length < 12) shown.push(`${typed} (${synonym}): ${kinds.join('').slice(0, 60)} of ${body.totalElements}`); }
}
console.log({ lists, withSynonym, bad, badTen, skipped }); console.log(shown.join('\n'));
process.exit(0);
