import { EXIT, withProgress } from '@ugc/shared/cli/command';
import { printJson, printLine, printMessage } from '@ugc/shared/cli/output';
import type { storeEnv } from '@ugc/shared/config/env';
import { ERASURE_RECEIPT_DAYS } from '@ugc/shared/contracts/retention';
import { connectElasticsearch } from '@ugc/shared/elasticsearch/elasticsearch';
import { describeElasticsearchFailure } from '@ugc/shared/failures/describe-elasticsearch';
import type { Database } from '@ugc/shared/postgres/postgres';
import type { z } from 'zod';
import { eraseUser } from '@ugc/items/people/erase-user';
import { makeReceipt, untilErasedInIndices, type ErasureDeps } from '@ugc/items/people/erasure-receipt';
import { listReceipts } from '@ugc/items/people/kept-receipts';
import { printReceipt } from './print-receipts.ts';
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
      await reportMissing(deps.database, userId, json);
    }
  }
  if (erased.length === 0) return;
  await withProgress('Tombstones', (pace) => untilErasedInIndices(deps, erased, { ...pace, waitMs: wait * 1_000 }));
  for (const userId of erased) printReceipt(await makeReceipt(deps, userId), json);
  printMessage(`npx pnpm users receipts ${erased.join(' ')} prints this again, for ${ERASURE_RECEIPT_DAYS} days.`);
}

async function reportMissing(database: Database, userId: number, json: boolean): Promise<void> {
  if (json) return printJson({ userId, erased: false });
  const [kept] = await listReceipts(database, [userId]);
  const receipt = kept && ` The user was erased on ${kept.completedAt}: npx pnpm users receipts ${userId} prints the receipt.`;
  printLine(`There is no user ${userId}.${receipt ?? ''}`);
}
