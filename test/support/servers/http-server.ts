import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';

export type HttpServer = { url: string; port: number; stop(): Promise<void> };

/** Starts an HTTP server of the test, on a free port by default. Its end also ends its connections. */
export async function startHttpServer(respond: RequestListener, onPort = 0): Promise<HttpServer> {
  const server = createServer(respond);
  await once(server.listen(onPort, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const stop = async (): Promise<void> => {
    const closed = new Promise((resolve) => void server.close(resolve));
    server.closeAllConnections();
    await closed;
  };
  return { url: `http://127.0.0.1:${port}`, port, stop };
}
