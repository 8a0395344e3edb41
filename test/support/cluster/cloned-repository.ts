import { CHECKOUT } from '@ugc/local-stack/service-process';
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** A repository of which users have a clone. Its newest commit is that of `publish`. */
export class Repository {
  readonly path: string;
  readonly #objects = git(CHECKOUT, 'rev-parse', '--path-format=absolute', '--git-path', 'objects');
  readonly #folder: string;

  /** @param commit the newest one at first */
  constructor(folder: string, commit: string) {
    this.#folder = folder;
    this.path = join(folder, 'repository.git');
    git(folder, 'init', '--quiet', '--bare', '--initial-branch', 'main', this.path);
    mkdirSync(join(this.path, 'objects/info'), { recursive: true });
    writeFileSync(join(this.path, 'objects/info/alternates'), `${this.#objects}\n`);
    this.publish(commit);
  }

  publish(commit: string): void {
    git(this.path, 'update-ref', 'refs/heads/main', commit);
  }

  /** Commits this checkout as it is, also what is not committed here, where nothing changes. @returns the commit */
  commitCheckout(): string {
    const env = {
      GIT_INDEX_FILE: join(this.#folder, 'index'),
      GIT_OBJECT_DIRECTORY: join(this.path, 'objects'),
      GIT_ALTERNATE_OBJECT_DIRECTORIES: this.#objects,
    };
    const inCheckout = (...args: string[]): string => gitWith(env, CHECKOUT, ...args);
    inCheckout('read-tree', 'HEAD');
    inCheckout('add', '--all');
    const author = ['-c', 'user.name=test', '-c', 'user.email=test@example.com'];
    return inCheckout(...author, 'commit-tree', inCheckout('write-tree'), '-p', 'HEAD', '-m', 'The checkout as it is');
  }

  /** @returns the folder of the clone, which has the newest commit */
  clone(): string {
    const folder = join(this.#folder, 'clone');
    git(this.#folder, 'clone', '--quiet', this.path, folder);
    return folder;
  }
}

function git(cwd: string, ...args: string[]): string {
  return gitWith({}, cwd, ...args);
}

function gitWith(env: Record<string, string>, cwd: string, ...args: string[]): string {
  return execFileSync('git', args, { cwd, env: { ...process.env, ...env }, encoding: 'utf8' }).trim();
}
