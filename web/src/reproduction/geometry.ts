import { categoryColour } from '../colours';
import { cssColour, el, section } from '../dom';
import { figure, percent } from '../format';
import { chart } from '../plots';
import type { Angles, Eigenvalues, Poc } from './data';
import { captioned, OTHER, OURS, PAPER, paragraphs, table } from './parts';

const KINDS = ['the paper', 'ours, matched greedily', 'ours, principal angles'];

function anglePlot(row: Angles['domains'][number]): HTMLElement {
  const series: [string, number[]][] = [[KINDS[0] as string, row.paper], [KINDS[1] as string, row.greedy ?? []], [KINDS[2] as string, row.principal ?? []]];
  const values = series.flatMap(([by, angles]) => angles.map((angle, at) => ({ by, number: at + 1, angle })));
  return chart(`Angles in the ${row.domain} domain; the table holds the first five.`, () => ({
    width: 'container',
    height: 240,
    data: { values },
    encoding: {
      x: { field: 'number', type: 'quantitative', title: 'angle number', axis: { tickMinStep: 1, grid: false, format: 'd' } },
      y: { field: 'angle', type: 'quantitative', title: 'degrees', scale: { domain: [0, 90] } },
      color: { field: 'by', type: 'nominal', title: null, scale: { domain: KINDS, range: [cssColour(PAPER), cssColour(OURS), cssColour(OTHER)] }, legend: { orient: 'top' } },
    },
    layer: [
      { mark: { type: 'line', strokeWidth: 2 } },
      {
        mark: { type: 'point', filled: true, size: 55 },
        encoding: {
          shape: { field: 'by', type: 'nominal', title: null, scale: { domain: KINDS, range: ['diamond', 'circle', 'square'] }, legend: { orient: 'top' } },
          tooltip: [{ field: 'by' }, { field: 'number' }, { field: 'angle', format: '.2f' }],
        },
      },
    ],
  }));
}

export function showAngles(angles: Angles, remarks?: string[]): HTMLElement {
  const box = section(
    'angles', 'Angles between two classes',
    `${angles.dataset}, classes ${angles.classes.join(' and ')}: between the subspaces of their ${angles.dims} leading eigenvectors, features z-scored within the class.`,
  );
  box.append(el('div', { class: 'halves' }, ...angles.domains.map((row) => captioned(`${row.domain} domain`, '', anglePlot(row)))));
  const five = (list?: number[]) => [0, 1, 2, 3, 4].map((at) => (list?.[at] === undefined ? '–' : list[at].toFixed(1)));
  const rows = angles.domains.flatMap((row) => [
    [`${row.domain}: the paper`, ...five(row.paper), ''],
    [`${row.domain}: ours, matched greedily`, ...five(row.greedy), row.greedy_affinity === undefined ? 'no data' : figure(row.greedy_affinity)],
    [`${row.domain}: ours, principal angles`, ...five(row.principal), row.affinity === undefined ? 'no data' : figure(row.affinity)],
  ]);
  box.append(table('Angles', ['', '1', '2', '3', '4', '5', `affinity of all ${angles.dims}`], rows));
  const words = paragraphs(remarks);
  if (words) box.append(words);
  return box;
}

function spectrumPlot(eigenvalues: Eigenvalues, cumulative: boolean): HTMLElement {
  const names = eigenvalues.domains.map(({ domain }) => domain);
  const values = eigenvalues.domains.flatMap(({ domain, shares }) => {
    let sum = 0;
    return (shares ?? []).slice(0, 1000).map((share, at) => {
      sum += share;
      return { domain, number: at + 1, share: cumulative ? Math.min(1, sum) : Math.max(share, 1e-9) };
    });
  });
  const label = cumulative ? 'Share of the variance that the largest eigenvalues hold together' : 'Each eigenvalue as a share of their sum';
  return chart(`${label}, in the image and the scattering domain.`, () => ({
    width: 'container',
    height: 260,
    data: { values },
    encoding: {
      x: { field: 'number', type: 'quantitative', title: 'eigenvalue number, logarithmic', scale: { type: 'log', nice: false }, axis: { grid: false, tickCount: 4, format: 'd' } },
      y: cumulative
        ? { field: 'share', type: 'quantitative', title: 'share of the variance', scale: { domain: [0, 1] }, axis: { format: '.0%', tickCount: 5 } }
        : { field: 'share', type: 'quantitative', title: 'share, logarithmic', scale: { type: 'log', domainMin: 1e-6, clamp: true }, axis: { tickCount: 5, format: '.0e' } },
      color: { field: 'domain', type: 'nominal', title: null, scale: { domain: names, range: [cssColour(PAPER), cssColour(OURS)] }, legend: { orient: 'top' } },
    },
    layer: [
      { mark: { type: 'line', strokeWidth: 2 } },
      { mark: { type: 'point', opacity: 0, size: 60 }, encoding: { tooltip: [{ field: 'domain' }, { field: 'number' }, { field: 'share', format: '.3%' }] } },
    ],
  }));
}

