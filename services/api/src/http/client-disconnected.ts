/** The client closed the connection before the response was sent. */
export class ClientDisconnected extends Error {
  override readonly name = 'ClientDisconnected';
}
