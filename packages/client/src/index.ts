export * from './generated/types.gen.ts';
export { withOwnFields, type ClientOf } from './own-fields.ts';
export type { Picture } from './pictures.ts';
export * from './problem-error.ts';
export type { RetryOptions } from './retrying-fetch.ts';
export * from './ugc-client.ts';
export { placeOf, type WalkPlace } from './walk-place.ts';
