import { categoryColour, confidenceRamp, NO_CATEGORY } from './colours';
import type { Run } from './data';
import { el, onSchemeChange, section } from './dom';
import { integer, percent } from './format';
import { canvasMap } from './map-canvas';
import type { MapEvents, MapPoints, MapView } from './map-view';
import { hasWebgl, webglMap } from './map-webgl';
import type { Pictures } from './thumbs';
import { facts, type Viewer } from './viewer';

const CONFIDENCE_STEPS = 16;

interface Entry {
  /** What the label is, where the colouring above says it already: read out, not shown. */
  kind?: string;
  label: string;
  detail: string;
  colour: string;
  category: number;
  /** An image to show for it, or -1. */
  image: number;
}

interface Colouring {
  name: string;
  categories: Uint16Array;
  colours: string[];
  /** Null: the colours are a ramp, not a list. */
  entries: Entry[] | null;
}

declare global {
  interface Window {
    psscMap?: { screenPosition(point: number): [number, number] | undefined };
  }
}

function spread(values: Uint16Array): Float32Array {
  return Float32Array.from(values, (value) => (2 * value) / 65535 - 1);
}

/** Categories of all images, those of none put behind the last one; and how many there are of each. */
function categorise(run: Run, categoryOf: (image: number) => number, known: number) {
  const categories = new Uint16Array(run.report.count);
  const counts = new Array<number>(known + 1).fill(0);
  const first = new Array<number>(known + 1).fill(-1);
  for (let image = 0; image < categories.length; image++) {
    const found = categoryOf(image);
    const category = found < 0 || found >= known ? known : found;
    categories[image] = category;
    counts[category] = (counts[category] as number) + 1;
    if (first[category] === -1) first[category] = image;
  }
  return { categories, counts, first };
}

function byCluster(run: Run): Colouring {
  const { clusters } = run.report;
  const { categories, counts, first } = categorise(run, (image) => run.clusterOf(image), clusters.length);
  const entries: Entry[] = clusters.map((cluster, category) => ({
    ...(cluster.name ? {} : { kind: 'Cluster ' }),
    label: run.shortNameOf(category),
    detail: cluster.mostly ? `mostly ${cluster.mostly.name}` : integer(cluster.size),
    colour: categoryColour(cluster.id),
    category,
    image: cluster.typical[0] ?? first[category] ?? -1,
  }));
  return withNone({ name: 'Cluster', categories, colours: entries.map((entry) => entry.colour), entries }, counts, first, 'No cluster');
}

function byTruth(run: Run, classes: string[]): Colouring {
  const { categories, counts, first } = categorise(run, (image) => run.truthOf(image), classes.length);
  const entries: Entry[] = classes.map((label, category) => ({
    label,
    detail: integer(counts[category] as number),
    colour: categoryColour(category),
    category,
    image: first[category] ?? -1,
  }));
  return withNone({ name: 'True class', categories, colours: entries.map((entry) => entry.colour), entries }, counts, first, 'Unknown');
}

function withNone(colouring: Colouring, counts: number[], first: number[], label: string): Colouring {
  const category = counts.length - 1;
  colouring.colours.push(NO_CATEGORY);
  const count = counts[category] as number;
  if (count) {
    const image = first[category] ?? -1;
    colouring.entries?.push({ label, detail: integer(count), colour: NO_CATEGORY, category, image });
  }
  return colouring;
}

function byConfidence(run: Run): Colouring {
  const categories = Uint16Array.from(run.points.confidence, (value) =>
    Math.min(CONFIDENCE_STEPS - 1, Math.floor((value / 256) * CONFIDENCE_STEPS)),
  );
  return { name: 'Confidence', categories, colours: confidenceRamp(CONFIDENCE_STEPS), entries: null };
}

function colourings(run: Run): Colouring[] {
  const { classes } = run.report;
  const list = [byCluster(run)];
  if (classes) list.push(byTruth(run, classes));
  if (run.points.confidence.some((value) => value !== run.points.confidence[0])) list.push(byConfidence(run));
  return list;
}

/** Shows one image beside the map. */
class Preview {
  readonly element: HTMLElement;
  private readonly canvas = el('canvas', { class: 'large', 'aria-hidden': 'true', 'data-testid': 'map-image' });
  private readonly about = el('div', { 'data-testid': 'map-facts' });
  private shown = -1;

  constructor(
    private readonly run: Run,
    private readonly thumbs: Pictures,
  ) {
    this.canvas.width = this.canvas.height = thumbs.size;
    this.element = el('div', { class: 'preview', role: 'status' }, this.canvas, this.about);
  }

  show(image: number): void {
    if (image < 0 || image >= this.run.report.count || image === this.shown) return;
    this.shown = image;
    this.element.dataset.image = String(image);
    void this.thumbs.draw(this.canvas, image, true);
    this.about.replaceChildren(facts(this.run, image));
  }
}

function ramp(colours: string[]): HTMLElement {
  const bar = el('div', { class: 'ramp', 'aria-hidden': 'true' });
  bar.style.background = `linear-gradient(to right, ${colours.join(', ')})`;
  return el('div', {}, bar, el('p', { class: 'ends' }, el('span', {}, percent(0, 0)), el('span', {}, `sure, ${percent(1, 0)}`)));
}

