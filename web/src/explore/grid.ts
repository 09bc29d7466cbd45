import { el } from '../dom';
import type { ServedPictures } from './served-pictures';

/** Pixels from one image to the next. */
const CELL = 54;
/** Lines of images made above and below what is seen. */
const SPARE_LINES = 6;

export interface GridImages {
  rows: number[];
  labelOf: (at: number) => string;
}

/**
 * All images of a cluster, however many: only those in view are in the page. One stop of the Tab key; the arrow keys move, the
 * space bar selects, Shift selects a range.
 */
export class Grid {
  readonly element = el('div', {
    class: 'grid', role: 'listbox', tabindex: '0', 'aria-multiselectable': 'true', 'aria-label': 'Images', 'data-testid': 'grid',
  });
  private readonly space = el('div', { class: 'grid-space', role: 'presentation' });
  private readonly cells = new Map<number, HTMLElement>();
  private images: GridImages = { rows: [], labelOf: () => '' };
  private readonly chosen = new Set<number>();
  private at = 0;
  private anchor = 0;

  constructor(
    private readonly pictures: ServedPictures,
    private readonly events: { moved: (row: number) => void; selected: (rows: number[]) => void },
  ) {
    this.element.append(this.space);
    this.element.addEventListener('scroll', () => this.render(), { passive: true });
    this.element.addEventListener('keydown', (event) => this.key(event));
    this.element.addEventListener('click', (event) => this.click(event));
    new ResizeObserver(() => {
      this.clear();
      this.render();
    }).observe(this.element);
  }

  /** Shows these images, none of them selected. Stays where it is where that is asked. */
  show(images: GridImages, stay = false): void {
    this.images = images;
    this.chosen.clear();
    this.at = this.anchor = stay ? Math.max(0, Math.min(this.at, images.rows.length - 1)) : 0;
    if (!stay) this.element.scrollTop = 0;
    this.clear();
    this.render();
    this.pictures.expect(images.rows);
    this.tell();
  }

  get selection(): number[] {
    return [...this.chosen].sort((a, b) => a - b).map((at) => this.images.rows[at] as number);
  }

  selectAll(all: boolean): void {
    this.chosen.clear();
    if (all) this.images.rows.forEach((_, at) => this.chosen.add(at));
    this.mark();
    this.tell();
  }

  private get columns(): number {
    return Math.max(1, Math.floor((this.element.clientWidth - 8) / CELL));
  }

  private clear(): void {
    for (const cell of this.cells.values()) cell.remove();
    this.cells.clear();
  }

  private render(): void {
    const { columns } = this;
    const count = this.images.rows.length;
    this.space.style.blockSize = `${Math.ceil(count / columns) * CELL + 4}px`;
    const first = Math.max(0, Math.floor(this.element.scrollTop / CELL) - SPARE_LINES) * columns;
    const lines = Math.ceil(this.element.clientHeight / CELL) + 2 * SPARE_LINES;
    const last = Math.min(count, first + lines * columns);
    for (const [at, cell] of this.cells) {
      if (at >= first && at < last) continue;
      cell.remove();
      this.cells.delete(at);
    }
    for (let at = first; at < last; at++) if (!this.cells.has(at)) this.add(at, columns);
    this.mark();
  }

  private add(at: number, columns: number): void {
    const canvas = el('canvas', { 'aria-hidden': 'true', width: '1', height: '1' });
    const row = this.images.rows[at] as number;
    const cell = el(
      'div',
      {
        class: 'cell', role: 'option', id: `cell-${at}`, 'aria-label': this.images.labelOf(at), 'data-row': String(row),
        'aria-setsize': String(this.images.rows.length), 'aria-posinset': String(at + 1),
      },
      canvas,
    );
    cell.style.transform = `translate(${(at % columns) * CELL + 4}px, ${Math.floor(at / columns) * CELL + 4}px)`;
    cell.title = this.images.labelOf(at);
    void this.pictures.drawRow(canvas, row);
    this.cells.set(at, cell);
    this.space.append(cell);
  }

  private mark(): void {
    for (const [at, cell] of this.cells) {
      cell.setAttribute('aria-selected', String(this.chosen.has(at)));
      cell.classList.toggle('at', at === this.at);
    }
    if (this.cells.has(this.at)) this.element.setAttribute('aria-activedescendant', `cell-${this.at}`);
    else this.element.removeAttribute('aria-activedescendant');
  }

  private tell(): void {
    this.events.selected(this.selection);
    const row = this.images.rows[this.at];
    if (row !== undefined) this.events.moved(row);
  }

  private moveTo(at: number): void {
    this.at = Math.max(0, Math.min(at, this.images.rows.length - 1));
    const top = Math.floor(this.at / this.columns) * CELL;
    const { scrollTop, clientHeight } = this.element;
    if (top < scrollTop) this.element.scrollTop = top;
    if (top + CELL + 8 > scrollTop + clientHeight) this.element.scrollTop = top + CELL + 8 - clientHeight;
    this.render();
  }

  private select(at: number, range: boolean): void {
    if (range) {
      const [from, to] = [Math.min(this.anchor, at), Math.max(this.anchor, at)];
      for (let i = from; i <= to; i++) this.chosen.add(i);
    } else {
      if (!this.chosen.delete(at)) this.chosen.add(at);
      this.anchor = at;
    }
  }

  private click(event: MouseEvent): void {
    const cell = (event.target as HTMLElement).closest<HTMLElement>('.cell');
    if (!cell) return;
    const at = Number(cell.getAttribute('aria-posinset')) - 1;
    this.select(at, event.shiftKey);
    this.moveTo(at);
    this.tell();
  }

  private key(event: KeyboardEvent): void {
    const { columns } = this;
    const page = columns * Math.max(1, Math.floor(this.element.clientHeight / CELL) - 1);
    const moves: Record<string, number> = {
      ArrowRight: this.at + 1, ArrowLeft: this.at - 1, ArrowDown: this.at + columns, ArrowUp: this.at - columns,
      PageDown: this.at + page, PageUp: this.at - page, Home: 0, End: this.images.rows.length - 1,
    };
    const to = moves[event.key];
    if (to !== undefined) {
      this.moveTo(to);
      if (event.shiftKey) this.select(this.at, true);
      else this.anchor = this.at;
    } else if (event.key === ' ') {
      this.select(this.at, event.shiftKey);
    } else if (event.key === 'a' && (event.ctrlKey || event.metaKey)) {
      this.images.rows.forEach((_, at) => this.chosen.add(at));
    } else if (event.key === 'Escape') {
      this.chosen.clear();
    } else {
      return;
    }
    event.preventDefault();
    this.mark();
    this.tell();
  }
}
