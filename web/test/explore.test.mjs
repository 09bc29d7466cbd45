// PSSC=/path/to/pssc MANY=run/of/thousands SMALL=run/of/a/folder node --test test/explore.test.mjs
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { connect } from 'node:net';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { launch } from './chromium.mjs';
import { changePageData, exploringIn, journal, openExplorer, scrollThrough, Server, withCopy, withServer } from './explorer.mjs';
import { assertFits, eventually, refusesForeignScripts, violations } from './page.mjs';

const { PSSC, MANY, SMALL } = process.env;
let browser;
before(async () => {
  browser = await launch();
});
after(() => browser?.close());

const openPage = (server, options) => openExplorer(browser, server, options);
const exploring = (run, check, options) => exploringIn(browser, run, check, options);

/** Waits until the page says that something is done, which it says when it is on the disk. */
const selected = (page, text) => page.getByTestId('selected').filter({ hasText: text }).waitFor();
const said = (page, text) => page.getByTestId('said').filter({ hasText: text }).waitFor();
const clusterButton = (page, id) => page.locator(`[data-testid="cluster-list"] [data-cluster="${id}"]`);
const last = (server) => journal(server.folder).at(-1);
const cell = (page, at) => page.locator(`#cell-${at}`);

/** Labels as `pssc export` writes them: id -> [cluster, name]. */
function exported(folder) {
  const to = join(folder, `now-${process.hrtime.bigint()}.json`);
  execFileSync(PSSC, ['export', folder, '--to', 'json', '-o', to]);
  const found = new Map();
  for (const { cluster, name, images } of JSON.parse(readFileSync(to, 'utf8')).clusters)
    for (const { id } of images) found.set(id, [cluster, name]);
  return found;
}