export function showEigenvalues(eigenvalues: Eigenvalues, remarks?: string[]): HTMLElement {
  const box = section('eigenvalues', 'Eigenvalues', `Of the covariance of ${eigenvalues.dataset}’s features, z-scored, divided by their sum.`);
  box.append(
    el(
      'div', { class: 'halves' },
      captioned('Together', 'The largest so many hold this share.', spectrumPlot(eigenvalues, true)),
      captioned('One by one', 'Each as a share of the sum.', spectrumPlot(eigenvalues, false)),
    ),
  );
  const rows = eigenvalues.domains.map(({ domain, paper, first_four, for_half, count }) => [
    domain, paper, first_four === undefined ? 'no data' : percent(first_four), for_half === undefined ? 'no data' : `${for_half} of ${count}`,
  ]);
  box.append(table('Eigenvalues', ['domain', 'paper', 'the four largest', 'needed for half'], rows));
  const words = paragraphs(remarks);
  if (words) box.append(words);
  return box;
}

function scatter(points: [number, number][], labels: number[], label: string, shadow?: [number, number][]): HTMLElement {
  const values = points.map(([x, y], at) => ({ x, y, cluster: labels[at] }));
  const faint = (shadow ?? []).map(([x, y], at) => ({ x, y, cluster: labels[at] }));
  const all = [...points, ...(shadow ?? [])];
  const range = (axis: 0 | 1) => [Math.min(...all.map((p) => p[axis])) - 0.3, Math.max(...all.map((p) => p[axis])) + 0.3];
  const encoding = {
    x: { field: 'x', type: 'quantitative', title: null, scale: { domain: range(0), nice: false }, axis: null },
    y: { field: 'y', type: 'quantitative', title: null, scale: { domain: range(1), nice: false }, axis: null },
    color: { field: 'cluster', type: 'nominal', legend: null, scale: { domain: [0, 1], range: [categoryColour(0), categoryColour(1)] } },
  };
  return chart(label, () => ({
    width: 'container',
    height: 220,
    layer: [
      { data: { values: faint }, mark: { type: 'point', filled: true, size: 14, opacity: 0.15 }, encoding },
      { data: { values }, mark: { type: 'point', filled: true, size: 18, opacity: 0.75 }, encoding },
    ],
  }));
}

export function showPoc(poc: Poc, remarks?: string[]): HTMLElement {
  const box = section('poc', 'POC on a toy', 'Two elongated clusters: as they are, as k-means parts them, and as it parts what POC leaves of them.');
  for (const toy of poc.toys) {
    const told = (accuracy: number) => `accuracy ${figure(accuracy)}`;
    const panel = (title: string, text: string, plot: HTMLElement) => captioned(title, text, plot);
    box.append(
      el('h3', {}, toy.name),
      el(
        'div', { class: 'thirds' },
        panel('The clusters', '', scatter(toy.points, toy.truth, `${toy.name}: the clusters`)),
        panel('k-means', told(toy.before.accuracy), scatter(toy.points, toy.before.labels, `${toy.name}: k-means`)),
        panel('POC, then k-means', told(toy.after.accuracy), scatter(toy.after.projected ?? [], toy.after.labels, `${toy.name}: POC, then k-means`, toy.points)),
        panel('POC by one cluster’s directions', told(toy.after_by_one_class.accuracy), scatter(toy.after_by_one_class.projected ?? [], toy.after_by_one_class.labels, `${toy.name}: POC by one cluster’s directions, then k-means`, toy.points)),
      ),
    );
  }
  const words = paragraphs(remarks);
  if (words) box.append(words);
  return box;
}
