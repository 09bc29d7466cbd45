import { bytesOfBase64, type Run } from './data';
import { el } from './dom';
import { percent } from './format';

interface Job {
  canvas: HTMLCanvasElement;
  image: number;
  tile: number;
  done: (drawn: boolean) => void;
}

/** Where the page's pictures of images come from. */
export interface Pictures {
  /** Of a tile, in pixels. */
  readonly size: number;
  /** Draws an image, resolving to false where there is no picture of it. */
  draw(canvas: HTMLCanvasElement, image: number, urgent?: boolean): Promise<boolean>;
  /** Resolves when nothing waits to be drawn. */
  idle(): Promise<void>;
}

/** Decoded sheets kept at a time: one of 2048 x 2048 pixels takes 16 MiB. */
const SHEETS_KEPT = 6;

/**
 * Draws images out of the sheets. Work is gathered by sheet, so that each sheet is decoded once for all
 * the thumbnails of the page however they are spread over it.
 */
export class Thumbs implements Pictures {
  readonly size: number;
  private readonly perSheet: number;
  private readonly columns: number;
  private readonly tileOfImage: Map<number, number> | null;
  private readonly decoded = new Map<number, ImageBitmap>();
  private readonly pending = new Map<number, Job[]>();
  private urgentSheet = -1;
  private working = false;
  private readonly waiting: (() => void)[] = [];

  constructor(run: Run) {
    const { size, columns, rows, images } = run.report.thumbs;
    this.size = size;
    this.columns = columns;
    this.perSheet = columns * rows;
    this.tileOfImage = images ? new Map(images.map((image, tile) => [image, tile])) : null;
  }

  draw(canvas: HTMLCanvasElement, image: number, urgent = false): Promise<boolean> {
    canvas.dataset.image = String(image);
    const tile = this.tileOfImage ? this.tileOfImage.get(image) : image;
    if (tile === undefined) {
      markMissing(canvas, this.size);
      return Promise.resolve(false);
    }
    const sheet = Math.floor(tile / this.perSheet);
    if (urgent) this.urgentSheet = sheet;
    return new Promise((done) => {
      const jobs = this.pending.get(sheet);
      const job = { canvas, image, tile, done };
      if (jobs) jobs.push(job);
      else this.pending.set(sheet, [job]);
      void this.work();
    });
  }

  idle(): Promise<void> {
    return this.working ? new Promise((resolve) => this.waiting.push(resolve)) : Promise.resolve();
  }

  private async work(): Promise<void> {
    if (this.working) return;
    this.working = true;
    // Let the caller add all of its thumbnails before the first sheet is decoded.
    await Promise.resolve();
    for (let sheet = this.nextSheet(); sheet >= 0; sheet = this.nextSheet()) {
      const bitmap = await this.sheet(sheet);
      const jobs = this.pending.get(sheet) ?? [];
      this.pending.delete(sheet);
      for (const job of jobs) job.done(this.drawTile(bitmap, job));
    }
    this.working = false;
    for (const resolve of this.waiting.splice(0)) resolve();
  }

  private nextSheet(): number {
    if (this.pending.has(this.urgentSheet)) return this.urgentSheet;
    for (const sheet of this.pending.keys()) if (this.decoded.has(sheet)) return sheet;
    return this.pending.keys().next().value ?? -1;
  }

  private async sheet(number: number): Promise<ImageBitmap | null> {
    const known = this.decoded.get(number);
    if (known) {
      this.decoded.delete(number);
      this.decoded.set(number, known);
      return known;
    }
    const text = document.getElementById(`pssc-sheet-${number}`)?.textContent;
    if (!text) return null;
    try {
      // The browser looks at the bytes, so the type of the blob need not be named.
      const bitmap = await createImageBitmap(new Blob([bytesOfBase64(text)]));
      this.keep(number, bitmap);
      return bitmap;
    } catch {
      return null;
    }
  }

  private keep(number: number, bitmap: ImageBitmap): void {
    this.decoded.set(number, bitmap);
    if (this.decoded.size <= SHEETS_KEPT) return;
    const oldest = this.decoded.keys().next().value as number;
    this.decoded.get(oldest)?.close();
    this.decoded.delete(oldest);
  }

  private drawTile(bitmap: ImageBitmap | null, { canvas, image, tile }: Job): boolean {
    // The canvas may have been given to another image in the meantime.
    if (canvas.dataset.image !== String(image)) return false;
    if (!bitmap) {
      markMissing(canvas, this.size);
      return false;
    }
    const place = tile % this.perSheet;
    const left = (place % this.columns) * this.size;
    const top = Math.floor(place / this.columns) * this.size;
    copyTile(canvas, bitmap, left, top, this.size);
    return true;
  }
}

export function copyTile(canvas: HTMLCanvasElement, sheet: ImageBitmap | HTMLCanvasElement, left: number, top: number, size: number): void {
  canvas.width = canvas.height = size;
  canvas.getContext('2d')?.drawImage(sheet, left, top, size, size, 0, 0, size, size);
  canvas.dataset.drawn = 'true';
  canvas.classList.remove('missing');
}

export function markMissing(canvas: HTMLCanvasElement, size: number): void {
  canvas.width = canvas.height = size;
  delete canvas.dataset.drawn;
  canvas.classList.add('missing');
}

export function describe(run: Run, image: number): string {
  const cluster = run.clusterOf(image);
  const place = cluster < 0 ? 'no cluster' : run.nameOfCluster(cluster);
  const truth = run.truthOf(image);
  const known = truth < 0 ? '' : `, class ${run.className(truth)}`;
  return `Image ${run.nameOf(image)}, ${place}, confidence ${percent(run.confidenceOf(image))}${known}`;
}

function moveWithin(wall: HTMLElement, event: KeyboardEvent): void {
  const buttons = [...wall.querySelectorAll<HTMLButtonElement>('button')];
  const at = buttons.indexOf(document.activeElement as HTMLButtonElement);
  const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: buttons.length - 1 }[event.key];
  const next = to === undefined || at < 0 ? undefined : buttons[to];
  if (!next) return;
  event.preventDefault();
  next.focus();
}

/**
 * A wall of thumbnails. It is one stop of the Tab key, and the arrow keys move along it: a page of hundreds of
 * stops would be no way to get about.
 */
export function wall(
  run: Run,
  thumbs: Pictures,
  images: number[],
  label: string,
  open: (images: number[], at: number) => void,
): HTMLElement {
  const group = el('div', { class: 'wall', role: 'group', 'aria-label': label });
  images.forEach((image, at) => {
    const canvas = el('canvas', { width: String(thumbs.size), height: String(thumbs.size), 'aria-hidden': 'true' });
    const button = el('button', { type: 'button', class: 'thumb', 'aria-label': describe(run, image) }, canvas);
    button.tabIndex = at === 0 ? 0 : -1;
    button.title = run.nameOf(image);
    button.addEventListener('click', () => open(images, at));
    button.addEventListener('focus', () => {
      for (const other of group.querySelectorAll<HTMLButtonElement>('button')) other.tabIndex = -1;
      button.tabIndex = 0;
    });
    void thumbs.draw(canvas, image);
    group.append(button);
  });
  group.addEventListener('keydown', (event) => moveWithin(group, event));
  return group;
}
