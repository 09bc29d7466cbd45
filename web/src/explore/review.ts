import { el, section } from '../dom';
import { counted, integer } from '../format';
import { api, type ImageFacts } from './api';
import { button } from './controls';
import type { Desk } from './desk';
import type { ServedPictures } from './served-pictures';
import { imageFacts } from './workbench';

const FETCHED_AT_ONCE = 50;
/** One a cluster; s and u have a meaning of their own. */
const KEYS = '1234567890abcdefghijklmnopqrtvwxyz';

/** The least certain images, one after the other: each is confirmed or moved by one key. */
export class Review {
  readonly element = section('review', 'Review', 'The least certain images, one by one. Press Enter where the cluster is right, else the key of the right one.');
  private readonly box = el('div', { class: 'review', tabindex: '0', role: 'group', 'aria-label': 'Image to review: Enter confirms, S skips, U undoes, a cluster’s key moves it there', 'data-testid': 'review' });
  private readonly large = el('canvas', { class: 'large', 'aria-hidden': 'true', width: '1', height: '1' });
  private readonly about = el('div', { 'data-testid': 'review-facts' });
  private readonly left = el('p', { class: 'muted', role: 'status', 'data-testid': 'review-left' });
  private readonly choices = el('ul', { class: 'choices' });
  private queue: ImageFacts[] = [];
  private readonly skipped = new Set<number>();
  /** From a key to the next image. */
  private busy = false;

  constructor(
    private readonly desk: Desk,
    private readonly pictures: ServedPictures,
    private readonly typicalRows: Map<number, number[]>,
  ) {
    const actions = el(
      'div',
      { class: 'tools' },
      button('Confirm (Enter)', () => void this.confirm(), { class: 'primary' }),
      button('Skip (S)', () => void this.skip()),
      button('Undo (U)', () => void this.act(() => this.desk.undo())),
    );
    this.box.append(el('div', { class: 'review-image' }, this.large, this.about, actions, this.left), this.choices);
    this.box.addEventListener('keydown', (event) => this.key(event));
    this.element.append(this.box);
    desk.onChange(() => this.refresh());
  }

  async refresh(): Promise<void> {
    const { left, images } = await api.review(FETCHED_AT_ONCE + this.skipped.size);
    this.queue = images.filter(({ row }) => !this.skipped.has(row));
    if (!this.queue.length && this.skipped.size) {
      this.skipped.clear();
      this.queue = images;
    }
    this.left.textContent = left ? `${counted(left, 'image', 'images')} not reviewed yet, ${integer(this.desk.state.reviewed)} reviewed` : 'Every image has been reviewed';
    this.showChoices();
    this.show();
    this.busy = false;
  }

  private show(): void {
    const image = this.queue[0];
    this.box.dataset.row = image ? String(image.row) : '';
    this.large.hidden = !image;
    if (!image) {
      this.about.replaceChildren();
      return;
    }
    void this.pictures.drawRow(this.large, image.row);
    this.about.replaceChildren(imageFacts(this.desk, image));
    for (const entry of this.choices.querySelectorAll('button'))
      entry.toggleAttribute('data-current', entry.dataset.cluster === String(image.cluster));
  }

  private showChoices(): void {
    const clusters = this.desk.state.clusters.filter(({ id }) => id >= 0);
    this.choices.replaceChildren(...clusters.map(({ id }, at) => {
      const key = KEYS[at];
      const examples = (this.typicalRows.get(id) ?? []).slice(0, 3).map((row) => {
        const canvas = el('canvas', { 'aria-hidden': 'true', width: '1', height: '1' });
        void this.pictures.drawRow(canvas, row);
        return canvas;
      });
      const entry = el('button', { type: 'button', class: 'entry', 'data-cluster': String(id) },
        key ? el('kbd', {}, key.toUpperCase()) : null, ...examples, el('span', { class: 'verbatim' }, this.desk.nameOf(id)));
      entry.addEventListener('click', () => void this.move(id));
      return el('li', {}, entry);
    }));
  }

  private key(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target !== this.box && (event.key === 'Enter' || event.key === ' ')) return;  // a button's own
    const key = event.key.toLowerCase();
    const cluster = this.desk.state.clusters.filter(({ id }) => id >= 0)[KEYS.indexOf(key)];
    if (key === 'enter') void this.confirm();
    else if (key === 's') this.skip();
    else if (key === 'u') void this.act(() => this.desk.undo());
    else if (key.length === 1 && KEYS.includes(key) && cluster) void this.move(cluster.id);
    else return;
    event.preventDefault();
  }

  /** One at a time: a key that is held down must not pass judgement on images not seen yet. */
  private async act(action: () => Promise<boolean>): Promise<void> {
    if (this.busy) return;
    this.busy = true;
    if (!(await action())) this.busy = false;
  }

  private confirm(): Promise<void> {
    const image = this.queue[0];
    if (!image) return Promise.resolve();
    return this.act(() => this.desk.edit({ do: 'confirm', images: [image.row] }, `Confirmed: ${this.desk.nameOf(image.cluster)}`));
  }

  private move(cluster: number): Promise<void> {
    const image = this.queue[0];
    if (!image) return Promise.resolve();
    if (cluster === image.cluster) return this.confirm();
    return this.act(() => this.desk.edit({ do: 'move', images: [image.row], to: cluster }, `Moved to ${this.desk.nameOf(cluster)}`));
  }

  private skip(): void {
    const image = this.queue.shift();
    if (!image) return;
    this.skipped.add(image.row);
    if (this.queue.length) this.show();
    else void this.refresh();
  }
}
