import autocannon from 'autocannon';

export type Load = { url: string; connections: number; seconds: number; requests: autocannon.Request[] };
export type LoadResult = { count: number; perSecond: number; p50Ms: number; p99Ms: number; failed: number };

// Sends load in a process of its own, so that it shares no event loop with what it measures.
process.once('message', ({ seconds, ...options }: Load) => void send({ ...options, duration: seconds }));

async function send(options: autocannon.Options): Promise<void> {
  const { requests, latency, non2xx, errors, duration, statusCodeStats } = await autocannon(options);
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
