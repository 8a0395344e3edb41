const NAME_MAX = 255;

/** The name of a file as the API accepts it; empty if nothing of it is left. */
export function toFileName(name: string): string {
  const safe = name.normalize('NFC').replace(/[/\\\p{Cc}\u202a-\u202e\u2066-\u2069]/gu, '_');
  // The end has the extension.
  return /^[.\s]*$/.test(safe) ? '' : [...safe].slice(-NAME_MAX).join('');
}
