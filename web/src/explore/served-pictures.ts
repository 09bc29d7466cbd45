import { copyTile, markMissing, type Pictures } from '../thumbs';
import { api } from './api';

interface Tile {
  sheet: ImageBitmap;
  left: number;
  top: number;
}

interface Job {
  canvas: HTMLCanvasElement;
  row: number;
  done: (drawn: boolean) => void;
}

const ROWS_A_REQUEST = 256;
const COLUMNS = 16;
const REQUESTS_AT_ONCE = 3;
const MOST_BYTES = 128 * 1024 * 1024;

/**
 * Draws images that the server sends as sheets made to order, and keeps what it has been sent. What stands in view is asked
 * for before what may be looked at next.
 */
export class ServedPictures implements Pictures {
  private readonly tiles = new Map<number, Tile>();
  private readonly sheets: { bitmap: ImageBitmap; rows: number[] }[] = [];
  private readonly wanted = new Map<number, Job[]>();
  private ahead: number[] = [];
  private readonly underWay = new Set<number>();
  private requests = 0;
  private planned = false;
  private readonly waiting: (() => void)[] = [];

  /** `rowOf` tells the row of the page's images; null: they are the same. */
  constructor(
    readonly size: number,
    private readonly rowOf: Uint32Array | null,
  ) {}

  draw(canvas: HTMLCanvasElement, image: number): Promise<boolean> {
    return this.drawRow(canvas, this.rowOf?.[image] ?? image);
  }

  /** At once, where the picture is here. */
  drawRow(canvas: HTMLCanvasElement, row: number): Promise<boolean> {
    canvas.dataset.image = String(row);
    const tile = this.tiles.get(row);
    if (tile) {
      copyTile(canvas, tile.sheet, tile.left, tile.top, this.size);
      return Promise.resolve(true);
    }
    delete canvas.dataset.drawn;
    return new Promise((done) => {
      const jobs = this.wanted.get(row);
      if (jobs) jobs.push({ canvas, row, done });
      else this.wanted.set(row, [{ canvas, row, done }]);
      this.plan();
    });
  }

  /** These may be wanted soon, the first ones first; as many as there is room for are fetched. */
  expect(rows: number[]): void {
    const room = Math.floor(MOST_BYTES / (4 * this.size * this.size));
    this.ahead = rows.slice(0, room);
    this.plan();
  }

  idle(): Promise<void> {
    return this.wanted.size ? new Promise((resolve) => this.waiting.push(resolve)) : Promise.resolve();
  }

  private plan(): void {
    if (this.planned) return;
    this.planned = true;
    // Let the caller ask for all of its pictures before the first request is made.
    queueMicrotask(() => {
      this.planned = false;
      while (this.requests < REQUESTS_AT_ONCE && this.request());
    });
  }

  private nextRows(): number[] {
    const rows: number[] = [];
    for (const [row, jobs] of this.wanted) {
      if (rows.length === ROWS_A_REQUEST) return rows;
      if (this.underWay.has(row)) continue;
      // A canvas may have scrolled out of sight and been given to another image.
      if (jobs.every(({ canvas }) => canvas.dataset.image !== String(row))) {
        this.wanted.delete(row);
        for (const job of jobs) job.done(false);
      } else {
        rows.push(row);
      }
    }
    if (rows.length) return rows;
    while (this.ahead.length && rows.length < ROWS_A_REQUEST) {
      const row = this.ahead.shift() as number;
      if (!this.tiles.has(row) && !this.underWay.has(row)) rows.push(row);
    }
    return rows;
  }

  private request(): boolean {
    const rows = this.nextRows();
    if (!rows.length) {
      this.tellIdle();
      return false;
    }
    this.requests++;
    for (const row of rows) this.underWay.add(row);
    void api
      .pictures(rows, COLUMNS)
      .then((bitmap) => this.keep(rows, bitmap))
      .catch(() => undefined)
      .finally(() => {
        this.requests--;
        for (const row of rows) this.finish(row);
        this.plan();
      });
    return true;
  }

  private finish(row: number): void {
    this.underWay.delete(row);
    const jobs = this.wanted.get(row) ?? [];
    this.wanted.delete(row);
    const tile = this.tiles.get(row);
    for (const { canvas, done } of jobs) {
      const ours = canvas.dataset.image === String(row);
      if (ours && tile) copyTile(canvas, tile.sheet, tile.left, tile.top, this.size);
      else if (ours) markMissing(canvas, this.size);
      done(ours && tile !== undefined);
    }
    this.tellIdle();
  }

  private tellIdle(): void {
    if (!this.wanted.size) for (const resolve of this.waiting.splice(0)) resolve();
  }

  private keep(rows: number[], bitmap: ImageBitmap): void {
    rows.forEach((row, at) => {
      this.tiles.set(row, { sheet: bitmap, left: (at % COLUMNS) * this.size, top: Math.floor(at / COLUMNS) * this.size });
    });
    this.sheets.push({ bitmap, rows });
    let bytes = this.sheets.reduce((sum, sheet) => sum + 4 * sheet.bitmap.width * sheet.bitmap.height, 0);
    while (bytes > MOST_BYTES + ROWS_A_REQUEST * 4 * this.size * this.size) {
      const oldest = this.sheets.shift();
      if (!oldest) return;
      bytes -= 4 * oldest.bitmap.width * oldest.bitmap.height;
      for (const row of oldest.rows) if (this.tiles.get(row)?.sheet === oldest.bitmap) this.tiles.delete(row);
      oldest.bitmap.close();
    }
  }
}
