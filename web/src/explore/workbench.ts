import { swatch } from '../clusters';
import { definition, el, section } from '../dom';
import { counted, integer, percent } from '../format';
import { instability, unstableMark } from '../stability';
import { api, type ImageFacts } from './api';
import { button, ClusterChoice } from './controls';
import type { Desk } from './desk';
import { Grid } from './grid';
import type { ServedPictures } from './served-pictures';

/** What is known of one image. */
export function imageFacts(desk: Desk, image: ImageFacts): HTMLElement {
  return el(
    'dl',
    { class: 'facts' },
    definition('Image', el('span', { class: 'verbatim' }, image.id)),
    definition('Cluster', el('span', { class: 'verbatim' }, desk.nameOf(image.cluster))),
    definition('Confidence', percent(image.confidence)),
    image.truth === null ? null : definition('True class', el('span', { class: 'verbatim' }, image.truth)),
    image.outlier ? definition('Note', 'an outlier of its cluster') : null,
    image.reviewed ? definition('Reviewed', 'yes') : null,
  );
}

/** All clusters, and all images of one of them: to name, merge, split, and to move what lies wrong. */
export class Workbench {
  readonly element = section(
    'explore',
    'Clusters',
    'Choose a cluster to see all its images. Click images to select them, or use the arrow keys and the space bar.',
  );
  private current: number | null = null;
  private found: ImageFacts[] | null = null;
  private readonly list = el('ul', { class: 'cluster-list', 'data-testid': 'cluster-list' });
  private readonly heading = el('h3', { class: 'verbatim', 'data-testid': 'current' });
  private readonly name = el('input', { type: 'text', 'aria-label': 'Name of the cluster', placeholder: 'Name it', maxlength: '200', 'data-testid': 'name' });
  private readonly order = el('select', { 'aria-label': 'Order of the images' },
    el('option', { value: 'certain' }, 'most certain first'), el('option', { value: 'uncertain' }, 'least certain first'));
  private readonly mergeTo: ClusterChoice;
  private readonly moveTo: ClusterChoice;
  private readonly parts = el('input', { type: 'number', min: '2', max: '20', value: '2', 'aria-label': 'Number of parts' });
  private readonly splitButton = button('Split', () => void this.split(), { 'data-testid': 'split' });
  private readonly selected = el('span', { class: 'muted', role: 'status', 'data-testid': 'selected' });
  private readonly clusterTools: HTMLFieldSetElement;
  private readonly selectionTools: HTMLElement;
  private readonly large = el('canvas', { class: 'large', 'aria-hidden': 'true', width: '1', height: '1' });
  private readonly about = el('div', { 'data-testid': 'about' });
  private readonly grid: Grid;

  constructor(
    private readonly desk: Desk,
    private readonly pictures: ServedPictures,
  ) {
    this.grid = new Grid(pictures, {
      moved: (row) => void this.preview(row),
      selected: (rows) => this.tellSelection(rows),
    });
    this.mergeTo = new ClusterChoice(desk, 'Cluster to merge into', false);
    this.moveTo = new ClusterChoice(desk, 'Cluster to move to', true);
    this.clusterTools = this.makeClusterTools();
    this.selectionTools = this.makeSelectionTools();
    const panel = el('div', { class: 'panel' }, this.heading, this.clusterTools, this.selectionTools, this.grid.element);
    const preview = el('div', { class: 'preview' }, this.large, this.about);
    this.element.append(el('div', { class: 'workbench' }, this.list, panel, preview));
    desk.onChange(() => this.refresh());
  }

  async open(cluster: number, stay = false): Promise<void> {
    // Until its images have come, the panel shows another cluster: nothing may be typed there that would go to this one.
    if (cluster !== this.current) this.clusterTools.disabled = true;
    this.current = cluster;
    this.found = null;
    const { rows, confidence, ids } = await api.members(cluster, this.order.value);
    if (this.current !== cluster) return;
    this.show();
    const labelOf = (at: number) => `${ids?.[at] ?? rows[at]}, confidence ${percent((confidence[at] ?? 0) / 1000)}`;
    this.grid.show({ rows, labelOf }, stay);
  }

  /** Shows the images whose name holds a text, in the place of a cluster. */
  async search(text: string): Promise<void> {
    const found = await api.find(text);
    if (!found.length) {
      this.desk.say(`No image is called “${text}”`, true);
      return;
    }
    this.current = null;
    this.found = found;
    this.show();
    this.grid.show({
      rows: found.map(({ row }) => row),
      labelOf: (at) => `${found[at]?.id}, ${this.desk.nameOf(found[at]?.cluster ?? -1)}`,
    });
    this.desk.say(`${counted(found.length, 'image', 'images')} found`);
    this.element.scrollIntoView();
    this.grid.element.focus();
  }

