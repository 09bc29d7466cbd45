import { cssColour, el, section } from '../dom';
import { figure } from '../format';
import { chart } from '../plots';
import type { Ablation } from './data';
import { captioned, meanAndSpread, OTHER, OURS, PAPER, paragraphs, signed, table } from './parts';

const SERIES = ['the paper', 'preset authors', 'preset paper'];

function plot(ablation: Ablation, which: 'purity' | 'nmi', title: string): HTMLElement {
  const values = ablation.rows.flatMap(({ blocks, paper, authors, text }, order) => [
    { blocks: `(${order + 1}) ${blocks}`, order, by: SERIES[0], value: which === 'nmi' ? paper.nmi : paper.accuracy },
    ...(authors ? [{ blocks: `(${order + 1}) ${blocks}`, order, by: SERIES[1], value: authors[which].mean }] : []),
    ...(text ? [{ blocks: `(${order + 1}) ${blocks}`, order, by: SERIES[2], value: text[which].mean }] : []),
  ]);
  return chart(`${title} of the six rows; the table holds the same figures.`, () => ({
    width: 'container',
    height: 44 * ablation.rows.length,
    autosize: { type: 'fit-x', contains: 'padding' },
    data: { values },
    mark: { type: 'bar', cornerRadius: 2 },
    encoding: {
      y: { field: 'blocks', type: 'nominal', title: null, sort: { field: 'order' }, axis: { domain: false, ticks: false, labelLimit: 190 } },
      yOffset: { field: 'by', sort: SERIES },
      x: { field: 'value', type: 'quantitative', title: null, scale: { domain: [0, 1] } },
      color: { field: 'by', type: 'nominal', title: null, sort: SERIES, scale: { domain: SERIES, range: [cssColour(PAPER), cssColour(OURS), cssColour(OTHER)] }, legend: { orient: 'top' } },
      tooltip: [{ field: 'blocks' }, { field: 'by' }, { field: 'value', format: '.4f' }],
    },
  }));
}

export function showAblation(ablation: Ablation, remarks?: string[]): HTMLElement {
  const box = section('ablation', 'Ablation', `Parts left out, on ${ablation.dataset}. Preset authors is what the published program does, preset paper what the text says.`);
  box.append(
    el('div', { class: 'halves' }, captioned('Purity', 'what the program calls accuracy.', plot(ablation, 'purity', 'Purity')), captioned('NMI', 'against the true classes.', plot(ablation, 'nmi', 'NMI'))),
  );
  const rows = ablation.rows.map(({ blocks, paper, authors, text }, at) => {
    const name = `(${at + 1}) ${blocks}`;
    const printed = `${figure(paper.accuracy)} / ${figure(paper.nmi)}`;
    if (!authors || !text) return [name, printed, String(paper.seconds), { text: 'no data', of: 6 }];
    return [
      name, printed, String(paper.seconds), meanAndSpread(authors.accuracy), meanAndSpread(authors.purity), meanAndSpread(authors.nmi),
      authors.seconds.mean.toFixed(1), `${signed(authors.purity.mean - paper.accuracy)} / ${signed(authors.nmi.mean - paper.nmi)}`,
      `${meanAndSpread(text.purity)} / ${meanAndSpread(text.nmi)}`,
    ];
  });
  const head = ['', 'paper: ACC / NMI', 'paper: s', 'ours: accuracy', 'purity', 'NMI', 'seconds', 'difference', 'by the text: purity / NMI'];
  box.append(table('Ablation', head, rows));
  const words = paragraphs(remarks);
  if (words) box.append(words);
  return box;
}
