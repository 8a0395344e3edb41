import { createPublicKey, type KeyObject } from 'node:crypto';

/** Whether a key is suitable for RS256 (RSA with at least 2048 bits; RFC 7518, section 3.3) or ES256 (EC on P-256). */
export function isStrong({ asymmetricKeyType, asymmetricKeyDetails }: KeyObject): boolean {
  if (asymmetricKeyType === 'rsa') return (asymmetricKeyDetails?.modulusLength ?? 0) >= 2_048;
  return asymmetricKeyType === 'ec' && asymmetricKeyDetails?.namedCurve === 'prime256v1';
}

export function isStrongPem(text: string): boolean {
  try {
    return isStrong(createPublicKey(text));
  } catch {
    return false;
  }
}

const PEM = /-----BEGIN ([A-Z ]+)-----([^-:]+)-----END \1-----/;

/** A PEM whose line ends are blanks, CRLF or the characters `\n`, as values of environment variables often have them. */
export function toPem(text: string): string {
  const withLines = text.replaceAll(/\\r|\\n/g, '\n');
  const [, label, body = ''] = PEM.exec(withLines) ?? [];
  if (label === undefined) return withLines;
  const lines = body.replaceAll(/\s/g, '').match(/.{1,64}/g) ?? [];
  return [`-----BEGIN ${label}-----`, ...lines, `-----END ${label}-----`, ''].join('\n');
}
