/** What a Prometheus would read: one line for each time series, as the process wrote it, and its value. */
export async function scrape(operationsUrl: string): Promise<Map<string, number>> {
  const answer = await fetch(`${operationsUrl}/metrics`);
  if (answer.status !== 200) throw new Error(`/metrics was answered ${answer.status}`);
  const lines = (await answer.text()).split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ')))]));
}
