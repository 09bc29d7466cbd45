import type { Run } from './data';
import { el } from './dom';
import { counted, figure, integer, percent, seconds } from './format';

const SKIPPED_SHOWN = 3;

/** A figure that also carries its exact value. */
function datum(testId: string, value: number, text: string): HTMLElement {
  return el('data', { 'data-testid': testId, value: String(value) }, text);
}

function headline(run: Run): HTMLElement {
  const { count, summary } = run.report;
  return el(
    'p',
    { class: 'headline' },
    datum('count', count, integer(count)),
    count === 1 ? ' image in ' : ' images in ',
    datum('clusters', summary.clusters, integer(summary.clusters)),
    summary.clusters === 1 ? ' cluster, ' : ' clusters, ',
    datum('seconds', summary.total_seconds, seconds(summary.total_seconds)),
  );
}

function tile(value: HTMLElement, name: string, meaning: string): HTMLElement {
  return el('div', { class: 'tile' }, el('dt', {}, name), el('dd', {}, value, el('span', { class: 'meaning' }, meaning)));
}

function figures(run: Run): HTMLElement {
  const { summary, clusters } = run.report;
  const metrics = summary.metrics;
  const outliers = summary.outliers ?? clusters.reduce((sum, cluster) => sum + cluster.outliers, 0);
  const list = el('dl', { class: 'tiles' });
  if (metrics) {
    list.append(
      tile(datum('accuracy', metrics.accuracy, percent(metrics.accuracy, 2)), 'Accuracy', 'in their class’s cluster'),
      tile(datum('nmi', metrics.nmi, figure(metrics.nmi)), 'NMI', 'shared information'),
      tile(datum('purity', metrics.purity, percent(metrics.purity, 2)), 'Purity', 'of their cluster’s main class'),
      tile(datum('ari', metrics.ari, figure(metrics.ari)), 'ARI', 'pairs agreed, beyond chance'),
    );
  }
  list.append(tile(datum('outliers', outliers, integer(outliers)), 'Outliers', 'far from their cluster'));
  if (summary.noise) list.append(tile(datum('noise', summary.noise, integer(summary.noise)), 'Noise', 'in no cluster'));
  if (!metrics && summary.images_per_second) {
    list.append(tile(datum('rate', summary.images_per_second, integer(summary.images_per_second)), 'Images', 'a second'));
  }
  return list;
}

function skippedItem({ id, reason }: { id: string; reason: string }): HTMLElement {
  return el('li', {}, el('span', { class: 'verbatim name' }, id), ' – ', el('span', { class: 'verbatim' }, reason));
}

function skipped(run: Run): HTMLElement | null {
  const input = run.report.summary.input;
  const count = input?.skipped ?? 0;
  if (!count) return null;
  const known = input?.skipped_images ?? [];
  const box = el('div', { class: 'aside' }, el('h2', {}, `${counted(count, 'image was', 'images were')} skipped`));
  if (known.length) box.append(el('ul', {}, ...known.slice(0, SKIPPED_SHOWN).map(skippedItem)));
  if (known.length > SKIPPED_SHOWN) {
    box.append(
      el(
        'details',
        {},
        el('summary', {}, `${integer(known.length - SKIPPED_SHOWN)} more`),
        el('ul', {}, ...known.slice(SKIPPED_SHOWN).map(skippedItem)),
      ),
    );
  }
  if (known.length && known.length < count) {
    box.append(el('p', {}, `The other ${integer(count - known.length)} are not listed here.`));
  }
  return box;
}

function notes(run: Run): HTMLElement | null {
  const { notes, suggestion } = run.report.summary;
  const list = [...(notes ?? []), ...(suggestion ? [suggestion] : [])];
  if (!list.length) return null;
  return el(
    'div',
    { class: 'aside' },
    el('h2', {}, list.length === 1 ? 'A note' : 'Notes'),
    el('ul', {}, ...list.map((note) => el('li', { class: 'verbatim' }, note))),
  );
}

export function showSummary(run: Run, header: HTMLElement): void {
  document.title = `${run.report.title} – pssc`;
  const asides = [skipped(run), notes(run)].filter((aside) => aside !== null);
  header.append(
    el('p', { class: 'kicker' }, 'Image clusters, found without training'),
    el('h1', { class: 'verbatim' }, run.report.title),
    headline(run),
    figures(run),
  );
  if (asides.length) header.append(el('div', { class: 'asides' }, ...asides));
}
