// The page of `pssc reproduce`: a sample with every item and every state a figure can be in, and, where REPRODUCTION names
// one, the page of a real run.
import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { launch } from './chromium.mjs';
import { eventually } from './page.mjs';

const figure = (mean) => ({ mean, spread: 0.0012, least: mean - 0.002, greatest: mean + 0.001, seeds: 4, wanted: 5 });

function resultRows(datasets) {
  const computed = (method, value) => ({
    method,
    quoted: false,
    cells: datasets.map((dataset, at) => {
      const paper = { accuracy: 0.6, nmi: 0.5 };
      if (at === 0) return { dataset, state: 'no data', paper };
      if (at === 1) return { dataset, state: 'out of memory', gibibytes: 18.25, paper: null };
      const figures = { accuracy: figure(value), purity: figure(value + 0.01), nmi: figure(value - 0.05), seconds: figure(12.3) };
      return { dataset, state: 'computed', paper, ...figures, difference: { purity: value - 0.59, nmi: value - 0.55 } };
    }),
  });
  const quoted = { method: 'DEC', quoted: true, cells: datasets.map((dataset) => ({ dataset, state: 'quoted', paper: { accuracy: 0.863, nmi: 0.834 } })) };
  return [computed('k-means', 0.6), computed('PSSC, preset <tuned>', 0.97), quoted];
}

function sample() {
  const datasets = ['mnist', 'mnist-test', 'usps', 'fashion-mnist'];
  const points = Array.from({ length: 60 }, (_, i) => [Math.sin(i), Math.cos(2 * i) + (i % 2)]);
  const labels = points.map((_, i) => i % 2);
  const outcome = { labels, accuracy: 0.9, projected: points.map(([x]) => [x, 0]) };
  const blocks = { accuracy: figure(0.7), purity: figure(0.75), nmi: figure(0.69), seconds: figure(11) };
  const shares = Array.from({ length: 300 }, (_, i) => 0.1 * 0.9 ** i);
  return {
    version: '0.1.0',
    date: '2026-11-15',
    machine: { cores: 2, memory_gib: 23.5, processor: 'Sample', simd: 'AVX2', threads: 2 },
    memory_limit: 2147483648,
    seconds: 660,
    items: {
      results: { datasets, seeds: 5, rows: resultRows(datasets) },
      timing: {
        dataset: 'mnist', threads: 2, paper_hardware: 'another machine',
        ours: [{ preset: 'paper', seconds: 12.2, accuracy: 0.965, nmi: 0.91, stages: [{ stage: 'clustering', seconds: 3.2 }] }],
        paper: [{ method: 'PSSC', seconds: 182 }, { method: 'JULE', seconds: 12500 }],
      },
      ablation: {
        dataset: 'mnist', seeds: 5,
        rows: [
          { blocks: 'POC + U-SPEC', paper: { accuracy: 0.75, nmi: 0.687, seconds: 107 }, authors: blocks, text: blocks },
          { blocks: 'U-SPEC', paper: { accuracy: 0.757, nmi: 0.711, seconds: 43 }, authors: null, text: null },
        ],
      },
      angles: {
        dataset: 'mnist-test', classes: ['0', '2'], dims: 10,
        domains: [
          { domain: 'image', paper: [63, 63.8, 65.5, 68.7, 69.5], greedy: [63.01, 63.83, 65.5, 68.7, 69.5], principal: [25.4, 33.8, 37.6, 46.5, 50.1], greedy_affinity: 0.33, affinity: 0.59 },
          { domain: 'scattering', paper: [36.2, 36.9, 44.2, 60.9, 66.5] },
        ],
      },
      eigenvalues: {
        dataset: 'mnist-test',
        domains: [
          { domain: 'image', paper: 'close to 50', shares, first_four: 0.34, for_half: 7, count: 300, below_a_thousandth: 250 },
          { domain: 'scattering', paper: 'over 50 %' },
        ],
      },
      poc: { toys: [{ name: 'a toy', points, truth: labels, before: outcome, after: outcome, after_by_one_class: outcome }] },
    },
    remarks: { results: ['A remark with `code` and </script> in it.'], differences: ['One.', 'Two.'] },
  };
}

async function makeSample() {
  const empty = await readFile(new URL('../dist/reproduction.html', import.meta.url), 'utf8');
  const data = JSON.stringify(sample()).replaceAll('<', '\\u003c');
  const out = fileURLToPath(new URL('../dist/reproduction-sample.html', import.meta.url));
  const filled = empty.replace('<!--PSSC-DATA-->', () => `<script type="application/json" id="pssc-reproduction">${data}</script>`);
  await writeFile(out, filled);
  return out;
}

const PAGES = { sample: await makeSample() };
if (process.env.REPRODUCTION) PAGES['real run'] = resolve(process.env.REPRODUCTION);
const axeSource = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

let browser;
before(async () => {
  browser = await launch();
});
after(() => browser?.close());

