import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openApiDocument } from '@ugc/api/endpoints/openapi';
import { CHECKOUT } from '@ugc/local-stack/service-process';
import { INDEX_BODY } from '@ugc/shared/contracts/content-index';
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { dateOf, notesOf } from '../../tools/release/changelog.ts';
import { CHECKS, passedChecks, problemsOf, recordPassed, stateOf } from '../../tools/release/checks.ts';
import { releaseCommands } from '../../tools/release/files.ts';
import type { Release } from '../run/history.ts';
import { hasPopularity, isRebuildDue, knowsVisibility } from '../support/cluster/former-release.ts';
import { KEPT_RELEASES, readKept } from '../support/compatibility/kept.ts';
import { defaultEnv } from '../support/processes/default-env.ts';

const read = (file: string): string => readFileSync(join(CHECKOUT, file), 'utf8');

describe('the changelog', () => {
  const text = '# Changelog\n\n## 1.0.1, unreleased\n\nB.\n\n## 1.0.0, 2026-12-01\n\nA.\n\n### API\n\n- a\n';

  it('says when a release was made', () => {
    expect(['1.0.1', '1.0.0', '1.0', '2.0.0'].map((version) => dateOf(text, version))).toEqual([
      undefined,
      '2026-12-01',
      undefined,
      undefined,
    ]);
  });

  it('has the notes of a release', () => {
    expect(notesOf(text, '1.0.0')).toBe('A.\n\n### API\n\n- a\n');
    expect(notesOf(text, '1.0.1')).toBe('B.\n');
    expect(() => notesOf(text, '2.0.0')).toThrow('no section for 2.0.0');
  });

  it('has a section for the version of package.json', () => {
    expect(notesOf(read('CHANGELOG.md'), stateOf(CHECKOUT).version)).toMatch(/\S/);
  });
});

it('each release has its commit and its kept promises', () => {
  for (const { version, commit } of JSON.parse(read('releases.json')) as Release[]) {
    expect(commit).toMatch(/^[0-9a-f]{40}$/);
    expect(KEPT_RELEASES).toContain(version);
  }
});

it('what an upgrade refuses until it has ended is what the release before does not have', () => {
  const kept = (release: string, file: string): unknown => JSON.parse(readKept(release, file) ?? '');
  const newSince = ({ mappings }: typeof INDEX_BODY, api: object) => {
    const { version } = mappings._meta;
    return { rebuild: isRebuildDue(version), popularity: !hasPopularity(version), visibility: !knowsVisibility(api) };
  };
  expect(newSince(kept('1.0.0', 'index.json') as typeof INDEX_BODY, kept('1.0.0', 'openapi.json') as object)).toEqual({
    rebuild: true,
    popularity: true,
    visibility: true,
  });
  expect(newSince(INDEX_BODY, openApiDocument(defaultEnv()))).toEqual({ rebuild: false, popularity: false, visibility: false });
});

