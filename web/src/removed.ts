import type { Run } from './data';
import { el, section } from './dom';
import { counted, percent } from './format';
import { wall, type Pictures } from './thumbs';
import type { Viewer } from './viewer';

const STRIPS_SHOWN = 8;

function explanation(by: string): string {
  if (by === 'whitening') {
    return (
      'Whitening takes out what varies inside the clusters: each strip runs along one direction in which images of ' +
      'the same cluster differ, so that it no longer drives images apart.'
    );
  }
  if (by === 'poc') {
    return (
      'The directions of largest variance are taken out: each strip runs along one of them, ' +
      'a difference so common that it says little about what an image shows.'
    );
  }
  return 'Each strip runs along one direction that was taken out before the images were clustered.';
}

export function showRemoved(run: Run, thumbs: Pictures, viewer: Viewer): HTMLElement | null {
  const { removed } = run.report;
  if (!removed?.directions.length) return null;
  const strips = removed.directions.map(({ share, images }, at) => {
    const strip = wall(run, thumbs, images, `Images along direction ${at + 1}`, viewer.open);
    strip.classList.add('strip');
    return el(
      'div',
      { class: 'direction' },
      el('h3', {}, `Direction ${at + 1}`, el('span', { class: 'muted' }, `${percent(share)} of the variance`)),
      strip,
      el('p', { class: 'ends', 'aria-hidden': 'true' }, el('span', {}, 'one end'), el('span', {}, 'the other')),
    );
  });
  const box = section('removed', 'What was taken out', explanation(removed.by));
  box.append(el('div', { class: 'directions' }, ...strips.slice(0, STRIPS_SHOWN)));
  const rest = strips.slice(STRIPS_SHOWN);
  if (rest.length) {
    const title = el('summary', {}, counted(rest.length, 'more direction', 'more directions'));
    box.append(el('details', {}, title, el('div', { class: 'directions' }, ...rest)));
  }
  return box;
}
