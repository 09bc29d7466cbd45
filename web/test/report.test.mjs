// REPORT=/path/to/report.html node --test test/report.test.mjs
// Without REPORT a sample is made and looked at (npm run build must have gone before).
// SCREENSHOT=/path/to/picture.png also takes pictures of the page.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { resolve } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { launch } from './chromium.mjs';
import { assertFits, eventually, refusesForeignScripts, violations, watch } from './page.mjs';

function makeSample() {
  const out = fileURLToPath(new URL('../dist/sample.html', import.meta.url));
  execFileSync(process.execPath, [fileURLToPath(new URL('make-sample.mjs', import.meta.url)), '--out', out]);
  return out;
}

const REPORT = resolve(process.env.REPORT ?? makeSample());

let browser;
before(async () => {
  browser = await launch();
});
after(() => browser?.close());

/** Opens the report and gathers whatever it should not do. */
async function open({ width = 1280, height = 900, colorScheme = 'light', init } = {}) {
  const context = await browser.newContext({ viewport: { width, height }, colorScheme, reducedMotion: 'reduce' });
  const page = await context.newPage();
  const faults = watch(page);
  page.on('request', (request) => {
    if (!/^(file|data|blob):/.test(request.url())) faults.push(`request: ${request.url()}`);
  });
  if (init) await page.addInitScript(init);
  await page.goto(pathToFileURL(REPORT).href);
  await page.waitForSelector('body[data-ready="true"]', { timeout: 60000 });
  const report = await page.evaluate(() => JSON.parse(document.getElementById('pssc-report').textContent));
  return { page, report, faults, close: () => context.close() };
}

async function within(options, check) {
  const opened = await open(options);
  try {
    await check(opened);
    assert.deepEqual(opened.faults, []);
  } finally {
    await opened.close();
  }
}

/** For tests that leave the page as it is, or only open its details: they share one, per width and colours. */
const shared = {};
async function looking({ width = 1280, colorScheme = 'light' }, check) {
  const opened = (shared[`${width} ${colorScheme}`] ??= await open({ width, colorScheme }));
  await check(opened);
  assert.deepEqual(opened.faults, []);
}

/** How many shades a canvas holds: a blank one has one. */
function shadesOf(canvas) {
  const copy = document.createElement('canvas');
  copy.width = canvas.width;
  copy.height = canvas.height;
  const context = copy.getContext('2d');
  context.drawImage(canvas, 0, 0);
  const pixels = new Uint32Array(context.getImageData(0, 0, copy.width, copy.height).data.buffer);
  return new Set(pixels).size;
}

/** A point of the map well inside its canvas. */
async function visiblePoint(page, report) {
  const canvas = page.getByTestId('map');
  await canvas.scrollIntoViewIfNeeded();
  const box = await canvas.boundingBox();
  // The preview starts with the first image of the first cluster: look for others.
  for (const image of report.clusters.flatMap((cluster) => cluster.typical).reverse()) {
    const [left, top] = await page.evaluate((i) => window.psscMap.screenPosition(i), image);
    if (left > 10 && top > 10 && left < box.width - 60 && top < Math.min(box.height, 900 - box.y) - 10) {
      return { x: box.x + left, y: box.y + top };
    }
  }
  throw new Error('no point of the map can be seen');
}

async function hoverShowsImage(page, report) {
  const before = await page.locator('.preview').getAttribute('data-image');
  const { x, y } = await visiblePoint(page, report);
  await page.mouse.move(x - 3, y - 3);
  await page.mouse.move(x, y, { steps: 4 });
  await page.waitForSelector(`.preview:not([data-image="${before}"])`);
  const shown = Number(await page.locator('.preview').getAttribute('data-image'));
  const facts = await page.getByTestId('map-facts').textContent();
  assert.ok(facts.includes(report.ids?.[shown] ?? String(shown)));
  if (!report.thumbs.images || report.thumbs.images.includes(shown)) {
    await page.waitForSelector('[data-testid="map-image"][data-drawn]');
    assert.ok((await page.getByTestId('map-image').evaluate(shadesOf)) > 1);
  }
}