describe('looking', () => {
  test('the page says what the summary says', () =>
    exploring(MANY, async (page, server) => {
      const summary = JSON.parse(readFileSync(join(server.folder, 'summary.json'), 'utf8'));
      assert.equal(Number(await page.getByTestId('count').getAttribute('value')), summary.input.count);
      assert.equal(Number(await page.getByTestId('clusters').getAttribute('value')), summary.clusters);
      if (summary.metrics) assert.equal(Number(await page.getByTestId('accuracy').getAttribute('value')), summary.metrics.accuracy);
      const sizes = await page.locator('[data-testid="cluster-list"] .muted').allTextContents();
      assert.deepEqual(sizes.map((text) => Number(text.replaceAll(',', ''))), summary.cluster_sizes);
    }));

  test('no blank rows when a cluster is scrolled through', () =>
    exploring(MANY, async (page) => {
      const { size, seen, blank } = await scrollThrough(page);
      assert.equal(seen, size);
      assert.equal(blank, 0);
    }));

  test('images are in the order of their confidence', () =>
    exploring(SMALL, async (page, server) => {
      for (const [order, sign] of [['certain', -1], ['uncertain', 1]]) {
        await page.getByLabel('Order of the images').selectOption(order);
        const { confidence, rows } = await server.json('/api/cluster?id=0&order=' + order);
        assert.deepEqual(confidence, [...confidence].sort((a, b) => sign * (a - b)));
        await page.locator(`#cell-0[data-row="${rows[0]}"]`).waitFor();
      }
    }));

  test('a cluster that is not stable is marked until its images change; the tree and what was ignored are shown', () =>
    withCopy(SMALL, async (folder) => {
      const report = changePageData(folder, (data) => {
        data.clusters[1].stability = 0.43;
        data.clusters[0].stability = 0.95;
        data.tree = {
          pieces: data.clusters.slice(0, 4).map(({ size, typical }) => ({ size, images: typical.slice(0, 12) })),
          joins: [{ one: 0, other: 1, tie: 0.4 }, { one: 2, other: 3, tie: 0.1 }, { one: 4, other: 5, tie: 0.02 }],
        };
      });
      const server = new Server(folder);
      try {
        const { page, faults, context } = await openPage(server);
        assert.equal(await clusterButton(page, 0).locator('.unstable').count(), 0);
        assert.equal(await clusterButton(page, 1).locator('.unstable').textContent(), 'not stable');
        await clusterButton(page, 1).click();
        await page.getByTestId('current').filter({ hasText: 'repeated clusterings find only 43\u202f% of it again' }).waitFor();
        assert.equal(await page.getByTestId('ignored-move').count(), report.ignored?.moves.length ?? 0);
        for (const groups of [2, 3]) {
          await page.getByTestId('groups-slider').fill(String(groups));
          assert.equal(await page.getByTestId('group-card').count(), groups);
        }
        await page.locator('#tree .leaf canvas[data-drawn]').nth(3).waitFor();
        assert.deepEqual(await violations(page), []);
        const { rows } = await server.json('/api/cluster?id=1&order=certain');
        await server.json('/api/edit', { method: 'POST', body: JSON.stringify({ do: 'move', images: [rows[0]], to: 0 }) });
        const { clusters } = await server.json('/api/state');
        assert.deepEqual(clusters.map(({ stability }) => stability).slice(0, 2), [null, null]);
        assert.deepEqual(faults, []);
        await context.close();
      } finally {
        await server.end('SIGKILL');
      }
    }));

  test('an image is found by its name', () =>
    exploring(SMALL, async (page) => {
      await page.getByTestId('search').fill('new\nline');
      await page.getByTestId('search').fill('line.png');
      await page.keyboard.press('Enter');
      await said(page, '1 image found');
      await page.getByTestId('about').filter({ hasText: 'new line.png' }).waitFor();
      assert.match(await page.getByTestId('about').textContent(), /new\nline\.png/);
      await page.getByTestId('search').fill('no such thing');
      await page.keyboard.press('Enter');
      await said(page, 'No image is called “no such thing”');
    }));

  test('a new image is placed, chosen or dropped', () =>
    exploring(SMALL, async (page, server) => {
      const { rows, ids } = await server.json('/api/cluster?id=2&order=certain');
      const { path } = JSON.parse(readFileSync(join(server.folder, 'summary.json'), 'utf8')).input;
      const file = join(path, ids[0]);
      assert.ok(rows.length > 0);
      await page.getByTestId('place-file').setInputFiles(file);
      assert.match(await page.getByTestId('placed').textContent(), /cluster 2/);
      await page.getByRole('button', { name: 'Close' }).click();

      const bytes = [...readFileSync(file)];
      await page.evaluate((content) => {
        const data = new DataTransfer();
        data.items.add(new File([new Uint8Array(content)], '<b>dropped</b>.png', { type: 'image/png' }));
        document.body.dispatchEvent(new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true }));
      }, bytes);
      await page.locator('dialog[open]').waitFor();
      assert.match(await page.getByTestId('placed').textContent(), /<b>dropped<\/b>\.png.*cluster 2/);
      assert.deepEqual(journal(server.folder), []);
    }));
});

