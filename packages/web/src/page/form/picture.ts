import { bytesOf } from './bytes-of.ts';
import { formatOf, type PictureFormat } from './picture-format.ts';
import { t } from '../../messages/texts.ts';

/** Larger files are no pictures of people. They could be larger than the memory. */
const FILE_MAX_BYTES = 100_000_000;

/** The longest sides, in pixels, that are tried until the picture is small enough. */
const SIDES = [1_600, 1_200, 800, 400, 200, 100];
const QUALITY = 0.85;

type Limits = { maxBytes: number; maxSide: number };
/** `picture` in base64. `loss` tells what the file had, and the picture does not have; empty if it is the file itself. */
export type Fitted = { picture: string; loss: string };

/**
 * Makes a picture that the API accepts of every picture that the browser can read.
 * @throws Error with a sentence for the user
 */
export async function fitPicture(file: File, limits: Limits): Promise<Fitted> {
  const tooLarge = new Error(t('pictureTooLarge', { file: file.name }));
  if (file.size > FILE_MAX_BYTES) throw tooLarge;
  const format = formatOf(await bytesOf(file));
  const image = await readImage(file);
  if (!image || format.isCut) throw new Error(whyUnreadable(file.name, format));
  const { naturalWidth: width, naturalHeight: height } = image;
  const fits = file.size <= limits.maxBytes && Math.max(width, height) <= limits.maxSide;
  if (fits && format.isAccepted) return { picture: await toBase64(file), loss: '' };
  for (const side of SIDES) {
    const canvas = draw(image, Math.min(side, limits.maxSide));
    const drawn = await encode(canvas);
    if (drawn && drawn.size <= limits.maxBytes) return { picture: await toBase64(drawn), loss: lossOf(canvas, image, format) };
  }
  throw tooLarge;
}

function whyUnreadable(file: string, { name: format, isAccepted }: PictureFormat): string {
  return format === undefined || isAccepted ? t('pictureBroken', { file }) : t('pictureFormat', { file, format });
}

function lossOf(canvas: HTMLCanvasElement, image: HTMLImageElement, { isAnimated }: PictureFormat): string {
  const size = t('madeSmaller', { width: canvas.width, height: canvas.height });
  return [canvas.width < image.naturalWidth && size, isAnimated && t('oneFrame')].filter(Boolean).join(' ');
}

async function readImage(file: Blob): Promise<HTMLImageElement | undefined> {
  const image = new Image();
  const url = (image.src = URL.createObjectURL(file));
  try {
    await image.decode();
    return image;
  } catch {
    return undefined;
  } finally {
    URL.revokeObjectURL(url);
  }
}

/** A drawing of SVG may have no size of its own. */
const SIZE_OF_DRAWING = 512;

function draw(image: HTMLImageElement, longestSide: number): HTMLCanvasElement {
  const [width, height] = [image.naturalWidth || SIZE_OF_DRAWING, image.naturalHeight || SIZE_OF_DRAWING];
  const scale = Math.min(1, longestSide / Math.max(width, height));
  const canvas = document.createElement('canvas');
  canvas.width = Math.max(1, Math.round(width * scale));
  canvas.height = Math.max(1, Math.round(height * scale));
  canvas.getContext('2d')?.drawImage(image, 0, 0, canvas.width, canvas.height);
  return canvas;
}

/** JPEG has no transparency. A browser that cannot write WebP writes PNG instead. */
function encode(canvas: HTMLCanvasElement): Promise<Blob | null> {
  const type = isTransparent(canvas) ? 'image/webp' : 'image/jpeg';
  return new Promise((resolve) => canvas.toBlob(resolve, type, QUALITY));
}

function isTransparent(canvas: HTMLCanvasElement): boolean {
  const pixels = canvas.getContext('2d')?.getImageData(0, 0, canvas.width, canvas.height).data ?? [];
  for (let at = 3; at < pixels.length; at += 4) if ((pixels[at] ?? 255) < 255) return true;
  return false;
}

/** The image in base64, without the media type: the API recognizes it, and a browser may be wrong about it. */
function toBase64(blob: Blob): Promise<string> {
  const reader = new FileReader();
  return new Promise((resolve, reject) => {
    reader.onload = () => resolve((reader.result as string).replace(/^[^,]*,/, ''));
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(blob);
  });
}

/** The opposite of `toBase64`. */
export function toBlob(base64: string): Blob {
  return new Blob([Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))]);
}
