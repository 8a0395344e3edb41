import { afterAll, expect, it } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startCluster, type Cluster } from '../../support/cluster/cluster.ts';
import { expectNothingLost } from '../../support/cluster/oracle.ts';
import { Uploads } from '../../support/cluster/uploads.ts';

const disk = mkdtempSync(join(tmpdir(), 'small-disk-'));
const mounted = mount();
let cluster: Cluster | undefined;
afterAll(async () => {
  await cluster?.stop();
  if (mounted) execFileSync('umount', [disk]);
  rmSync(disk, { recursive: true });
});

(mounted ? it : it.skip)(
  'uploads fail completely while the disk of PostgreSQL is full, and succeed again once there is free space',
  async () => {
    const uploads = new Uploads();
    cluster = await startCluster({ postgres: { dataDir: join(disk, 'postgres') } });
    await uploads.sendMany(cluster.client, 'free space', 20);
    const filler = join(disk, 'filler');
    const { bavail, bsize } = await statfs(disk);
    execFileSync('fallocate', ['-l', String(bavail * bsize), filler]);
    for (let n = 0; n < 5_000 && uploads.notStored.length < 20; n++) await uploads.send(cluster.client, `full ${n}`);
    expect(uploads.notStored.length).toBeGreaterThanOrEqual(20);
    // Without space for its write-ahead log it is down, else it can be read.
    const { stores } = (await cluster.client.get('/health/ready')).body;
    expect(['down', 'refuses']).toContain(stores.postgres);
    rmSync(filler);
    // Without space for its write-ahead log PostgreSQL shuts down.
    await cluster.postgres?.start();
    await uploads.sendUntil(cluster.client, 201, 'free space again');
    expect(uploads.statusesBut(201, 503)).toEqual([]);
    await expectNothingLost(cluster, uploads);
  },
);

/** Mounts a small file system. @returns false if this account may not mount */
function mount(): boolean {
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=150m,mode=755', 'tmpfs', disk], { stdio: 'pipe' });
    return true;
  } catch (error) {
    process.stderr.write(`The test of a full disk is skipped: ${(error as Error).message.trim()}\n`);
    return false;
  }
}
