import { storableText, visibleText } from '../http/text.ts';

/** The maximum lengths are those of the columns of `users`. */
export const UserName = visibleText({ max: 200 });
export const Credential = storableText({ min: 1, max: 400 });
