import { el } from '../dom';
import type { Desk } from './desk';

export function button(text: string, action: () => void, attributes: Record<string, string> = {}): HTMLButtonElement {
  const made = el('button', { type: 'button', ...attributes }, text);
  made.addEventListener('click', action);
  return made;
}

/** A list of clusters to choose from; a new one too where that is wanted. Keeps its choice when it is filled anew. */
export class ClusterChoice {
  readonly element: HTMLSelectElement;

  constructor(
    private readonly desk: Desk,
    label: string,
    private readonly withNew: boolean,
  ) {
    this.element = el('select', { 'aria-label': label });
  }

  fill(except: number): void {
    const before = this.element.value;
    const clusters = this.desk.state.clusters.filter(({ id }) => id !== except && id >= 0);
    const options = clusters.map(({ id }) => el('option', { value: String(id) }, this.desk.nameOf(id)));
    if (this.withNew) options.push(el('option', { value: String(this.desk.state.next) }, 'a new cluster'));
    this.element.replaceChildren(...options);
    if (options.some((option) => option.value === before)) this.element.value = before;
  }

  get value(): number {
    return Number(this.element.value);
  }
}
