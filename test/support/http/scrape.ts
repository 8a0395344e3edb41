/** Reads /metrics. @returns values by time series, for example `ugc_resource_used{resource="…"}` */
export async function scrape(operationsUrl: string): Promise<Map<string, number>> {
  const response = await fetch(`${operationsUrl}/metrics`);
  if (response.status !== 200) throw new Error(`/metrics returned ${response.status}`);
  const lines = (await response.text()).split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ')))]));
}
