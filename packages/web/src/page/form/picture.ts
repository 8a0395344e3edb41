/** The longest sides, in pixels, that are tried until the picture is small enough. */
const SIDES = [1_600, 1_200, 800, 400];
const JPEG_QUALITY = 0.85;

/**
 * Makes a picture small enough for the API; a photo of a camera is too large.
 * @returns the file itself if it is small enough, or if it is not a picture, which the API then says
 */
export async function fitPicture(file: Blob, { maxBytes, maxSide }: { maxBytes: number; maxSide: number }): Promise<Blob> {
  const bitmap = await createImageBitmap(file).catch(() => undefined);
  if (!bitmap || (file.size <= maxBytes && Math.max(bitmap.width, bitmap.height) <= maxSide)) return file;
  for (const side of SIDES) {
    const smaller = await draw(bitmap, Math.min(side, maxSide));
    if (smaller && smaller.size <= maxBytes) return smaller;
  }
  return file;
}

function draw(bitmap: ImageBitmap, longestSide: number): Promise<Blob | null> {
  const scale = Math.min(1, longestSide / Math.max(bitmap.width, bitmap.height));
  const canvas = document.createElement('canvas');
  canvas.width = Math.max(1, Math.round(bitmap.width * scale));
  canvas.height = Math.max(1, Math.round(bitmap.height * scale));
  canvas.getContext('2d')?.drawImage(bitmap, 0, 0, canvas.width, canvas.height);
  return new Promise((resolve) => canvas.toBlob(resolve, 'image/jpeg', JPEG_QUALITY));
}

/** The image in base64, without the media type: the API recognizes it, and a browser may be wrong about it. */
export function toBase64(blob: Blob): Promise<string> {
  const reader = new FileReader();
  return new Promise((resolve, reject) => {
    reader.onload = () => resolve((reader.result as string).replace(/^[^,]*,/, ''));
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(blob);
  });
}
