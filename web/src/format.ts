const whole = new Intl.NumberFormat('en-GB', { maximumFractionDigits: 0 });
const NARROW = '\u202f';

export function integer(value: number): string {
  return whole.format(value);
}

export function percent(share: number, digits = 1): string {
  return Number.isFinite(share) ? `${(100 * share).toFixed(digits)}${NARROW}%` : '–';
}

export function figure(value: number, digits = 3): string {
  return Number.isFinite(value) ? value.toFixed(digits) : '–';
}

export function seconds(value: number): string {
  if (value < 0.1) return `${whole.format(1000 * value)}${NARROW}ms`;
  if (value < 99.95) return `${value.toFixed(1)}${NARROW}s`;
  const rounded = Math.round(value);
  return `${Math.floor(rounded / 60)}${NARROW}min ${rounded % 60}${NARROW}s`;
}

export function bytes(value: number): string {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
  let unit = 0;
  while (value >= 1024 && unit < units.length - 1) {
    value /= 1024;
    unit++;
  }
  return `${unit > 1 && value < 100 ? value.toFixed(1) : whole.format(value)}${NARROW}${units[unit]}`;
}

export function counted(count: number, one: string, many: string): string {
  return `${integer(count)} ${count === 1 ? one : many}`;
}
