import { EXIT } from '@ugc/shared/cli/command';
import { printColumns, printJson, printMessage } from '@ugc/shared/cli/output';
import type { DifferenceCounts } from '@ugc/shared/contracts/operations-status';
import { countDifferences, NO_DIFFERENCES } from '@ugc/shared/indices/comparison';
import { inspectIndices, type InspectedTarget } from '@ugc/shared/ownership/inspect-indices';
import { withLock } from '@ugc/shared/postgres/locks';
import { auditIndex } from '../comparison/audit.ts';
import { AUDIT_LOCK, type Difference } from '../comparison/compare.ts';
import { decideOwners } from '../targets/claim.ts';
import { describeCopy, ForeignIndex } from '../targets/target-indices.ts';
import { createIndexCommand, onRun, phaseBars, reportLocked, runIndexCommand, type CommandDeps } from './index-command.ts';

const DESCRIPTION = `Compares PostgreSQL with the index that is searched and lists every item that differs and has no pending change:
  missing   the index does not contain the item
  stale     the index has an older revision
  ahead     the index has a newer revision, as after a restore of PostgreSQL;
            withheld if it does not show an item that is public in PostgreSQL
  orphaned  only the index contains the item
  dropped   an operator dropped the newest change (index:rejected drop); this
            does not count as a difference`;

const PRINTED_DIFFERENCES_MAX = 20;

type Options = { repair?: boolean; json?: boolean };

const command = createIndexCommand({
  name: 'npx pnpm index:audit',
  description: DESCRIPTION,
  exitCodes: {
    [EXIT.done]: 'no differences, or all are being repaired',
    [EXIT.badResult]: 'differences, or they cannot be found: the message says why',
  },
  example: 'npx pnpm index:audit --repair',
}).option('--repair', 'put the differing items into the outbox so that the indexer corrects them; slow while many changes are pending');
await runIndexCommand(onRun(command, audit));

async function audit(deps: CommandDeps, options: Options): Promise<number> {
  const search = await findOwnIndex(deps);
  if (!search) {
    printMessage('No index is searched yet; the indexer is creating one. Try again when it is complete.');
    return EXIT.tryAgain;
  }
  const found: Found = { counts: { ...NO_DIFFERENCES }, withheld: 0 };
  const isDone = await withLock(deps.database, AUDIT_LOCK, (lock) =>
    compare({ ...deps, signal: AbortSignal.any([deps.signal, lock.signal]) }, search.indexName, found, options),
  );
  if (!isDone) return reportLocked();
  report(found, options);
  return options.repair || countDifferences(found.counts) === 0 ? EXIT.done : EXIT.badResult;
}

/** `withheld`: how many of the items that are ahead the index does not show, although they are public in PostgreSQL. */
type Found = { counts: DifferenceCounts; withheld: number };

/** @throws ForeignIndex: a copy, or a database that was moved, must not compare itself with the items of another one */
async function findOwnIndex(deps: CommandDeps): Promise<InspectedTarget | undefined> {
  const bars = phaseBars();
  await decideOwners(deps, bars.progress).finally(() => bars.end());
  const { self, targets } = await inspectIndices(deps);
  const search = targets.find(({ role, ofAlias }) => role === 'search' && ofAlias);
  if (search && search.verdict !== 'own' && search.verdict !== 'missing') throw new ForeignIndex(describeCopy(deps, self, search));
  return search;
}

async function compare(deps: CommandDeps, indexName: string, all: Found, { repair = false, json = false }: Options): Promise<void> {
  const bars = phaseBars();
  const { counts } = all;
  const found = (difference: Difference): void => {
    counts[difference.difference] += 1;
    if (difference.withheld) all.withheld += 1;
    if (json) printJson(difference);
    else printDifference(difference, countDifferences(counts) + counts.dropped);
  };
  await auditIndex(deps, indexName, { repair, found, progress: bars.progress });
  bars.end();
}

function printDifference({ contentId, difference, revision, indexedRevision, withheld }: Difference, position: number): void {
  if (position <= PRINTED_DIFFERENCES_MAX)
    printMessage(
      `item ${contentId}: ${difference}${withheld ? ', withheld' : ''} (revision in PostgreSQL: ${revision ?? 'none'}, in the index: ${indexedRevision ?? 'none'})`,
    );
  if (position === PRINTED_DIFFERENCES_MAX + 1) printMessage('Further items are not shown; --json prints all of them.');
}

function report({ counts, withheld }: Found, { repair = false, json = false }: Options): void {
  if (json) return printJson({ ...counts, withheld, repairing: repair });
  printColumns(Object.entries(counts).map(([difference, count]) => [difference, count.toLocaleString('en')]));
  if (countDifferences(counts) === 0) return;
  if (withheld > 0)
    printMessage(
      `${withheld.toLocaleString('en')} of the items that are ahead are withheld: in the state that PostgreSQL has lost, they were deleted, hidden, a draft ` +
        `or unlisted. In PostgreSQL they are public, ${repair ? 'and lists show them again' : 'and a repair shows them in lists'}. --json names all of them; ` +
        'npx pnpm items hide hides one.',
    );
  if (repair) printMessage('All differing items are in the outbox. npx pnpm index:status shows the progress.');
  else printMessage('Run npx pnpm index:audit --repair to correct the index.');
}
