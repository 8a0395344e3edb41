import { generate } from 'selfsigned';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer, type Server as TlsServer, type TlsOptions, type TLSSocket } from 'node:tls';

export type Certificate = { cert: string; key: string };

const DAY_MS = 86_400_000;
const SUBJECT = (name: string) => [{ name: 'commonName', value: name }];

export async function createAuthority(name: string): Promise<Certificate> {
  const { cert, private: key } = await generate(SUBJECT(name), {
    keyType: 'ec',
    algorithm: 'sha256',
    extensions: [
      { name: 'basicConstraints', cA: true, critical: true },
      { name: 'keyUsage', keyCertSign: true, critical: true },
    ],
  });
  return { cert, key };
}

/** A name that no machine has: only a proxy that is told leads there. */
export const UNKNOWN_HOST = 'server.test';

/** A certificate of a server on 127.0.0.1 and UNKNOWN_HOST. @param validForMs from now on; negative if it has expired */
export async function issueCertificate(ca: Certificate, validForMs = DAY_MS): Promise<Certificate> {
  return issue(ca, 'a test server', validForMs);
}

/** A certificate with which a client proves that it is the user `name`. */
export function issueClientCertificate(ca: Certificate, name: string): Promise<Certificate> {
  return issue(ca, name, DAY_MS);
}

async function issue(ca: Certificate, name: string, validForMs: number): Promise<Certificate> {
  const now = Date.now();
  const { cert, private: key } = await generate(SUBJECT(name), {
    ca,
    keyType: 'ec',
    algorithm: 'sha256',
    notBeforeDate: new Date(now - DAY_MS),
    notAfterDate: new Date(now + validForMs),
    extensions: [
      {
        name: 'subjectAltName',
        altNames: [
          { type: 7, ip: '127.0.0.1' },
          { type: 2, value: UNKNOWN_HOST },
        ],
      },
    ],
  });
  return { cert, key };
}

/** The request for TLS with which a PostgreSQL client begins (PostgreSQL's manual, section 54.7), and its acceptance. */
const SSL_REQUEST = Buffer.from('0000000804d2162f', 'hex');
const ACCEPTED = 'S';

/** Accepts TLS connections and forwards their bytes to a server without TLS. New connections get the newest certificate. */
export class TlsProxy {
  readonly port: number;
  readonly #listener: Server;
  readonly #secured: TlsServer;
  readonly #sockets = new Set<Socket>();

  /** @param clientAuthority whose certificate clients must show */
  static async before(targetUrl: string, certificate: Certificate, clientAuthority?: Certificate): Promise<TlsProxy> {
    const listener = createServer();
    await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
    const demands = clientAuthority && { ca: clientAuthority.cert, requestCert: true, rejectUnauthorized: true };
    return new TlsProxy(new URL(targetUrl), listener, { ...certificate, ...demands });
  }

  private constructor(target: URL, listener: Server, options: TlsOptions) {
    this.#listener = listener;
    this.port = (listener.address() as AddressInfo).port;
    // It listens to no port: it gets the connections of the listener.
    this.#secured = createTlsServer(options, (secure) => this.#forward(secure, target));
    listener.on('connection', (client: Socket) => {
      this.#track(client);
      if (target.protocol.startsWith('postgres')) client.once('data', (request) => this.#acceptPostgres(client, request));
      else this.#secure(client);
    });
  }

  /** Later connections get the certificate; those that are open are closed. */
  renew(certificate: Certificate): void {
    this.#secured.setSecureContext(certificate);
    for (const socket of this.#sockets) socket.destroy();
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => this.#listener.close(resolve));
  }

  #secure(client: Socket): void {
    this.#secured.emit('connection', client);
  }

  #acceptPostgres(client: Socket, request: Buffer): void {
    if (!request.equals(SSL_REQUEST)) return void client.destroy();
    client.write(ACCEPTED);
    this.#secure(client);
  }

  #forward(client: TLSSocket, { hostname, port }: URL): void {
    const server = connect(Number(port), hostname);
    this.#track(server);
    for (const [one, other] of [[client, server], [server, client]] as const) {
      one.on('error', () => other.destroy());
      one.on('close', () => other.destroy());
    } // prettier-ignore
    client.pipe(server).pipe(client);
  }

  #track(socket: Socket): void {
    this.#sockets.add(socket);
    socket.on('close', () => this.#sockets.delete(socket));
    socket.on('error', () => socket.destroy());
  }
}
