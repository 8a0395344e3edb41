import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { choosePorts, FREE_PORTS } from '@ugc/local-stack/ports';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';

const other = createServer();
beforeAll(() => once(other.listen(0, '127.0.0.1'), 'listening'));
afterAll(() => new Promise((closed) => other.close(closed)));

const request = (variable: string, port: number) => ({ server: 'the API', variable, port });

it('free ports differ, and the system gives none of them to an outgoing connection', async () => {
  const ports = await choosePorts(Array.from({ length: 200 }, (_, n) => request(`PORT_${n}`, 0)));
  expect(new Set(ports).size).toBe(200);
  expect(ports.filter((port) => port < FREE_PORTS.min || port > FREE_PORTS.max)).toEqual([]);
});

it('a given port is kept when it is free', async () => {
  const [port = 0] = await choosePorts([request('PORT', 0)]);
  expect(await choosePorts([request('PORT', port)])).toEqual([port]);
});

it('a given port that is in use is an error that names the server and the setting', async () => {
  const { port } = other.address() as AddressInfo;
  await expect(choosePorts([request('OTHER_PORT', 0), request('PORT', port)])).rejects.toThrow(
    `Port ${port} for the API is in use by another program: free it, or set another port with PORT=<port>.`,
  );
});
