import type { OperationsStatus, SearchInsight } from '@ugc/shared/contracts/operations-status';
import { formatDay, formatNumber } from '../status/format.ts';
import { Card, PartOf } from '../parts/card.tsx';
import { COMMANDS } from '../status/commands.ts';

/** Without SEARCH_INSIGHTS there is none. */
export function SearchesCard({ status: { searchInsights } }: { status: OperationsStatus }) {
  if (!searchInsights) return null;
  return (
    <Card title="Searches that find nothing or are corrected" commands={[COMMANDS.searchInsights]}>
      <PartOf part={searchInsights}>{(insights) => <Searches insights={insights} />}</PartOf>
      <p class="muted">The prompts that at least five users have sent on one day, within 30 days.</p>
    </Card>
  );
}

function Searches({ insights }: { insights: SearchInsight[] }) {
  if (insights.length === 0) return <p>There is none yet.</p>;
  return (
    // It scrolls sideways on a narrow screen, so the keyboard must reach it.
    <div class="table" role="region" aria-label="Prompts" tabIndex={0}>
      <table>
        <thead>
          <tr>
            <th scope="col">Prompt</th>
            <th scope="col">Result</th>
            <th scope="col">Searches</th>
            <th scope="col">Users in a day</th>
            <th scope="col">Last</th>
          </tr>
        </thead>
        <tbody>
          {insights.map((insight) => (
            <SearchRow key={insight.prompt} insight={insight} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function SearchRow({ insight: { prompt, searches, nothingFound, correction, users, lastAt } }: { insight: SearchInsight }) {
  return (
    <tr>
      <th scope="row">
        <bdi>{prompt}</bdi>
      </th>
      <td>
        {nothingFound > 0 && <p>nothing found{nothingFound < searches && ` ${nothingFound} of ${searches} times`}</p>}
        {correction !== null && (
          <p>
            corrected to <bdi>{correction}</bdi>
          </p>
        )}
      </td>
      <td class="number">{formatNumber(searches)}</td>
      <td class="number">{formatNumber(users)}</td>
      <td>{formatDay(lastAt)}</td>
    </tr>
  );
}
