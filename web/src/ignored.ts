import { bytesOfBase64, type Ignored, type Run } from './data';
import { el, section } from './dom';
import { percent } from './format';
import { copyTile, markMissing } from './thumbs';

/** What the kinds are called on the page; others go by the name that the command gives them. */
const TITLES: Record<string, string> = {
  shift: 'Shift', tilt: 'Tilt', scale: 'Size', stretch: 'Stretch', shear: 'Slant', thickness: 'Thickness',
  gain: 'Brightness', colour: 'Colour', background: 'Background',
};

const POSES: Record<string, string> = {
  rotate: 'An image turned by any angle counts as the same.',
  flip: 'An image and its mirror image count as the same.',
};

function title(kind: string): string {
  return TITLES[kind] ?? kind;
}

function explanation({ kinds, moves }: Ignored): string {
  const said = kinds.map((kind) => POSES[kind]).filter((text) => text !== undefined);
  if (moves.length) {
    said.unshift(
      'A small change leaves an image what it is. Each kind below was applied to some of the images to measure how far ' +
        'it moves their features, relative to the spread of all images. Differences in those directions then count less.',
    );
  }
  return said.join(' ');
}

/** Draws all tiles once the sheet is decoded. */
async function drawTiles(sheet: string, size: number, rows: HTMLCanvasElement[][]): Promise<void> {
  try {
    const bitmap = await createImageBitmap(new Blob([bytesOfBase64(sheet)]));
    rows.forEach((row, y) => row.forEach((canvas, x) => copyTile(canvas, bitmap, x * size, y * size, size)));
    bitmap.close();
  } catch {
    for (const canvas of rows.flat()) markMissing(canvas, size);
  }
}

/** The image itself and its changed versions: a list per image, in the order of the sheet. */
function canvasesOf(run: Run, { images, columns, size, sheet }: NonNullable<Ignored['pictures']>): HTMLCanvasElement[][] {
  const tile = (label: string) => el('canvas', { role: 'img', 'aria-label': label, width: '1', height: '1' });
  const canvases = images.map((image) => [
    tile(`Image ${run.nameOf(image)}, unchanged`),
    ...columns.map(({ kind }) => tile(`Image ${run.nameOf(image)}, changed: ${title(kind).toLowerCase()}`)),
  ]);
  void drawTiles(sheet, size, canvases);
  return canvases;
}

/** A row per kind of change: how far it moves an image, and what it makes of a few. */
function changesTable(run: Run, { moves, pictures }: Ignored): HTMLElement {
  const canvases = pictures ? canvasesOf(run, pictures) : [];
  const cells = (wanted: (at: number) => boolean) =>
    canvases.map((row) => el('td', {}, el('div', { class: 'variants' }, ...row.filter((_, at) => wanted(at)))));
  const widest = Math.max(...moves.map(({ move }) => move), Number.MIN_VALUE);
  const rows = moves.map(({ kind, move }) => {
    const bar = el('span', { class: 'bar', 'aria-hidden': 'true' });
    bar.style.inlineSize = `${(100 * move) / widest}%`;
    return el(
      'tr',
      { class: 'chosen', 'data-testid': 'ignored-move' },
      el('th', { scope: 'row' }, title(kind), title(kind).toLowerCase() === kind ? null : el('span', { class: 'muted' }, kind)),
      el('td', { class: 'move' }, percent(move), bar),
      ...cells((at) => pictures?.columns[at - 1]?.kind === kind),
    );
  });
  if (canvases.length) rows.unshift(el('tr', {}, el('th', { scope: 'row' }, 'Unchanged'), el('td', {}), ...cells((at) => at === 0)));
  const head = el(
    'tr',
    {},
    el('th', { scope: 'col' }, 'Change'),
    el('th', { scope: 'col' }, 'Moves an image by'),
    canvases.length ? el('th', { scope: 'colgroup', colspan: String(canvases.length) }, 'Typical images of the largest clusters') : null,
  );
  const table = el('table', { class: 'changes' }, el('thead', {}, head), el('tbody', {}, ...rows));
  return el('div', { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': 'Changes that were ignored' }, table);
}

export function showIgnored(run: Run): HTMLElement | null {
  const { ignored } = run.report;
  if (!ignored) return null;
  const box = section('ignored', 'What was ignored', explanation(ignored));
  if (ignored.moves.length) box.append(changesTable(run, ignored));
  return box;
}
