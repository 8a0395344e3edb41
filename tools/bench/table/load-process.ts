import autocannon from 'autocannon';

/** The connections are spread over the URLs in turn. */
export type Load = { url: string | string[]; connections: number; seconds: number; requests: autocannon.Request[] };
export type LoadResult = { count: number; perSecond: number; p50Ms: number; p99Ms: number; failed: number };

// Sends load in a process of its own, so that it shares no event loop with what it measures.
process.once('message', (load: Load) => void send(load));
// The benchmark was interrupted, or has the result.
process.once('disconnect', () => process.exit());

async function send({ url, connections, seconds, requests: all }: Load): Promise<void> {
  // Each connection sends requests of other users, because the active requests of one user are limited.
  const share = Math.max(1, Math.floor(all.length / connections));
  let started = 0;
  const setupClient = (client: autocannon.Client): void => {
    const first = (share * started++) % all.length;
    client.setRequests(all.slice(first, first + share));
  };
  const { requests, latency, non2xx, errors, duration, statusCodeStats } = await autocannon({
    // The type does not know that there may be several: see the README of autocannon.
    url: url as string,
    connections,
    duration: seconds,
    requests: all.slice(0, 1),
    setupClient,
  });
  const notModified = statusCodeStats?.['304']?.count ?? 0;
  const result: LoadResult = {
    count: requests.total,
    perSecond: requests.total / duration,
    p50Ms: latency.p50,
    p99Ms: latency.p99,
    failed: non2xx - notModified + errors,
  };
  process.send?.(result);
  process.disconnect();
}
