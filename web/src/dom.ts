type Child = Node | string | null | undefined;

/** Makes an element; strings become text nodes, so nothing in them is ever read as markup. */
export function el<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Record<string, string> = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children.filter((child): child is Node | string => child !== null && child !== undefined));
  return element;
}

export function byId(id: string): HTMLElement {
  const element = document.getElementById(id);
  if (!element) throw new Error(`The page has no element "${id}".`);
  return element;
}

/** A section of the page with its heading, named by that heading. */
export function section(id: string, title: string, lead?: Child): HTMLElement {
  const heading = el('h2', { id: `${id}-title` }, title);
  return el(
    'section',
    { id, 'aria-labelledby': `${id}-title` },
    heading,
    lead ? el('p', { class: 'lead' }, lead) : null,
  );
}

export function definition(term: string, ...value: Child[]): HTMLElement {
  return el('div', {}, el('dt', {}, term), el('dd', {}, ...value));
}

export function cssColour(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

const darkScheme = matchMedia('(prefers-color-scheme: dark)');

export function isDark(): boolean {
  return darkScheme.matches;
}

export function onSchemeChange(action: () => void): void {
  darkScheme.addEventListener('change', action);
}

export function prefersStillness(): boolean {
  return matchMedia('(prefers-reduced-motion: reduce)').matches;
}
