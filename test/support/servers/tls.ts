import { generate } from 'selfsigned';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { createSecureContext, TLSSocket } from 'node:tls';

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

/** A certificate of a server on 127.0.0.1. @param validForMs from now on; negative if it has expired */
export async function issueCertificate(ca: Certificate, validForMs = DAY_MS): Promise<Certificate> {
  const now = Date.now();
  const { cert, private: key } = await generate(SUBJECT('a test server'), {
    ca,
    keyType: 'ec',
    algorithm: 'sha256',
    notBeforeDate: new Date(now - DAY_MS),
    notAfterDate: new Date(now + validForMs),
    extensions: [{ name: 'subjectAltName', altNames: [{ type: 7, ip: '127.0.0.1' }] }],
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
  readonly #sockets = new Set<Socket>();
  #certificate: Certificate;

  static async before(targetUrl: string, certificate: Certificate): Promise<TlsProxy> {
    const listener = createServer();
    await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
    return new TlsProxy(new URL(targetUrl), listener, certificate);
  }

  private constructor(target: URL, listener: Server, certificate: Certificate) {
    this.#certificate = certificate;
    this.#listener = listener;
    this.port = (listener.address() as AddressInfo).port;
    listener.on('connection', (client: Socket) => {
      this.#track(client);
      if (target.protocol.startsWith('postgres')) client.once('data', (request) => this.#acceptPostgres(client, request, target));
      else this.#forward(client, target);
    });
  }

  /** Later connections get the certificate; those that are open are closed. */
  renew(certificate: Certificate): void {
    this.#certificate = certificate;
    for (const socket of this.#sockets) socket.destroy();
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => this.#listener.close(resolve));
  }

  #acceptPostgres(client: Socket, request: Buffer, target: URL): void {
    if (!request.equals(SSL_REQUEST)) return void client.destroy();
    client.write(ACCEPTED);
    this.#forward(client, target);
  }

  #forward(client: Socket, { hostname, port }: URL): void {
    const secure = new TLSSocket(client, { isServer: true, secureContext: createSecureContext(this.#certificate) });
    const server = connect(Number(port), hostname);
    this.#track(server);
    for (const [one, other] of [[secure, server], [server, secure]] as const) {
      one.on('error', () => other.destroy());
      one.on('close', () => other.destroy());
    } // prettier-ignore
    secure.pipe(server).pipe(secure);
  }

  #track(socket: Socket): void {
    this.#sockets.add(socket);
    socket.on('close', () => this.#sockets.delete(socket));
    socket.on('error', () => socket.destroy());
  }
}
