const UNKNOWN_AUTHORITY = /self-signed|unable to (get|verify)/;
const ADVICE: [RegExp, string][] = [
  [/altnames/, 'use a host that it names'],
  [/certificate (has expired|is not yet valid)/, 'renew it'],
];

/**
 * @param said why Node has ended a handshake
 * @param settings that name the authority
 * @returns a sentence without a full stop; undefined if it has another reason
 */
export function certificateProblem(store: string, said: string, settings = 'NODE_EXTRA_CA_CERTS'): string | undefined {
  const known = UNKNOWN_AUTHORITY.test(said) ? `set ${settings} to the path of the certificate of its authority` : undefined;
  const advice = known ?? ADVICE.find(([pattern]) => pattern.test(said))?.[1];
  // Node recommends an option for its command line.
  const reason = said.replace(/; if the root CA is installed locally.*/, '');
  return advice && `${store} has a certificate that is not accepted (${reason}): ${advice}`;
}
