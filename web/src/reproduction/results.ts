import { cssColour, el, section } from '../dom';
import { figure } from '../format';
import { chart } from '../plots';
import type { ResultCell, Results, Timing } from './data';
import { meanAndSpread, OURS, PAPER, paragraphs, signed, table, type Cell } from './parts';

const BLANK = '–';

function cells(method: string, cell: ResultCell): Cell[] {
  const paper = cell.paper ? `${figure(cell.paper.accuracy)} / ${figure(cell.paper.nmi)}` : BLANK;
  if (cell.state === 'quoted') return [`${method} (quoted)`, { text: '', of: 3 }, paper, '', ''];
  if (cell.state === 'out of memory') {
    return [method, { text: `out of memory: ${(cell.gibibytes ?? 0).toFixed(1)} GiB`, of: 3 }, cell.paper ? paper : 'out of memory', '', ''];
  }
  if (!cell.accuracy || !cell.purity || !cell.nmi || !cell.seconds) return [method, { text: cell.state, of: 3 }, paper, '', ''];
  const difference = cell.difference ? `${signed(cell.difference.purity)} / ${signed(cell.difference.nmi)}` : '';
  return [
    method, meanAndSpread(cell.accuracy), meanAndSpread(cell.purity), meanAndSpread(cell.nmi), paper, difference,
    cell.seconds.mean.toFixed(1),
  ];
}

function plot(results: Results, at: number): HTMLElement {
  const values = results.rows.flatMap(({ method, cells: row }, order) => {
    const cell = row[at] as ResultCell;
    const points = [];
    if (cell.purity && cell.nmi) {
      points.push({ method, order, by: 'pssc', figure: 'purity', ...cell.purity });
      points.push({ method, order, by: 'pssc', figure: 'NMI', ...cell.nmi });
    }
    if (cell.paper) {
      const { accuracy, nmi } = cell.paper;
      points.push({ method, order, by: 'the paper', figure: 'purity', mean: accuracy, least: accuracy, greatest: accuracy });
      points.push({ method, order, by: 'the paper', figure: 'NMI', mean: nmi, least: nmi, greatest: nmi });
    }
    return points;
  });
  return chart(`Purity and NMI of each method on ${results.datasets[at]}; the table holds the same figures.`, () => ({
    width: 'container',
    height: 24 * results.rows.length,
    autosize: { type: 'fit-x', contains: 'padding' },
    data: { values },
    encoding: {
      y: { field: 'method', type: 'nominal', title: null, sort: { field: 'order' }, axis: { domain: false, ticks: false, grid: true, labelLimit: 170 } },
      color: {
        field: 'by', type: 'nominal', title: null,
        scale: { domain: ['pssc', 'the paper'], range: [cssColour(OURS), cssColour(PAPER)] }, legend: { orient: 'top' },
      },
    },
    layer: [
      { mark: { type: 'rule', strokeWidth: 2 }, encoding: { x: { field: 'least', type: 'quantitative' }, x2: { field: 'greatest' } } },
      {
        mark: { type: 'point', filled: true, size: 60, opacity: 0.9 },
        encoding: {
          x: { field: 'mean', type: 'quantitative', title: null, scale: { domain: [0, 1] }, axis: { tickCount: 6 } },
          shape: { field: 'figure', type: 'nominal', title: null, scale: { domain: ['purity', 'NMI'], range: ['circle', 'diamond'] }, legend: { orient: 'top', symbolFillColor: cssColour('--muted') } },
          tooltip: [
            { field: 'method' }, { field: 'by' }, { field: 'figure' },
            { field: 'mean', format: '.4f' }, { field: 'least', format: '.4f' }, { field: 'greatest', format: '.4f' },
          ],
        },
      },
    ],
  }));
}

export function showResults(results: Results, remarks?: string[]): HTMLElement {
  const box = section(
    'results', 'Results',
    `Mean and standard deviation over seeds 0 to ${results.seeds - 1}. The difference is ours minus the paper’s: purity against its “ACC”, and NMI.`,
  );
  results.datasets.forEach((dataset, at) => {
    const rows = results.rows.map(({ method, cells: row }) => cells(method, row[at] as ResultCell));
    const head = ['', 'accuracy', 'purity', 'NMI', 'paper: ACC / NMI', 'difference', 'seconds'];
    const quoted = (row: number) => (results.rows[row]?.quoted ? 'quoted' : null);
    box.append(el('div', { class: 'dataset' }, el('h3', {}, dataset), plot(results, at), table(`Results on ${dataset}`, head, rows, quoted)));
  });
  const words = paragraphs(remarks);
  if (words) box.append(words);
  return box;
}

export function showTiming(timing: Timing, remarks?: string[]): HTMLElement {
  const box = section('timing', 'Time for MNIST', `From the files to the labels, on ${timing.threads} threads of this machine; beside it the times the paper prints.`);
  const values = [
    ...timing.ours.map(({ preset, seconds }) => ({ name: `pssc, preset ${preset}`, by: 'pssc, here', seconds })),
    ...timing.paper.map(({ method, seconds }) => ({ name: `${method} (quoted)`, by: 'the paper, on its machine', seconds })),
  ].map((value, order) => ({ ...value, order, text: `${value.seconds.toFixed(value.seconds < 100 ? 1 : 0)} s` }));
  const bars = chart('Seconds to cluster MNIST, on a logarithmic scale; the table holds the same figures.', () => ({
    width: 'container',
    height: 30 * values.length,
    autosize: { type: 'fit-x', contains: 'padding' },
    data: { values },
    encoding: { y: { field: 'name', type: 'nominal', title: null, sort: { field: 'order' }, axis: { domain: false, ticks: false, labelLimit: 170 } } },
    layer: [
      {
        mark: { type: 'bar', cornerRadius: 3, height: { band: 0.62 } },
        encoding: {
          x: { field: 'seconds', type: 'quantitative', title: 'seconds, logarithmic', scale: { type: 'log', domain: [1, 30000] } },
          x2: { datum: 1 },
          color: { field: 'by', type: 'nominal', title: null, scale: { domain: ['pssc, here', 'the paper, on its machine'], range: [cssColour(OURS), cssColour(PAPER)] }, legend: { orient: 'top' } },
        },
      },
      { mark: { type: 'text', align: 'left', dx: 6, color: cssColour('--muted') }, encoding: { x: { field: 'seconds', type: 'quantitative' }, text: { field: 'text' } } },
    ],
  }));
  const rows = values.map(({ name, text }, at) => [name, text, (timing.ours[at]?.stages ?? []).map((s) => `${s.stage} ${s.seconds.toFixed(1)}`).join(', ')]);
  box.append(bars, table('Time for MNIST', ['', 'seconds', 'stages'], rows));
  box.append(el('p', { class: 'muted' }, `The quoted times are of other machines: ${timing.paper_hardware}.`));
  const words = paragraphs(remarks);
  if (words) box.append(words);
  return box;
}