describe('editing', () => {
  test('a cluster is named, and the name is on the disk', () =>
    exploring(SMALL, async (page, server) => {
      await clusterButton(page, 3).click();
      const name = 'Ones & <b>"twos"</b> ☃';
      await page.getByTestId('name').fill(name);
      await page.keyboard.press('Enter');
      await said(page, 'Named');
      assert.deepEqual(last(server), { do: 'name', cluster: 3, name });
      assert.ok([...exported(server.folder).values()].some(([cluster, known]) => cluster === 3 && known === name));
      assert.match(await clusterButton(page, 3).textContent(), /Ones & <b>"twos"<\/b> ☃/);
      await page.reload();
      await page.waitForSelector('body[data-ready="true"]');
      assert.match(await clusterButton(page, 3).textContent(), /Ones & <b>"twos"<\/b> ☃/);
      assert.match(await page.getByTestId('legend').textContent(), /Ones & <b>"twos"<\/b> ☃/);
    }));

  test('a cluster can be named once it is shown, and not before', () =>
    exploring(SMALL, async (page, server) => {
      let shown;
      await page.route(/\/api\/cluster\?/, (route) => (shown = () => route.continue()), { times: 1 });
      await clusterButton(page, 3).click();
      await eventually(() => assert.ok(shown));
      assert.ok(await page.getByTestId('name').isDisabled());
      shown();
      await page.getByTestId('name').fill('three');
      await page.keyboard.press('Enter');
      await eventually(() => assert.deepEqual(last(server), { do: 'name', cluster: 3, name: 'three' }));
    }));

  test('clusters are merged, and parted again by undo', () =>
    exploring(SMALL, async (page, server) => {
      const before = await server.json('/api/state');
      await clusterButton(page, 4).click();
      await page.getByLabel('Cluster to merge into').selectOption('1');
      await page.getByTestId('merge').click();
      await said(page, 'Merged into cluster 1');
      assert.deepEqual(last(server), { do: 'merge', cluster: 4, to: 1 });
      const size = (state, id) => state.clusters.find((cluster) => cluster.id === id)?.size ?? 0;
      const now = await server.json('/api/state');
      assert.equal(size(now, 1), size(before, 1) + size(before, 4));
      assert.equal(await clusterButton(page, 4).count(), 0);
      await page.keyboard.press('Control+z');
      await said(page, 'Undone');
      assert.equal(await clusterButton(page, 4).count(), 1);
      assert.deepEqual((await server.json('/api/state')).clusters, before.clusters);
      await page.getByTestId('redo').click();
      await said(page, 'Done again');
      assert.equal(await clusterButton(page, 4).count(), 0);
      assert.deepEqual(journal(server.folder).map((line) => line.do), ['merge', 'undo', 'redo']);
    }));

  test('a cluster is split', () =>
    exploring(SMALL, async (page, server) => {
      const before = await server.json('/api/cluster?id=0');
      await clusterButton(page, 0).click();
      await page.getByLabel('Number of parts').fill('3');
      await page.getByTestId('split').click();
      await said(page, 'Split into 3 parts');
      const parts = await Promise.all([0, 10, 11].map((id) => server.json(`/api/cluster?id=${id}`)));
      assert.ok(parts.every(({ rows }) => rows.length > 0));
      assert.deepEqual(parts.flatMap(({ rows }) => rows).sort(), [...before.rows].sort());
      assert.deepEqual(last(server).parts.length, 2);
      assert.equal(await clusterButton(page, 11).count(), 1);
      await page.getByTestId('undo').click();
      await said(page, 'Undone');
      assert.equal(await clusterButton(page, 10).count(), 0);
    }));

  test('images are selected by clicks and moved', () =>
    exploring(SMALL, async (page, server) => {
      await clusterButton(page, 0).click();
      const { rows, ids } = await server.json('/api/cluster?id=0&order=certain');
      await cell(page, 1).click();
      await cell(page, 3).click({ modifiers: ['Shift'] });
      await cell(page, 2).click();  // not this one
      await selected(page, '2 selected');
      await page.getByLabel('Cluster to move to').selectOption('5');
      await page.getByTestId('move').click();
      await said(page, '2 images moved to cluster 5');
      assert.deepEqual(last(server), { do: 'move', to: 5, images: [rows[1], rows[3]] });
      const now = exported(server.folder);
      assert.deepEqual([1, 2, 3].map((at) => now.get(ids[at])[0]), [5, 0, 5]);
    }));

  test('images are selected by keys and moved to a new cluster', () =>
    exploring(SMALL, async (page, server) => {
      const { rows } = await server.json('/api/cluster?id=0&order=certain');
      await page.getByTestId('grid').focus();
      await page.keyboard.press('ArrowRight');
      await page.keyboard.press(' ');
      await page.keyboard.press('Shift+ArrowRight');
      await selected(page, '2 selected');
      await page.getByLabel('Cluster to move to').selectOption({ label: 'a new cluster' });
      await page.getByTestId('move').focus();
      await page.keyboard.press('Enter');
      await said(page, '2 images moved to a new cluster');
      assert.deepEqual(last(server), { do: 'move', to: 10, images: [rows[1], rows[2]] });
      assert.equal(await clusterButton(page, 10).count(), 1);
    }));

  test('the least certain images are reviewed with the keyboard alone', () =>
    exploring(SMALL, async (page, server) => {
      const { images, left } = await server.json('/api/review?count=10');
      assert.equal(left, 400);
      const onReview = () => page.evaluate(() => document.activeElement?.dataset?.testid === 'review');
      for (let presses = 0; presses < 80 && !(await onReview()); presses++) await page.keyboard.press('Tab');
      assert.ok(await onReview(), 'Tab does not reach the review');
      const shown = (at) => page.locator(`[data-testid="review"][data-row="${images[at].row}"]`).waitFor();
      await shown(0);
      await page.keyboard.press('Enter');
      await shown(1);
      assert.deepEqual(last(server), { do: 'confirm', images: [images[0].row] });
      const to = (images[1].cluster + 1) % 10;
      await page.keyboard.press('1234567890'[to]);
      await shown(2);
      assert.deepEqual(last(server), { do: 'move', to, images: [images[1].row] });
      await page.keyboard.press('s');
      await shown(3);
      await page.keyboard.press('u');
      await said(page, 'Undone');
      await shown(1);
      assert.equal((await server.json('/api/review?count=1')).left, 399);
    }));

  test('labels are exported from the page, as the command exports them', () =>
    exploring(SMALL, async (page, server) => {
      await server.ask('/api/edit', { method: 'POST', body: JSON.stringify({ do: 'name', cluster: 0, name: 'a, b' }) });
      const [download] = await Promise.all([page.waitForEvent('download'), page.getByTestId('export-csv').click()]);
      const to = join(server.folder, 'by-command.csv');
      execFileSync(PSSC, ['export', server.folder, '--to', 'csv', '-o', to]);
      assert.equal(readFileSync(await download.path(), 'utf8'), readFileSync(to, 'utf8'));
      assert.match(readFileSync(to, 'utf8'), /"a, b"/);
      await page.getByTestId('export-folders').click();
      await said(page, 'One folder a cluster');
      const folders = readdirSync(join(server.folder, 'folders'));
      assert.equal(folders.length, 10);
      assert.ok(folders.includes('a, b'));
      assert.equal(folders.flatMap((name) => readdirSync(join(server.folder, 'folders', name))).length, 400);
    }));

  test('nothing the page confirmed is lost when the server is killed', () =>
    withCopy(SMALL, async (folder) => {
      const confirmed = new Map();
      for (let round = 0; round < 4; round++) {
        const server = new Server(folder);
        const { page, context } = await openPage(server);
        let killed = false;
        setTimeout(() => {
          killed = true;
          server.process.kill('SIGKILL');
        }, 300 + 400 * round);
        for (let i = 0; !killed && i < 500; i++) {
          const [cluster, name] = [i % 10, `round ${round}, ${i}`];
          const answer = await server.ask('/api/edit', { method: 'POST', body: JSON.stringify({ do: 'name', cluster, name }) }).catch(() => null);
          if (answer?.ok) confirmed.set(cluster, name);
          else break;
        }
        await server.ended;
        await page.getByTestId('name').fill('too late');
        await page.keyboard.press('Enter');
        await said(page, 'does not answer');
        await context.close();
        const names = new Map(exported(folder).values());
        // The last edit may be on the disk although its answer got lost; every answered one must be.
        for (const [cluster, name] of confirmed) {
          const number = (text) => Number(text.split(', ')[1]) + 1000 * Number(/\d+/.exec(text)[0]);
          assert.ok(number(names.get(cluster)) >= number(name), `${cluster}: ${name} became ${names.get(cluster)}`);
        }
      }
      assert.equal(confirmed.size, 10);
    }));

  test('a run with edits is not overwritten, and the run itself is never changed', () =>
    withServer(SMALL, async (server) => {
      const before = readFileSync(join(SMALL, 'labels.csv'), 'utf8');
      await server.ask('/api/edit', { method: 'POST', body: JSON.stringify({ do: 'merge', cluster: 0, to: 1 }) });
      assert.equal(readFileSync(join(server.folder, 'labels.csv'), 'utf8'), before);
      const again = spawnSync(PSSC, ['cluster', 'synthetic:50', '-k', '2', '-o', server.folder], { encoding: 'utf8' });
      assert.equal(again.status, 2);
      assert.match(again.stderr, /edits\.jsonl/);
      const second = spawnSync(PSSC, ['explore', server.folder], { encoding: 'utf8', timeout: 60000 });
      assert.equal(second.status, 1);
      assert.match(second.stderr, /explored already/);
    }));
});

