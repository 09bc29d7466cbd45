import embed, { type VisualizationSpec } from 'vega-embed';
import type { Candidate, Run } from './data';
import { cssColour, el, onSchemeChange, section } from './dom';
import { counted, figure, integer, percent } from './format';

export type Spec = () => Record<string, unknown>;

const charts: { host: HTMLElement; spec: Spec }[] = [];

function theme(): Record<string, unknown> {
  const ink = cssColour('--muted');
  const line = cssColour('--line');
  const font = 'system-ui, sans-serif';
  return {
    background: 'transparent',
    font,
    view: { stroke: null },
    axis: {
      labelColor: ink, titleColor: ink, titleFontWeight: 'normal', labelFontSize: 12, titleFontSize: 12,
      gridColor: line, domainColor: line, tickColor: line, titlePadding: 10,
    },
    legend: { labelColor: ink, titleColor: ink },
  };
}

async function drawChart(host: HTMLElement, spec: Spec): Promise<void> {
  const full = { $schema: 'https://vega.github.io/schema/vega-lite/v5.json', ...spec(), config: theme() };
  await embed(host, full as unknown as VisualizationSpec, {
    actions: false,
    renderer: 'svg',
    defaultStyle: false,
    tooltip: { theme: 'custom', disableDefaultStyle: true },
  });
}

/** A place for a chart; it is drawn by drawCharts, once it is in the page and has a width. */
export function chart(label: string, spec: Spec): HTMLElement {
  // The frame names the chart as a whole; its marks, read out one by one, would only be noise.
  const host = el('div', { 'aria-hidden': 'true' });
  charts.push({ host, spec });
  return el('div', { class: 'chart', role: 'img', 'aria-label': label }, host);
}

export async function drawCharts(): Promise<void> {
  const drawAll = () => Promise.all(charts.map(({ host, spec }) => drawChart(host, spec)));
  await drawAll();
  onSchemeChange(() => void drawAll());
}

function varianceTold(values: { directions: number; share: number }[]): string {
  const at = values.find(({ share }) => share >= 0.9) ?? values[values.length - 1];
  return at ? `${counted(at.directions, 'direction holds', 'directions hold')} ${percent(at.share)} of the variance` : '';
}

function varianceChart(covariance: number[], total: number): HTMLElement {
  let sum = 0;
  const values = covariance.map((variance, at) => ({ directions: at + 1, share: Math.min(1, (sum += variance) / total) }));
  const told = varianceTold(values);
  const host = chart(`Cumulative share of the variance by number of directions. ${told}`, () => ({
    width: 'container',
    height: 240,
    data: { values },
    encoding: {
      x: { field: 'directions', type: 'quantitative', title: 'directions, largest first', axis: { grid: false, tickMinStep: 1 }, scale: { nice: false } },
      y: {
        field: 'share', type: 'quantitative', title: 'share of the variance',
        scale: { domain: [0, 1] }, axis: { format: '.0%', tickCount: 5 },
      },
    },
    layer: [
      { mark: { type: 'area', color: cssColour('--accent'), opacity: 0.14 } },
      { mark: { type: 'line', color: cssColour('--accent'), strokeWidth: 2 } },
      {
        mark: { type: 'point', opacity: 0, size: 120 },
        encoding: {
          tooltip: [
            { field: 'directions', title: 'directions' },
            { field: 'share', title: 'share', format: '.2%' },
          ],
        },
      },
    ],
  }));
  return el('figure', {}, el('figcaption', {}, el('h3', {}, 'Variance of the features'), told ? `${told}.` : ''), host);
}

function eigenvalueMarks(count: number): Record<string, unknown> {
  return {
    mark: { type: 'point', filled: true, size: count > 60 ? 25 : 55, opacity: 1 },
    encoding: {
      x: { field: 'number', type: 'quantitative', title: 'eigenvalue number', axis: { grid: false, tickMinStep: 1, format: 'd' }, scale: { domain: [0, count + 1], nice: false } },
      y: { field: 'value', type: 'quantitative', title: 'eigenvalue', scale: { zero: false }, axis: { tickCount: 5 } },
      color: {
        field: 'kept', type: 'nominal', legend: null,
        scale: { domain: [true, false], range: [cssColour('--accent'), cssColour('--faint-strong')] },
      },
      tooltip: [
        { field: 'number', title: 'number' },
        { field: 'value', title: 'eigenvalue', format: '.5f' },
      ],
    },
  };
}

