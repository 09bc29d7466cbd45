import type { Run } from './data';
import { definition, el } from './dom';
import { percent } from './format';
import type { Pictures } from './thumbs';

/** What is known of one image, for the dialogue and beside the map. */
export function facts(run: Run, image: number): HTMLElement {
  const cluster = run.clusterOf(image);
  const truth = run.truthOf(image);
  return el(
    'dl',
    { class: 'facts' },
    definition('Image', el('span', { class: 'verbatim' }, run.nameOf(image))),
    definition('Cluster', el('span', { class: 'verbatim' }, cluster < 0 ? 'none' : run.shortNameOf(cluster))),
    definition('Confidence', percent(run.confidenceOf(image))),
    run.report.classes ? definition('True class', el('span', { class: 'verbatim' }, run.className(truth))) : null,
    run.isOutlier(image) ? definition('Note', 'an outlier of its cluster') : null,
  );
}

/** Shows one image large, with a way to the ones beside it. */
export class Viewer {
  private readonly dialog: HTMLDialogElement;
  private readonly canvas: HTMLCanvasElement;
  private readonly about: HTMLElement;
  private readonly previous: HTMLButtonElement;
  private readonly next: HTMLButtonElement;
  private images: number[] = [];
  private at = 0;

  constructor(
    private readonly run: Run,
    private readonly thumbs: Pictures,
  ) {
    this.canvas = el('canvas', { class: 'large', role: 'img' });
    this.about = el('div', { class: 'about' });
    this.previous = el('button', { type: 'button' }, '← Previous');
    this.next = el('button', { type: 'button' }, 'Next →');
    const close = el('button', { type: 'button', class: 'primary' }, 'Close');
    this.dialog = el(
      'dialog',
      { class: 'viewer', 'aria-label': 'Image' },
      this.canvas,
      this.about,
      el('div', { class: 'row' }, this.previous, this.next, close),
    );
    close.addEventListener('click', () => this.dialog.close());
    this.previous.addEventListener('click', () => this.step(-1));
    this.next.addEventListener('click', () => this.step(1));
    this.dialog.addEventListener('keydown', (event) => {
      if (event.key === 'ArrowLeft') this.step(-1);
      if (event.key === 'ArrowRight') this.step(1);
    });
    this.dialog.addEventListener('click', (event) => {
      if (event.target === this.dialog) this.dialog.close();
    });
    document.body.append(this.dialog);
  }

  readonly open = (images: number[], at: number): void => {
    this.images = images;
    this.at = at;
    this.show();
    if (!this.dialog.open) this.dialog.showModal();
  };

  private step(by: number): void {
    if (this.images[this.at + by] === undefined) return;
    this.at += by;
    this.show();
  }

  private show(): void {
    const image = this.images[this.at] as number;
    this.canvas.setAttribute('aria-label', `Image ${this.run.nameOf(image)}, enlarged`);
    void this.thumbs.draw(this.canvas, image, true);
    this.about.replaceChildren(facts(this.run, image));
    this.previous.hidden = this.next.hidden = this.images.length < 2;
    this.previous.disabled = this.at === 0;
    this.next.disabled = this.at === this.images.length - 1;
  }
}
