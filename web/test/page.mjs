// What the tests of the pages share.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';

const axeSource = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Faults that axe finds, a line each. */
export async function violations(page) {
  await page.evaluate(axeSource);
  const found = await page.evaluate(() => axe.run(document).then((result) => result.violations));
  return found.map(({ id, nodes }) => `${id}: ${nodes.slice(0, 3).map((node) => node.html.slice(0, 160)).join(' | ')}`);
}

/** Gathers what a page should not do: complain, fail, or ask something in a dialogue. */
export function watch(page) {
  const faults = [];
  page.on('console', (message) => {
    // The software renderer of a machine without a graphics card talks about itself; that says nothing about the page.
    if (['error', 'warning'].includes(message.type()) && !/GL Driver Message/.test(message.text())) faults.push(message.text());
  });
  page.on('pageerror', (error) => faults.push(String(error)));
  page.on('dialog', (dialog) => {
    faults.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  return faults;
}

export async function assertFits(page) {
  const extra = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
  assert.ok(extra <= 0, `${extra} pixels too wide`);
}

/** Tries a check again until it holds; its own failure after a minute. */
export async function eventually(check) {
  for (const until = Date.now() + 60000; ; ) {
    try {
      return await check();
    } catch (failure) {
      if (Date.now() > until) throw failure;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}

/** Writes scripts and styles into the page, in the ways that an attack would; returns those that had an effect. */
export function refusesForeignScripts(page) {
  return page.evaluate(async () => {
    window.ran = [];
    const script = document.createElement('script');
    script.textContent = 'ran.push("script")';
    document.body.append(script);
    const loaded = document.createElement('script');
    loaded.src = 'data:text/javascript,ran.push("loaded script")';
    document.body.append(loaded);
    const box = document.createElement('div');
    box.innerHTML = '<img src="none" onerror="ran.push(`handler`)"><a href="javascript:ran.push(`link`)">x</a>' +
      '<iframe srcdoc="<script>parent.ran.push(`frame`)</script>"></iframe><p style="position: fixed">x</p>';
    document.body.append(box);
    box.querySelector('a').click();
    const style = document.createElement('style');
    style.textContent = 'body { rotate: 7deg }';
    document.body.append(style);
    await new Promise((resolve) => setTimeout(resolve, 500));
    if (getComputedStyle(box.querySelector('p')).position === 'fixed') window.ran.push('style attribute');
    if (getComputedStyle(document.body).rotate === '7deg') window.ran.push('style');
    return window.ran;
  });
}
