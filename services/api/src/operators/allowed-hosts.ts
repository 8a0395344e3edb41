const LOCAL_HOSTS = ['localhost', '127.0.0.1', '[::1]'];

/**
 * Whether the `Host` header names this machine or one of `hosts`, with any port. A web page whose own name resolves to
 * this machine (DNS rebinding) is of the same origin for a browser, and is told apart only by this name.
 */
export function isAllowedHost(header: string | undefined, hosts: string[]): boolean {
  const [, name = ''] = /^(\[[\d.:a-f]+\]|[^:[\]]+)(?::\d{1,5})?$/i.exec(header ?? '') ?? [];
  return [...LOCAL_HOSTS, ...hosts].includes(name.toLowerCase());
}

export const FORBIDDEN_HOST =
  'This page is available under the host names localhost, 127.0.0.1 and [::1], and those in OPERATIONS_HOSTS.\n';