  private makeClusterTools(): HTMLFieldSetElement {
    const rename = () => {
      const known = this.current === null ? undefined : this.desk.cluster(this.current);
      const name = this.name.value.trim();
      if (!known || name === (known.name ?? '')) return;
      void this.desk.edit({ do: 'name', cluster: known.id, name }, name ? `Named “${name}”` : 'Name taken away');
    };
    this.name.addEventListener('change', rename);
    this.order.addEventListener('change', () => this.current !== null && void this.open(this.current));
    const merge = () => {
      if (this.current === null || this.mergeTo.element.value === '') return;
      const [from, to] = [this.current, this.mergeTo.value];
      this.current = to;
      void this.desk.edit({ do: 'merge', cluster: from, to }, `Merged into ${this.desk.nameOf(to)}`);
    };
    return el(
      'fieldset',
      { class: 'tools', 'aria-label': 'The cluster' },
      this.name,
      this.order,
      el('span', { class: 'tool' }, button('Merge into', merge, { 'data-testid': 'merge' }), this.mergeTo.element),
      el('span', { class: 'tool' }, this.splitButton, el('span', {}, 'into'), this.parts, el('span', {}, 'parts')),
    );
  }

  private makeSelectionTools(): HTMLElement {
    const move = () => {
      const images = this.grid.selection;
      const to = this.moveTo.value;
      void this.desk.edit({ do: 'move', images, to }, `${counted(images.length, 'image', 'images')} moved to ${this.desk.nameOf(to)}`);
    };
    const confirm = () => {
      const images = this.grid.selection;
      void this.desk.edit({ do: 'confirm', images }, `${counted(images.length, 'image', 'images')} confirmed`);
    };
    return el(
      'div',
      { class: 'tools' },
      this.selected,
      el('span', { class: 'tool' }, button('Move to', move, { 'data-testid': 'move' }), this.moveTo.element),
      button('Confirm', confirm, { 'data-testid': 'confirm' }),
      button('All', () => this.grid.selectAll(true), { 'aria-label': 'Select all' }),
      button('None', () => this.grid.selectAll(false), { 'aria-label': 'Select none', 'data-testid': 'select-none' }),
    );
  }

  private async split(): Promise<void> {
    const { current } = this;
    const parts = Number(this.parts.value);
    if (current === null || this.splitButton.disabled) return;
    this.splitButton.disabled = true;
    this.desk.say('Splitting …');
    const watch = setInterval(() => {
      void api.progress().then(({ stage, share }) => this.desk.say(`Splitting: ${stage} ${percent(share, 0)}`), () => undefined);
    }, 1000);
    try {
      await this.desk.change(() => api.split(current, parts), `Split into ${parts} parts`);
    } finally {
      clearInterval(watch);
      this.splitButton.disabled = false;
    }
  }

  private async refresh(): Promise<void> {
    if (this.found) {
      this.found = await api.images(this.found.map(({ row }) => row));
      this.show();
      this.grid.selectAll(false);
      return;
    }
    const there = this.desk.state.clusters.some(({ id }) => id === this.current);
    const cluster = there ? this.current : this.desk.state.clusters[0]?.id;
    if (cluster !== null && cluster !== undefined) await this.open(cluster, there);
  }

  private show(): void {
    const { current, desk } = this;
    this.list.replaceChildren(...desk.state.clusters.map(({ id, size, stability }) => {
      const entry = el('button', { type: 'button', class: 'entry', 'data-cluster': String(id) },
        swatch(id), el('span', { class: 'verbatim' }, desk.nameOf(id)), el('span', { class: 'muted' }, integer(size)), unstableMark(stability));
      if (id === current) entry.setAttribute('aria-current', 'true');
      entry.addEventListener('click', () => void this.open(id).then(() => this.entry(id)?.focus()));
      return el('li', {}, entry);
    }));
    const known = current === null ? undefined : desk.cluster(current);
    this.heading.textContent = known ? `${desk.nameOf(known.id)}: ${counted(known.size, 'image', 'images')}` : 'Images found';
    const reason = instability(known?.stability);
    if (reason) this.heading.append(unstableMark(known?.stability) ?? '', el('span', { class: 'reason' }, reason));
    this.clusterTools.hidden = !known || known.id < 0;
    this.clusterTools.disabled = false;
    this.name.value = known?.name ?? '';
    this.mergeTo.fill(current ?? -1);
    this.moveTo.fill(current ?? -1);
  }

  private entry(id: number): HTMLElement | null {
    return this.list.querySelector(`[data-cluster="${id}"]`);
  }

  private tellSelection(rows: number[]): void {
    this.selected.textContent = rows.length ? `${integer(rows.length)} selected` : 'none selected';
    for (const control of this.selectionTools.querySelectorAll<HTMLButtonElement>('[data-testid="move"], [data-testid="confirm"]'))
      control.disabled = rows.length === 0;
  }

  private async preview(row: number): Promise<void> {
    void this.pictures.drawRow(this.large, row);
    const [image] = await api.images([row]);
    if (image && this.large.dataset.image === String(row)) this.about.replaceChildren(imageFacts(this.desk, image));
  }
}
