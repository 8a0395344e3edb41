import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { dateOf } from './changelog.ts';

/** All mutants take hours. */
const PARTS = 4;

/** The scripts of package.json that must have passed on the commit of a release, the shortest first. */
export const CHECKS = [
  'lint',
  'typecheck',
  'test:clients',
  'test:keycloak',
  'nemesis --minutes 30',
  'test:all',
  ...Array.from({ length: PARTS }, (_, n) => `test:mutants --part ${n + 1}/${PARTS}`),
];

/** The commit on which each check has passed last. It is committed, so that several machines may share the work. */
const RECORD = 'tools/release/passed.json';
/** What may change between the commit on which a check has passed and that of the release. */
const DOCUMENT = /\.md$|^docs\//;

export type State = { version: string; commit: string; /** Files that are not committed. */ changes: string[] };

export function stateOf(checkout: string): State {
  const git = (...args: string[]): string => execFileSync('git', args, { cwd: checkout, encoding: 'utf8' }).trim();
  const { version } = readJson<{ version: string }>(checkout, 'package.json');
  return { version, commit: git('rev-parse', 'HEAD'), changes: git('status', '--porcelain').split('\n').filter((line) => line !== '') }; // prettier-ignore
}

/** @returns what keeps this commit from being the release of its version, as sentences that say what to do */
export function problemsOf(checkout: string, { version, commit, changes }: State): string[] {
  const read = (file: string): string => readFileSync(join(checkout, file), 'utf8');
  const { version: ofClient } = readJson<{ version: string }>(checkout, 'packages/client/package.json');
  const overlay = 'deploy/kubernetes/overlays/example/kustomization.yaml';
  const [, tag] = /newName: \S*\/ugc-service, newTag: '?([^' ]+)'?/.exec(read(overlay)) ?? [];
  const date = dateOf(read('CHANGELOG.md'), version);
  const passed = passedChecks(checkout, commit);
  return [
    ...(changes.length > 0 ? [`a clean tree; commit or remove ${changes.join(', ')}`] : []),
    ...(ofClient === version ? [] : [`the version ${version} in packages/client/package.json, which has ${ofClient}`]),
    ...(tag === version ? [] : [`the tag ${version} in ${overlay}, which has ${tag}`]),
    ...(date === undefined ? [`the date in the heading "## ${version}, YYYY-MM-DD" of CHANGELOG.md`] : []),
    ...(read('README.md').includes(`**Version ${version}**, ${date}`) ? [] : [`"**Version ${version}**, ${date ?? 'DATE'}" in README.md`]),
    ...(existsSync(join(checkout, 'test/kept', version))
      ? []
      : [`test/kept/${version}; run npx pnpm release --freeze before the date is set`]),
    ...CHECKS.filter((check) => !passed.includes(check)).map((check) => `npx pnpm ${check} on this commit; run npx pnpm release --test`),
  ];
}

/** @returns the checks that have passed on this commit, or on one since which only documents have changed */
export function passedChecks(checkout: string, commit: string): string[] {
  return Object.entries(readRecord(checkout)).flatMap(([check, on]) => (differsInDocuments(checkout, on, commit) ? [check] : []));
}

/** Whether nothing else differs. */
function differsInDocuments(checkout: string, one: string, other: string): boolean {
  const { status, stdout } = spawnSync('git', ['diff', '--name-only', one, other], { cwd: checkout, encoding: 'utf8' });
  const changed = stdout.split('\n').filter((file) => file !== '');
  return status === 0 && changed.every((file) => file === RECORD || DOCUMENT.test(file));
}

export function recordPassed(checkout: string, commit: string, check: string): void {
  const path = join(checkout, RECORD);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `${JSON.stringify({ ...readRecord(checkout), [check]: commit }, undefined, 2)}\n`);
}

function readRecord(checkout: string): Record<string, string> {
  return existsSync(join(checkout, RECORD)) ? readJson(checkout, RECORD) : {};
}

function readJson<T>(checkout: string, file: string): T {
  return JSON.parse(readFileSync(join(checkout, file), 'utf8')) as T;
}