describe('reach', () => {
  for (const colorScheme of ['light', 'dark']) {
    test(`has no faults that axe knows of, ${colorScheme}`, () =>
      exploring(SMALL, async (page) => assert.deepEqual(await violations(page), []), { colorScheme }));
  }
  for (const width of [400, 1280]) {
    test(`does not scroll sideways at ${width} pixels`, () => exploring(SMALL, assertFits, { width }));
  }
});

describe('security', () => {
  const LOOKING = ['/', '/api/state', '/api/cluster?id=0', '/api/review?count=1', '/api/images?rows=0', '/api/find?id=1', '/api/pictures?rows=0&columns=1',
    '/api/labels', '/api/rows', '/api/progress', '/api/export.csv', '/api/export.json', '/nothing'];
  const CHANGING = ['/api/edit', '/api/undo', '/api/redo', '/api/split?cluster=0&parts=2', '/api/place', '/api/export-folders'];

  test('nothing is answered without the token', () =>
    withServer(SMALL, async (server) => {
      for (const token of ['', 'x', '0'.repeat(32)]) {
        for (const path of LOOKING) assert.equal((await server.ask(path, { headers: { 'X-PSSC-Token': token } })).status, 403, path);
        for (const path of CHANGING) {
          const body = JSON.stringify({ do: 'merge', cluster: 0, to: 1 });
          assert.equal((await server.ask(path, { method: 'POST', body, headers: { 'X-PSSC-Token': token } })).status, 403, path);
        }
      }
      assert.deepEqual(journal(server.folder), []);
    }));

  test('no request of another host or page is answered, even with the token', () =>
    withServer(SMALL, async (server) => {
      const address = new URL(await server.address);
      const status = (headers) =>
        new Promise((resolve, reject) => {
          const asked = request({ host: '127.0.0.1', port: address.port, path: '/api/state', headers: { 'X-PSSC-Token': address.searchParams.get('token'), ...headers } }, (answer) => {
            answer.resume();
            resolve(answer.statusCode);
          });
          asked.on('error', reject);
          asked.end();
        });
      const { host } = address;
      assert.equal(await status({ Host: host }), 200);
      assert.equal(await status({ Host: `localhost:${address.port}` }), 200);
      for (const other of ['evil.example', `evil.example:${address.port}`, `127.0.0.1.evil.example:${address.port}`, '127.0.0.1', '127.0.0.1:1'])
        assert.equal(await status({ Host: other }), 403, other);
      const without = await new Promise((resolve) => {
        const socket = connect(Number(address.port), '127.0.0.1', () => socket.write(`GET ${address.pathname}${address.search} HTTP/1.0\r\n\r\n`));
        socket.once('data', (bytes) => resolve(bytes.toString().split('\r\n')[0]));
      });
      assert.match(without, / 403 /);
      assert.equal(await status({ Host: host, Origin: `http://${host}` }), 200);
      for (const origin of ['http://evil.example', 'null', `https://${host}`]) assert.equal(await status({ Host: host, Origin: origin }), 403, origin);
    }));

  test('a page elsewhere can neither read nor edit', () =>
    withServer(SMALL, async (server) => {
      const address = await server.address;
      const page = await browser.newPage();
      await page.route('http://evil.example/**', (route) => route.fulfill({ contentType: 'text/html', body: '<p>evil' }));
      await page.goto('http://evil.example/');
      const tried = await page.evaluate(async (target) => {
        const token = new URL(target).searchParams.get('token');
        const attempt = (path, init) => fetch(new URL(path, target), init).then((answer) => answer.text(), () => 'refused');
        return [
          await attempt(target), await attempt('/api/state', { headers: { 'X-PSSC-Token': token } }),
          await attempt('/api/edit', { method: 'POST', headers: { 'X-PSSC-Token': token }, body: '{"do":"merge","cluster":0,"to":1}' }),
        ];
      }, address);
      assert.deepEqual(tried, ['refused', 'refused', 'refused']);
      // Sent without asking first, as a form would be; the answer cannot be read, and nothing happens.
      await page.evaluate((target) => fetch(new URL('/api/undo?token=' + new URL(target).searchParams.get('token'), target), { method: 'POST', mode: 'no-cors' }).catch(() => undefined), address);
      assert.deepEqual(journal(server.folder), []);
      await page.close();
    }));

  test('only this machine can connect, unless told otherwise, loudly', async () => {
    const others = Object.values(networkInterfaces()).flat().filter(({ internal, family }) => !internal && family === 'IPv4');
    const reachable = (host, port) =>
      new Promise((resolve) => {
        const socket = connect({ host, port, timeout: 2000 }, () => resolve(true));
        socket.on('error', () => resolve(false));
        socket.on('timeout', () => resolve(false));
      });
    await withServer(SMALL, async (server) => {
      const { port } = new URL(await server.address);
      assert.ok(await reachable('127.0.0.1', port));
      for (const { address } of others) assert.equal(await reachable(address, port), false, address);
      assert.doesNotMatch(server.output, /WARNING/);
    });
    await withServer(SMALL, async (server) => assert.match(server.output, /WARNING: listening at 0\.0\.0\.0/), ['--host', '0.0.0.0']);
  });

  test('paths cannot leave the run’s images', () =>
    withServer(SMALL, async (server) => {
      for (const path of ['/api/images?rows=400', '/api/images?rows=-1', '/api/images?rows=../../etc/passwd', '/api/pictures?rows=99999999999999999999&columns=1',
        '/api/pictures?rows=0&columns=0', '/api/pictures?rows=0&columns=100000000', '/api/pictures?rows=&columns=4', '/api/cluster?id=x', '/api/review?count=-1'])
        assert.equal((await server.ask(path)).status, 400, path);
      const address = new URL(await server.address);
      for (const path of ['/../../../../etc/passwd', '/%2e%2e/%2e%2e/etc/passwd', '/labels.csv', '/model.pssc', '/api/../labels.csv', '//etc/passwd']) {
        const answer = await new Promise((resolve) => {
          request({ host: '127.0.0.1', port: address.port, path, headers: { 'X-PSSC-Token': address.searchParams.get('token'), Host: address.host } }, (got) => {
            let text = '';
            got.on('data', (bytes) => (text += bytes));
            got.on('end', () => resolve({ status: got.statusCode, text }));
          }).end();
        });
        assert.ok(answer.status >= 400, path);
        assert.doesNotMatch(answer.text, /root:|id,cluster/);
      }
    }));

  test('edits that make no sense are refused and not kept', () =>
    withServer(SMALL, async (server) => {
      for (const body of ['', '{', '[]', '"x"', '{"do":"dance"}', '{"do":"merge","cluster":0,"to":77}', '{"do":"move","to":0,"images":[400]}', '{"do":"move","to":0,"images":"all"}',
        '{"do":"name","cluster":-1,"name":"x"}', '{"do":"split","cluster":0,"parts":[[399999]]}', '['.repeat(100000)]) {
        const answer = await server.ask('/api/edit', { method: 'POST', body });
        assert.equal(answer.status, 400, body.slice(0, 60));
        assert.ok((await answer.json()).error);
      }
      assert.deepEqual(journal(server.folder), []);
    }));

  test('uploads are limited and go through the decoders', () =>
    withServer(SMALL, async (server) => {
      const place = async (body) => server.ask('/api/place', { method: 'POST', body, headers: { 'Content-Type': 'application/octet-stream' } });
      const huge = await place(Buffer.alloc(33 * 1024 * 1024)).catch(() => ({ status: 413, json: async () => ({ error: 'limit' }) }));
      assert.equal(huge.status, 413);
      assert.match((await huge.json()).error, /limit/);
      const bomb = Buffer.from('89504e470d0a1a0a0000000d49484452000f4240000f42400800000000', 'hex');
      for (const body of ['', 'hello', '<svg xmlns="http://www.w3.org/2000/svg"/>', 'P5 100000 100000 255\n', bomb, readFileSync(PSSC).subarray(0, 100000)]) {
        const answer = await place(body);
        assert.equal(answer.status, 422);
        assert.match((await answer.json()).error, /cannot be read/);
      }
      assert.equal((await server.ask('/api/state')).status, 200);
    }));

  test('names are shown, not executed', () =>
    exploring(SMALL, async (page, server) => {
      for (const name of ['<img src=x onerror="alert(1)">.png', `quote'"s &amp; </script><script>alert(2)<!--.png`, 'Ünïcode ☃ 数字 \u202Etxt.png']) {
        await page.getByTestId('search').fill(name);
        await page.keyboard.press('Enter');
        await said(page, '1 image found');
        await page.getByTestId('about').filter({ hasText: name }).waitFor();
      }
      const name = '<img src=x onerror="alert(3)">';
      await clusterButton(page, 0).click();
      await page.getByTestId('name').fill(name);
      await page.keyboard.press('Enter');
      await said(page, 'Named');
      assert.equal(last(server).name, name);
      assert.equal(await page.locator('img[src="x"]').count(), 0);
      await page.waitForTimeout(200);
    }));

  test('a folder that somebody else made brings no script along', () =>
    withCopy(SMALL, async (folder) => {
      const script = `</script><script>alert(4); fetch('/api/edit', { method: 'POST', body: '{"do":"merge","cluster":0,"to":1}', headers: { 'X-PSSC-Token': new URLSearchParams(location.search).get('token') } })</script><img src=x onerror="alert(5)">`;
      const page = readFileSync(join(folder, 'report.html'), 'utf8');
      writeFileSync(join(folder, 'report.html'), page.replace(/(id="pssc-points">)[^<]*/, `$1${script}`));
      changePageData(folder, (data) => {
        data.title = data.command = data.summary.notes[0] = data.summary.input.name = data.summary.timings[0].stage = script;
        data.summary.parameters = { [script]: [script, { [script]: script }] };
        data.summary.backend = { simd: script };
        data.ids = data.ids.map((id) => id + script);
        data.classes = [script];
        data.confusion = data.clusters.map(({ size }) => [size]);
        for (const cluster of data.clusters) cluster.mostly = { name: script, share: 1 };
        if (data.ignored) data.ignored.moves[0].kind = data.ignored.kinds[0] = script;
      });
      const server = new Server(folder);
      try {
        const { page: opened, faults, context } = await openPage(server);
        assert.match(await opened.title(), /<script>alert\(4\)/);
        assert.equal(await opened.locator('img[src="x"]').count(), 0);
        await opened.waitForTimeout(200);
        assert.deepEqual(faults, []);
        assert.deepEqual(journal(folder), []);
        await context.close();
      } finally {
        await server.end('SIGKILL');
      }
    }));

  test('no script but the page’s own runs, whatever is written into the page', () =>
    withServer(SMALL, async (server) => {
      const policy = (await server.ask('/')).headers.get('content-security-policy');
      assert.match(policy, /script-src 'sha256-/);
      assert.doesNotMatch(policy, /unsafe-inline/);
      const { page, faults, context } = await openPage(server);
      assert.deepEqual(await refusesForeignScripts(page), []);
      assert.ok(faults.every((fault) => /Content Security Policy|Failed to load resource/.test(fault)), faults.join('\n'));
      await context.close();
    }));

  test('foreign folders are refused in one line', () =>
    withCopy(SMALL, async (folder) => {
      const refused = (path) => spawnSync(PSSC, ['explore', path], { encoding: 'utf8', timeout: 60000 });
      changePageData(folder, (data) => (data.clusters[0].typical = [400]));
      for (const path of [folder, join(folder, 'none'), '/']) {
        const { status, stderr } = refused(path);
        assert.equal(status, 3, path);
        assert.equal(stderr.trimEnd().split('\n').length, 1);
      }
      assert.ok(!existsSync(join(folder, 'edits.jsonl')));
    }));
});
