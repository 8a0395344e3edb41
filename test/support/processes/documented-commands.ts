import { CHECKOUT } from '@ugc/local-stack/service-process';
import { execFile, type ExecFileOptions } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { COMPILE_CACHE, type Environment } from './environment.ts';
import { until } from '../jest/until.ts';
import type { Result } from './command.ts';

/** The fenced commands of a document of the repository, each with the heading that it stands under. */
export function documentedCommands(path: string): { heading: string; block: string }[] {
  const lines = readFileSync(join(CHECKOUT, path), 'utf8').split('\n');
  const found: { heading: string; block: string }[] = [];
  let [heading, block]: [string, string[] | undefined] = ['', undefined];
  for (const line of lines) {
    if (block) {
      if (line.trim() !== '```') block.push(line);
      else block = void found.push({ heading, block: block.join('\n') });
    } else if (line.trim() === '```sh') block = [];
    else heading = /^#+ (.*)/.exec(line)?.[1] ?? heading;
  }
  return found;
}

/** The commands that a list of steps names between backquotes, such as those of an upgrade. @param intro the text that the list follows */
export function documentedSteps(path: string, intro: string): string[] {
  const text = readFileSync(join(CHECKOUT, path), 'utf8');
  const steps = text.slice(text.indexOf(intro)).split('\n\n')[1] ?? '';
  return [...steps.matchAll(/`((?:npx|node) [^`]+)`/g)].map(([, command = '']) => command);
}

/** Runs a command of the documents, as it is, in a checkout that is installed. */
export function runIn(checkout: string, command: string, env: Environment): Promise<Result> {
  const PATH = [dirname(process.execPath), env['PATH'] ?? process.env['PATH']].join(':');
  return runScript(command, { cwd: checkout, env: { HOME: process.env['HOME'], ...COMPILE_CACHE, ...env, PATH } });
}

/**
 * Sends the requests of a document, commands of a shell with curl and the address localhost:3000, to a service.
 * @returns what they print @throws if the service refuses one
 */
export async function runRequests(requests: string, baseUrl: string, variables: Record<string, string>): Promise<string> {
  const script = `set -e\ncurl() { command curl --fail-with-body "$@"; }\n${requests.replaceAll('localhost:3000', new URL(baseUrl).host)}`;
  const { code, stdout, stderr } = await runScript(script, { env: { ...process.env, ...variables } });
  if (code !== 0) throw new Error(`exit code ${code} of ${requests}\n${stdout}${stderr}`);
  return stdout;
}

/** `onStop` is called by `docker compose stop`, which ends after it. */
type RunOptions = { env: Environment; onStop?: () => Promise<void> };

/**
 * Runs commands of the documents in a folder. Docker Compose, kubectl and `npx pnpm` are replaced by programs that run the
 * same command on this machine: those of PostgreSQL with the variables PG… of `env`, those of the service with its
 * DATABASE_URL. In place of the pod for commands, with its volume at /files, there is a folder `files`.
 * @param path begins with the folder of the programs of PostgreSQL
 */
export async function commandsIn(folder: string, path: string): Promise<(block: string, options: RunOptions) => Promise<Result>> {
  const bin = join(folder, 'bin');
  await mkdir(bin);
  await writeProgram(join(bin, 'docker'), DOCKER);
  await writeProgram(join(bin, 'kubectl'), KUBECTL);
  await writeProgram(
    join(bin, 'npx'),
    `while [ "$1" = pnpm ] || [ "$1" = -s ] || [ "$1" = run ]; do shift; done; name=$1; shift; exec node ${CHECKOUT}services/api/src/commands/$name.ts "$@"`,
  );
  const PATH = [bin, dirname(process.execPath), path].join(':');
  return async (block, { env, onStop }) => {
    const stop = join(folder, `stop-${Date.now()}`);
    const options = { cwd: folder, env: { ...COMPILE_CACHE, ...env, PATH, CHECKOUT, STOP: stop } };
    let hasEnded = false;
    const run = runScript(block, options).finally(() => void (hasEnded = true));
    await until('the services are stopped, or the command ends', () => hasEnded || existsSync(stop));
    if (existsSync(stop)) {
      await onStop?.();
      await writeFile(`${stop}ped`, '');
    }
    return run;
  };
}

function runScript(script: string, options: ExecFileOptions): Promise<Result> {
  return new Promise((resolve) => {
    const child = execFile('sh', ['-c', script], options, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code ?? -1), stdout: String(stdout), stderr: String(stderr), json: [] });
    });
    child.stdin?.end();
  });
}

/** Between a program in a container and a file of this machine are pipes: pg_dump writes other bytes into a pipe. */
const DOCKER = `case "$*" in
  'compose exec -T postgres '*) shift 4; cat | { "$@"; echo $? > "$STOP.code"; } | cat; exit "$(cat "$STOP.code")";;
  'compose run --rm migrate '*) shift 4; cd "$CHECKOUT"; exec "$@";;
  'compose stop api indexer') touch "$STOP"; while [ ! -e "\${STOP}ped" ]; do sleep 0.02; done;;
  *) echo "unknown: docker $*" >&2; exit 64;;
esac`;

const KUBECTL = `files=$PWD/files
here() { printf %s "$1" | sed "s#/files/#$files/#g"; }
[ "$1 $2" = '--namespace ugc' ] && shift 2
[ -d "$files" ] || case "$1" in create) ;; *) echo 'there is no pod' >&2; exit 1;; esac
case "$*" in
  'create job ugc-commands --from=cronjob/ugc-commands') mkdir "$files";;
  "wait --for=jsonpath={.status.ready}=1 job/ugc-commands "*) ;;
  'get pod --selector job-name=ugc-commands '*) printf pod;;
  'cp '*) shift; [ "$1" = --retries=10 ] && shift; cp "$(here "\${1#pod:}")" "$(here "\${2#pod:}")";;
  'exec pod -- '*|'exec job/ugc-commands -- '*)
    shift 3; [ "$1 $2" = 'sh -c' ] && shift 2; cd "$CHECKOUT"; exec sh -c "$(here "$*")";;
  'delete job ugc-commands') rm -r "$files";;
  *) echo "unknown: kubectl $*" >&2; exit 64;;
esac`;

async function writeProgram(path: string, script: string): Promise<void> {
  await writeFile(path, `#!/bin/sh\n${script}\n`);
  await chmod(path, 0o755);
}
