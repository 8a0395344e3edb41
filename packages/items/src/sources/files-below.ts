import { constants } from 'node:fs';
import { open, realpath, type FileHandle } from 'node:fs/promises';
import { join, sep } from 'node:path';

const PATH_MAX = 1_000;
/** Also behind the folder of a template. A drive has one letter. */
const ADDRESS = /(^|\/)[a-z][a-z\d+.-]+:\/\//i;
type ReadFile = { bytes: Buffer } | { detail: string };

/** @returns why a text must not name a file below a folder; undefined if it may */
export function problemOfPath(path: string): string | undefined {
  if (ADDRESS.test(path)) return 'names an address, and no file: download it to a folder below that of the map, and name the file there';
  if (path.length > PATH_MAX) return 'names a file with a path that is too long';
  if (/[\\\0]/.test(path)) return 'names a file with a \\ or a control character; folders are separated by /';
  if (path.startsWith('/') || /^[a-z]:/i.test(path))
    return 'names a file by its absolute path; only files below the folder of the map are read';
  const parts = path.split('/');
  if (parts.includes('..')) return 'names a file with ..; only files below the folder of the map are read';
  // Repeated slashes and ./ say nothing, but at the end.
  const isHidden = parts.some((part) => part.startsWith('.') && part !== '.');
  if (isHidden || ['', '.'].includes(parts.at(-1) ?? '')) return 'names a file that is hidden, or no file';
  return undefined;
}

/** Reads files that texts of strangers name. */
export class FilesBelow {
  readonly #folder: string;
  readonly #excluded: string[];

  /** @param folder that of the map @param excluded files that are never read, such as the one that is imported */
  constructor(folder: string, excluded: string[]) {
    this.#folder = folder;
    this.#excluded = excluded;
  }

  /**
   * Reads a plain file below a folder of the map's folder, also after all links are followed. The size is checked before.
   * @param within that folder, relative @returns why not, otherwise
   */
  async read(path: string, within: string, maxBytes: number): Promise<ReadFile> {
    const problem = problemOfPath(path);
    if (problem !== undefined) return { detail: problem };
    try {
      return await this.#readReal(path, within, maxBytes);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'ENOENT' || code === 'ENOTDIR') return { detail: `names the file ${path}, which is not there` };
      if (code === undefined) throw error;
      return { detail: `names the file ${path}, which cannot be read: ${code}` };
    }
  }

  async #readReal(path: string, within: string, maxBytes: number): Promise<ReadFile> {
    const [folder, root] = [await realpath(this.#folder), await realpath(join(this.#folder, within))];
    const real = await realpath(join(this.#folder, path));
    const isBelow = [folder, root].every((each) => real.startsWith(each.endsWith(sep) ? each : each + sep));
    if (!isBelow)
      return { detail: `names the file ${path}, which is a link to a file elsewhere; only files below the folder of the map are read` };
    const excluded = await Promise.all(this.#excluded.map((each) => realpath(each).catch(() => undefined)));
    if (excluded.includes(real)) return { detail: `names the file ${path}, which is that of the import or of its map` };
    // A pipe or a device would wait for somebody, and a link may have come since.
    const file = await open(real, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
    try {
      return await readPlain(file, path, maxBytes);
    } finally {
      await file.close();
    }
  }
}

async function readPlain(file: FileHandle, path: string, maxBytes: number): Promise<ReadFile> {
  const stats = await file.stat();
  if (!stats.isFile()) return { detail: `names ${path}, which is no plain file` };
  if (stats.size > maxBytes) return { detail: `names the file ${path}, which has ${stats.size} bytes; the maximum is ${maxBytes}` };
  const { buffer, bytesRead } = await file.read(Buffer.alloc(stats.size), 0, stats.size, 0);
  return { bytes: buffer.subarray(0, bytesRead) };
}
