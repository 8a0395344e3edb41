import { randomInt } from 'node:crypto';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/** The startup parameters that PgBouncer accepts without configuration. */
const ACCEPTED = ['user', 'database', 'client_encoding', 'datestyle', 'timezone', 'standard_conforming_strings', 'application_name'];

const PROTOCOL_3 = 196_608;
const SSL_REQUEST = 80_877_103;

export type Pooler = { url: string; /** Transactions that the pooler has passed on. */ transactions(): number; close(): Promise<void> };

/**
 * A connection pooler as PgBouncer in transaction mode: it refuses startup parameters that it does not know, and gives
 * each transaction the session that has been free for longest, with whatever others have left in it.
 */
export async function startPooler(databaseUrl: string, sessions: number): Promise<Pooler> {
  const pool = new SessionPool(new URL(databaseUrl), sessions);
  const clients = new Set<Socket>();
  const server = createServer((socket) => {
    clients.add(socket.on('close', () => clients.delete(socket)));
    serveClient(socket, pool);
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const url = new URL(databaseUrl);
  url.port = String((server.address() as AddressInfo).port);
  return { url: url.href, transactions: () => pool.transactions, close: () => close(server, [...clients], pool) };
}

async function close(server: Server, clients: Socket[], pool: SessionPool): Promise<void> {
  const closed = new Promise((resolve) => server.close(resolve));
  for (const client of clients) client.destroy();
  pool.close();
  await closed;
}

/** A message of PostgreSQL's protocol; the type of a startup message is empty. */
type Message = { type: string; bytes: Buffer };

function onMessages(socket: Socket, startsWithType: boolean, receive: (message: Message) => void): void {
  let buffered = Buffer.alloc(0);
  let typeLength = startsWithType ? 1 : 0;
  socket.setNoDelay(true);
  socket.on('error', () => socket.destroy());
  socket.on('data', (chunk) => {
    buffered = Buffer.concat([buffered, chunk]);
    while (buffered.length >= typeLength + 4) {
      const end = typeLength + buffered.readInt32BE(typeLength);
      if (buffered.length < end) return;
      const bytes = buffered.subarray(0, end);
      buffered = buffered.subarray(end);
      const isSslRequest = typeLength === 0 && bytes.readInt32BE(4) === SSL_REQUEST;
      receive({ type: bytes.toString('latin1', 0, typeLength), bytes });
      if (!isSslRequest) typeLength = 1;
    }
  });
}

function serveClient(client: Socket, pool: SessionPool): void {
  let session: PooledConnection | undefined;
  let waiting: Buffer[] | undefined;
  const give = (given: PooledConnection): void => {
    if (client.destroyed) return pool.release(given);
    session = given;
    given.serve(client, () => {
      session = undefined;
      pool.release(given);
    });
    for (const bytes of waiting?.splice(0) ?? []) given.socket.write(bytes);
    waiting = undefined;
  };
  client.on('close', () => session?.socket.destroy());
  onMessages(client, false, ({ type, bytes }) => {
    if (type === '') return startUp(client, bytes);
    if (type === 'X') return void client.end();
    if (session) return void session.socket.write(bytes);
    if (waiting) return void waiting.push(bytes);
    waiting = [bytes];
    pool.take(give);
  });
}

function startUp(client: Socket, bytes: Buffer): void {
  if (bytes.readInt32BE(4) === SSL_REQUEST) return void client.write('N');
  if (bytes.readInt32BE(4) !== PROTOCOL_3) return void client.destroy();
  const names = bytes.toString('utf8', 8).split('\0').filter((_, n) => n % 2 === 0); // prettier-ignore
  const refused = names.find((name) => name !== '' && !ACCEPTED.includes(name.toLowerCase()));
  if (refused) return void client.end(message('E', `SFATAL\0VFATAL\0C08P01\0Munsupported startup parameter: ${refused}\0\0`));
  const key = Buffer.alloc(8, randomInt(1, 255));
  client.write(Buffer.concat([message('R', Buffer.alloc(4)), message('K', key), message('Z', 'I')]));
}

function message(type: string, body: string | Buffer): Buffer {
  const header = Buffer.alloc(5);
  header.write(type, 'latin1');
  header.writeInt32BE(Buffer.byteLength(body) + 4, 1);
  return Buffer.concat([header, Buffer.from(body)]);
}

/** A connection to PostgreSQL, which serves one transaction of one client at a time. */
class PooledConnection {
  readonly socket: Socket;
  #client: Socket | undefined;
  #onEnd = (): void => undefined;

  constructor({ hostname, port, username, pathname }: URL, onReady: () => void) {
    this.socket = connect(Number(port), hostname);
    this.socket.on('close', () => this.#client?.destroy());
    const parameters = Object.entries({ user: username, database: pathname.slice(1), client_encoding: 'UTF8' });
    const body = Buffer.from(`${parameters.flat().join('\0')}\0\0`);
    const header = Buffer.alloc(8);
    header.writeInt32BE(body.length + 8);
    header.writeInt32BE(PROTOCOL_3, 4);
    this.socket.write(Buffer.concat([header, body]));
    onMessages(this.socket, true, ({ type, bytes }) => {
      this.#client?.write(bytes);
      if (type !== 'Z' || bytes.toString('latin1', 5) !== 'I') return;
      if (this.#client) this.#end();
      else onReady();
    });
  }

  serve(client: Socket, onEnd: () => void): void {
    this.#client = client;
    this.#onEnd = onEnd;
  }

  #end(): void {
    this.#client = undefined;
    this.#onEnd();
  }
}

class SessionPool {
  readonly #url: URL;
  readonly #max: number;
  readonly #free: PooledConnection[] = [];
  readonly #all = new Set<PooledConnection>();
  readonly #waiting: ((session: PooledConnection) => void)[] = [];
  transactions = 0;

  constructor(url: URL, max: number) {
    this.#url = url;
    this.#max = max;
  }

  take(give: (session: PooledConnection) => void): void {
    this.transactions += 1;
    this.#waiting.push(give);
    if (this.#all.size < this.#max) this.#open();
    else this.#give();
  }

  release(session: PooledConnection): void {
    if (!session.socket.destroyed) this.#free.push(session);
    this.#give();
  }

  close(): void {
    for (const { socket } of this.#all) socket.destroy();
  }

  #give(): void {
    while (this.#free.length > 0 && this.#waiting.length > 0) {
      const session = this.#free.shift();
      if (session && !session.socket.destroyed) this.#waiting.shift()?.(session);
    }
  }

  #open(): void {
    const session = new PooledConnection(this.#url, () => this.release(session));
    this.#all.add(session);
    session.socket.on('close', () => {
      this.#all.delete(session);
      if (this.#waiting.length > 0 && this.#all.size < this.#max) this.#open();
    });
  }
}
