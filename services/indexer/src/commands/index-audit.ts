import { findTarget } from '../targets.ts';
import { auditIndex } from '../indices/audit.ts';
import { AUDIT_LOCK, type Difference } from '../indices/compare.ts';
import { EXIT, phaseBars, printColumns, printJson, runCommand, somebodyElse, tell, WrongUsage, type CommandDeps } from './command.ts';

const USAGE = `Usage: npx pnpm index:audit [--repair] [--json]
Compares PostgreSQL with the index that is searched and names every item that differs and is not on its way:
  missing   not in the index           ahead      newer there, as after a restore of PostgreSQL: npx pnpm index:rebuild
  stale     older in the index         orphaned   only there
Items whose newest change was dropped (index:rejected drop) are listed apart, as dropped; they count as no difference.
--repair puts the others into the outbox, so that the indexer puts them right; while many changes are pending it takes its time. --json prints a line of JSON for each, and one with the counts.
Exit codes: 0 no difference, or all handed to repair; 1 differences; 2 usage; 75 try again; 130 stopped.`;

const PRINTED_AT_MOST = 20;

type Counts = Record<Difference['difference'], number>;

await runCommand(USAGE, ['repair', 'json'], async (deps, { positionals, flags: { repair = false, json = false } }) => {
  if (positionals.length > 0) throw new WrongUsage(`What is ${positionals.join(' ')}?`);
  const search = await findTarget(deps.database, 'search');
  if (!search) return noIndex();
  const counts: Counts = { missing: 0, stale: 0, ahead: 0, orphaned: 0, dropped: 0 };
  const taken = await deps.database.withLock(AUDIT_LOCK, (lockLost) =>
    audit({ ...deps, signal: AbortSignal.any([deps.signal, lockLost]) }, search.indexName, { counts, repair, json }),
  );
  if (!taken) return somebodyElse();
  report(counts, repair, json);
  return repair || countFaults(counts) === 0 ? EXIT.done : EXIT.bad;
});

type Choice = { counts: Counts; repair: boolean; json: boolean };

async function audit(deps: CommandDeps, indexName: string, { counts, repair, json }: Choice): Promise<void> {
  const bars = phaseBars();
  const found = (difference: Difference): void => {
    counts[difference.difference] += 1;
    print(difference, countFaults(counts) + counts.dropped, json);
  };
  await auditIndex(deps, indexName, { repair, found, progress: bars.progress });
  bars.end();
}

function print(difference: Difference, position: number, json: boolean): void {
  if (json) return printJson(difference);
  const { contentId, difference: word, revision, indexedRevision } = difference;
  if (position <= PRINTED_AT_MOST)
    tell(`item ${contentId}: ${word} (PostgreSQL ${revision ?? 'has none'}, index ${indexedRevision ?? 'has none'})`);
  if (position === PRINTED_AT_MOST + 1) tell('… and more; --json prints all');
}

function report(counts: Counts, repair: boolean, json: boolean): void {
  if (json) return printJson({ ...counts, repairing: repair });
  printColumns(Object.entries(counts).map(([word, count]) => [word, count.toLocaleString('en')]));
  if (repair && countFaults(counts) > 0) tell('All of them are in the outbox now; npx pnpm index:status shows how far the indexer is.');
  else if (countFaults(counts) > 0) tell('npx pnpm index:audit --repair puts them right.');
}

function noIndex(): number {
  tell('There is no index that is searched yet; the indexer is making one.');
  return EXIT.again;
}

function countFaults({ missing, stale, ahead, orphaned }: Counts): number {
  return missing + stale + ahead + orphaned;
}
