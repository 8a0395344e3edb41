import { createServer, type AddressInfo } from 'node:net';

/** Starts a server that accepts connections and never sends anything. */
export async function silentServer(): Promise<{ address: string; stop(): Promise<void> }> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    sockets.add(socket);
  });
  const sockets = new Set<{ destroy(): void }>();
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const stop = async (): Promise<void> => {
    const closed = new Promise<void>((resolve) => void server.close(() => resolve()));
    for (const socket of sockets) socket.destroy();
    await closed;
  };
  return { address: `127.0.0.1:${(server.address() as AddressInfo).port}`, stop };
}
