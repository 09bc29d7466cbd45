// Twelve colours that can be told apart on white and on near-black; further ones are made by turning
// the hue by the golden angle, at three lightnesses.
const FIRST = [
  '#3b7dd8', '#ef8632', '#35a06a', '#d94b5a', '#8f6bd1', '#a0714f',
  '#e377b8', '#7f8c3a', '#1fb0c4', '#d9b320', '#5a5fb0', '#7ac36a',
];

export const NO_CATEGORY = '#8a9099';

function hexOfHsl(hue: number, saturation: number, lightness: number): string {
  const chroma = saturation * Math.min(lightness, 1 - lightness);
  const channel = (n: number) => {
    const k = (n + hue / 30) % 12;
    const value = lightness - chroma * Math.max(-1, Math.min(k - 3, 9 - k, 1));
    return Math.round(255 * value).toString(16).padStart(2, '0');
  };
  return `#${channel(0)}${channel(8)}${channel(4)}`;
}

export function categoryColour(position: number): string {
  if (position < 0) return NO_CATEGORY;
  const first = FIRST[position];
  if (first) return first;
  const lightness = [0.48, 0.62, 0.4][position % 3] as number;
  return hexOfHsl((position * 137.508) % 360, 0.6, lightness);
}

const RAMP_STOPS: [number, number, number][] = [
  [196, 60, 78], [226, 122, 74], [232, 180, 82], [120, 178, 132], [44, 140, 160], [48, 98, 168],
];

/** A ramp from unsure (warm) to sure (cool) in the given number of steps. */
export function confidenceRamp(steps: number): string[] {
  return Array.from({ length: steps }, (_, step) => {
    const at = (step / Math.max(1, steps - 1)) * (RAMP_STOPS.length - 1);
    const low = Math.min(Math.floor(at), RAMP_STOPS.length - 2);
    const from = RAMP_STOPS[low] as [number, number, number];
    const to = RAMP_STOPS[low + 1] as [number, number, number];
    const mix = from.map((value, i) => Math.round(value + (at - low) * ((to[i] as number) - value)));
    return `#${mix.map((value) => value.toString(16).padStart(2, '0')).join('')}`;
  });
}
