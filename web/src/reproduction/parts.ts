import { el } from '../dom';
import { counted, figure } from '../format';
import type { Figure } from './data';

/** Text with Markdown's `code`, **strong** and *emphasis*. */
export function prose(text: string): Node[] {
  return text.split(/(`[^`]+`|\*\*[^*]+\*\*|\*[^*]+\*)/).map((part) => {
    if (part.startsWith('`')) return el('code', {}, part.slice(1, -1));
    if (part.startsWith('**')) return el('strong', {}, part.slice(2, -2));
    if (part.startsWith('*')) return el('em', {}, part.slice(1, -1));
    return document.createTextNode(part);
  });
}

export function paragraphs(texts: string[] | undefined): HTMLElement | null {
  if (!texts?.length) return null;
  return el('div', { class: 'prose' }, ...texts.map((text) => el('p', {}, ...prose(text))));
}

export type Cell = string | { text: string; of: number };

/** A table that scrolls by itself where it is wider than the page; the first cell of a row names it. */
export function table(label: string, head: string[], rows: Cell[][], mark?: (row: number) => string | null): HTMLElement {
  const body = rows.map((cells, at) => {
    const name = mark?.(at);
    const [first, ...rest] = cells.map((cell) => (typeof cell === 'string' ? { text: cell, of: 1 } : cell));
    return el(
      'tr',
      name ? { class: name } : {},
      el('th', { scope: 'row' }, first?.text ?? ''),
      ...rest.map(({ text, of }) => el('td', of > 1 ? { colspan: String(of) } : {}, text)),
    );
  });
  const columns = head.map((title, at) => (at || title ? el('th', { scope: 'col' }, title) : el('td', {})));
  const whole = el('table', {}, el('thead', {}, el('tr', {}, ...columns)), el('tbody', {}, ...body));
  return el('div', { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': `${label}, table` }, whole);
}

export function meanAndSpread(value: Figure): string {
  const spread = value.seeds > 1 ? ` ± ${figure(value.spread)}` : '';
  const seeds = value.seeds < value.wanted ? ` (${counted(value.seeds, 'seed', 'seeds')})` : '';
  return figure(value.mean) + spread + seeds;
}

export function signed(value: number): string {
  return `${value < 0 ? '−' : '+'}${Math.abs(value).toFixed(3)}`;
}

/** Series of the plots and their colours, the same on the whole page. */
export const OURS = '--accent';
export const PAPER = '--warm';
export const OTHER = '--faint-strong';

export function captioned(title: string, text: string, plot: HTMLElement): HTMLElement {
  return el('figure', {}, el('figcaption', {}, el('h3', {}, title), text), plot);
}
