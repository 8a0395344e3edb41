/** A PNG, JPEG, WebP or GIF, in any of these forms; a text is base64. */
export type Picture = string | Blob | ArrayBuffer | ArrayBufferView;
export type WithPicture<T> = Omit<T, 'thumbnail'> & { thumbnail?: Picture | null };

/** The arguments of a function are limited. */
const CHUNK_BYTES = 32_768;

/** Writes the picture of an upload or edit in base64, as the service reads it. */
export async function withBase64<T extends { thumbnail?: Picture | null }>(
  body: T,
): Promise<Omit<T, 'thumbnail'> & { thumbnail?: string | null }> {
  const { thumbnail, ...fields } = body;
  return thumbnail === undefined ? fields : { ...fields, thumbnail: thumbnail === null ? null : await toBase64(thumbnail) };
}

async function toBase64(picture: Picture): Promise<string> {
  if (typeof picture === 'string') return picture;
  const bytes = await bytesOfPicture(picture);
  let text = '';
  for (let from = 0; from < bytes.length; from += CHUNK_BYTES) text += String.fromCharCode(...bytes.subarray(from, from + CHUNK_BYTES));
  return btoa(text);
}

async function bytesOfPicture(picture: Exclude<Picture, string>): Promise<Uint8Array> {
  if (ArrayBuffer.isView(picture)) return new Uint8Array(picture.buffer, picture.byteOffset, picture.byteLength);
  return new Uint8Array(picture instanceof Blob ? await picture.arrayBuffer() : picture);
}
