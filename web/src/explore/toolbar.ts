import { el } from '../dom';
import { api } from './api';
import { button } from './controls';
import type { Desk } from './desk';

function save(blob: Blob, name: string): void {
  const link = el('a', { href: URL.createObjectURL(blob), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

function isTyping(event: KeyboardEvent): boolean {
  return (event.target as HTMLElement).matches('input, textarea, select');
}

function exportMenu(desk: Desk, title: string): HTMLElement {
  const attempt = async (action: () => Promise<string>) => {
    try {
      desk.say(await action());
    } catch (error) {
      desk.say((error as Error).message, true);
    }
  };
  const file = (form: 'csv' | 'json') => () =>
    void attempt(async () => {
      save(await api.export(form), `${title.replaceAll(/[^\w.-]+/g, '_')}-clusters.${form}`);
      return `Exported as ${form.toUpperCase()}`;
    });
  const folders = (copy: boolean) => () => {
    desk.say('Writing folders …');
    void attempt(async () => `One folder a cluster, in ${(await api.exportFolders(copy)).path}`);
  };
  return el(
    'div',
    { class: 'tool', role: 'group', 'aria-label': 'Export' },
    el('span', { class: 'muted' }, 'Export'),
    button('CSV', file('csv'), { 'data-testid': 'export-csv' }),
    button('JSON', file('json'), { 'data-testid': 'export-json' }),
    button('Folders', folders(false), { title: 'One folder a cluster with links to its images', 'data-testid': 'export-folders' }),
    button('Copies', folders(true), { title: 'One folder a cluster with copies of its images' }),
  );
}

/** What is always at hand: undo and redo, search, export, placing a new image, and a line that says what happened. */
export function toolbar(desk: Desk, title: string, search: (text: string) => void, placeButton: HTMLElement): HTMLElement {
  const undo = button('Undo', () => void desk.undo(), { 'data-testid': 'undo' });
  const redo = button('Redo', () => void desk.redo(), { 'data-testid': 'redo' });
  const field = el('input', { type: 'search', 'aria-label': 'Find images by name', placeholder: 'Find by name', 'data-testid': 'search' });
  const form = el('form', { role: 'search', class: 'tool' }, field);
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    if (field.value) search(field.value);
  });
  const said = el('p', { class: 'said', role: 'status', 'data-testid': 'said' });
  desk.onSay((text, wrong) => {
    said.textContent = text;
    said.classList.toggle('wrong', wrong);
  });
  const refresh = () => {
    undo.disabled = !desk.state.undo;
    redo.disabled = !desk.state.redo;
  };
  desk.onChange(refresh);
  refresh();
  document.addEventListener('keydown', (event) => {
    if (event.key.toLowerCase() !== 'z' || !(event.ctrlKey || event.metaKey) || isTyping(event)) return;
    event.preventDefault();
    void (event.shiftKey ? desk.redo() : desk.undo());
  });
  return el('div', { class: 'toolbar', role: 'toolbar', 'aria-label': 'Editing' },
    el('div', { class: 'tool' }, undo, redo), form, exportMenu(desk, title), placeButton, said);
}
