type Description = {
  /** Two sentences: what the operation does, and what a caller has to know. */
  text: string;
  example: string;
};

const UPLOAD = `POST /content
Idempotency-Key: import-2026-11-row-7
Prefer: wait=5

{"creatorId": 1, "name": "Lighthouse at dusk", "description": "Pixel art", "version": 1, "data": ""}`;

/** What the OpenAPI document says of each operation besides its summary. */
export const DESCRIPTIONS: Record<string, Description> = {
  listContent: {
    text: `Finds items by the words of a prompt and by filters, a page at a time. Search with \`sort=relevance\`: without \`sort\`,
every list is sorted by date, the newest item first, also that of a prompt.`,
    example: 'GET /api/content?prompt=lighthouse&sort=relevance',
  },
  countFacets: {
    text: `Takes the query string of a list unchanged, and counts the same matches. A facet ignores the filters that choose from
its own values, so that it also counts the values that are not chosen yet.`,
    example: 'GET /api/content/facets?prompt=lighthouse&anyTags=wallpaper',
  },
  suggestContent: {
    text: `Completes what a user has typed so far with tags and names of items. Send a request for each letter, and close the
connection of the one before.`,
    example: 'GET /api/content/suggest?prompt=lightho',
  },
  listSimilarContent: {
    text: `Finds items that share a tag, or two characteristic words, with this one, the most similar first. All filters of lists
apply; there are no pages.`,
    example: 'GET /api/content/42/similar?size=5&fields=summary',
  },
  uploadContent: {
    text: `Stores an item of the user of the token, which lists show after about a second, or before the response with
\`Prefer: wait\`. With an \`Idempotency-Key\` the request can be repeated after a lost connection, and is stored once.`,
    example: UPLOAD,
  },
  getContent: {
    text: `Reads one item as it is stored, also before lists show it. Its \`ETag\` is for \`If-Match\` of an edit and for
\`If-None-Match\` of the next read.`,
    example: 'GET /api/content/42?include=tags',
  },
  getFields: {
    text: `Names the fields that \`fields\` of an item may have, with their types, in the order in which people should read them. Most
services declare none.`,
    example: 'GET /api/fields',
  },
  editContent: {
    text: `Changes the fields that the body names; \`null\` removes \`tags\`, \`fileName\` or \`thumbnail\`. With \`If-Match\`, an item that somebody
else has edited since it was read is not overwritten: the response is a 412.`,
    example: 'PATCH /api/content/42\nIf-Match: "0.1"\n\n{"name": "Lighthouse at dawn"}',
  },
  deleteContent: {
    text: `Deletes an item of the user, its thumbnail and its ratings. Nobody can bring it back, and a second deletion is a 404.`,
    example: 'DELETE /api/content/42\nIf-Match: "0.1"',
  },
  getThumbnail: {
    text: `Returns the image, or 404 if the item has none. It needs the header \`Authorization\`, so a page reads it with \`fetch\`
and not with an \`<img>\` alone.`,
    example: 'GET /api/content/42/thumbnail',
  },
  getIndexStatus: {
    text: `Tells whether lists show the item as it is, or since when and why they do not. After \`indexed\`, it takes up to a
second until they do. While an edit is \`rejected\`, lists show the item as it was before.`,
    example: 'GET /api/content/42/index-status',
  },
  getRating: {
    text: `Tells how the user of the token has rated the item; \`score\` is null if the user has not. The item itself is the same
for everybody.`,
    example: 'GET /api/content/42/rating',
  },
  rateContent: {
    text: `Stores a score from 1 to 5; a user has one rating for an item, and the second replaces the first. Lists show the new
average after about seven seconds.`,
    example: 'PUT /api/content/42/rating\n\n{"score": 5}',
  },
  unrateContent: {
    text: `Removes the own rating, also if there is none. Lists show the new average after about seven seconds.`,
    example: 'DELETE /api/content/42/rating',
  },
  countDownload: {
    text: `Adds one to the downloads of the item. Each request counts, so do not repeat one whose result is unknown; what is shown
as popular counts one of an account a day.`,
    example: 'POST /api/content/42/downloads',
  },
  hideContent: {
    text: `Hides an item with a reason, which its creator reads; again, it changes the reason. It needs a token with the scope
\`content:moderate\`.`,
    example: 'PUT /api/content/42/hidden\n\n{"reason": "The picture is that of another site."}',
  },
  showContent: {
    text: `Shows a hidden item again, with everything that it had. It needs a token with the scope \`content:moderate\`.`,
    example: 'DELETE /api/content/42/hidden',
  },
  reviewContent: {
    text: `Publishes an item that waits for a review, or refuses it with a reason, which its creator reads. It needs a token with
the scope \`content:moderate\`. With \`If-Match\`, it fails if the item was edited after the moderator has read it.`,
    example: 'PUT /api/content/42/review\n\n{"decision": "publish"}',
  },
  renewKey: {
    text: `Replaces the key with which others read an unlisted item. The former one ends at once.`,
    example: 'POST /api/content/42/key',
  },
  listOwnContent: {
    text: `Lists all items of the user of the token, also drafts, and those that are unlisted, hidden, or wait for a review. Each that
is not public says so. \`totalElements\` is exact to 10,000; of more items, it is at least 10,001.`,
    example: 'GET /api/users/me/content?size=50&fields=summary',
  },
  listHiddenContent: {
    text: `Lists hidden items with their reasons, or with \`kind=review\` those that wait for a moderator. A moderator reads all of
them, other users their own. With \`fields=summary\`, the items are without \`data\`.`,
    example: 'GET /api/content/hidden?size=50',
  },
  getOwnUser: {
    text: `Tells the id of the user of the token, which is the \`creatorId\` of own uploads. It is 404 if the user does not
exist, and changes nothing.`,
    example: 'GET /api/users/me',
  },
  ensureOwnUser: {
    text: `As \`GET\`, and creates the user of a token of an identity provider if the service is configured so. A client sends it
once before its first upload.`,
    example: 'PUT /api/users/me',
  },
  getCreator: {
    text: `Tells what lists show of a creator together: name, items, downloads, and when the first item was stored. It is 404 for
a user without such items, as for one who does not exist.`,
    example: 'GET /api/users/42',
  },
  getOpenApiDocument: {
    text: `Returns the description of all operations, from which clients in other languages are generated. It needs no token.`,
    example: 'GET /openapi.json',
  },
  getDocumentForGenerators: {
    text: `Returns the same description as OpenAPI 3.0, without a choice of schemas, which generators read in different ways. It needs no token.`,
    example: 'GET /openapi-3.0.json',
  },
  getLiveness: {
    text: `For an orchestrator, which restarts a process that is not live. It asks no store.`,
    example: 'GET /health/live',
  },
  getReadiness: {
    text: `For a load balancer, which sends requests to processes that are ready. \`stores\` says what is missing, and the operators' page what to do.`,
    example: 'GET /health/ready',
  },
};

/** @returns undefined for an operation that is not described */
export function descriptionOf(operationId: string): string | undefined {
  const described = DESCRIPTIONS[operationId];
  return described && `${described.text.replaceAll('\n', ' ')}\n\n\`\`\`http\n${described.example}\n\`\`\``;
}