describe('the report', () => {
  test('says what the summary says', () =>
    looking({}, async ({ page, report }) => {
      const { summary } = report;
      const figures = { count: report.count, clusters: summary.clusters, seconds: summary.total_seconds, ...summary.metrics };
      for (const name of ['count', 'clusters', 'seconds', 'accuracy', 'nmi', 'purity', 'ari']) {
        const place = page.getByTestId(name);
        if (figures[name] === undefined) {
          assert.equal(await place.count(), 0, name);
          continue;
        }
        assert.equal(Number(await place.getAttribute('value')), figures[name], name);
      }
      const text = async (name) => (await page.getByTestId(name).textContent()).replaceAll('\u202f', ' ');
      assert.equal(await text('count'), report.count.toLocaleString('en-GB'));
      assert.equal(await text('clusters'), summary.clusters.toLocaleString('en-GB'));
      if (summary.total_seconds >= 0.1 && summary.total_seconds < 99) {
        assert.equal(await text('seconds'), `${summary.total_seconds.toFixed(1)} s`);
      }
      if (summary.metrics) {
        assert.equal(await text('accuracy'), `${(100 * summary.metrics.accuracy).toFixed(2)} %`);
        assert.equal(await text('purity'), `${(100 * summary.metrics.purity).toFixed(2)} %`);
        assert.equal(await text('nmi'), summary.metrics.nmi.toFixed(3));
        assert.equal(await text('ari'), summary.metrics.ari.toFixed(3));
      }
      assert.equal(await page.locator('h1').textContent(), report.title);
      assert.equal(await page.locator('.command code').textContent(), report.command);
    }));

  test('has a card for each cluster, with its images', () =>
    looking({}, async ({ page, report }) => {
      const cards = page.getByTestId('cluster-card');
      assert.equal(await cards.count(), Math.min(60, report.clusters.length));
      const tiles = report.thumbs.images && new Set(report.thumbs.images);
      for (const [at, cluster] of report.clusters.slice(0, 60).entries()) {
        const images = [...cluster.typical, ...cluster.uncertain];
        const canvases = cards.nth(at).locator('canvas');
        assert.equal(await canvases.count(), images.length);
        const drawn = images.filter((image) => !tiles || tiles.has(image)).length;
        assert.equal(await cards.nth(at).locator('canvas[data-drawn]').count(), drawn);
        if (drawn) assert.ok((await cards.nth(at).locator('canvas[data-drawn]').first().evaluate(shadesOf)) > 1, `cluster ${cluster.id} is blank`);
      }
    }));

  test('marks the clusters that are not stable, and says why', () =>
    looking({}, async ({ page, report }) => {
      for (const [at, { stability }] of report.clusters.slice(0, 60).entries()) {
        const mark = page.getByTestId('cluster-card').nth(at).locator('h3 .unstable');
        const unstable = typeof stability === 'number' && stability < 0.6;
        assert.equal(await mark.count(), unstable ? 1 : 0);
        if (!unstable) continue;
        assert.equal(await mark.textContent(), 'not stable');
        const reason = `repeated clusterings find only ${(100 * stability).toFixed(0)}\u202f% of it again`;
        assert.equal(await mark.getAttribute('title'), reason);
        assert.ok((await page.getByTestId('cluster-card').nth(at).textContent()).includes(reason));
      }
    }));

  test('shows what was ignored, or what was taken out', () =>
    looking({}, async ({ page, report }) => {
      const { ignored, removed } = report;
      assert.equal(await page.locator('#removed').count(), removed?.directions.length ? 1 : 0);
      assert.equal(await page.locator('#ignored').count(), ignored ? 1 : 0);
      if (!ignored) return;
      const rows = page.getByTestId('ignored-move');
      assert.equal(await rows.count(), ignored.moves.length);
      for (const [at, { move }] of ignored.moves.entries()) {
        assert.ok((await rows.nth(at).textContent()).includes(`${(100 * move).toFixed(1)}\u202f%`));
      }
      if (!ignored.pictures) return;
      const { images, columns } = ignored.pictures;
      const drawn = page.locator('#ignored canvas[data-drawn]');
      await drawn.last().waitFor();
      assert.equal(await drawn.count(), images.length * (1 + columns.length));
      for (const at of [0, columns.length]) assert.ok((await drawn.nth(at).evaluate(shadesOf)) > 1);
    }));

  test('shows the ways to see the images side by side, and how to ask for each', () =>
    looking({}, async ({ page, report }) => {
      const found = report.summary.adapted;
      assert.equal(await page.locator('#ways').count(), found ? 1 : 0);
      if (!found) return;
      const cards = page.getByTestId('way');
      assert.equal(await cards.count(), found.candidates.length);
      assert.equal(await cards.locator('.badge').count(), 1);
      assert.equal(await cards.nth(found.chosen).locator('.badge').textContent(), 'chosen');
      for (const [at, { options, stability }] of found.candidates.entries()) {
        const text = await cards.nth(at).textContent();
        assert.ok(text.includes(`${(100 * stability).toFixed(1)}\u202f%`));
        assert.ok(text.includes(options || '--adapt') || at === found.chosen);
        const pictures = report.ways[at].flat().length;
        assert.ok(pictures > 0);
        await cards.nth(at).locator('canvas[data-drawn], canvas.missing').nth(pictures - 1).waitFor();
      }
    }));

  test('draws the tree, and the slider regroups the walls', () =>
    within({}, async ({ page, report }) => {
      assert.equal(await page.locator('#tree').count(), report.tree ? 1 : 0);
      if (!report.tree) return;
      const { pieces } = report.tree;
      const verdict = report.summary.k_verdict;
      const lead = await page.locator('#tree .lead').textContent();
      if (verdict?.clear) assert.ok(lead.startsWith(`The evidence is clear: ${verdict.numbers[0].clusters}.`));
      else if (verdict) assert.ok(lead.startsWith(verdict.unrestricted === 1 ? 'Nothing clearly parts' : 'No clear number'));
      assert.equal(await page.locator('#tree .leaf').count(), pieces.length);
      assert.equal(await page.locator('#tree .leaf canvas[data-drawn]').count(), pieces.filter(({ images }) => images.length).length);
      const cards = page.getByTestId('group-card');
      const slider = page.getByTestId('groups-slider');
      assert.equal(await cards.count(), Math.max(2, Math.min(pieces.length, report.summary.clusters)));
      for (const groups of [2, pieces.length, Math.ceil(pieces.length / 2)]) {
        // All in one task: the walls must not have to wait for anything.
        const seen = await slider.evaluate((input, value) => {
          input.value = value;
          input.dispatchEvent(new Event('input'));
          const walls = [...document.querySelectorAll('[data-testid="group-card"]')];
          return {
            walls: walls.length,
            pictures: walls.flatMap((wall) => [...wall.querySelectorAll('canvas')].map(({ dataset }) => Number(dataset.image))),
            blank: document.querySelectorAll('[data-testid="group-card"] canvas:not([data-drawn], .missing)').length,
          };
        }, String(groups));
        assert.equal(seen.walls, groups);
        assert.equal(seen.blank, 0);
        const known = new Set(pieces.flatMap(({ images }) => images));
        assert.ok(seen.pictures.every((image) => known.has(image)));
        if (groups === pieces.length) assert.equal(seen.pictures.length, pieces.reduce((sum, { images }) => sum + images.length, 0));
        assert.equal(await page.getByTestId('groups-said').textContent(), String(groups));
      }
      await slider.focus();
      const before = await cards.count();
      await page.keyboard.press('ArrowRight');
      assert.equal(await cards.count(), before + 1);
      const first = page.locator('#tree [data-groups]').first();
      if (await first.count()) {
        await first.click();
        assert.equal(await cards.count(), Number(await first.getAttribute('data-groups')));
      }
      await cards.first().locator('.thumb').first().click();
      assert.ok(await page.locator('dialog[open]').isVisible());
    }));

  test('has a map that shows the image under the pointer', () =>
    within({}, async ({ page, report }) => {
      assert.ok((await page.getByTestId('map').evaluate(shadesOf)) > 3);
      assert.ok(await page.getByTestId('map').getAttribute('aria-label'));
      await hoverShowsImage(page, report);
      const entry = page.getByTestId('legend').getByRole('button').first();
      await entry.focus();
      await page.keyboard.press('Enter');
      assert.equal(await entry.getAttribute('aria-pressed'), 'true');
      for (const choice of await page.locator('.switch input').all()) {
        await choice.check();
        await eventually(async () => assert.ok((await page.getByTestId('map').evaluate(shadesOf)) > 1));
      }
      await page.getByRole('button', { name: 'Zoom in' }).click();
      await page.getByRole('button', { name: 'Show the whole map' }).click();
    }));

  test('draws the map without WebGL too', () => {
    const init = () => {
      const original = HTMLCanvasElement.prototype.getContext;
      HTMLCanvasElement.prototype.getContext = function (kind, ...rest) {
        return kind.startsWith('webgl') ? null : original.call(this, kind, ...rest);
      };
    };
    return within({ init }, async ({ page, report }) => {
      assert.match(await page.locator('.hint').textContent(), /WebGL is not available/);
      assert.ok((await page.getByTestId('map').evaluate(shadesOf)) > 3);
      await hoverShowsImage(page, report);
    });
  });

  test('can be used from the keyboard', () =>
    within({}, async ({ page }) => {
      const onThumbnail = () => page.evaluate(() => document.activeElement?.classList.contains('thumb'));
      for (let presses = 0; presses < 40 && !(await onThumbnail()); presses++) await page.keyboard.press('Tab');
      assert.ok(await onThumbnail(), 'Tab reaches no thumbnail');
      const name = () => page.evaluate(() => document.activeElement.getAttribute('aria-label'));
      const first = await name();
      await page.keyboard.press('ArrowRight');
      assert.notEqual(await name(), first);
      const outline = await page.evaluate(() => getComputedStyle(document.activeElement).outlineStyle);
      assert.equal(outline, 'solid');
      await page.keyboard.press('Enter');
      assert.ok(await page.locator('dialog[open]').isVisible());
      assert.deepEqual(await violations(page), []);
      await page.keyboard.press('Escape');
      assert.equal(await page.locator('dialog[open]').count(), 0);
      assert.ok(await onThumbnail(), 'focus does not go back to the thumbnail');
    }));

  test('runs no script but its own, whatever is written into it', async () => {
    const { page, close } = await open();
    const policy = await page.locator('meta[http-equiv="Content-Security-Policy"]').getAttribute('content');
    assert.doesNotMatch(policy, /unsafe-inline/);
    assert.deepEqual(await refusesForeignScripts(page), []);
    await close();
  });

  test('shows names as they are', () =>
    within({}, async ({ page, report }) => {
      await page.locator('.card .thumb').first().click();
      const image = report.clusters.flatMap((cluster) => [...cluster.typical, ...cluster.uncertain])[0];
      assert.equal(await page.locator('dialog .facts dd').first().textContent(), report.ids?.[image] ?? String(image));
    }));

  for (const width of [400, 1280]) {
    test(`does not scroll sideways at ${width} pixels`, () =>
      looking({ width }, async ({ page }) => {
        for (const details of await page.locator('details').all()) await details.evaluate((box) => (box.open = true));
        await assertFits(page);
        const picture = process.env.SCREENSHOT;
        if (picture && width === 400) await page.screenshot({ path: picture.replace(/(\.png)?$/, '-400.png'), fullPage: true });
      }));
  }

  for (const colorScheme of ['light', 'dark']) {
    test(`has no faults that axe knows of, ${colorScheme}`, () =>
      looking({ colorScheme }, async ({ page }) => {
        const picture = process.env.SCREENSHOT;
        if (picture) {
          const suffix = colorScheme === 'dark' ? '-dark.png' : '.png';
          await page.screenshot({ path: picture.replace(/(\.png)?$/, suffix) });
          await page.screenshot({ path: picture.replace(/(\.png)?$/, `-full${suffix}`), fullPage: true });
        }
        for (const details of await page.locator('details').all()) await details.evaluate((box) => (box.open = true));
        assert.deepEqual(await violations(page), []);
      }));
  }
});