describe('a commit is a release', () => {
  const OVERLAY = 'deploy/kubernetes/overlays/example/kustomization.yaml';
  let checkout = '';
  const write = (file: string, text: string): void => {
    mkdirSync(dirname(join(checkout, file)), { recursive: true });
    writeFileSync(join(checkout, file), text);
  };
  const git = (...args: string[]): string => execFileSync('git', args, { cwd: checkout, encoding: 'utf8' });
  const commit = (): void => {
    git('add', '-A');
    git('-c', 'user.name=test', '-c', 'user.email=test@example.com', 'commit', '--quiet', '--allow-empty', '-m', 'test');
  };
  const problems = (): string[] => problemsOf(checkout, stateOf(checkout));

  beforeAll(() => {
    checkout = mkdtempSync(join(tmpdir(), 'release-'));
    git('init', '--quiet');
    write('package.json', '{ "version": "7.1.0" }');
    write('packages/client/package.json', '{ "version": "7.1.0" }');
    write('CHANGELOG.md', '# Changelog\n\n## 7.1.0, 2026-12-01\n\nNotes.\n');
    write('README.md', '**Version 7.1.0**, 2026-12-01.\n');
    write('test/kept/7.1.0/log.json', '[]');
    mkdirSync(join(checkout, dirname(OVERLAY)), { recursive: true });
    cpSync(join(CHECKOUT, OVERLAY), join(checkout, OVERLAY));
    write(OVERLAY, readFileSync(join(checkout, OVERLAY), 'utf8').replace(/newTag: \S+/, 'newTag: 7.1.0'));
    commit();
    for (const check of CHECKS) recordPassed(checkout, stateOf(checkout).commit, check);
    // The record itself changes.
    commit();
  });
  afterAll(() => rmSync(checkout, { recursive: true }));

  it('if nothing is missing', () => expect(problems()).toEqual([]));

  it.each<[string, string, string, string]>([
    ['a file that is not committed', 'new.txt', '', 'a clean tree; commit or remove ?? new.txt'],
    [
      'another version of the client',
      'packages/client/package.json',
      '{ "version": "7.0.0" }',
      'packages/client/package.json, which has 7.0.0',
    ],
    ['no date', 'CHANGELOG.md', '## 7.1.0, unreleased\n', 'the date in the heading "## 7.1.0, YYYY-MM-DD" of CHANGELOG.md'],
    ['no section', 'CHANGELOG.md', '## 7.0.0, 2026-12-01\n', 'the date in the heading'],
    ['another date in README', 'README.md', '**Version 7.1.0**, not released yet', '"**Version 7.1.0**, 2026-12-01" in README.md'],
    ['another tag', OVERLAY, '  - { name: ugc-service, newName: r.example.com/ugc-service, newTag: 7.0.0 }', 'the tag 7.1.0 in deploy/'],
  ])('but not with %s', (_, file, text, problem) => {
    const before = existsSync(join(checkout, file)) ? readFileSync(join(checkout, file), 'utf8') : undefined;
    write(file, text);
    expect(problems().join('\n')).toContain(problem);
    if (before === undefined) rmSync(join(checkout, file));
    else write(file, before);
    expect(problems()).toEqual([]);
  });

  it('but not without its kept promises', () => {
    rmSync(join(checkout, 'test/kept/7.1.0'), { recursive: true });
    expect(problems().join('\n')).toContain('test/kept/7.1.0; run npx pnpm release --freeze');
    write('test/kept/7.1.0/log.json', '[]');
  });

  it('if only documents have changed since a check has passed', () => {
    write('docs/api.md', 'Words.');
    write('packages/client/README.md', 'Words.');
    commit();
    expect(problems()).toEqual([]);
  });

  it('but not if something else has changed since a check has passed, or its commit is unknown', () => {
    write('source.ts', '');
    commit();
    expect(problems()).toEqual(CHECKS.map((check) => `npx pnpm ${check} on this commit; run npx pnpm release --test`));
    const { commit: head } = stateOf(checkout);
    recordPassed(checkout, head, 'lint');
    recordPassed(checkout, 'f'.repeat(40), 'typecheck');
    commit();
    expect(passedChecks(checkout, stateOf(checkout).commit)).toEqual(['lint']);
    expect(problems()).not.toContain('npx pnpm lint on this commit; run npx pnpm release --test');
  });
});

it('what publishes a release are the commands of the documents for its version and commit', () => {
  const commit = 'a'.repeat(40);
  expect(releaseCommands(CHECKOUT, { version: '7.1.0', commit, changes: [] })).toEqual([
    `git tag v7.1.0 ${commit}`,
    `VERSION=7.1.0 REVISION=${commit} \\`,
    '  UGC_IMAGE=registry.example.com/ugc-service docker buildx bake --file docker-bake.hcl --push',
    '',
    'The next commit adds this line to releases.json, from which the tests upgrade:',
    `{"version":"7.1.0","commit":"${commit}"}`,
  ]);
});

it('a document that checks out a release names its commit, which every checkout has, and not a tag', () => {
  const commits = (JSON.parse(read('releases.json')) as Release[]).map(({ commit }) => commit);
  const named = globSync(['*.md', 'docs/**/*.md'], { cwd: CHECKOUT }).flatMap((file) =>
    [...read(file).matchAll(/git (?:checkout|switch|worktree add)\b[^`\n]*?\b(v?\d+\.\d+\.\d+|[0-9a-f]{40}|COMMIT)/g)].map(
      ([, ref]) => ref,
    ),
  );
  expect(named.length).toBeGreaterThan(0);
  // COMMIT is explained beside the command.
  expect(named.filter((ref) => ref !== 'COMMIT' && !commits.includes(String(ref)))).toEqual([]);
});
