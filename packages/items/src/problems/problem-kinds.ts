/** `isFault`: whether it counts as an error of the service for alerts, if its status is 5xx. It does by default. */
type ProblemKind = { statuses: number[]; description: string; isFault?: boolean };

const kinds = <Kind extends string>(table: Record<Kind, ProblemKind>): Record<Kind, ProblemKind> => table;

/** The kinds of errors. Each is a section of `/docs`, and programs decide by its name: a name never changes. */
export const PROBLEM_KINDS = kinds({
  'invalid-body': { statuses: [400], description: 'The body is not valid. `errors` names each field.' },
  'invalid-parameters': { statuses: [400], description: 'Parameters of the query string are not valid. `errors` names each.' },
  'invalid-header': { statuses: [400], description: 'The `Idempotency-Key` is not valid.' },
  'page-too-large': { statuses: [400], description: 'The items of the page are too large together. Request a smaller `size`.' },
  'invalid-http': { statuses: [400], description: 'The request is not valid HTTP, or its body comes in too many small chunks.' },
  'token-missing': { statuses: [403], description: 'The request has no header `Authorization: Bearer TOKEN`.' },
  'token-invalid': {
    statuses: [403],
    description: 'The token is not valid here: its form, signature, issuer, audience, or another claim.',
  },
  'token-expired': { statuses: [403], description: 'The signature of the token is right, and its time is over. Get a new one.' },
  'user-unknown': {
    statuses: [403, 404],
    description:
      'The user of the token, or the `creatorId`, does not exist. 404 only for `GET /api/users/me`, and for a creator without public items.',
  },
  'user-blocked': { statuses: [403], description: 'An operator has blocked the user, who may still read.' },
  'scope-missing': { statuses: [403], description: 'The token does not have the scope `content:moderate`.' },
  'other-creator': { statuses: [403], description: 'The `creatorId` of an upload is not the user of the token.' },
  'not-creator': { statuses: [403], description: 'Only the creator of an item may change or delete it.' },
  'own-item': { statuses: [403], description: 'Creators do not rate their own items.' },
  'item-hidden': {
    statuses: [403, 409],
    description: 'A moderator has hidden the item, so its creator cannot edit it (403), and nobody decides about its review (409).',
  },
  'item-in-review': { statuses: [403], description: 'The item waits for a review, so it cannot become a draft. Only a moderator ends it.' },
  'origin-refused': {
    statuses: [403],
    description: 'The preflight request of a browser: pages of this origin may not send requests. An operator adds it to `CORS_ORIGINS`.',
  },
  'item-unknown': { statuses: [404], description: 'No item has this id, or it is hidden from the user.' },
  'thumbnail-unknown': { statuses: [404], description: 'The item does not exist or has no thumbnail.' },
  'path-unknown': { statuses: [404], description: 'There is no such path.' },
  'method-unknown': { statuses: [405], description: 'The path does not support the method. `Allow` lists those that it supports.' },
  'too-slow': {
    statuses: [408],
    description: 'The headers arrived too slowly, or the body did: less than 16 KiB/s on average after its first 5 s.',
  },
  'not-unlisted': { statuses: [409], description: 'The item is not unlisted, so it has no key.' },
  'edited-since': { statuses: [412], description: '`If-Match`: the item has been edited since. Read it again first.' },
  'body-too-large': {
    statuses: [413],
    description: 'The body is larger than `BODY_MAX_BYTES`, or than 16 KiB for a rating and the reason of a hiding.',
  },
  'media-type-unknown': { statuses: [415], description: 'The media type, charset or content encoding of the body is not supported.' },
  'key-used': { statuses: [422], description: 'The `Idempotency-Key` was used for another upload.' },
  'rate-exceeded': {
    statuses: [429],
    description: 'Too many requests in this minute. Nothing was done; see `Retry-After` and `RateLimit`.',
  },
  'too-much-at-once': { statuses: [429], description: 'Too many requests, or too large ones, at the same time. Nothing was done.' },
  'headers-too-large': { statuses: [431], description: 'The headers are too large.' },
  'internal-error': { statuses: [500], description: 'A defect of the service. `requestId` finds its cause in the log.' },
  'store-unavailable': {
    statuses: [500, 503],
    description: 'A store does not respond, or not completely and in time: 500 for reads, 503 for writes. Nothing was stored.',
  },
  'keys-unavailable': {
    statuses: [500, 503],
    description: 'The token cannot be verified, because the key server does not respond: 500 for reads, 503 for writes.',
  },
  'result-unknown': {
    statuses: [503],
    description: 'It is unknown whether the change was stored. Repeat it with the same `Idempotency-Key`, or read the item first.',
  },
  'rebuild-due': {
    statuses: [503],
    description:
      'A filter or an order is not in the search index yet, which an earlier release made. `errors` names it; an operator rebuilds the index.',
    isFault: false,
  },
  'upgrade-unfinished': {
    statuses: [503],
    description:
      'A process of 1.0.0 is still connected, which would show what is not public: `visibility` and `publishAt` are accepted when it has ended.',
    isFault: false,
  },
  overloaded: { statuses: [503], description: 'All memory for uploads is in use. Nothing was stored.' },
  'work-too-long': { statuses: [503], description: 'The body or page took too long to process. Send or request less at a time.' },
});
export type ProblemCode = keyof typeof PROBLEM_KINDS;

export function isFault(code: ProblemCode): boolean {
  const { isFault: counts = true }: ProblemKind = PROBLEM_KINDS[code];
  return counts;
}

/** The same under every prefix of the service, so that programs can compare it. */
export function problemType(code: ProblemCode): string {
  return `/docs#${code}`;
}
