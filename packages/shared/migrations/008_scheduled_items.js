/** @param {{ noTransaction(): void, sql(text: string): void }} pgm */
export function up(pgm) {
  pgm.noTransaction();
  // The creators with scheduled items, without reading all items of each: packages/items/src/people/due-items.ts.
  pgm.sql(`create index concurrently if not exists unpublished_content_scheduled on unpublished_content (creator_id, publish_at)
    where publish_at is not null and kind <> 'review'`);
}