/** Opens the page, and gathers whatever it should not do. */
async function open(file, width, colorScheme) {
  const context = await browser.newContext({ viewport: { width, height: 900 }, colorScheme, reducedMotion: 'reduce' });
  const page = await context.newPage();
  const faults = [];
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) faults.push(message.text());
  });
  page.on('pageerror', (error) => faults.push(String(error)));
  page.on('request', (request) => {
    if (!/^(file|data|blob):/.test(request.url())) faults.push(`request: ${request.url()}`);
  });
  await page.goto(pathToFileURL(file).href);
  await page.waitForSelector('body[data-ready="true"]', { timeout: 60000 });
  const whole = await page.evaluate(() => JSON.parse(document.getElementById('pssc-reproduction').textContent));
  return { page, whole, faults };
}

/** Lets the check look at the page: one for all tests of the same width and colours. */
const shared = {};
async function looking(file, { width = 1280, colorScheme = 'light' }, check) {
  const { page, whole, faults } = (shared[`${file} ${width} ${colorScheme}`] ??= await open(file, width, colorScheme));
  await check(page, whole);
  assert.deepEqual(faults, []);
}

/** The texts of a table's row, found by the text of its first cell. */
async function rowOf(page, section, name, nth = 0) {
  const row = page.locator(`#${section} .scroll`).nth(nth).locator('tr', { has: page.locator('th[scope=row]', { hasText: name }) }).first();
  return row.locator('th, td').allTextContents();
}

function chartsExpected({ items }) {
  return (items.results?.datasets.length ?? 0) + (items.timing ? 1 : 0) + (items.ablation ? 2 : 0) + (items.angles?.domains.length ?? 0) +
    (items.eigenvalues ? 2 : 0) + 4 * (items.poc?.toys.length ?? 0);
}

for (const [name, file] of Object.entries(PAGES)) {
  describe(`the page of a reproduction, ${name}`, () => {
    test('has a section an item, and its plots', () =>
      looking(file, {}, async (page, whole) => {
        for (const item of ['results', 'timing', 'ablation', 'angles', 'eigenvalues', 'poc']) {
          assert.equal(await page.locator(`section#${item}`).count(), whole.items[item] ? 1 : 0, item);
        }
        const plots = page.locator('.chart svg');
        assert.equal(await plots.count(), chartsExpected(whole));
        for (const plot of await plots.all()) assert.ok((await plot.locator('path, rect').count()) > 3, 'an empty plot');
        assert.equal(Number(await page.getByTestId('minutes').getAttribute('value')), whole.seconds);
      }));

    test('says what the data say', () =>
      looking(file, {}, async (page, { items }) => {
        for (const [at] of items.results?.datasets.entries() ?? []) {
          for (const { method, quoted, cells } of items.results.rows) {
            const texts = await rowOf(page, 'results', method, at);
            const cell = cells[at];
            if (cell.state === 'computed') assert.ok(texts[1].startsWith(cell.accuracy.mean.toFixed(3)), texts.join());
            else if (!quoted) assert.ok(texts[1].startsWith(cell.state), texts.join());
            if (cell.paper) assert.ok(texts.some((text) => text.includes(`${cell.paper.accuracy.toFixed(3)} / ${cell.paper.nmi.toFixed(3)}`)), texts.join());
          }
        }
        for (const { domain, paper, greedy } of items.angles?.domains ?? []) {
          assert.deepEqual((await rowOf(page, 'angles', `${domain}: the paper`)).slice(1, 6), paper.map((angle) => angle.toFixed(1)));
          const ours = (await rowOf(page, 'angles', `${domain}: ours, matched`)).slice(1, 6);
          assert.deepEqual(ours, greedy ? greedy.slice(0, 5).map((angle) => angle.toFixed(1)) : Array(5).fill('–'));
        }
      }));

    test('draws again when the colours change', () =>
      looking(file, {}, async (page, whole) => {
        const inks = () => page.locator('.chart svg').evaluateAll((plots) =>
          plots.map((plot) => [...plot.querySelectorAll('text')].map((text) => text.getAttribute('fill'))));
        const light = await inks();
        assert.equal(light.length, chartsExpected(whole));
        for (const colorScheme of ['dark', 'light']) {
          await page.emulateMedia({ colorScheme });
          await eventually(async () => {
            const now = await inks();
            if (colorScheme === 'light') return assert.deepEqual(now, light);
            assert.equal(now.length, light.length);
            for (const [at, ink] of now.entries()) if (light[at].length > 0) assert.notDeepEqual(ink, light[at]);
          });
        }
      }));

    for (const width of [400, 1280]) {
      test(`does not scroll sideways at ${width} pixels`, () =>
        looking(file, { width }, async (page) => {
          const extra = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
          assert.ok(extra <= 0, `${extra} pixels too wide`);
        }));
    }

    for (const colorScheme of ['light', 'dark']) {
      test(`has no faults that axe knows of, ${colorScheme}`, () =>
        looking(file, { colorScheme }, async (page) => {
          if (process.env.SCREENSHOT) await page.screenshot({ path: `${process.env.SCREENSHOT}-${colorScheme}.png`, fullPage: true });
          await page.evaluate(axeSource);
          const found = await page.evaluate(() => axe.run(document).then((result) => result.violations));
          assert.deepEqual(found.map(({ id, nodes }) => `${id}: ${nodes[0].html.slice(0, 160)}`), []);
        }));
    }
  });
}
