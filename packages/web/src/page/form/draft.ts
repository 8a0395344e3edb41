import { saidFault } from '../api/said-problem.ts';
import type { ContentItem, Edit, ErrorDetail } from '../api/types.ts';
import { isFieldKey, toFieldDrafts, toFields, type FieldDrafts, type FieldKey } from './field-draft.ts';
import { toSeenDraft, toSeenEdit, type SeenDraft } from './seen.ts';
import { t } from '../../messages/texts.ts';

/** What is typed into a form. */
export type Draft = FieldDrafts &
  SeenDraft & {
    name: string;
    description: string;
    tags: string[];
    data: string;
    /** The name of the file that `data` is from; empty for typed text. */
    fileName: string;
    version: string;
    /** A new picture in base64, null to remove it, undefined to leave it as it is. */
    picture: string | null | undefined;
  };
type Field = keyof Draft;

export const emptyDraft = (): Draft => ({
  name: '',
  description: '',
  tags: [],
  data: '',
  fileName: '',
  version: '1',
  picture: undefined,
  ...toSeenDraft(),
  ...toFieldDrafts(),
});

export function toDraft({ name, description, tags = [], data, fileName, version, fields: own, ...seen }: ContentItem): Draft {
  const texts = { name, description, tags, data, fileName: fileName ?? '', version: String(version), picture: undefined };
  return { ...texts, ...toSeenDraft(seen), ...toFieldDrafts(own) };
}

/** A draft that an older page has kept, or that was kept before a field was declared, is without some of the texts. */
export function completeDraft(kept: Partial<Draft>, unchanged: Draft): Draft {
  return { ...unchanged, ...kept };
}

/** NaN becomes null in JSON, which the API rejects with the right message. */
export function toVersion(text: string): number {
  return /^\s*\d+\s*$/.test(text) ? Number(text) : NaN;
}

/** The fields that differ, as a merge patch. */
export function toEdit(base: Draft, draft: Draft): Edit {
  const fields = changedFields(base, draft);
  const own = fields.filter(isFieldKey).map((key) => key.slice('fields.'.length));
  return {
    ...(fields.includes('name') && { name: draft.name }),
    ...(fields.includes('description') && { description: draft.description }),
    ...(fields.includes('tags') && { tags: draft.tags }),
    ...(fields.includes('data') && { data: draft.data }),
    ...(fields.includes('fileName') && { fileName: draft.fileName || null }),
    ...(fields.includes('version') && { version: toVersion(draft.version) }),
    ...(draft.picture !== undefined && { thumbnail: draft.picture }),
    ...toSeenEdit(base, draft),
    ...(own.length > 0 && { fields: toFields(draft, own) }),
  };
}

/**
 * Both the user and somebody else have changed an item. The user's text wins; everything else is as it is now.
 * @returns also the fields that both have changed
 */
export function mergeDrafts(base: Draft, own: Draft, current: Draft): { merged: Draft; conflicts: Field[] } {
  const ownFields = changedFields(base, own);
  const merged: Draft = { ...current, ...Object.fromEntries(ownFields.map((field) => [field, own[field]])) };
  if (merged.visibility === 'public') merged.publishAt = '';
  const conflicts = changedFields(base, current).filter((field) => ownFields.includes(field) && !isSame(merged[field], current[field]));
  // An own time for an item that is public by now is lost.
  const isTimeLost = ownFields.includes('publishAt') && own.visibility !== 'public' && merged.visibility === 'public';
  return { merged, conflicts: isTimeLost ? [...conflicts, 'visibility'] : conflicts };
}

export function isChanged(from: Draft, to: Draft): boolean {
  return changedFields(from, to).length > 0;
}

function changedFields(from: Draft, to: Draft): Field[] {
  // What everybody sees waits for no time.
  return (Object.keys(from) as Field[]).filter(
    (field) => !isSame(from[field], to[field]) && !(field === 'publishAt' && to.visibility === 'public'),
  );
}

function isSame(a: Draft[Field], b: Draft[Field]): boolean {
  return a === b || (Array.isArray(a) && Array.isArray(b) && JSON.stringify(a) === JSON.stringify(b));
}

export type FieldErrors = Partial<Record<keyof Edit | FieldKey, string>>;

/**
 * The errors of a 400 by the field that their JSON pointers point to: `#/tags/3` is an error of `tags`, `#/fields/game/0` one of
 * `fields.game`.
 * @param sent what was refused · @param draft what the form has now: a field that was changed since has no error
 */
export function errorsByField(errors: ErrorDetail[], sent: Draft, draft: Draft): FieldErrors {
  const changed: string[] = changedFields(sent, draft).map((field) => (field === 'picture' ? 'thumbnail' : field));
  const pairs = errors.map((error) => [keyOf(error.pointer ?? ''), saidFault(error)] as const);
  const current = pairs.filter(([field]) => !changed.includes(field));
  const named = current.map(([field, text]) => [field, field === 'name' && !SHOWS_SOMETHING.test(sent.name) ? t('enterName') : text]);
  return Object.fromEntries(named.reverse()) as FieldErrors;
}

function keyOf(pointer: string): string {
  const [, field = '', name] = pointer.split('/');
  return field === 'fields' && name !== undefined ? `fields.${name}` : field;
}

const SHOWS_SOMETHING = /[\p{L}\p{N}\p{P}\p{S}]/u;
