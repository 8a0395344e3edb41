/**
 * A browser decodes each frame of a picture in its full size, again and again while it is shown. A picture of 26 KB can have
 * 8 gigapixels, and anybody's may be on everybody's first page. So the page shows a small drawing of the first frame.
 */
/** An honest progressive JPEG has about ten scans, each of which is decoded over the whole picture. */
const SCANS_MAX = 100;
const QUALITY = 0.9;

/** @param side the longest side of the drawing, in pixels · @returns undefined if the browser can read it only at a high cost */
export async function drawFirstFrame(picture: Blob, side: number): Promise<Blob | undefined> {
  if (countScans(new Uint8Array(await picture.arrayBuffer())) > SCANS_MAX) return undefined;
  return draw(await createImageBitmap(picture), side);
}

async function draw(frame: ImageBitmap, side: number): Promise<Blob | undefined> {
  const scale = Math.min(1, side / Math.max(frame.width, frame.height));
  const canvas = document.createElement('canvas');
  canvas.width = Math.max(1, Math.round(frame.width * scale));
  canvas.height = Math.max(1, Math.round(frame.height * scale));
  const context = canvas.getContext('2d');
  if (context) context.imageSmoothingQuality = 'high';
  context?.drawImage(frame, 0, 0, canvas.width, canvas.height);
  frame.close();
  // Small ones keep each pixel.
  const type = scale < 1 ? 'image/webp' : 'image/png';
  return new Promise((resolve) => canvas.toBlob((drawn) => resolve(drawn ?? undefined), type, QUALITY));
}

function countScans(bytes: Uint8Array): number {
  if (bytes[0] !== 0xff || bytes[1] !== 0xd8) return 0;
  let scans = 0;
  for (let at = bytes.indexOf(0xda); at > 0; at = bytes.indexOf(0xda, at + 1)) if (bytes[at - 1] === 0xff) scans += 1;
  return scans;
}
