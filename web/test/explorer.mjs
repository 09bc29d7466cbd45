// Runs `pssc explore` over a copy of a finished run, and opens its page.
import { spawn } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

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

/** The edits on the disk, their first line aside. */
export function journal(folder) {
  const path = join(folder, 'edits.jsonl');
  if (!existsSync(path)) return [];
  return readFileSync(path, 'utf8').trimEnd().split('\n').map((line) => JSON.parse(line)).filter((line) => line.do !== 'begin');
}
