import '../style.css';
import './style.css';
import { byId, el, section } from '../dom';
import { drawCharts } from '../plots';
import { showAblation } from './ablation';
import { readReproduction, type Reproduction } from './data';
import { showAngles, showEigenvalues, showPoc } from './geometry';
import { prose } from './parts';
import { showResults, showTiming } from './results';

function header(whole: Reproduction): void {
  const { machine } = whole;
  byId('top').append(
    el('p', { class: 'kicker' }, 'Scattering Transform Based Image Clustering using Projection onto Orthogonal Complement'),
    el('h1', {}, 'The paper, reproduced'),
    el(
      'p', { class: 'headline' },
      `Every table and figure computed anew by pssc ${whole.version} on ${whole.date}: ${machine.cores} cores, ${machine.memory_gib.toFixed(0)} GiB, ${machine.processor}, in `,
      el('data', { 'data-testid': 'minutes', value: String(whole.seconds) }, `${(whole.seconds / 60).toFixed(1)} minutes`),
      '.',
    ),
  );
}

function differences(texts: string[] | undefined): HTMLElement | null {
  if (!texts?.length) return null;
  const box = section('differences', 'Where the paper and its published program differ');
  box.append(el('ul', { class: 'prose' }, ...texts.map((text) => el('li', {}, ...prose(text)))));
  return box;
}

async function show(whole: Reproduction): Promise<void> {
  const { items, remarks } = whole;
  header(whole);
  const sections = [
    items.results ? showResults(items.results, remarks.results) : null,
    items.timing ? showTiming(items.timing, remarks.timing) : null,
    items.ablation ? showAblation(items.ablation, remarks.ablation) : null,
    items.angles ? showAngles(items.angles, remarks.angles) : null,
    items.eigenvalues ? showEigenvalues(items.eigenvalues, remarks.eigenvalues) : null,
    items.poc ? showPoc(items.poc, remarks.poc) : null,
    differences(remarks.differences),
  ].filter((box) => box !== null);
  const links = sections.map((box) => el('li', {}, el('a', { href: `#${box.id}` }, box.querySelector('h2')?.textContent ?? '')));
  byId('contents').append(el('ul', {}, ...links));
  byId('main').append(...sections);
  byId('foot').append(el('p', {}, `Made by pssc ${whole.version}. This page is complete in itself: nothing in it is fetched from elsewhere.`));
  await drawCharts();
}

async function start(): Promise<void> {
  const whole = readReproduction();
  if (whole) {
    await show(whole);
  } else {
    byId('contents').remove();
    byId('top').append(el('h1', {}, 'Nothing reproduced yet'));
    byId('main').append(el('p', { class: 'lead' }, 'This is the empty page that pssc reproduce fills.'));
  }
  document.body.dataset.ready = 'true';
}

void start();
