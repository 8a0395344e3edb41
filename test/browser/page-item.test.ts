import { describe, expect, it } from '@jest/globals';
import type { Route } from 'playwright-core';
import { describePage, expectAccessible, keepNotes, open, openAsUser, PICTURE, queryOf } from '../support/browser/page-visits.ts';
import { type Visit } from '../support/browser/web-page.ts';
import { webpAnimated } from '../support/database/images.ts';
import { tokenOf } from '../support/http/tokens.ts';
import { until } from '../support/jest/until.ts';
import type { Service } from '../support/processes/service.ts';

const HIDE = `Object.defineProperty(document, 'hidden', { value: true });
document.dispatchEvent(new Event('visibilitychange'));`;

let service: Service;
let baseUrl: string;
let userId: number;
let itemId: number;

describePage(
  'an item on the web page',
  (given) => ({ service, baseUrl, userId, itemId } = given),
  () => {
    it('lets a moderator hide an item with a reason, its creator read both, and the moderator show it again', async () => {
      const name = 'Unwanted lighthouse';
      const id = await service.client.upload({ name, creatorId: userId, data: 'x' }, userId);
      await service.indexed();
      const moderator = await open(`/?item=${id}`, { token: await tokenOf(userId + 1, { scope: 'content:moderate' }) });
      await moderator.dialog.getByRole('button', { name: 'Hide' }).click();
      await moderator.dialog.getByRole('button', { name: 'Hide it' }).click();
      await moderator.dialog.getByRole('alert').filter({ hasText: 'Enter a reason.' }).waitFor();
      await moderator.dialog.getByLabel('Reason').fill('The picture is that of another site.');
      await expectAccessible(moderator);
      await moderator.dialog.getByRole('button', { name: 'Hide it' }).click();
      await moderator.dialog.getByText('The picture is that of another site.').waitFor();
      const creator = await openAsUser();
      await creator.button('pixel_otter').click();
      await creator.page.evaluate('window.isSamePage = true');
      await creator.dialog.getByRole('link', { name: 'Hidden items' }).click();
      await creator.heading.filter({ hasText: '1 hidden item' }).waitFor();
      expect(await creator.page.evaluate('isSamePage')).toBe(true);
      await expectAccessible(creator);
      await creator.card(name).getByRole('link').click();
      await creator.dialog.getByText('The picture is that of another site.').waitFor();
      await expectAccessible(creator);
      expect(await creator.dialog.getByRole('button').allTextContents()).toEqual(['', 'Download', 'Delete']);
      await moderator.dialog.getByRole('button', { name: 'Show' }).click();
      await moderator.dialog.getByRole('button', { name: 'Show it' }).click();
      await moderator.dialog.getByRole('button', { name: 'Hide' }).waitFor();
      expect((await service.client.get(`/api/content/${id}`, userId + 2)).status).toBe(200);
      await service.client.send('DELETE', `/api/content/${id}`, undefined, userId);
      await service.indexed();
    });

    describe('an item', () => {
      it('can be rated by others, who see the rating at once and on their next visit', async () => {
        const id = await service.client.upload({ name: 'To be rated' }, userId + 1);
        const visit = await openAsUser(`/?item=${id}`);
        await visit.dialog.getByText('Not rated').waitFor();
        await visit.dialog.getByRole('button', { name: '4 stars' }).click();
        await visit.dialog.getByText('1 rating').waitFor();
        await expectAccessible(visit);
        expect((await service.client.get(`/api/content/${id}`)).body.avgRating).toBe(4);
        const next = await openAsUser(`/?item=${id}`);
        await next.dialog.locator('[aria-label="4 stars"][aria-pressed=true]').waitFor();
        await next.dialog.getByRole('button', { name: 'Remove' }).click();
        await next.dialog.getByText('Not rated').waitFor();
      });

      it('cannot be rated by its creator, who can remove a rating of earlier times', async () => {
        const id = await service.client.upload({ name: 'Rated by its creator' }, userId);
        const visit = await openAsUser(`/?item=${id}`);
        await visit.dialog.getByText('Not rated').waitFor();
        expect(await visit.dialog.getByRole('group', { name: 'Your rating' }).count()).toBe(0);
        await service.database.query('insert into rating (content_id, user_id, score) values ($1, $2, 5)', [id, userId]);
        await service.database.query('update content set rating_sum = 5, rating_count = 1, revision = revision + 1 where content_id = $1', [
          id,
        ]);
        await visit.page.reload();
        await visit.dialog.getByText('You rated it with 5 stars.').waitFor();
        expect(await visit.dialog.getByRole('button', { name: 'stars' }).count()).toBe(0);
        await expectAccessible(visit);
        await visit.dialog.getByRole('button', { name: 'Remove' }).click();
        await visit.dialog.getByText('Not rated').waitFor();
      });

      it('shows its content as text, its picture large, and of its description lists, bold text, and the pages that it names as links', async () => {
        const { mimeType, buffer } = PICTURE;
        const id = await service.client.upload(
          {
            name: 'With a content',
            description: 'See https://example.org/a_(b), not javascript:alert(1)\n\n- **Bold** <i>text</i>\n- [b](https://example.org/b)',
            data: '<b>x</b>\n'.repeat(4_000),
            thumbnail: `data:${mimeType};base64,${buffer.toString('base64')}`,
          },
          userId,
        );
        const visit = await openAsUser(`/?item=${id}`);
        const link = visit.dialog.getByRole('link', { name: 'https://example.org/a_(b)' });
        expect(await link.getAttribute('rel')).toBe('noopener noreferrer nofollow');
        await visit.dialog.locator('.item-description li > strong', { hasText: /^Bold$/ }).waitFor();
        expect(await visit.dialog.locator('.item-description a').count()).toBe(2);
        await visit.dialog.getByText(' <i>text</i>').waitFor();
        expect(await visit.dialog.locator('pre').count()).toBe(0);
        await visit.dialog.getByText('36 kB').click();
        await visit.dialog.locator('pre', { hasText: '<b>x</b>' }).waitFor();
        await visit.dialog.getByText('These are the first 20,000 characters. The download has all of them.').waitFor();
        await expectAccessible(visit);
        await visit.button('Show the picture large').click();
        await visit.page.getByAltText('The picture of With a content').waitFor();
        await expectAccessible(visit);
        await visit.page.keyboard.press('Escape');
        await visit.page.getByAltText('The picture of With a content').waitFor({ state: 'detached' });
        await visit.page.locator('[aria-label="Show the picture large"]:focus').waitFor();
      });

      it.each([
        ['the facts', { createdAt: 'no time' }],
        ['the description', { description: 7 }],
        ['the tags', { tags: 7 }],
        ['the content', { data: 7 }],
      ])('keeps its buttons and its other parts when %s cannot be shown', async (_, broken) => {
        const visit = await openAsUser();
        await visit.page.route(`**/api/content/${itemId}?*`, async (route) => {
          const response = await route.fetch();
          await route.fulfill({ response, json: { ...(await response.json()), ...broken } });
        });
        await visit.card('Lighthouse at dusk').getByRole('link').click();
        await visit.button('Delete').waitFor();
        if ('data' in broken) await visit.dialog.getByText('Content').click();
        await visit.dialog.getByText('This part cannot be shown.').waitFor();
        await visit.dialog.getByRole('heading', { name: 'Similar items' }).waitFor();
        await expectAccessible(visit);
        await visit.button('Delete').click();
        await visit.button('Keep it').waitFor();
        expect(visit.watched.errors.splice(0)).toHaveLength(1);
      });

      it('that cannot be shown in the list keeps no other item from being shown', async () => {
        const visit = await openAsUser('/?prompt=lighthouse');
        const cards = await visit.page.locator('.card').count();
        await visit.page.route('**/api/content?*', async (route) => {
          const response = await route.fetch();
          const page = await response.json();
          await route.fulfill({ response, json: { ...page, content: [{ ...page.content[0], tags: 7 }, ...page.content.slice(1)] } });
        });
        await visit.page.reload();
        await visit.page.locator('.card', { hasText: 'This part cannot be shown.' }).waitFor();
        expect(await visit.page.locator('.card a').count()).toBe(cards - 1);
        await expectAccessible(visit);
        expect(visit.watched.errors.splice(0)).toHaveLength(1);
      });

      it('has a link to itself alone, which can be copied', async () => {
        const visit = await openAsUser(`/?prompt=lighthouse&item=${itemId}`);
        await visit.page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
        await visit.button('Copy link').click();
        await visit.dialog.getByText('The link is copied.').waitFor();
        expect(await visit.page.evaluate('navigator.clipboard.readText()')).toBe(`${baseUrl}/?item=${itemId}`);
      });

      it('leads to the items before and after it in the list, by buttons and arrow keys, and closing it to the list', async () => {
        const visit = await openAsUser('/?sort=name,asc');
        const names = await visit.page.locator('.card h3').allTextContents();
        const shows = (name: string | undefined) => visit.dialog.getByRole('heading', { name, exact: true, level: 2 }).waitFor();
        await visit.page.locator('.card a').nth(22).click();
        await shows(names[22]);
        expect(await visit.dialog.getByRole('button', { name: 'Previous item' }).count()).toBe(1);
        await visit.dialog.getByRole('button', { name: 'Next item' }).click();
        await shows(names[23]);
        await visit.page.keyboard.press('ArrowRight');
        await visit.page.waitForURL(/page=1/);
        await visit.dialog.getByText(/version \d/).waitFor();
        await visit.page.locator('.results[aria-busy=false]').waitFor();
        await visit.page.keyboard.press('ArrowLeft');
        await shows(names[23]);
        await expectAccessible(visit);
        await visit.page.keyboard.press('Escape');
        await visit.dialog.waitFor({ state: 'detached' });
        expect(queryOf(visit)).toBe('?sort=name%2Casc');
      });

      /** Asks for the item on the next page, closes the item before it is answered, and opens another one afterwards. */
      async function leaveBeforeAnswer({ page, dialog }: Visit, answer: (route: Route) => Promise<void>): Promise<void> {
        const { promise: isReleased, resolve: release } = Promise.withResolvers<void>();
        await page.route(/api\/content\?.*page=1/, async (route) => {
          await isReleased;
          await answer(route);
        });
        await page.locator('.card a').last().click();
        const asked = page.waitForRequest(/api\/content\?.*page=1/);
        await dialog.getByRole('button', { name: 'Next item' }).click();
        await asked;
        await dialog.getByRole('button', { name: 'Close' }).click();
        await dialog.waitFor({ state: 'detached' });
        const late = page.waitForResponse(/api\/content\?.*page=1/);
        release();
        await (await late).finished();
        await page.locator('.card a').first().click();
        await dialog.getByText(/version \d/).waitFor();
      }

      it('on the next page is not opened any more once one has closed the item before it, and its failure is not told', async () => {
        const visit = await openAsUser('/?sort=name,asc');
        await leaveBeforeAnswer(visit, (route) => route.continue());
        expect(queryOf(visit)).not.toContain('page=1');
        await visit.dialog.getByRole('button', { name: 'Close' }).click();
        await leaveBeforeAnswer(visit, (route) => route.fulfill({ status: 500, body: '' }));
        expect(await visit.page.getByText('The service responded with 500.').count()).toBe(0);
      });

      it('has room as on a page, leads to more of its creator, and is closed by a click that begins and ends beside it', async () => {
        const visit = await openAsUser('/?prompt=lighthouse', { viewport: { width: 1440, height: 900 } });
        await visit.card('Lighthouse at dusk').getByRole('link').click();
        const more = visit.dialog.getByRole('region', { name: 'More by pixel_otter' });
        const name = (await more.getByRole('link').nth(1).textContent()) ?? '';
        const picture = await visit.button('Show the picture large').boundingBox();
        const text = await visit.dialog.locator('.item-text').boundingBox();
        expect((picture?.width ?? 0) / (picture?.height ?? 1)).toBeCloseTo(1.5, 1);
        expect((picture?.x ?? 0) + (picture?.width ?? 0)).toBeLessThan(text?.x ?? 0);
        await more.getByRole('link').nth(1).click();
        const title = visit.dialog.getByRole('heading', { name, exact: true });
        await title.waitFor();
        await visit.dialog.getByText(/version \d/).waitFor();
        await title.hover();
        await visit.page.mouse.down();
        await visit.page.mouse.move(10, 450);
        await visit.page.mouse.up();
        await title.waitFor();
        await visit.page.mouse.click(10, 450);
        await visit.dialog.waitFor({ state: 'detached' });
        expect(queryOf(visit)).toBe('?prompt=lighthouse');
      });

      it('leads to its creator, of whom the list says what there is together, the newest items first', async () => {
        const visit = await openAsUser(`/?item=${itemId}`);
        const { body } = await service.client.get(`/api/users/${userId}`);
        await visit.dialog.getByRole('link', { name: 'pixel_otter', exact: true }).click();
        const head = visit.page.locator('.creator');
        await head.getByText(`${body.itemsCount} items`).waitFor();
        await head.getByText(`${body.downloadsCount.toLocaleString('en')} downloads`).waitFor();
        await head.getByText('here since').waitFor();
        expect(new URLSearchParams(queryOf(visit)).get('sort')).toBe('createdAt,desc');
        await expectAccessible(visit);
        await visit.page.goto(`${baseUrl}/?creatorId=99999`);
        await visit.heading.filter({ hasText: '0 items' }).waitFor();
        expect(await head.locator('.creator-name').count()).toBe(0);
      });

      it('leads to similar items, from which closing returns to the list', async () => {
        const visit = await openAsUser('/?prompt=lighthouse');
        await visit.card('Lighthouse at dusk').getByRole('link').click();
        const similar = visit.dialog.getByRole('region', { name: 'Similar items' }).getByRole('link').first();
        const name = (await similar.textContent()) ?? '';
        await expectAccessible(visit);
        await similar.click();
        await visit.dialog.getByRole('heading', { name, exact: true }).waitFor();
        await visit.dialog.getByRole('button', { name: 'Close' }).click();
        await visit.dialog.waitFor({ state: 'detached' });
        expect(new URL(visit.page.url()).search).toBe('?prompt=lighthouse');
      });

      it('that somebody else has edited meanwhile is merged with the own text, which is kept', async () => {
        const id = await service.client.upload({ name: 'Old name', description: 'Old text', tags: ['old'] }, userId);
        const visit = await openAsUser(`/?item=${id}&form=edit`);
        await visit.dialog.getByLabel('Name').fill('My name');
        await service.client.send('PATCH', `/api/content/${id}`, { name: 'Their name', description: 'Their text' }, userId);
        await visit.dialog.getByRole('button', { name: 'Save' }).click();
        await visit.dialog.getByText('changed by somebody else').waitFor();
        expect(await visit.dialog.getByLabel('Name').inputValue()).toBe('My name');
        await expectAccessible(visit);
        await visit.dialog.getByRole('button', { name: 'Look again' }).click();
        await visit.dialog.getByText('Name of the other person: Their name').waitFor();
        expect(await visit.dialog.getByLabel('Description').inputValue()).toBe('Their text');
        await expectAccessible(visit);
        await visit.dialog.getByRole('button', { name: 'Save' }).click();
        await visit.dialog.getByRole('heading', { name: 'My name' }).waitFor();
        expect((await service.client.get(`/api/content/${id}?include=tags`)).body).toMatchObject({
          name: 'My name',
          description: 'Their text',
          tags: ['old'],
        });
      });

      it.each(['open', 'closed'])(
        'that is edited while an edit of it is saved: what was typed since is the next edit, in a form that is %s',
        async (form) => {
          const id = await service.client.upload({ name: 'Before', description: 'Before', tags: ['a'] }, userId);
          const visit = await openAsUser(`/?item=${id}&form=edit`);
          const { promise: isReleased, resolve: release } = Promise.withResolvers<void>();
          const path = `**/api/content/${id}`;
          await visit.page.route(path, async (route, request) => {
            if (request.method() === 'PATCH') await isReleased;
            await route.continue();
          });
          await visit.dialog.getByLabel('Name').fill('After');
          await visit.dialog.getByLabel('Description').fill('After');
          const sent = visit.page.waitForRequest((request) => request.method() === 'PATCH');
          await visit.dialog.getByRole('button', { name: 'Save' }).click();
          await sent;
          await visit.dialog.getByLabel('Description').fill('Before');
          if (form === 'closed') await visit.button('Close').click();
          release();
          await visit.page.getByText('“After” was changed.').first().waitFor();
          if (form === 'closed') await visit.page.goto(`${baseUrl}/?item=${id}&form=edit`);
          await visit.dialog.getByRole('button', { name: 'Save' }).click();
          await visit.dialog.getByRole('heading', { name: 'After' }).waitFor();
          expect((await service.client.get(path.slice(2) + '?include=tags')).body).toMatchObject({
            name: 'After',
            description: 'Before',
            tags: ['a'],
          });
        },
      );

      describe('that is deleted', () => {
        const deleteItem = async (name: string) => {
          const id = await service.client.upload({ name }, userId);
          await service.indexed();
          const visit = await openAsUser(`/?prompt=${encodeURIComponent(`"${name}"`)}`);
          const endNote = await keepNotes(visit);
          await visit.card(name).getByRole('link').click();
          await visit.dialog.getByRole('button', { name: 'Delete' }).click();
          await expectAccessible(visit);
          await visit.dialog.getByRole('button', { name: 'Delete it' }).click();
          await visit.card(name).waitFor({ state: 'detached' });
          await visit.page.getByText(`“${name}” was deleted.`).waitFor();
          return { visit, id, endNote, status: async () => (await service.client.get(`/api/content/${id}`)).status };
        };

        it('comes back with Undo, beside which the keyboard is, while the note stands', async () => {
          const { visit, status, endNote } = await deleteItem('Deleted by mistake');
          await expectAccessible(visit);
          await visit.page.locator('.results-head h2:focus').waitFor();
          await visit.page.keyboard.press('Shift+Tab');
          await visit.page.keyboard.press('Enter');
          await visit.card('Deleted by mistake').waitFor();
          await endNote();
          expect(await status()).toBe(200);
        });

        it('is deleted when the note is over', async () => {
          const { visit, status, endNote } = await deleteItem('Deleted after a while');
          expect(await status()).toBe(200);
          await endNote();
          await until('it is deleted', async () => (await status()) === 404);
          await visit.page.getByText('was deleted').waitFor({ state: 'detached' });
        });

        it('is deleted when the page is left', async () => {
          const { visit, status } = await deleteItem('Deleted by leaving');
          await visit.page.goto('about:blank');
          await until('it is deleted', async () => (await status()) === 404);
        });

        it('is deleted when the page is hidden, since a phone may end it then', async () => {
          const { visit, status } = await deleteItem('Deleted by hiding');
          await visit.page.evaluate(HIDE);
          await until('it is deleted', async () => (await status()) === 404);
          expect(await visit.button('Undo').count()).toBe(0);
        });

        it('is shown again with the reason if somebody has changed it', async () => {
          const { visit, id, status, endNote } = await deleteItem('Deleted too late');
          await service.client.send('PATCH', `/api/content/${id}`, { description: 'changed' }, userId);
          await endNote();
          await visit.page.getByText('“Deleted too late” was not deleted. Somebody changed it since you opened it.').waitFor();
          await visit.card('Deleted too late').waitFor();
          expect(await status()).toBe(200);
        });
      });

      it('of another user cannot be deleted', async () => {
        const id = await service.client.upload({ name: 'Not to be deleted' }, userId);
        const visit = await open(`/?item=${id}`, { token: await tokenOf(userId + 1) });
        await visit.dialog.getByText('version 1').waitFor();
        expect(await visit.dialog.getByRole('button', { name: 'Delete' }).count()).toBe(0);
      });

      it('is downloaded with the name of its file, or with its own, which counts once a visit', async () => {
        const download = async ({ page, dialog }: Visit): Promise<string> => {
          const downloading = page.waitForEvent('download');
          await dialog.getByRole('button', { name: 'Download' }).click();
          return (await downloading).suggestedFilename();
        };
        const id = await service.client.upload({ name: 'To be downloaded', data: 'its content' }, userId);
        const visit = await openAsUser(`/?item=${id}`);
        expect(await download(visit)).toBe('To be downloaded.txt');
        await visit.dialog.getByText('1 download').waitFor();
        await service.client.send('PATCH', `/api/content/${id}`, { fileName: 'notes.json' }, userId);
        await visit.page.reload();
        expect(await download(visit)).toBe('notes.json');
        const other = await openAsUser(`/?item=${id}`);
        expect(await download(other)).toBe('notes.json');
        await other.dialog.getByText('2 downloads').waitFor();
        await other.page.goto(`${baseUrl}/?item=${id}#token=${await tokenOf(userId + 1)}`);
        await other.button('Become the other user').click();
        await other.dialog.getByText('2 downloads').waitFor();
        expect(await download(other)).toBe('notes.json');
        await other.dialog.getByText('3 downloads').waitFor();
        await other.page.reload();
        expect(await download(other)).toBe('notes.json');
        await other.page.goto(`${baseUrl}/?item=${id}#token=${await tokenOf(userId)}`);
        await other.button('Become the other user').click();
        await other.dialog.getByText('3 downloads').waitFor();
        expect(await download(other)).toBe('notes.json');
        expect((await service.client.get(`/api/content/${id}`)).body.downloadsCount).toBe(3);
      });

      it('opens in the form of its edit for those alone who may edit it; for others, as it is', async () => {
        const path = `/?item=${itemId}&form=edit`;
        const reader = await open(path, { token: await tokenOf(userId + 1) });
        await reader.dialog.getByText(/version \d/).waitFor();
        expect(queryOf(reader)).not.toContain('form');
        const helper = await open(path, { token: await tokenOf(userId + 1, { scope: 'content:write:any' }) });
        await helper.dialog.getByRole('button', { name: 'Save' }).waitFor();
        const creator = await open(path, { token: await tokenOf(userId) });
        await creator.dialog.getByRole('button', { name: 'Save' }).waitFor();
        expect(queryOf(creator)).toContain('form=edit');
      });

      it('that is a draft of a moderator offers no hiding, which drafts do not have', async () => {
        const id = await service.client.upload({ name: 'Draft of a moderator', visibility: 'draft' }, userId + 1);
        const visit = await open(`/?item=${id}`, { token: await tokenOf(userId + 1, { scope: 'content:moderate' }) });
        await visit.button('Delete').waitFor();
        expect(await visit.button('Hide').count()).toBe(0);
      });

      it('keeps the rating of the last click, however fast the clicks follow each other', async () => {
        const id = await service.client.upload({ name: 'Rated in a hurry' }, userId + 1);
        const visit = await openAsUser(`/?item=${id}`);
        const { promise: isReleased, resolve: release } = Promise.withResolvers<void>();
        const sent: number[] = [];
        await visit.page.route('**/rating', async (route, request) => {
          if (request.method() !== 'PUT') return route.fallback();
          sent.push((request.postDataJSON() as { score: number }).score);
          if (sent.length === 1) await isReleased;
          await route.continue();
        });
        for (const stars of [2, 3, 5]) {
          await visit.dialog.getByRole('button', { name: `${stars} stars` }).click();
          await until('the first rating is sent', () => sent.length > 0);
        }
        await visit.dialog.locator('[aria-label="5 stars"][aria-pressed=true]').waitFor();
        release();
        await visit.dialog.getByText('1 rating').waitFor();
        expect(sent).toEqual([2, 5]);
        expect((await service.client.get(`/api/content/${id}/rating`, userId)).body.score).toBe(5);
      });
    });

    it('shows a small drawing of the first frame of each picture, two at a time, whatever the pictures cost', async () => {
      const thumbnail = webpAnimated({ frames: 500, side: 4_096 }).toString('base64');
      const names = Array.from({ length: 24 }, (_, position) => `Costly ${position}`);
      const ids = await Promise.all(names.map((name) => service.client.upload({ name, tags: ['costly'], thumbnail }, userId)));
      await service.indexed();
      const visit = await openAsUser();
      await visit.page.addInitScript(`(() => {
      const decode = createImageBitmap;
      let now = 0;
      window.mostAtOnce = 0;
      window.createImageBitmap = async (...given) => {
        window.mostAtOnce = Math.max(window.mostAtOnce, (now += 1));
        try { return await decode(...given); } finally { now -= 1; }
      };
    })()`);
      await visit.page.goto(`${baseUrl}/?tags=costly`);
      await visit.heading.filter({ hasText: '24 items' }).waitFor();
      const card = visit.page.locator('.card:not(.card-skeleton)');
      for (let position = 0; position < 24; position += 1) {
        await card.nth(position).scrollIntoViewIfNeeded();
        await card.nth(position).locator('img').waitFor();
      }
      const widths = await visit.page.evaluate<number[]>(
        `[...document.querySelectorAll('.card img')].map(({ naturalWidth }) => naturalWidth)`,
      );
      expect([await visit.page.evaluate('mostAtOnce'), widths]).toEqual([2, widths.map(() => 480)]);
      for (const id of ids) await service.client.send('DELETE', `/api/content/${id}`, undefined, userId);
      await service.indexed();
    });
  },
);
