/** The caller has closed the connection, so nobody will read the answer. */
export class ClientDisconnected extends Error {
  override readonly name = 'CallerGone';
}
