/** @returns the nodes in ELASTICSEARCH_URL, which have commas between them; undefined if one of them is no URL of HTTP */
export function elasticsearchUrls(text: string): URL[] | undefined {
  // A password may contain a comma.
  const parts = text.split(/\s*,\s*(?=\w+:\/\/|$)/);
  if (!parts.every((part) => URL.canParse(part))) return undefined;
  const urls = parts.map((part) => new URL(part));
  return urls.every(({ protocol }) => ['http:', 'https:'].includes(protocol)) ? urls : undefined;
}

/** Whether no node has another user than the first, whose user is that of all. */
export function haveOneUser([first, ...others]: URL[]): boolean {
  const isUserOf = (url: URL): boolean => url.username === first?.username && url.password === first.password;
  return others.every((url) => url.username === '' || isUserOf(url));
}

/** The hosts for messages: without credentials. */
export function describeElasticsearchAddress(text: string): string {
  return (elasticsearchUrls(text) ?? []).map(({ host }) => host).join(', ');
}
