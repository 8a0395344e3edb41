import { createPublicKey, type KeyObject } from 'node:crypto';

/** RSA of 2048 bits or more (RFC 7518, 3.3), or EC on P-256: what RS256 and ES256 may be checked with. */
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
