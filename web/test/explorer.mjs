// Runs `pssc explore` over a copy of a finished run, and opens its page.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { watch } from './page.mjs';

export class Server {
  constructor(folder, options = []) {
    this.folder = folder;
    this.process = spawn(process.env.PSSC, ['explore', folder, '--port', '0', ...options], { stdio: ['ignore', 'pipe', 'pipe'] });
    this.output = '';
    this.ended = new Promise((resolve) => this.process.on('exit', (code, signal) => resolve(signal ?? code)));
    this.address = new Promise((resolve, reject) => {
      const read = (bytes) => {
        this.output += bytes;
        const found = /http:\S+\n/.exec(this.output);
        if (found) resolve(found[0].trim());
      };
      this.process.stdout.on('data', read);
      this.process.stderr.on('data', read);
      void this.ended.then(() => reject(new Error(`pssc explore ended: ${this.output}`)));
    });
    this.address.catch(() => undefined);
  }

  /** As a page that knows the token does; `headers` may say otherwise. */
  async ask(path, { headers = {}, ...init } = {}) {
    const address = new URL(await this.address);
    const token = address.searchParams.get('token');
    return fetch(new URL(path, address), { ...init, headers: { 'X-PSSC-Token': token, ...headers } });
  }

  async json(path, init) {
    return (await this.ask(path, init)).json();
  }

  async end(signal = 'SIGTERM') {
    this.process.kill(signal);
    return this.ended;
  }
}

/** A copy of a run in a folder of its own, gone when `body` ends. */
export async function withCopy(run, body) {
  const base = mkdtempSync(join(tmpdir(), 'pssc-explore-'));
  const folder = join(base, 'run');
  cpSync(run, folder, { recursive: true });
  try {
    return await body(folder);
  } finally {
    rmSync(base, { recursive: true, force: true });
  }
}

export async function withServer(run, body, options) {
  return withCopy(run, async (folder) => {
    const server = new Server(folder, options);
    try {
      await server.address;
      return await body(server);
    } finally {
      await server.end('SIGKILL');
    }
  });
}

/** Changes what a run's folder says to the page, as somebody could who knows the format: the checksum fits again. */
export function changePageData(folder, change) {
  const path = join(folder, 'explore.pssc');
  const whole = readFileSync(path);
  const sum = 16;  // behind the magic word and the version: the checksum of labels.csv, then the JSON
  const from = sum + 8 + Number(whole.readBigUInt64LE(sum));
  const to = from + 8 + Number(whole.readBigUInt64LE(from));
  const data = JSON.parse(whole.subarray(from + 8, to).toString());
  change(data);
  const json = Buffer.from(JSON.stringify(data));
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(json.length));
  const body = Buffer.concat([whole.subarray(0, from), length, json, whole.subarray(to, -64)]);
  writeFileSync(path, Buffer.concat([body, Buffer.from(createHash('sha256').update(body).digest('hex'))]));
  return data;
}

/** The edits on the disk, their first line aside. */
export function journal(folder) {
  const path = join(folder, 'edits.jsonl');
  if (!existsSync(path)) return [];
  return readFileSync(path, 'utf8').trimEnd().split('\n').map((line) => JSON.parse(line)).filter((line) => line.do !== 'begin');
}

export async function openExplorer(browser, server, { width = 1280, height = 900, colorScheme = 'light' } = {}) {
  const context = await browser.newContext({ viewport: { width, height }, colorScheme, reducedMotion: 'reduce' });
  const page = await context.newPage();
  const faults = watch(page);
  await page.goto(await server.address);
  await page.waitForSelector('body[data-ready="true"]', { timeout: 60000 });
  return { page, faults, context };
}

/** A run served and opened; the page must not complain. */
export function exploringIn(browser, run, check, options) {
  return withServer(run, async (server) => {
    const { page, faults, context } = await openExplorer(browser, server, options);
    await check(page, server);
    assert.deepEqual(faults, []);
    await context.close();
  });
}

/** Scrolls through the largest cluster: its size, how many of its images were seen, and how many were blank when in view. */
export async function scrollThrough(page) {
  await page.getByTestId('grid').scrollIntoViewIfNeeded();
  const size = Number((await page.locator('[data-testid="cluster-list"] .muted').first().textContent()).replaceAll(',', ''));
  const seen = await page.evaluate(async () => {
    const grid = document.querySelector('[data-testid="grid"]');
    const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
    const rows = new Set();
    let blank = 0;
    const look = () => {
      const box = grid.getBoundingClientRect();
      let inView = 0;
      for (const cell of grid.querySelectorAll('.cell')) {
        const place = cell.getBoundingClientRect();
        if (place.bottom <= box.top || place.top >= box.bottom) continue;
        inView++;
        rows.add(cell.dataset.row);
        if (!cell.querySelector('canvas').dataset.drawn) blank++;
      }
      if (inView < 20) blank += 1000;
    };
    look();
    for (let steps = 0; grid.scrollTop + grid.clientHeight < grid.scrollHeight - 1 && steps < 2000; steps++) {
      grid.scrollTop += 0.8 * grid.clientHeight;
      await frame();
      await frame();
      look();
    }
    return { seen: rows.size, blank };
  });
  return { size, ...seen };
}