function legendList(entries: Entry[], choose: (entry: Entry | null) => void): HTMLElement {
  let pressed: HTMLButtonElement | null = null;
  const items = entries.map((entry) => {
    const mark = el('span', { class: 'swatch', 'aria-hidden': 'true' });
    mark.style.background = entry.colour;
    const button = el(
      'button',
      { type: 'button', class: 'entry', 'aria-pressed': 'false' },
      mark,
      entry.kind ? el('span', { class: 'unseen' }, entry.kind) : null,
      el('span', { class: 'verbatim' }, entry.label),
      el('span', { class: 'muted verbatim' }, entry.detail),
    );
    button.addEventListener('click', () => {
      pressed?.setAttribute('aria-pressed', 'false');
      pressed = pressed === button ? null : button;
      pressed?.setAttribute('aria-pressed', 'true');
      choose(pressed ? entry : null);
    });
    return el('li', {}, button);
  });
  return el('ul', { class: 'legend', 'data-testid': 'legend' }, ...items);
}

function colourSwitch(list: Colouring[], choose: (at: number) => void): HTMLElement {
  const options = list.map((colouring, at) => {
    const input = el('input', { type: 'radio', name: 'colouring', value: String(at) });
    input.checked = at === 0;
    input.addEventListener('change', () => choose(at));
    return el('label', {}, input, el('span', {}, colouring.name));
  });
  return el('fieldset', { class: 'switch' }, el('legend', {}, 'Colour by'), ...options);
}

/** The wheel belongs to the page until the map has been pressed, or Ctrl is held: nobody likes to be caught in a map. */
function guardWheel(frame: HTMLElement): void {
  let engaged = false;
  frame.addEventListener('pointerdown', () => (engaged = true));
  frame.addEventListener('pointerleave', () => (engaged = false));
  frame.addEventListener(
    'wheel',
    (event) => {
      if (!engaged && !event.ctrlKey) event.stopPropagation();
    },
    { capture: true, passive: true },
  );
}

function zoomButtons(view: MapView): HTMLElement | null {
  const zoom = view.zoom;
  if (!zoom) return null;
  const button = (text: string, label: string, action: () => void) => {
    const made = el('button', { type: 'button', 'aria-label': label, title: label }, text);
    made.addEventListener('click', action);
    return made;
  };
  return el(
    'div',
    { class: 'zoom' },
    button('+', 'Zoom in', () => zoom(1.6)),
    button('−', 'Zoom out', () => zoom(1 / 1.6)),
    button('⟲', 'Show the whole map', () => view.reset()),
  );
}

async function makeView(frame: HTMLElement, points: MapPoints, events: MapEvents): Promise<[MapView, boolean]> {
  const label = 'Map of all images: images alike lie near each other. The list beside it tells the colours.';
  const canvas = () => {
    const made = el('canvas', { class: 'map', role: 'img', 'aria-label': label, 'data-testid': 'map' });
    frame.replaceChildren(made);
    return made;
  };
  if (hasWebgl()) {
    try {
      return [await webglMap(canvas(), points, events), true];
    } catch {
      // Fall through to the plain canvas: a driver may promise what it cannot do.
    }
  }
  return [canvasMap(canvas(), points, events), false];
}

export interface MapSection {
  element: HTMLElement;
  /** Draws the map; the promise holds until that is done. */
  drawn: () => Promise<void>;
  /** Takes the colours anew from the run, when its clusters have changed. */
  recolour: () => Promise<void>;
}

export function showMap(run: Run, thumbs: Pictures, viewer: Viewer): MapSection {
  const element = section('map', 'Map', 'Every image is a point, and images alike lie near each other.');
  const frame = el('div', { class: 'frame' });
  const hint = el('p', { class: 'muted hint' });
  const side = el('div', { class: 'side' });
  element.append(el('div', { class: 'map-layout' }, el('div', {}, frame, hint), side));

  let recolour = async (): Promise<void> => undefined;
  const drawn = async () => {
    const preview = new Preview(run, thumbs);
    const points = { x: spread(run.points.x), y: spread(run.points.y) };
    const events = {
      over: (image: number) => preview.show(image),
      chosen: (image: number) => viewer.open([image], 0),
    };
    const [view, webgl] = await makeView(frame, points, events);
    let list = colourings(run);
    let chosen = 0;
    const legend = el('div');
    const choose = async (at: number) => {
      chosen = at;
      const colouring = list[at] as Colouring;
      legend.replaceChildren(
        colouring.entries
          ? legendList(colouring.entries, (entry) => {
              view.highlight(entry?.category ?? -1);
              if (entry) preview.show(entry.image);
            })
          : ramp(colouring.colours),
      );
      await view.colour(colouring.categories, colouring.colours);
    };

    const zoom = zoomButtons(view);
    if (zoom) frame.append(zoom);
    guardWheel(frame);
    hint.textContent = webgl
      ? 'Point at the map to see the image there. Drag to move; click first, or hold Ctrl, to zoom with the wheel.'
      : 'WebGL is not available here, so the map is drawn simply, without zoom. Point at it to see the image there.';
    side.append(preview.element, colourSwitch(list, (at) => void choose(at)), legend);
    preview.show(run.report.clusters.find((cluster) => cluster.typical.length)?.typical[0] ?? 0);
    await choose(0);
    recolour = () => {
      list = colourings(run);
      return choose(chosen);
    };
    onSchemeChange(() => view.refreshScheme());
    window.psscMap = { screenPosition: (point) => view.screenPosition(point) };
  };
  return { element, drawn, recolour: () => recolour() };
}