/** The gap as a thick stroke from the last eigenvalue kept down to the next one. */
function gapMarks(clusters: number, above?: number, below?: number): Record<string, unknown>[] {
  if (above === undefined || below === undefined) return [];
  const colour = cssColour('--warm');
  const x = { field: 'at', type: 'quantitative' };
  const y = { field: 'above', type: 'quantitative' };
  return [
    {
      data: { values: [{ at: clusters + 0.5, above, below, label: `K = ${clusters}` }] },
      layer: [
        { mark: { type: 'rule', strokeDash: [3, 4], color: colour }, encoding: { x } },
        { mark: { type: 'rule', strokeWidth: 6, strokeCap: 'round', color: colour }, encoding: { x, y, y2: { field: 'below' } } },
        {
          mark: { type: 'text', align: 'left', dx: 10, fontSize: 13, fontWeight: 600, color: colour },
          encoding: { x, y, text: { field: 'label' } },
        },
      ],
    },
  ];
}

function graphChart(eigenvalues: number[], clusters: number): HTMLElement {
  const values = eigenvalues.map((value, at) => ({ number: at + 1, value, kept: at < clusters }));
  const above = eigenvalues[clusters - 1];
  const below = eigenvalues[clusters];
  const gap = above !== undefined && below !== undefined ? above - below : null;
  const told = gap === null ? '' : `The gap after ${integer(clusters)} is ${figure(gap)}`;
  const host = chart(`Eigenvalues of the graph, falling. ${told}`, () => ({
    width: 'container',
    height: 240,
    data: { values },
    layer: [...gapMarks(clusters, above, below), eigenvalueMarks(values.length)],
  }));
  return el('figure', {}, el('figcaption', {}, el('h3', {}, 'Eigenvalues of the graph'), told ? `${told}.` : ''), host);
}

function candidateTable(candidates: Candidate[], clusters: number): HTMLElement {
  const best = Math.max(...candidates.map(({ score }) => score), Number.MIN_VALUE);
  const rows = candidates.map(({ clusters: number, score }) => {
    const bar = el('span', { class: 'bar', 'aria-hidden': 'true' });
    bar.style.inlineSize = `${Math.max(0, (100 * score) / best)}%`;
    const row = el(
      'tr',
      number === clusters ? { class: 'chosen' } : {},
      el('th', { scope: 'row' }, integer(number), number === clusters ? ' (chosen)' : ''),
      el('td', {}, figure(score)),
      el('td', { class: 'bar-cell' }, bar),
    );
    return row;
  });
  const head = el(
    'tr',
    {},
    el('th', { scope: 'col' }, 'Clusters'),
    el('th', { scope: 'col' }, 'Score'),
    el('td', {}),
  );
  return el(
    'div',
    {},
    el('h3', {}, 'Candidates for the number of clusters'),
    el('table', { class: 'candidates' }, el('thead', {}, head), el('tbody', {}, ...rows)),
  );
}

export function showSpectra(run: Run): HTMLElement | null {
  const { spectra, summary } = run.report;
  if (!spectra) return null;
  // Where the tree decided on the number of clusters, the gaps did not.
  const byGap = !summary.k_verdict;
  const box = section('spectra', 'Spectra', byGap ? 'The number of clusters shows as a gap between the eigenvalues of the graph.' : undefined);
  const halves = el('div', { class: 'halves' });
  if (spectra.graph.length) halves.append(graphChart(spectra.graph, summary.clusters));
  if (spectra.covariance.length) halves.append(varianceChart(spectra.covariance, spectra.total_variance));
  box.append(halves);
  if (byGap && spectra.candidates.length) box.append(candidateTable(spectra.candidates, summary.clusters));
  return box;
}

/** Rows sorted by their main class, so that a good clustering shows as a diagonal. */
function rowOrder(confusion: number[][]): number[] {
  const main = confusion.map((row) => row.indexOf(Math.max(...row)));
  return confusion.map((_, row) => row).sort((a, b) => (main[a] as number) - (main[b] as number) || a - b);
}

