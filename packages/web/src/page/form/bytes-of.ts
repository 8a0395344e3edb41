import { t } from '../../messages/texts.ts';

/** @throws Error with a sentence for the user if the file cannot be read, such as a folder */
export async function bytesOf(file: File): Promise<Uint8Array> {
  const buffer = await file.arrayBuffer().catch(() => {
    throw new Error(t('unreadable', { file: file.name }));
  });
  return new Uint8Array(buffer);
}
