import { startCluster, type Cluster } from '../../test/support/cluster/cluster.ts';
import { storeContent } from '../../test/support/database/stored-content.ts';
import { percentile } from './percentile.ts';

const ITEMS = 200;
const ROUNDS = 30;
/** The texts of the descriptions. `kettle` is the searched word. */
const TEXTS: Record<string, string> = {
  'English, 300 characters': repeat('a copper kettle whistles while she was reading old letters in the harbour. ', 300),
  'English, 10,000 characters': repeat('a copper kettle whistles while she was reading old letters in the harbour. ', 10_000),
  'French, 10,000 characters': repeat('la théière kettle posée à côté du café crème brûlé des élèves. ', 10_000),
  'Chinese, 10,000 characters': repeat('东京的夜景与京都的早晨kettle。', 10_000),
  'Thai, 10,000 characters': repeat('ภาษาไทยเบื้องต้นเรียนทำอาหารkettle', 10_000),
};

/** Compares lists with and without highlight=true. */
export async function benchHighlights(): Promise<void> {
  const cluster = await startCluster();
  const rows: Record<string, string>[] = [];
  for (const [text, description] of Object.entries(TEXTS)) {
    const tag = `text ${rows.length}`;
    await storeContent(
      cluster.database,
      Array.from({ length: ITEMS }, (_, n) => ({ name: `Kettle ${n}`, description, tags: [tag] })),
    );
    await cluster.indexed();
    rows.push({ text, ...(await compare(cluster, tag, 10)), ...(await compare(cluster, tag, ITEMS)) });
  }
  await cluster.stop();
  console.log(`Response time with highlight=true : without it, medians of ${ROUNDS}`);
  console.table(rows);
}

async function compare({ client }: Cluster, tags: string, size: number): Promise<Record<string, string>> {
  const durations = { true: [] as number[], false: [] as number[] };
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const highlight of ['true', 'false'] as const) {
      const startedAt = performance.now();
      await client.list({ prompt: 'kettles', tags, size, highlight });
      durations[highlight].push(performance.now() - startedAt);
    }
  }
  const [marked, plain] = [percentile(durations.true, 0.5), percentile(durations.false, 0.5)];
  return { [`${size} items`]: `${(marked / plain).toFixed(1)} (${marked.toFixed(0)} : ${plain.toFixed(0)} ms)` };
}

function repeat(sentence: string, length: number): string {
  return sentence.repeat(Math.ceil(length / sentence.length)).slice(0, length);
}
