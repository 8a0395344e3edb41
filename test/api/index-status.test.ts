import { describe, expect, it } from '@jest/globals';
import { USERS } from '../support/processes/environment.ts';
import { forAllTests } from '../support/jest/for-all-tests.ts';
import { startService } from '../support/processes/service.ts';

const service = forAllTests(() => startService());

const download = (id: number) => service.client.send('POST', `/api/content/${id}/downloads`);

describe('the index status of an item', () => {
  it('is pending, indexed or rejected, and includes the reason only for its creator', async () => {
    const id = await service.client.upload();
    await service.indexed();
    const status = async () => (await service.client.get(`/api/content/${id}/index-status`)).body;
    expect(await status()).toEqual({ contentId: id, revision: 1, status: 'indexed' });
    await download(id);
    expect(await status()).toEqual({ contentId: id, revision: 2, status: 'pending' });
    await service.database.query(
      `update index_outbox set rejected_reason = 'because', job_id = null, claimed_at = null where content_id = $1`,
      [id],
    );
    expect(await status()).toEqual({ contentId: id, revision: 2, status: 'rejected', reason: 'because' });
    const toOthers = await service.client.get(`/api/content/${id}/index-status`, USERS.boris);
    expect(toOthers.body).toEqual({ contentId: id, revision: 2, status: 'rejected' });
  });
});
