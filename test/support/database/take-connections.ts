import pg from 'pg';

const END_THOSE_OF_SERVICES = `select pg_terminate_backend(pid) from pg_stat_activity where application_name in ('ugc-api', 'ugc-indexer')`;

/** Opens connections until none is free, and terminates those of API and indexer. @returns what closes them */
export async function takeAllConnections(databaseUrl: string | undefined): Promise<() => Promise<void>> {
  const taken = [await connect(databaseUrl)];
  await taken[0]?.query(END_THOSE_OF_SERVICES);
  for (;;) {
    try {
      taken.push(await connect(databaseUrl));
    } catch {
      const ended = await taken[0]?.query(END_THOSE_OF_SERVICES);
      if (ended?.rowCount === 0) return async () => void (await Promise.all(taken.map((client) => client.end())));
    }
  }
}

async function connect(databaseUrl: string | undefined): Promise<pg.Client> {
  const client = new pg.Client(databaseUrl);
  client.on('error', () => undefined);
  await client.connect();
  return client;
}
