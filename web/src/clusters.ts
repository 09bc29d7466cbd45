import { categoryColour } from './colours';
import type { Cluster, Run } from './data';
import { el, section } from './dom';
import { counted, integer, percent } from './format';
import { instability, unstableMark } from './stability';
import { wall, type Pictures } from './thumbs';
import type { Viewer } from './viewer';

/** Cards made at first; a run of a thousand clusters would otherwise make tens of thousands of canvases. */
const CARDS_AT_FIRST = 60;

export function swatch(cluster: number): HTMLElement {
  const mark = el('span', { class: 'swatch', 'aria-hidden': 'true' });
  mark.style.background = categoryColour(cluster);
  return mark;
}

function mostly(cluster: Cluster): HTMLElement | null {
  if (!cluster.mostly) return null;
  return el(
    'p',
    { class: 'mostly' },
    'mostly ',
    el('strong', { class: 'verbatim' }, cluster.mostly.name),
    ` (${percent(cluster.mostly.share)})`,
  );
}

function card(run: Run, thumbs: Pictures, viewer: Viewer, cluster: Cluster): HTMLElement {
  const figures = [
    `${counted(cluster.size, 'image', 'images')} (${percent(cluster.size / run.report.count)})`,
    `confidence ${percent(cluster.confidence)}`,
    cluster.outliers ? counted(cluster.outliers, 'outlier', 'outliers') : null,
    instability(cluster.stability),
  ].filter((text) => text !== null);
  const heading = el('h3', { id: `cluster-${cluster.id}` }, swatch(cluster.id), `Cluster ${cluster.id}`, unstableMark(cluster.stability));
  const article = el(
    'article',
    { class: 'card', 'aria-labelledby': heading.id, 'data-testid': 'cluster-card', 'data-cluster': String(cluster.id) },
    el('div', { class: 'card-head' }, heading, mostly(cluster)),
    el('p', { class: 'muted figures' }, ...figures.map((text) => el('span', {}, text))),
  );
  if (cluster.typical.length) {
    article.append(
      el('h4', {}, 'Most typical'),
      wall(run, thumbs, cluster.typical, `Most typical images of cluster ${cluster.id}`, viewer.open),
    );
  }
  if (cluster.uncertain.length) {
    article.append(
      el('h4', {}, 'Least certain'),
      wall(run, thumbs, cluster.uncertain, `Least certain images of cluster ${cluster.id}`, viewer.open),
    );
  }
  return article;
}

export function showClusters(run: Run, thumbs: Pictures, viewer: Viewer): HTMLElement {
  const { clusters } = run.report;
  const box = section('clusters', 'Clusters', 'Choose an image to see it large; the arrow keys move along a wall.');
  const cards = el('div', { class: 'cards' });
  const add = (from: number, to: number) =>
    cards.append(...clusters.slice(from, to).map((cluster) => card(run, thumbs, viewer, cluster)));
  add(0, CARDS_AT_FIRST);
  box.append(cards);
  const rest = clusters.length - CARDS_AT_FIRST;
  if (rest > 0) {
    const more = el('button', { type: 'button' }, `Show the other ${integer(rest)} clusters`);
    more.addEventListener('click', () => {
      add(CARDS_AT_FIRST, clusters.length);
      more.remove();
      cards.children[CARDS_AT_FIRST]?.querySelector('button')?.focus();
    });
    box.append(more);
  }
  return box;
}
