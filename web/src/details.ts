import type { Run } from './data';
import { definition, el, section } from './dom';
import { bytes, figure, integer, seconds } from './format';
import { stageTimes } from './plots';

async function copyText(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    // Pages opened from a file may not have the clipboard; a selection is always allowed.
    const field = el('textarea', { 'aria-hidden': 'true', class: 'off-screen' });
    field.value = text;
    document.body.append(field);
    field.select();
    document.execCommand('copy');
    field.remove();
  }
}

function command(run: Run): HTMLElement {
  const button = el('button', { type: 'button' }, 'Copy');
  const said = el('span', { role: 'status', class: 'muted' });
  button.addEventListener('click', async () => {
    await copyText(run.report.command);
    button.focus();
    said.textContent = 'Copied';
    setTimeout(() => (said.textContent = ''), 2000);
  });
  return el(
    'div',
    {},
    el('h3', {}, 'The command to repeat this run'),
    el('div', { class: 'command' }, el('code', { class: 'verbatim' }, run.report.command), button, said),
  );
}

function shown(value: unknown): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (value === null || value === undefined) return 'not set';
  if (Array.isArray(value)) return value.map(shown).join(', ');
  return String(value);
}

function flatten(value: unknown, path: string): [string, string][] {
  if (value !== null && typeof value === 'object' && !Array.isArray(value)) {
    return Object.entries(value).flatMap(([key, inner]) => flatten(inner, path ? `${path}.${key}` : key));
  }
  return [[path, shown(value)]];
}

function parameters(run: Run): HTMLElement {
  const rows = flatten(run.report.summary.parameters ?? {}, '').filter(([path]) => path !== '');
  return el(
    'div',
    {},
    el('h3', {}, 'Every parameter'),
    el(
      'table',
      { class: 'parameters' },
      el('thead', {}, el('tr', {}, el('th', { scope: 'col' }, 'Parameter'), el('th', { scope: 'col' }, 'Value'))),
      el(
        'tbody',
        {},
        ...rows.map(([name, value]) =>
          el('tr', {}, el('th', { scope: 'row' }, name), el('td', { class: 'verbatim' }, value)),
        ),
      ),
    ),
  );
}

function title(name: string): string {
  return name === 'simd' ? 'SIMD' : name.charAt(0).toUpperCase() + name.slice(1).replaceAll('_', ' ');
}

function machine(run: Run): HTMLElement {
  const { summary, thumbs, count } = run.report;
  const input = summary.input;
  const list = el('dl', { class: 'facts' });
  if (input?.width && input.height) {
    const channels = input.channels ?? thumbs.channels;
    list.append(definition('Input', `${integer(count)} images of ${input.width} × ${input.height} × ${channels}`));
  }
  for (const [name, value] of flatten(summary.backend ?? {}, '')) {
    if (name) list.append(definition(title(name), value));
  }
  list.append(definition('Total time', seconds(summary.total_seconds)));
  if (summary.images_per_second) list.append(definition('Images a second', integer(summary.images_per_second)));
  if (summary.peak_memory_bytes) list.append(definition('Peak memory', bytes(summary.peak_memory_bytes)));
  if (summary.seed !== undefined) list.append(definition('Seed', String(summary.seed)));
  if (summary.version) list.append(definition('Version', summary.version));
  return el('div', {}, el('h3', {}, 'Machine'), list);
}

function timesTable(run: Run): HTMLElement {
  const rows = (run.report.summary.timings ?? []).map(({ stage, seconds: time }) =>
    el('tr', {}, el('th', { scope: 'row' }, stage), el('td', {}, `${figure(time)} s`)),
  );
  const head = el('tr', {}, el('th', { scope: 'col' }, 'Stage'), el('th', { scope: 'col' }, 'Time'));
  const table = el('table', {}, el('thead', {}, head), el('tbody', {}, ...rows));
  return el('details', {}, el('summary', {}, 'The times as a table'), table);
}

export function showDetails(run: Run): HTMLElement {
  const box = section('details', 'How it ran');
  box.append(command(run));
  const left = el('div', { class: 'stack' });
  if (run.report.summary.timings?.length) {
    left.append(el('div', {}, el('h3', {}, 'Stage times'), stageTimes(run), timesTable(run)));
  }
  left.append(machine(run));
  box.append(el('div', { class: 'halves' }, left, parameters(run)));
  return box;
}
