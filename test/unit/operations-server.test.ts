import { expect, it } from '@jest/globals';
import { serveOperations } from '@ugc/shared/process/operations-server';
import { Registry } from 'prom-client';

it('both operations ports send the security headers with metrics, liveness and errors', async () => {
  const server = await serveOperations({ address: '127.0.0.1', port: 0, registry: new Registry(), isLive: () => true });
  for (const [path, expected] of Object.entries({ '/metrics': 200, '/health/live': 200, '/other': 404 })) {
    const { status, headers } = await fetch(`http://127.0.0.1:${server.port}${path}`);
    expect([path, status]).toEqual([path, expected]);
    expect(Object.fromEntries(headers)).toMatchObject({
      'cache-control': 'no-store',
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
      'cross-origin-resource-policy': 'same-origin',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
    });
  }
  await server.close();
});
