import { definition, el } from '../dom';
import { percent } from '../format';
import { api } from './api';
import { button } from './controls';
import type { Desk } from './desk';

/** As the server's limit: no need to send what it will refuse. */
const MOST_BYTES = 32 * 1024 * 1024;

function result(desk: Desk, file: File, found: { cluster: number; confidence: number; outlier: boolean }): HTMLElement {
  return el(
    'dl',
    { class: 'facts', 'data-testid': 'placed' },
    definition('File', el('span', { class: 'verbatim' }, file.name)),
    definition('Cluster', el('span', { class: 'verbatim' }, desk.nameOf(found.cluster))),
    definition('Confidence', percent(found.confidence)),
    found.outlier ? definition('Note', 'unlike the images of this run') : null,
  );
}

/** Asks which cluster a new image belongs to, when it is dropped on the page or chosen. The run is not changed. */
export function placing(desk: Desk): HTMLElement {
  const picture = el('img', { class: 'large', alt: '' });
  const about = el('div', { class: 'about' });
  const close = button('Close', () => dialog.close(), { class: 'primary' });
  const dialog = el('dialog', { class: 'viewer', 'aria-label': 'A new image' }, picture, about, el('div', { class: 'row' }, close));
  dialog.addEventListener('close', () => URL.revokeObjectURL(picture.src));
  picture.addEventListener('error', () => (picture.hidden = true));
  document.body.append(dialog);

  const place = async (file: File) => {
    try {
      if (file.size > MOST_BYTES) throw new Error(`${file.name} is over the limit of 32 MiB`);
      desk.say('Placing …');
      about.replaceChildren(result(desk, file, await api.place(file)));
      picture.hidden = false;
      picture.src = URL.createObjectURL(file);
      if (!dialog.open) dialog.showModal();
      desk.say('');
    } catch (error) {
      desk.say((error as Error).message, true);
    }
  };
  const field = el('input', { type: 'file', accept: 'image/*,.pgm,.ppm,.tif,.tiff', class: 'unseen', tabindex: '-1', 'aria-hidden': 'true', 'data-testid': 'place-file' });
  field.addEventListener('change', () => {
    const file = field.files?.[0];
    field.value = '';
    if (file) void place(file);
  });
  document.addEventListener('dragover', (event) => event.preventDefault());
  document.addEventListener('drop', (event) => {
    event.preventDefault();
    const file = event.dataTransfer?.files[0];
    if (file) void place(file);
  });
  return el('div', { class: 'tool' }, button('Place a new image', () => field.click(), { title: 'Or drop it anywhere on the page' }), field);
}
