import type { ContentDocument } from '@ugc/shared/contracts/content-index';
import type { Highlights } from '../content/content-item.ts';
import { fragmentsOf, markUp } from './fragments.ts';
import type { MarkFinder } from './mark-finder.ts';

type HighlightedFields = Pick<ContentDocument, 'name' | 'description' | 'tags'>;

/** @returns the fields in which something matches */
export function highlightItem({ name, description, tags }: HighlightedFields, finder: MarkFinder): Highlights {
  const whole = (text: string): string[] => {
    const marks = finder.find(text);
    return marks.length === 0 ? [] : [markUp(text, marks)];
  };
  const marks = finder.find(description);
  const fragments = {
    name: whole(name),
    description: marks.length === 0 ? [] : fragmentsOf(description, marks),
    tags: tags.flatMap(whole),
  };
  return Object.fromEntries(Object.entries(fragments).filter(([, found]) => found.length > 0));
}
