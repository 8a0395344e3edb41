import { EXIT, withProgress } from '@ugc/shared/cli/command';
import { printJson } from '@ugc/shared/cli/output';
import type { storeEnv } from '@ugc/shared/config/env';
import { connectElasticsearch } from '@ugc/shared/elasticsearch/elasticsearch';
import { describeElasticsearchFailure } from '@ugc/shared/failures/describe';
import type { z } from 'zod';
import { eraseUser } from '../users/erase-user.ts';
import { forgetErasure, readReceipt, untilErasedInIndices, type ErasureDeps, type Receipt } from '../users/erasure-receipt.ts';
import { withDatabase } from './with-database.ts';

type StoreEnv = z.output<typeof storeEnv>;
export type EraseOptions = { wait: number; json?: boolean };

const REQUEST_TIMEOUT_MS = 60_000;
const STATEMENT_TIMEOUT_MS = 60_000;

export async function eraseUsers(
  env: Pick<StoreEnv, 'DATABASE_URL' | 'ELASTICSEARCH_URL' | 'CONTENT_ALIAS'> & Partial<StoreEnv>,
  userIds: number[],
  options: EraseOptions,
): Promise<void> {
  const { DATABASE_URL: url, ELASTICSEARCH_URL, CONTENT_ALIAS: alias } = env;
  const elasticsearch = connectElasticsearch(ELASTICSEARCH_URL, REQUEST_TIMEOUT_MS, env);
  const connection = { url, applicationName: 'ugc-users', statementTimeoutMs: STATEMENT_TIMEOUT_MS };
  try {
    await withDatabase(connection, (database) => erase({ database, elasticsearch, alias }, new Set(userIds), options));
  } catch (error) {
    throw describeElasticsearchFailure(error, ELASTICSEARCH_URL, env) ?? error;
  } finally {
    await elasticsearch.close();
  }
}

async function erase(deps: ErasureDeps, userIds: Set<number>, { wait, json = false }: EraseOptions): Promise<void> {
  const erased: number[] = [];
  for (const userId of userIds) {
    // An id that was mistyped must not look like an erasure.
    if (await withProgress('Items and ratings', (pace) => eraseUser(deps.database, userId, pace))) erased.push(userId);
    else {
      process.exitCode = EXIT.badResult;
      if (json) printJson({ userId, erased: false });
      else console.log(`There is no user ${userId}.`);
    }
  }
  if (erased.length === 0) return;
  await withProgress('Tombstones', (pace) => untilErasedInIndices(deps, erased, { ...pace, waitMs: wait * 1_000 }));
  for (const userId of erased) {
    const receipt = await readReceipt(deps, userId);
    if (json) printJson(receipt);
    else printReceipt(receipt);
    await forgetErasure(deps.database, userId);
  }
}

function printReceipt({ userId, credentialSha256, startedAt, completedAt, removed, indices, remains }: Receipt): void {
  const counts = Object.entries(removed).map(([what, count]) => `${what} ${count.toLocaleString('en')}`);
  console.log(`User ${userId} is erased (SHA-256 of the credential: ${credentialSha256}), from ${startedAt} to ${completedAt}.`);
  console.log(`Removed: ${counts.join(', ')}.`);
  console.log(`No document in: ${indices.map(({ indexName, role }) => `${indexName} (${role})`).join(', ') || 'there is no index'}.`);
  console.log('What remains:');
  for (const { where, what, until, command } of remains)
    console.log(`- ${where}: ${what}; until ${until}.${command === undefined ? '' : `\n  At once: ${command}`}`);
}
