import type { Run, Way } from './data';
import { el, section } from './dom';
import { integer, percent } from './format';
import { wall, type Pictures } from './thumbs';
import type { Viewer } from './viewer';

function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function meter(name: string, share: number): HTMLElement {
  const bar = el('span', { class: 'bar', 'aria-hidden': 'true' });
  bar.style.inlineSize = `${100 * share}%`;
  return el('div', {}, el('dt', {}, name), el('dd', {}, percent(share), bar));
}

/** What asks for this way to see the images when the command is given again. */
function howToAsk(way: Way, chosen: boolean): HTMLElement {
  if (way.options) return el('p', { class: 'muted' }, chosen ? 'The options that repeat it: ' : 'To take it instead: ', el('code', {}, way.options));
  return el('p', { class: 'muted' }, chosen ? 'Nothing is needed to repeat it.' : 'To take it instead: leave out --adapt and auto.');
}

/** One way to see the images: how well it did, and a row of pictures for each of its larger clusters. */
function card(run: Run, thumbs: Pictures, viewer: Viewer, way: Way, at: number, chosen: boolean): HTMLElement {
  const title = capitalised(way.description);
  const heading = el('h3', { id: `way-${at}` }, title, chosen ? el('span', { class: 'badge' }, 'chosen') : null);
  const clusters = run.report.ways?.[at] ?? [];
  return el(
    'article',
    { class: chosen ? 'card chosen' : 'card', 'aria-labelledby': heading.id, 'data-testid': 'way' },
    heading,
    el('dl', { class: 'meters' }, meter('Stability', way.stability), meter('Confidence', way.confidence)),
    howToAsk(way, chosen),
    el(
      'div',
      { class: 'rows' },
      ...clusters.filter((images) => images.length).map((images, cluster) => wall(run, thumbs, images, `${title}: images of cluster ${cluster}`, viewer.open)),
    ),
  );
}

/** The ways to see the images that were tried, so that a person can overrule the choice. */
export function showWays(run: Run, thumbs: Pictures, viewer: Viewer): HTMLElement | null {
  const { summary, ways } = run.report;
  const found = summary.adapted;
  if (!found || !ways?.some((clusters) => clusters.length)) return null;
  const { mirror, half_turn, quarter_turn } = found.turned_images_at_home;
  const turned = mirror + half_turn + quarter_turn > 0
    ? ` Of these images, ${percent(mirror, 0)} lie nearer to another one when mirrored, ${percent(half_turn, 0)} upside down and ` +
      `${percent(quarter_turn, 0)} on their side; about half means that it makes no difference.`
    : '';
  const lead = `${integer(found.sample_images)} of the images were clustered in each of these ways, and the most stable one was taken: ` +
    `stability is how much of a cluster repeated clusterings find again. Each row shows images of one cluster.${turned}`;
  const box = section('ways', 'Ways to see the images', lead);
  box.append(el('div', { class: 'cards' }, ...found.candidates.map((way, at) => card(run, thumbs, viewer, way, at, at === found.chosen))));
  return box;
}
