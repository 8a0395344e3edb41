import { describe, expect, it } from '@jest/globals';
import { describePage, expectAccessible, keepNotes, openAsUser, PICTURE, queryOf } from '../support/browser/page-visits.ts';
import { type Visit } from '../support/browser/web-page.ts';
import { gif, gifExtension } from '../support/database/images.ts';
import { tokenOf } from '../support/http/tokens.ts';
import { until } from '../support/jest/until.ts';
import type { Service } from '../support/processes/service.ts';

/** A BMP of one red pixel. */
const BMP = Buffer.from('424d3a0000000000000036000000280000000100000001000000010018000000000004000000000000000000000000000000000000000000ff00', 'hex'); // prettier-ignore
const COMMENTS = Array.from({ length: 10 }, () => 'x'.repeat(255));
const DRAW = `({ side, type, clear }) => new Promise((resolve) => {
  const canvas = Object.assign(document.createElement('canvas'), { width: side, height: side });
  const context = canvas.getContext('2d');
  const image = context.createImageData(side, side);
  for (let at = 0; at < image.data.length; at += 65536) crypto.getRandomValues(image.data.subarray(at, at + 65536));
  for (let at = 3; at < image.data.length; at += 4) image.data[at] = clear && at < image.data.length / 2 ? 0 : 255;
  context.putImageData(image, 0, 0);
  resolve(canvas.toDataURL(type).split(',')[1]);
})`;

let service: Service;
let baseUrl: string;
let userId: number;

