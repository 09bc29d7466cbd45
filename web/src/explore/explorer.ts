import type { Cluster, Run } from '../data';
import { showDetails } from '../details';
import { byId, el } from '../dom';
import { contents } from '../contents';
import { showIgnored } from '../ignored';
import { showMap } from '../map';
import { drawCharts, showConfusion, showSpectra } from '../plots';
import { showRemoved } from '../removed';
import { showSummary } from '../summary';
import { showTree } from '../tree';
import { Viewer } from '../viewer';
import { api, type State } from './api';
import { Desk } from './desk';
import { placing } from './place';
import { Review } from './review';
import { ServedPictures } from './served-pictures';
import { toolbar } from './toolbar';
import { Workbench } from './workbench';

/** Whether this page is served by `pssc explore` and not opened from a file. */
export function exploring(): boolean {
  return document.getElementById('pssc-explore') !== null;
}

/** The clusters of the page as they are now; what the report knew of one is kept. */
function clustersNow(state: State, known: Map<number, Cluster>): Cluster[] {
  return state.clusters
    .filter(({ id }) => id >= 0)
    .map((cluster) => ({ typical: [], uncertain: [], mostly: null, ...known.get(cluster.id), ...cluster }));
}

/** Work that must not overlap with itself: asked for meanwhile, it is done once more when it has ended. */
function oneAtATime(work: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | null = null;
  let next: Promise<void> | null = null;
  const begin = () => (running = work().finally(() => (running = null)));
  return () => {
    if (!running) return begin();
    next ??= running.catch(() => undefined).then(() => {
      next = null;
      return begin();
    });
    return next;
  };
}

export async function startExplorer(run: Run): Promise<void> {
  const { tile } = JSON.parse(byId('pssc-explore').textContent ?? '') as { tile: number };
  const [state, rows] = await Promise.all([api.state(), api.rows()]);
  const rowOf = rows.length ? rows : null;
  const pictures = new ServedPictures(tile, rowOf);
  const viewer = new Viewer(run, pictures);
  const desk = new Desk(state);
  const original = new Map(run.report.clusters.map((cluster) => [cluster.id, cluster]));
  const typicalRows = new Map([...original].map(([id, { typical }]) => [id, typical.map((image) => rowOf?.[image] ?? image)]));

  const workbench = new Workbench(desk, pictures);
  const review = new Review(desk, pictures, typicalRows);
  const map = showMap(run, pictures, viewer);
  const tree = showTree(run, pictures, viewer);
  const sections = [
    workbench.element, review.element, tree?.element ?? null, map.element,
    showSpectra(run), showConfusion(run), showIgnored(run), showRemoved(run, pictures, viewer), showDetails(run),
  ].filter((box) => box !== null);
  showSummary(run, byId('top'));
  byId('contents').append(contents(sections), toolbar(desk, run.report.title, (text) => void workbench.search(text), placing(desk)));
  byId('main').append(...sections);
  byId('foot').append(el('p', {}, 'Served by pssc explore. Every edit is on the disk when the page says so; the run itself is never changed.'));
  document.querySelector('.skip')?.setAttribute('href', '#explore');

  const recolour = oneAtATime(async () => {
    run.setClusters(clustersNow(desk.state, original), await api.labels());
    await map.recolour();
  });
  desk.onChange(recolour);
  const first = state.clusters.find(({ id }) => id >= 0) ?? state.clusters[0];
  if (first) await workbench.open(first.id);
  await pictures.idle();
  document.body.dataset.usable = String(Math.round(performance.now()));
  tree?.start();
  await Promise.all([review.refresh(), recolour().then(() => map.drawn()), drawCharts()]);
}
