import { useState } from 'preact/hooks';
import './styles/operations.css';
import { BacklogCard } from './cards/backlog-card.tsx';
import { ComparisonCard } from './cards/comparison-card.tsx';
import { IndicesCard } from './cards/indices-card.tsx';
import { ItemCard } from './cards/item-card.tsx';
import { LimitsCard } from './cards/limits-card.tsx';
import { QueueCard } from './cards/queue-card.tsx';
import { RejectedCard } from './cards/rejected-card.tsx';
import { RequestsCard } from './cards/requests-card.tsx';
import { SearchesCard } from './cards/searches-card.tsx';
import { StoresCard } from './cards/stores-card.tsx';
import { UnfinishedCard } from './cards/unfinished-card.tsx';
import { VectorsCard } from './cards/vectors-card.tsx';
import { Footer } from './parts/footer.tsx';
import { Header } from './parts/header.tsx';
import { Summary } from './parts/summary.tsx';
import { useStatus } from './status/use-status.ts';

export function App() {
  const [isRefreshing, setRefreshing] = useState(true);
  const view = useStatus(isRefreshing);
  const { status, previous } = view;
  return (
    <div class="page">
      <Header view={view} isRefreshing={isRefreshing} onToggle={() => setRefreshing(!isRefreshing)} />
      <main class={view.failedAt ? 'is-outdated' : ''}>
        <Summary view={view} />
        {status && (
          <div class="columns">
            <div class="column">
              <BacklogCard status={status} />
              <IndicesCard status={status} previous={previous} />
              <RejectedCard status={status} />
              <ItemCard />
              <UnfinishedCard status={status} />
              <SearchesCard status={status} />
            </div>
            <div class="column">
              <StoresCard status={status} />
              <RequestsCard status={status} />
              <QueueCard status={status} />
              <ComparisonCard status={status} />
              <VectorsCard status={status} />
              <LimitsCard status={status} />
            </div>
          </div>
        )}
      </main>
      {status && <Footer status={status} />}
    </div>
  );
}
