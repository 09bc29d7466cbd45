import { el } from './dom';
import { percent } from './format';

/** Below this a cluster counts as dissolved (Hennig 2007); the notes of a run use the same limit. */
const UNSTABLE_BELOW = 0.6;

/** What to say of a cluster that repeated clusterings do not find again, or null. */
export function instability(stability: number | null | undefined): string | null {
  if (typeof stability !== 'number' || stability >= UNSTABLE_BELOW) return null;
  return `repeated clusterings find only ${percent(stability, 0)} of it again`;
}

/** The same as a mark beside the name of the cluster. */
export function unstableMark(stability: number | null | undefined): HTMLElement | null {
  const reason = instability(stability);
  return reason === null ? null : el('span', { class: 'unstable', title: reason }, 'not stable');
}
