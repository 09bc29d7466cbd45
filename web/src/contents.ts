import { el } from './dom';

/** Links to the sections of the page. */
export function contents(sections: HTMLElement[]): HTMLElement {
  const links = sections.map((box) => {
    const title = box.querySelector('h2')?.textContent ?? '';
    return el('li', {}, el('a', { href: `#${box.id}` }, title));
  });
  return el('ul', {}, ...links);
}
