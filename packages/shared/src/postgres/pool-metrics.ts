import { Gauge, type Registry } from 'prom-client';
import type { Database } from './postgres.ts';

export function measurePostgresPool(registry: Registry, { pool }: Pick<Database, 'pool'>): void {
  const gauge = (name: string, help: string, read: () => number): void => {
    new Gauge({ name, help, registers: [registry], collect: function () { this.set(read()) } }); // prettier-ignore
  };
  gauge('ugc_postgres_pool_connections', 'Open connections to PostgreSQL', () => pool.totalCount);
  gauge('ugc_postgres_pool_idle_connections', 'Idle connections to PostgreSQL', () => pool.idleCount);
  gauge('ugc_postgres_pool_waiting_requests', 'Operations that wait for a connection to PostgreSQL', () => pool.waitingCount);
}
