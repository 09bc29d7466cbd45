import './style.css';
import { showClusters } from './clusters';
import { contents } from './contents';
import { exploring, startExplorer } from './explore/explorer';
import { readRun, type Run } from './data';
import { showDetails } from './details';
import { byId, el } from './dom';
import { showIgnored } from './ignored';
import { showMap } from './map';
import { drawCharts, showConfusion, showSpectra } from './plots';
import { showRemoved } from './removed';
import { showSummary } from './summary';
import { Thumbs } from './thumbs';
import { showTree } from './tree';
import { Viewer } from './viewer';
import { showWays } from './ways';

async function showRun(run: Run): Promise<void> {
  const thumbs = new Thumbs(run);
  const viewer = new Viewer(run, thumbs);
  const map = showMap(run, thumbs, viewer);
  const tree = showTree(run, thumbs, viewer);
  const sections = [
    showClusters(run, thumbs, viewer),
    tree?.element ?? null,
    map.element,
    showSpectra(run),
    showConfusion(run),
    showWays(run, thumbs, viewer),
    showIgnored(run),
    showRemoved(run, thumbs, viewer),
    showDetails(run),
  ].filter((box) => box !== null);
  showSummary(run, byId('top'));
  byId('contents').append(contents(sections));
  byId('main').append(...sections);
  byId('foot').append(el('p', {}, `Made by pssc${run.report.summary.version ? ` ${run.report.summary.version}` : ''}. This page is complete in itself: nothing in it is fetched from elsewhere.`));
  tree?.start();
  await Promise.all([map.drawn(), drawCharts(), thumbs.idle()]);
}

function say(title: string, text: string): void {
  byId('contents').remove();
  byId('top').append(el('h1', {}, title));
  byId('main').append(el('p', { class: 'lead' }, text));
}

async function start(): Promise<void> {
  let run: Run | null = null;
  try {
    run = readRun();
    if (!run) say('No report yet', 'This is the empty page that pssc fills with the data of a run.');
  } catch {
    say('This report cannot be read', 'The data in this page are damaged or cut short. Please write the report again.');
  }
  if (run) await (exploring() ? startExplorer(run) : showRun(run));
  document.body.dataset.ready = 'true';
}

void start();