describePage(
  'the forms of the web page',
  (given) => ({ service, baseUrl, userId } = given),
  () => {
    describe('an upload', () => {
      it('with a picture is in the list when its form closes', async () => {
        const visit = await openAsUser('/?prompt=lighthouse');
        await keepNotes(visit);
        await visit.button('Upload').click();
        await visit.dialog.getByLabel('Name').fill('Tide pools at noon');
        await visit.dialog.getByLabel('Picture').setInputFiles(PICTURE);
        await visit.dialog.getByAltText('The picture as it will be shown').waitFor();
        await visit.dialog.getByLabel('Tags').fill('tide, pools,');
        await expectAccessible(visit);
        await visit.dialog.getByRole('button', { name: 'Upload' }).click();
        await visit.dialog.waitFor({ state: 'detached' });
        await visit.card('Tide pools at noon').locator('img').waitFor();
        expect(await visit.page.locator('.card').first().locator('.tag').allTextContents()).toEqual(['tide', 'pools']);
        await visit.page.getByText('“Tide pools at noon” is in the list.').waitFor();
        await expectAccessible(visit);
        await visit.page.getByRole('link', { name: 'Show it' }).click();
        await visit.dialog.getByRole('heading', { name: 'Tide pools at noon' }).waitFor();
      });

      it('takes its content from a text file, chosen or dropped, and says what is wrong with another file', async () => {
        const visit = await openAsUser('/?form=upload');
        const content = visit.dialog.getByLabel('Content');
        const file = visit.dialog.getByLabel('Text file');
        const choose = (name: string, buffer: Buffer) => file.setInputFiles({ name, mimeType: 'text/plain', buffer });
        await content.fill('typed');
        await visit.dialog.getByText('a text file in UTF-8 with at most 262,144 characters').waitFor();
        for (const [bytes, reason] of [
          [Buffer.from('Zoë', 'latin1'), 'is a text file in another encoding than UTF-8'],
          [Buffer.from([0, 1, 2]), 'is not a text file.'],
        ] as const) {
          await choose('other.bin', bytes);
          await visit.dialog
            .getByRole('alert')
            .filter({ hasText: `“other.bin” ${reason}` })
            .waitFor();
          await choose('long.txt', Buffer.from('ü'.repeat(262_145)));
          const tooLarge = '“long.txt” is too large: the content may have at most 262,144 characters.';
          await visit.dialog.getByRole('alert').filter({ hasText: tooLarge }).waitFor();
        }
        expect(await content.inputValue()).toBe('typed');
        await expectAccessible(visit);
        await choose('longest.txt', Buffer.from('🦦'.repeat(262_144)));
        await until('the content is that of the file', async () => (await content.inputValue()) === '🦦'.repeat(262_144));
        expect(await visit.dialog.getByRole('alert').filter({ hasText: /./ }).count()).toBe(0);
        const dropped = await visit.page.evaluateHandle(`(() => {
        const transfer = new DataTransfer();
        transfer.items.add(new File(['Zoë 🦦'], 'dropped.txt'));
        return transfer;
      })()`);
        await content.dispatchEvent('drop', { dataTransfer: dropped });
        await until('the content is that of the dropped file', async () => (await content.inputValue()) === 'Zoë 🦦');
        await visit.dialog.getByText('Downloads are called dropped.txt.').waitFor();
        await visit.dialog.getByLabel('Name').fill('From a file');
        await visit.dialog.getByRole('button', { name: 'Upload' }).click();
        await visit.card('From a file').waitFor();
        const [stored] = (await service.client.list({ prompt: '"From a file"', include: 'fileName' })).body.content;
        expect(stored).toMatchObject({ data: 'Zoë 🦦', fileName: 'dropped.txt' });
      });

      it('that is not valid shows each error at its field and loses nothing', async () => {
        const visit = await openAsUser('/?form=upload');
        await visit.dialog.getByLabel('Description').fill('A description');
        await visit.dialog.getByLabel('Version', { exact: true }).fill('many');
        await visit.dialog.getByRole('button', { name: 'Upload' }).click();
        const name = visit.dialog.getByLabel('Name');
        await visit.dialog.locator('[aria-invalid=true]').first().waitFor();
        await visit.dialog.locator(`[id="${await name.getAttribute('aria-describedby')}"]`, { hasText: 'Enter a name.' }).waitFor();
        await visit.dialog.locator(`[id="${await name.getAttribute('id')}"]:focus`).waitFor();
        expect(await visit.dialog.locator('.field:has([aria-invalid=true]) > label').allTextContents()).toEqual(['Name', 'Version']);
        expect(await visit.dialog.getByLabel('Description').inputValue()).toBe('A description');
        await expectAccessible(visit);
        await name.fill('A name');
        expect(await visit.dialog.locator('[aria-invalid=true]').count()).toBe(1);
        await visit.dialog.getByLabel('Version', { exact: true }).fill('2');
        await visit.dialog.getByText('Some fields are not right yet.').waitFor({ state: 'detached' });
      });

      it('that is closed or loaded again keeps what was typed, and says so, until it is cancelled', async () => {
        const visit = await openAsUser('/?form=upload');
        await visit.dialog.getByLabel('Name').fill('A draft');
        await visit.dialog.getByLabel('Picture').setInputFiles(PICTURE);
        await visit.dialog.getByAltText('The picture as it will be shown').waitFor();
        await visit.page.keyboard.press('Escape');
        await visit.page.getByText('Your draft is kept.').waitFor();
        await expectAccessible(visit);
        await visit.button('Upload').click();
        await visit.dialog.getByText('Your draft is kept.').first().waitFor();
        await visit.page.reload();
        await visit.dialog.getByText('“Cancel” discards it.').waitFor();
        await visit.dialog.getByAltText('The picture as it will be shown').waitFor();
        expect(await visit.dialog.getByLabel('Name').inputValue()).toBe('A draft');
        expect(await visit.page.evaluate('sessionStorage.drafts')).not.toContain(await visit.page.evaluate<string>('sessionStorage.token'));
        await visit.dialog.getByRole('button', { name: 'Cancel' }).click();
        await visit.button('Upload').click();
        expect(await visit.dialog.getByLabel('Name').inputValue()).toBe('');
        await visit.dialog.getByRole('button', { name: 'Close' }).click();
        expect(await visit.page.getByText('Your draft is kept.').count()).toBe(0);
      });

      it('that the page of 1.0.0 has kept, or has left unanswered, is sent', async () => {
        const visit = await openAsUser('/?form=upload');
        await visit.page.addInitScript(
          'if (sessionStorage.older) sessionStorage.drafts = sessionStorage.older; delete sessionStorage.older;',
        );
        const texts = { description: 'Kept', tags: [], data: '', fileName: '', version: '1' };
        for (const [name, sentAtMs] of [['Kept by 1.0.0'], ['Left by 1.0.0', Date.now()]] as const) {
          await visit.dialog.getByLabel('Name').fill('typed');
          await visit.page.evaluate("dispatchEvent(new Event('pagehide'))");
          const { account } = JSON.parse(await visit.page.evaluate<string>('sessionStorage.drafts')) as { account: string };
          const upload = { draft: { ...texts, name }, key: `older-${sentAtMs ?? 0}`, sentAtMs };
          await visit.page.evaluate(`sessionStorage.older = ${JSON.stringify(JSON.stringify({ account, drafts: { upload } }))}`);
          await visit.page.reload();
          if (sentAtMs === undefined) await visit.dialog.getByRole('button', { name: 'Upload' }).click();
          await visit.card(name).waitFor();
          await visit.button('Upload').click();
        }
      });

      it('whose form is closed or changed while it is sent keeps what was typed since, and leaves the page as it is', async () => {
        const visit = await openAsUser('/?form=upload');
        const { promise: isReleased, resolve: release } = Promise.withResolvers<void>();
        await visit.page.route('**/content', async (route) => {
          await isReleased;
          const response = await route.fetch();
          // As of an item that is indexed, and not in lists before the next refresh.
          const { 'preference-applied': _, ...headers } = response.headers();
          await route.fulfill({ response, headers });
        });
        await visit.dialog.getByLabel('Name').fill('Sent at once');
        await visit.dialog.getByLabel('Description').fill('A description');
        await visit.dialog.getByLabel('Content').first().fill('Some content');
        const sent = visit.page.waitForRequest((request) => request.method() === 'POST');
        await visit.dialog.getByRole('button', { name: 'Upload' }).click();
        await sent;
        await visit.dialog.getByLabel('Name').fill('Typed meanwhile');
        await visit.dialog.getByRole('button', { name: 'Close' }).click();
        const left = queryOf(visit);
        release();
        await visit.page.getByText('“Sent at once” is stored. It will be in the list soon.').waitFor();
        expect(queryOf(visit)).toBe(left);
        await visit.button('Upload').click();
        expect(await visit.dialog.getByLabel('Name').inputValue()).toBe('Typed meanwhile');
        const second = visit.page.waitForRequest((request) => request.method() === 'POST');
        const { promise: isSecondReleased, resolve: releaseSecond } = Promise.withResolvers<void>();
        await visit.page.route('**/content', async (route) => {
          await isSecondReleased;
          await route.fallback();
        });
        await visit.dialog.getByRole('button', { name: 'Upload' }).click();
        await second;
        await visit.dialog.getByLabel('Name').fill('Typed in the end');
        releaseSecond();
        await visit.dialog.waitFor({ state: 'detached' });
        await visit.page.getByText('Your draft is kept.').waitFor();
        expect(queryOf(visit)).toBe('?sort=createdAt%2Cdesc');
        await visit.button('Upload').click();
        expect(await visit.dialog.getByLabel('Name').inputValue()).toBe('Typed in the end');
        await visit.dialog.getByRole('button', { name: 'Cancel' }).click();
      });

      it('that fails after its form was closed says so, and keeps what was typed', async () => {
        const visit = await openAsUser('/?form=upload');
        const { promise: isReleased, resolve: release } = Promise.withResolvers<void>();
        await visit.page.route('**/content', async (route) => {
          await isReleased;
          await route.abort();
        });
        await visit.dialog.getByLabel('Name').fill('Not stored');
        const sent = visit.page.waitForRequest((request) => request.method() === 'POST');
        await visit.dialog.getByRole('button', { name: 'Upload' }).click();
        await sent;
        await visit.dialog.getByRole('button', { name: 'Close' }).click();
        await visit.page.getByText('Your draft is kept.').waitFor();
        release();
        await visit.page.getByText('Saving failed. The service does not respond.').waitFor();
        await visit.button('Upload').click();
        expect(await visit.dialog.getByLabel('Name').inputValue()).toBe('Not stored');
        await visit.dialog.getByRole('button', { name: 'Cancel' }).click();
      });

      it('whose page is left before the response is sent again with the same key when the page is loaded again', async () => {
        const visit = await openAsUser('/?form=upload');
        const keys: (string | undefined)[] = [];
        await visit.page.route('**/content', (route) => {
          keys.push(route.request().headers()['idempotency-key']);
          // The first response never arrives, although the item is stored.
          return keys.length === 1 ? route.fetch().then(() => undefined) : route.fallback();
        });
        await visit.dialog.getByLabel('Name').fill('Sent and left');
        await visit.dialog.getByRole('button', { name: 'Upload' }).click();
        await until('it is sent', () => keys.length === 1);
        await visit.page.reload();
        await visit.page.getByText('“Sent and left” is').waitFor();
        await visit.dialog.waitFor({ state: 'detached' });
        expect(keys).toEqual([keys[0], keys[0]]);
        await visit.button('Upload').click();
        expect(await visit.dialog.getByLabel('Name').inputValue()).toBe('');
      });

      it('that was refused, or was sent long ago, is not sent again without a click', async () => {
        const visit = await openAsUser('/?form=upload');
        let count = 0;
        await visit.page.route('**/content', (route) => {
          count += 1;
          return count === 1 ? route.fulfill({ status: 500, body: '' }) : undefined;
        });
        await visit.dialog.getByLabel('Name').fill('Sent long ago');
        await visit.dialog.getByRole('button', { name: 'Upload' }).click();
        await visit.dialog.getByText('The service responded with 500.').first().waitFor();
        await visit.page.reload();
        await visit.dialog.getByText('“Cancel” discards it.').waitFor();
        await visit.dialog.getByRole('button', { name: 'Upload' }).click();
        await until('it is sent again', () => count === 2);
        await visit.page.clock.setFixedTime(Date.now() + 3_600_000);
        await visit.page.reload();
        await visit.dialog.getByText('“Cancel” discards it.').waitFor();
        await visit.dialog.getByRole('button', { name: 'Cancel' }).click();
        expect(count).toBe(2);
      });

      it('of an edit whose page is left before the response is sent again', async () => {
        const id = await service.client.upload({ name: 'Before it is left' }, userId);
        const visit = await openAsUser(`/?item=${id}&form=edit`);
        let count = 0;
        await visit.page.route(`**/content/${id}`, (route) => {
          if (route.request().method() !== 'PATCH') return route.fallback();
          count += 1;
          return count === 1 ? undefined : route.fallback();
        });
        await visit.dialog.getByLabel('Name').fill('After it is left');
        await visit.dialog.getByRole('button', { name: 'Save' }).click();
        await until('it is sent', () => count === 1);
        await visit.page.reload();
        await visit.dialog.getByRole('heading', { name: 'After it is left' }).waitFor();
        expect(count).toBe(2);
      });

      it('of an edit is kept for its item and its user', async () => {
        const id = await service.client.upload({ name: 'Before the edit' }, userId);
        const visit = await openAsUser(`/?item=${id}&form=edit`);
        await visit.dialog.getByLabel('Description').fill('Half a descrip');
        await visit.dialog.getByRole('button', { name: 'Close' }).click();
        await visit.page.getByText('Your draft is kept.').waitFor();
        await visit.page.goto(`${baseUrl}/?item=${id}&form=edit#token=${await tokenOf(userId + 1)}`);
        await visit.button('Become the other user').click();
        await visit.page.goto(`${baseUrl}/?form=upload`);
        await visit.page.goto(`${baseUrl}/?item=${id}&form=edit`);
        // It is not theirs to edit.
        await visit.dialog.getByText(/version \d/).waitFor();
        expect(queryOf(visit)).not.toContain('form');
        await visit.page.goto(`${baseUrl}/?item=${id}&form=edit#token=${await tokenOf(userId)}`);
        await visit.button('Become the other user').click();
        await visit.page.goto(`${baseUrl}/?item=${id}&form=edit`);
        await visit.dialog.getByText('Your draft is kept.').first().waitFor();
        expect(await visit.dialog.getByLabel('Description').inputValue()).toBe('Half a descrip');
        await visit.dialog.getByRole('button', { name: 'Cancel' }).click();
      });

      it('adds no tag by the Enter that ends a word of an input method, and needs no completions', async () => {
        const visit = await openAsUser('/?form=upload');
        await visit.page.locator('.filters[aria-busy=false]').waitFor();
        await visit.page.route(/api\/content\/facets/, (route) => route.fulfill({ status: 500, body: '' }));
        const tags = visit.dialog.getByRole('combobox', { name: 'Tags' });
        const failed = visit.page.waitForResponse(/api\/content\/facets/);
        await tags.fill('ピクセル');
        await failed;
        for (const ending of [{ isComposing: true }, { keyCode: 229 }]) await tags.dispatchEvent('keydown', { key: 'Enter', ...ending });
        expect(await tags.inputValue()).toBe('ピクセル');
        await tags.fill('ピクセルアート');
        await tags.press('Enter');
        expect(await visit.dialog.locator('.chip').allTextContents()).toEqual(['ピクセルアート']);
        await tags.fill('犬');
        await tags.dispatchEvent('keydown', { key: '、' });
        await tags.fill('猫，鳥');
        await tags.press('Enter');
        expect(await visit.dialog.locator('.chip').allTextContents()).toEqual(['ピクセルアート', '犬', '猫', '鳥']);
        // Nothing that the page repeats has failed.
        expect(await visit.page.getByText('The page tries again by itself').count()).toBe(0);
        await visit.dialog.getByRole('button', { name: 'Cancel' }).click();
      });

      it('completes a tag with those of the collection, in whatever spelling, and while a syllable is typed', async () => {
        await service.client.upload({ name: '두부 조림', tags: ['두부'] }, userId);
        await service.indexed();
        const visit = await openAsUser('/?form=upload');
        const tags = visit.dialog.getByRole('combobox', { name: 'Tags' });
        await tags.pressSequentially('board_g');
        await visit.dialog.getByRole('listbox').getByRole('option', { name: 'board-game' }).waitFor();
        await expectAccessible(visit);
        await tags.press('ArrowDown');
        await tags.press('Enter');
        expect(await tags.inputValue()).toBe('');
        await tags.pressSequentially('rec');
        await visit.dialog.getByRole('listbox').getByRole('option', { name: 'recipe' }).waitFor();
        await tags.press('Escape');
        await visit.dialog.getByRole('listbox').getByRole('option', { name: 'recipe' }).waitFor({ state: 'hidden' });
        await tags.pressSequentially('i');
        await visit.dialog.getByRole('listbox').getByRole('option', { name: 'recipe' }).click();
        for (const typed of ['ㄷ', '두', '둡']) {
          await tags.fill(typed);
          await visit.dialog.getByRole('listbox').getByRole('option', { name: '두부' }).waitFor();
          await tags.fill('');
          await visit.dialog.getByRole('listbox').getByRole('option', { name: '두부' }).waitFor({ state: 'hidden' });
        }
        expect(await visit.dialog.locator('.chip').allTextContents()).toEqual(['board-game', 'recipe']);
        await visit.dialog.getByRole('button', { name: 'Cancel' }).click();
      });

      describe('with a picture', () => {
        /** What the browser makes of a canvas of noise, of which half is transparent if it is `clear`. */
        const drawn = async ({ page }: Visit, { side = 40, type = 'image/png', clear = false }): Promise<Buffer> => {
          const base64 = await page.evaluate<string>(`(${DRAW})(${JSON.stringify({ side, type, clear })})`);
          return Buffer.from(base64, 'base64');
        };
        const choose = (visit: Visit, name: string, buffer: Buffer) =>
          visit.dialog.getByLabel('Picture').setInputFiles({ name, mimeType: '', buffer });
        const stored = async (visit: Visit, name: string): Promise<{ type: string | null; bytes: Buffer }> => {
          await visit.dialog.getByLabel('Name').fill(name);
          await visit.dialog.getByAltText('The picture as it will be shown').waitFor();
          await visit.dialog.getByRole('button', { name: 'Upload' }).click();
          await visit.card(name).locator('img').waitFor();
          const [item] = (await service.client.list({ prompt: `"${name}"` })).body.content;
          const path = `${service.client.baseUrl}/api/content/${item?.contentId}/thumbnail`;
          const response = await fetch(path, { headers: { authorization: `Bearer ${await tokenOf(userId)}` } });
          return { type: response.headers.get('content-type'), bytes: Buffer.from(await response.arrayBuffer()) };
        };

        it.each([
          ['a photo becomes a smaller JPEG', { clear: false }, 'image/jpeg'],
          ['with transparency becomes a smaller WebP', { clear: true }, 'image/webp'],
        ])('that is too large: %s', async (_, options, type) => {
          const visit = await openAsUser('/?form=upload');
          // Noise does not compress, so a PNG of it is larger than the limit.
          const large = await drawn(visit, { side: 1_700, ...options });
          await choose(visit, 'large.png', large);
          await visit.dialog.getByText('Made smaller:').waitFor();
          await expectAccessible(visit);
          expect(await stored(visit, `Large ${type}`)).toMatchObject({ type });
        });

        it('that the API does not accept is converted if the browser can read it, whatever its size', async () => {
          const visit = await openAsUser('/?form=upload');
          await choose(visit, 'small.bmp', BMP);
          expect((await stored(visit, 'Small BMP')).type).toBe('image/jpeg');
          await visit.button('Upload').click();
          await choose(visit, 'small.svg', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><circle r="9"/></svg>'));
          expect((await stored(visit, 'Small SVG')).type).toBe('image/webp');
        });

        it('that is small enough is sent as it is; one that loses its animation says so before', async () => {
          const visit = await openAsUser('/?form=upload');
          const tooLarge = gif({ frames: 2, extensions: Array.from({ length: 300 }, () => gifExtension(0xfe, ...COMMENTS)) });
          await choose(visit, 'large.gif', tooLarge);
          await visit.dialog.getByText('Its animation is lost: only the first frame is kept.').waitFor();
          await choose(visit, 'small.gif', gif({ frames: 2 }));
          await visit.dialog.getByText('Its animation is lost').waitFor({ state: 'detached' });
          expect(await stored(visit, 'Small GIF')).toEqual({ type: 'image/gif', bytes: gif({ frames: 2 }) });
        });

        it('that somebody has removed is gone from the card of the item once its list is read again', async () => {
          const name = 'Without its picture';
          const id = await service.client.upload({ name, tags: ['no-picture'], thumbnail: PICTURE.buffer.toString('base64') }, userId);
          await service.indexed();
          const visit = await openAsUser('/?tags=no-picture');
          await visit.card(name).locator('img').waitFor();
          await service.client.send('PATCH', `/api/content/${id}`, { thumbnail: null }, userId);
          await service.indexed();
          await visit.page.getByLabel('Sort by').selectOption('Newest');
          await visit.card(name).locator('img').waitFor({ state: 'detached' });
          await visit.card(name).locator('.thumbnail svg').waitFor();
        });

        it('that is far too large, or a folder, is refused in the language of the page, and not read', async () => {
          const visit = await openAsUser('/?form=upload');
          await visit.dialog.getByLabel('Picture').waitFor();
          await visit.page.evaluate(`window.drop = (file) => {
            const dataTransfer = new DataTransfer();
            dataTransfer.items.add(file);
            const event = new DragEvent('drop', { bubbles: true, cancelable: true, dataTransfer });
            document.querySelector('[accept="image/*"]').closest('.drop').dispatchEvent(event);
          };
          window.reads = 0;
          const { arrayBuffer } = Blob.prototype;
          Blob.prototype.arrayBuffer = function () {
            if (!(this instanceof File)) return arrayBuffer.call(this);
            reads += 1;
            // As of a folder.
            return Promise.reject(new DOMException('A requested file', 'NotFoundError'));
          };`);
          await visit.page.evaluate(`drop(new File([new Uint8Array(100_000_001)], 'film.mp4'))`);
          await visit.dialog.getByText('“film.mp4” is too large.').first().waitFor();
          expect(await visit.page.evaluate('reads')).toBe(0);
          await visit.page.evaluate(`drop(new File([''], 'holidays'))`);
          await visit.dialog.getByText('“holidays” cannot be read.').first().waitFor();
          await expectAccessible(visit);
        });

        it('that cannot be read is an error at its field at once, until another one is chosen', async () => {
          const visit = await openAsUser('/?form=upload');
          const picture = visit.dialog.getByLabel('Picture');
          await choose(visit, 'photo.heic', Buffer.from('\0\0\0\x18ftypheic', 'latin1'));
          await visit.dialog.getByText('“photo.heic” has the format HEIC, which this browser cannot show.').first().waitFor();
          for (const buffer of [Buffer.from('no picture'), PICTURE.buffer.subarray(0, 400), Buffer.alloc(0)]) {
            await choose(visit, 'broken.png', buffer);
            await visit.dialog.getByText('“broken.png” is broken, or is not a picture that this browser can read.').first().waitFor();
            expect(await picture.getAttribute('aria-invalid')).toBe('true');
            await expectAccessible(visit);
            await picture.setInputFiles(PICTURE);
            await visit.dialog.locator('[type=file][aria-invalid=false]').first().waitFor();
            await visit.dialog.getByAltText('The picture as it will be shown').waitFor();
          }
        });
      });
    });
  },
);
