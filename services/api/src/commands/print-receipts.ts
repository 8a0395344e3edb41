import { EXIT } from '@ugc/shared/cli/command';
import { printJson, printLine, printMessage } from '@ugc/shared/cli/output';
import { ERASURE_RECEIPT_DAYS } from '@ugc/shared/contracts/retention';
import type { Database } from '@ugc/shared/postgres/postgres';
import { keptUntil, listReceipts, type Receipt } from '@ugc/items/people/kept-receipts';

/** Prints the receipts that are kept: without ids, a line each unless `json` is set. */
export async function printReceipts(database: Database, userIds: number[], json = false): Promise<void> {
  const receipts = await listReceipts(database, userIds.length > 0 ? userIds : undefined);
  for (const receipt of receipts) {
    if (json || userIds.length > 0) printReceipt(receipt, json);
    else printLine(...partsOf(receipt));
  }
  const missing = userIds.filter((id) => !receipts.some(({ userId }) => userId === id));
  if (missing.length > 0) process.exitCode = EXIT.badResult;
  for (const id of missing)
    printMessage(`There is no receipt of user ${id}. One is kept for ${ERASURE_RECEIPT_DAYS} days; an erasure that was stopped has none.`);
}

function partsOf({ userId, credentialSha256, completedAt }: Receipt): (string | number)[] {
  return [userId, credentialSha256, completedAt, `kept until ${keptUntil(completedAt)}`];
}

export function printReceipt(receipt: Receipt, json: boolean): void {
  if (json) return printJson(receipt);
  const { userId, credentialSha256, startedAt, completedAt, removed, indices, remains } = receipt;
  const counts = Object.entries(removed).map(([what, count]) => `${what} ${count.toLocaleString('en')}`);
  printLine(`User ${userId} is erased (SHA-256 of the credential: ${credentialSha256}), from ${startedAt} to ${completedAt}.`);
  printLine(`Removed: ${counts.join(', ')}.`);
  printLine(`No document in: ${indices.map(({ indexName, role }) => `${indexName} (${role})`).join(', ') || 'there is no index'}.`);
  printLine('What remains:');
  for (const { where, what, until, command } of remains) {
    printLine(`- ${where}: ${what}; until ${until}.`);
    if (command !== undefined) printLine(`  At once: ${command}`);
  }
}