function heatMap(run: Run, confusion: number[][], classes: string[], order: number[]): HTMLElement {
  const name = (row: number) => `cluster ${run.report.clusters[row]?.id ?? row}`;
  const values = confusion.flatMap((counts, row) => {
    const total = counts.reduce((sum, count) => sum + count, 0) || 1;
    // Classes go by number: two of them may bear the same name.
    return counts.map((count, column) => ({
      row: name(row), column, name: classes[column] ?? '', count, share: count / total, text: count ? integer(count) : '',
    }));
  });
  const numbered = classes.length <= 24 && confusion.length <= 40;
  const step = numbered ? 30 : Math.max(4, Math.min(18, Math.floor(720 / confusion.length)));
  const host = chart('Heat map of clusters against true classes; the table below holds the same counts.', () => {
    const labels = JSON.stringify(classes.map((label) => (label.length > 14 ? `${label.slice(0, 13)}…` : label)));
    return {
      width: 'container',
      height: step * confusion.length,
      autosize: { type: 'fit-x', contains: 'padding' },
      data: { values },
      encoding: {
        x: {
          field: 'column', type: 'ordinal', title: 'true class',
          axis: { orient: 'top', labelExpr: `${labels}[datum.value]`, labelAngle: classes.some((c) => c.length > 3) ? -40 : 0, domain: false, ticks: false, labelOverlap: true },
        },
        y: { field: 'row', type: 'nominal', title: null, sort: order.map(name), axis: { domain: false, ticks: false, labelOverlap: true } },
        tooltip: [
          { field: 'row', title: 'in' },
          { field: 'name', title: 'true class' },
          { field: 'count', title: 'images', format: ',' },
          { field: 'share', title: 'of the cluster', format: '.1%' },
        ],
      },
      layer: [
        {
          mark: { type: 'rect', cornerRadius: numbered ? 4 : 0, stroke: cssColour('--surface'), strokeWidth: numbered ? 2 : 0 },
          encoding: {
            color: {
              field: 'share', type: 'quantitative', legend: null,
              scale: { domain: [0, 1], range: [cssColour('--heat-low'), cssColour('--heat-high')], interpolate: 'lab' },
            },
          },
        },
        ...(numbered
          ? [{
              mark: { type: 'text', fontSize: 12 },
              encoding: {
                text: { field: 'text' },
                color: {
                  condition: { test: 'datum.share > 0.62', value: cssColour('--heat-ink-high') },
                  value: cssColour('--ink'),
                },
              },
            }]
          : []),
      ],
    };
  });
  host.style.minInlineSize = numbered ? `${110 + 38 * classes.length}px` : '0';
  return el('div', { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': 'Clusters and classes, heat map' }, host);
}

function confusionTable(run: Run, confusion: number[][], classes: string[], order: number[]): HTMLElement {
  const head = el('tr', {}, el('th', { scope: 'col' }, 'Cluster'), ...classes.map((label) => el('th', { scope: 'col', class: 'verbatim' }, label)));
  const rows = order.map((row) =>
    el(
      'tr',
      {},
      el('th', { scope: 'row' }, String(run.report.clusters[row]?.id ?? row)),
      ...(confusion[row] ?? []).map((count) => el('td', {}, integer(count))),
    ),
  );
  const table = el('table', {}, el('caption', {}, 'Images of each true class in each cluster'), el('thead', {}, head), el('tbody', {}, ...rows));
  const scroll = el('div', { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': 'Clusters and classes, table' }, table);
  return el('details', {}, el('summary', {}, 'The counts as a table'), scroll);
}

export function showConfusion(run: Run): HTMLElement | null {
  const { confusion, classes, summary } = run.report;
  if (!confusion?.length || !classes?.length) return null;
  const order = rowOrder(confusion);
  const told = summary.metrics ? `${percent(summary.metrics.purity)} of the images lie with the main class of their cluster.` : undefined;
  const box = section('confusion', 'Clusters and true classes', told);
  box.append(heatMap(run, confusion, classes, order), confusionTable(run, confusion, classes, order));
  return box;
}

export function stageTimes(run: Run): HTMLElement {
  const timings = run.report.summary.timings ?? [];
  const values = timings.map(({ seconds }, at) => ({ at, seconds, text: `${figure(seconds, 2)} s` }));
  const labels = JSON.stringify(timings.map(({ stage }) => stage));
  const longest = Math.max(...timings.map(({ seconds }) => seconds), 0.001);
  return chart('Seconds taken by each stage; the table below holds the same times.', () => ({
    width: 'container',
    height: 26 * values.length,
    autosize: { type: 'fit-x', contains: 'padding' },
    data: { values },
    encoding: {
      y: {
        field: 'at', type: 'ordinal', title: null,
        axis: { labelExpr: `${labels}[datum.value]`, domain: false, ticks: false, labelLimit: 160, labelPadding: 8 },
      },
      x: { field: 'seconds', type: 'quantitative', title: null, axis: null, scale: { domain: [0, 1.2 * longest], nice: false } },
    },
    layer: [
      { mark: { type: 'bar', cornerRadius: 3, height: { band: 0.62 }, color: cssColour('--accent') } },
      { mark: { type: 'text', align: 'left', dx: 6, fontSize: 12, color: cssColour('--muted') }, encoding: { text: { field: 'text' } } },
    ],
  }));
}
