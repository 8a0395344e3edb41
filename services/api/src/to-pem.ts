const PEM = /-----BEGIN ([A-Z ]+)-----([^-:]+)-----END \1-----/;

/** A PEM whose line ends are blanks, CRLF or the characters `\n`, as values of environment variables often have them. */
export function toPem(text: string): string {
  const withLines = text.replaceAll(/\\r|\\n/g, '\n');
  const [, label, body = ''] = PEM.exec(withLines) ?? [];
  if (label === undefined) return withLines;
  const lines = body.replaceAll(/\s/g, '').match(/.{1,64}/g) ?? [];
  return [`-----BEGIN ${label}-----`, ...lines, `-----END ${label}-----`, ''].join('\n');
}
