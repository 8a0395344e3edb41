/** The items that the user has deleted on this page: lists may still have them. */
const deleted = new Set<number>();

export function markDeleted(contentId: number, isDeleted: boolean): void {
  if (isDeleted) deleted.add(contentId);
  else deleted.delete(contentId);
}

export const isDeleted = (contentId: number): boolean => deleted.has(contentId);

type Page = { content: { contentId: number }[] };

/** @returns `removed`: how many items the page had of them */
export function withoutDeleted<P extends Page>(page: P): P & { removed: number } {
  const content = page.content.filter(({ contentId }) => !isDeleted(contentId));
  return { ...page, content, removed: page.content.length - content.length };
}
