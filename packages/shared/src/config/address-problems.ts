import { readFileSync } from 'node:fs';
import { createSecureContext } from 'node:tls';

export const ENCODING = 'special characters in user and password must be percent-encoded: % is %25, # is %23, / is %2F, ? is %3F';

/** @returns a problem if the URL is valid, but not what was meant: a character of the password ends its host */
export function encodingProblem({ pathname, search, hash }: URL): string | undefined {
  return hash !== '' || /^[^=]*@/.test(pathname + search) ? ENCODING : undefined;
}

/** @returns a problem if user or password cannot be decoded */
export function decodingProblem({ username, password }: URL): string | undefined {
  try {
    decodeURIComponent(username + password);
    return undefined;
  } catch {
    return ENCODING;
  }
}

/** Paths of files, and the names of the settings that contain them. */
type ClientCertificate = { cert: string | undefined; key: string | undefined; names: { cert: string; key: string } };

/** @returns why the files are no certificate with its key; undefined if they are, or if none is given */
export function clientCertificateProblem({ cert, key, names }: ClientCertificate): string | undefined {
  if (cert === undefined && key === undefined) return undefined;
  if (cert === undefined) return `${names.key} needs ${names.cert}, the path of the certificate`;
  if (key === undefined) return `${names.cert} needs ${names.key}, the path of its key`;
  return unreadable(names.cert, cert) ?? unreadable(names.key, key) ?? mismatch({ cert, key, names });
}

/** @returns a problem if the file cannot be read */
export function unreadable(name: string, path: string): string | undefined {
  try {
    readFileSync(path);
    return undefined;
  } catch {
    return `${name}: the file ${path} cannot be read`;
  }
}

function mismatch({ cert, key, names }: ClientCertificate & { cert: string; key: string }): string | undefined {
  try {
    createSecureContext({ cert: readFileSync(cert), key: readFileSync(key) });
    return undefined;
  } catch (error) {
    if ((error as { code?: string }).code === 'ERR_OSSL_X509_KEY_VALUES_MISMATCH')
      return `${names.key}: the file ${key} is not the key of the certificate in ${cert}`;
    return `${names.cert} and ${names.key} must name a certificate and its key, both in PEM, the key without a passphrase`;
  }
}

/** @returns the URLs whose user and password can be decoded: what a file contains may be wrong at any time */
export function validUrls(urls: URL[] = []): URL[] {
  return urls.filter((url) => encodingProblem(url) === undefined && decodingProblem(url) === undefined);
}
