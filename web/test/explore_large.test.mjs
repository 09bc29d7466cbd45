// PSSC=/path/to/pssc LARGE=run/of/70000 node --test test/explore_large.test.mjs
// SCREENSHOT=/path/to/picture.png also takes a picture.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { launch } from './chromium.mjs';
import { exploringIn, scrollThrough } from './explorer.mjs';

const { LARGE, SCREENSHOT } = process.env;
let browser;
before(async () => {
  browser = await launch();
});
after(() => browser?.close());

test('70,000 images: the first view within 3 s, and no blank rows when a cluster is scrolled through', (t) =>
  exploringIn(browser, LARGE, async (page) => {
    assert.equal(Number(await page.getByTestId('count').getAttribute('value')), 70000);
    const usable = Number(await page.locator('body').getAttribute('data-usable'));
    t.diagnostic(`first view after ${usable} ms`);
    assert.ok(usable < 3000, `${usable} ms`);
    const { size, seen, blank } = await scrollThrough(page);
    assert.ok(size > 6000, `${size} images in the cluster`);
    assert.equal(seen, size);
    assert.equal(blank, 0);
    if (SCREENSHOT) {
      await page.evaluate(() => document.getElementById('explore').scrollIntoView());
      await page.waitForTimeout(300);
      await page.screenshot({ path: SCREENSHOT });
    }
  }));
