import { categoryColour } from './colours';
import type { Run, Tree, Verdict } from './data';
import { el, section } from './dom';
import { integer, percent } from './format';
import { copyTile, markMissing, wall, type Pictures } from './thumbs';
import type { Viewer } from './viewer';

const TREE_HEIGHT = 260;
const TREE_MARGIN = 10;
/** Pixels that a piece takes at least, the second where there are very many; wider trees scroll. */
const LEAF_WIDTH = [26, 14] as const;
/** Weaker ties are drawn as this: those of groups that have nothing to do with each other would flatten the rest. */
const WEAKEST_TIE = 1e-4;
const PICTURES_PER_GROUP = 24;
const PICTURES_IN_ALL = 240;

/** A group of the tree: a piece, or two groups joined. */
interface Group {
  pieces: number[];
  size: number;
  parts: [Group, Group] | null;
  /** 0 at the leaves, 1 at the root, by the logarithm of the tie. */
  height: number;
  /** The middle of its pieces among all, 0 to 1. */
  x: number;
  colour: number;
}

/** Heights by the logarithm of the ties: those of well separated clusters differ by orders of magnitude. */
class Scale {
  private readonly strongest: number;
  private readonly weakest: number;

  constructor(ties: number[]) {
    const positive = ties.filter((tie) => tie > 0);
    this.strongest = Math.max(1, ...positive);
    this.weakest = 0.7 * Math.max(WEAKEST_TIE, Math.min(0.5, ...positive));
  }

  height(tie: number): number {
    const clamped = Math.min(this.strongest, Math.max(this.weakest, tie));
    return Math.log(this.strongest / clamped) / Math.log(this.strongest / this.weakest);
  }

  /** Round ties for an axis, not crowded. */
  ticks(): number[] {
    const decades = [0, -1, -2, -3, -4, -5];
    const all = decades.flatMap((decade) => [10 ** decade, 0.5 * 10 ** decade, 0.2 * 10 ** decade]);
    const inside = all.filter((tie) => tie >= this.weakest && tie <= this.strongest);
    const chosen: number[] = [];
    for (const tie of inside) {
      const last = chosen[chosen.length - 1];
      if (last === undefined || this.height(tie) - this.height(last) > 0.1) chosen.push(tie);
    }
    return chosen;
  }
}

/** The pieces and joins as groups with places, in their order; the last one is the root. */
function groupsOf({ pieces, joins }: Tree, scale: Scale): Group[] {
  const groups: Group[] = pieces.map(({ size }, at) => ({ pieces: [at], size, parts: null, height: 0, x: 0, colour: 0 }));
  for (const { one, other, tie } of joins) {
    // The larger part goes to the left, so that the tree reads from the largest groups on.
    const parts = [groups[one] as Group, groups[other] as Group].sort((a, b) => b.size - a.size) as [Group, Group];
    groups.push({
      pieces: [...parts[0].pieces, ...parts[1].pieces],
      size: parts[0].size + parts[1].size,
      parts,
      height: Math.max(scale.height(tie), parts[0].height, parts[1].height),
      x: 0,
      colour: 0,
    });
  }
  const root = groups[groups.length - 1] as Group;
  root.pieces.forEach((piece, place) => ((groups[piece] as Group).x = (place + 0.5) / pieces.length));
  for (const group of groups) if (group.parts) group.x = (group.parts[0].x + group.parts[1].x) / 2;
  // Where a group splits, its larger part keeps its colour: one step of the slider recolours one group only.
  let colours = 1;
  for (const { parts, colour } of groups.slice(pieces.length).reverse()) {
    if (parts) [parts[0].colour, parts[1].colour] = [colour, colours++];
  }
  return groups;
}

/** What is left of the groups when only the strongest joins are made, from left to right. */
function cut(groups: Group[], pieces: number, count: number): Group[] {
  const left = new Set<Group>();
  for (const group of groups.slice(0, 2 * pieces - count)) {
    left.add(group);
    for (const part of group.parts ?? []) left.delete(part);
  }
  return [...left].sort((a, b) => a.x - b.x);
}

function svg(tag: string, attributes: Record<string, string | number>, text?: string): SVGElement {
  const element = document.createElementNS('http://www.w3.org/2000/svg', tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
  if (text !== undefined) element.textContent = text;
  return element;
}

const percentOf = (share: number) => `${(100 * share).toFixed(3)}%`;
const pixelsOf = (height: number) => TREE_MARGIN + (1 - height) * (TREE_HEIGHT - 2 * TREE_MARGIN);

/** The tree as lines, and the cut through it. Lengths across are shares of the width, so that it fits any. */
class Drawing {
  readonly element: SVGElement;
  private readonly lines = new Map<Group, SVGElement[]>();
  private readonly cutLine = svg('line', { class: 'cut', x1: '0', x2: '100%' });

  constructor(
    private readonly groups: Group[],
    scale: Scale,
  ) {
    this.element = svg('svg', { class: 'tree', height: TREE_HEIGHT, width: '100%', 'aria-hidden': 'true' });
    for (const tie of scale.ticks()) {
      const y = pixelsOf(scale.height(tie));
      this.element.append(svg('line', { class: 'tick', x1: '0', x2: '100%', y1: y, y2: y }));
    }
    for (const group of groups) if (group.parts) this.drawJoin(group, group.parts);
    this.element.append(this.cutLine);
    for (const tie of scale.ticks()) {
      this.element.append(svg('text', { x: 2, y: pixelsOf(scale.height(tie)) - 3 }, String(Number(tie.toPrecision(1)))));
    }
  }

  /** Colours each group of the cut, and what lies above it in grey. */
  show(shown: Group[]): void {
    for (const lines of this.lines.values()) for (const line of lines) line.style.stroke = '';
    const paint = (group: Group, colour: string): void => {
      for (const line of this.lines.get(group) ?? []) line.style.stroke = colour;
      for (const part of group.parts ?? []) paint(part, colour);
    };
    for (const group of shown) paint(group, categoryColour(group.colour));
    const below = Math.max(...shown.map(({ height }) => height));
    const above = Math.min(1, ...this.groups.filter(({ parts }) => parts?.some((part) => shown.includes(part))).map(({ height }) => height));
    const y = pixelsOf((below + above) / 2);
    this.cutLine.setAttribute('y1', String(y));
    this.cutLine.setAttribute('y2', String(y));
  }

  private drawJoin(group: Group, parts: [Group, Group]): void {
    const y = pixelsOf(group.height);
    const across = svg('line', { x1: percentOf(parts[0].x), x2: percentOf(parts[1].x), y1: y, y2: y });
    this.lines.set(group, [...(this.lines.get(group) ?? []), across]);
    this.element.append(across);
    for (const part of parts) {
      const x = percentOf(part.x);
      const down = svg('line', { x1: x, x2: x, y1: y, y2: pixelsOf(part.height) });
      this.lines.set(part, [...(this.lines.get(part) ?? []), down]);
      this.element.append(down);
    }
  }
}

/** Keeps every picture once it is drawn, so that walls can be built anew without a wait. */
class KeptPictures implements Pictures {
  private readonly kept = new Map<number, { canvas: HTMLCanvasElement; drawn: Promise<boolean> }>();

  constructor(private readonly source: Pictures) {}

  get size(): number {
    return this.source.size;
  }

  fetch(image: number): { canvas: HTMLCanvasElement; drawn: Promise<boolean> } {
    const known = this.kept.get(image);
    if (known) return known;
    const canvas = el('canvas', {});
    const entry = { canvas, drawn: this.source.draw(canvas, image) };
    this.kept.set(image, entry);
    return entry;
  }

  draw(canvas: HTMLCanvasElement, image: number): Promise<boolean> {
    const { canvas: original, drawn } = this.fetch(image);
    canvas.dataset.image = String(image);
    const copy = (there: boolean) => {
      if (there) copyTile(canvas, original, 0, 0, this.size);
      else markMissing(canvas, this.size);
      return there;
    };
    return original.dataset.drawn ? Promise.resolve(copy(true)) : drawn.then(copy);
  }

  idle(): Promise<void> {
    return this.source.idle();
  }
}

/** Some of the images of several pieces: the most typical of each first. */
function picturesOf(tree: Tree, group: Group, most: number): number[] {
  const lists = group.pieces.map((piece) => tree.pieces[piece]?.images ?? []);
  const longest = Math.max(0, ...lists.map((list) => list.length));
  const chosen: number[] = [];
  for (let at = 0; at < longest; at++) for (const list of lists) if (list[at] !== undefined) chosen.push(list[at] as number);
  return chosen.slice(0, most);
}

function inWords(words: string[]): string {
  const last = words[words.length - 1] ?? '';
  return words.length > 1 ? `${words.slice(0, -1).join(', ')} or ${last}` : last;
}

function verdictInWords(verdict: Verdict | null | undefined, clusters: number): string {
  const taken = verdict?.numbers[0];
  if (!verdict || !taken) return `The number of clusters was given: ${integer(clusters)}.`;
  if (verdict.clear) return `The evidence is clear: ${integer(taken.clusters)}.`;
  const unclear = verdict.unrestricted === 1 ? 'Nothing clearly parts these images' : 'No clear number';
  if (verdict.numbers.length < 2) return `${unclear}; ${integer(taken.clusters)} fits best and was taken.`;
  const shares = verdict.numbers.map(({ share }) => share);
  const equally = 2 * Math.min(...shares) >= Math.max(...shares);
  const named = inWords(verdict.numbers.map((number) => integer(number.clusters) + (equally ? '' : ` (${percent(number.share, 0)})`)));
  return `${unclear}: ${named}${equally ? ' fit about equally' : ''}. This run took ${integer(taken.clusters)}.`;
}

/** How the images fall apart, with a slider that cuts the tree anywhere. */
class TreeView {
  readonly element: HTMLElement;
  private readonly tree: Tree;
  private readonly groups: Group[];
  private readonly total: number;
  private readonly drawing: Drawing;
  private readonly pictures: KeptPictures;
  private readonly slider: HTMLInputElement;
  private readonly said = el('output', { for: 'groups', 'data-testid': 'groups-said' });
  private readonly walls = el('div', { class: 'cards', 'data-testid': 'groups' });
  private readonly leaves: HTMLElement[];

  constructor(
    private readonly run: Run,
    tree: Tree,
    pictures: Pictures,
    private readonly viewer: Viewer,
  ) {
    const count = tree.pieces.length;
    const scale = new Scale(tree.joins.map(({ tie }) => tie));
    this.tree = tree;
    this.pictures = new KeptPictures(pictures);
    this.groups = groupsOf(tree, scale);
    const root = this.groups[this.groups.length - 1] as Group;
    this.total = Math.max(1, root.size);
    this.drawing = new Drawing(this.groups, scale);
    this.leaves = tree.pieces.map((_, at) => el('div', { class: 'leaf', title: `Piece ${at + 1}` }));
    const leafRow = el('div', { class: 'leaves' }, ...root.pieces.map((piece) => this.leaves[piece]));
    const picture = el('div', { class: 'tree-picture' });
    picture.style.minInlineSize = `${LEAF_WIDTH[count > 60 ? 1 : 0] * count}px`;
    picture.append(el('p', { class: 'axis' }, 'Strength of the tie (1: two halves of one even cloud)'), this.drawing.element, leafRow);
    this.slider = el('input', { type: 'range', id: 'groups', min: String(Math.min(2, count)), max: String(count), step: '1', 'data-testid': 'groups-slider' });
    this.slider.addEventListener('input', () => this.show(Number(this.slider.value)));
    const { summary } = run.report;
    const lead = `${verdictInWords(summary.k_verdict, summary.clusters)} The tree shows how the images fall apart: the higher two groups join, the less they hang together.`;
    this.element = section('tree', 'How many clusters', lead);
    this.element.append(
      el('div', { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': `Tree of ${integer(count)} pieces` }, picture),
      el('div', { class: 'cut-control' }, el('label', { for: 'groups' }, 'Number of groups'), this.slider, this.said, this.choices()),
      this.walls,
    );
  }

  /** Draws the pictures: all of them now, so that the slider need not wait. */
  start(): void {
    this.tree.pieces.forEach(({ images }, piece) => {
      const canvas = el('canvas', { width: '1', height: '1', 'aria-hidden': 'true' });
      this.leaves[piece]?.append(canvas);
      if (images[0] !== undefined) void this.pictures.draw(canvas, images[0]);
      for (const image of images) this.pictures.fetch(image);
    });
    this.show(Math.max(Number(this.slider.min), Math.min(this.tree.pieces.length, this.run.report.summary.clusters)));
  }

  /** The numbers that fit, to go to at once. */
  private choices(): HTMLElement | null {
    const numbers = (this.run.report.summary.k_verdict?.numbers ?? []).filter(({ clusters }) => clusters <= this.tree.pieces.length && clusters >= Number(this.slider.min));
    if (!numbers.length) return null;
    return el(
      'span',
      { class: 'tool' },
      ...numbers.map(({ clusters, share }) => {
        const button = el('button', { type: 'button', 'data-groups': String(clusters) }, integer(clusters), el('span', { class: 'muted' }, ` ${percent(share, 0)}`));
        button.title = `${percent(share, 0)} of the evidence`;
        button.addEventListener('click', () => this.show(clusters));
        return button;
      }),
    );
  }

  private show(count: number): void {
    const shown = cut(this.groups, this.tree.pieces.length, count);
    this.slider.value = String(count);
    this.said.textContent = integer(count);
    for (const button of this.element.querySelectorAll<HTMLButtonElement>('[data-groups]')) {
      button.setAttribute('aria-pressed', String(Number(button.dataset.groups) === count));
    }
    this.drawing.show(shown);
    for (const group of shown) {
      for (const piece of group.pieces) this.leaves[piece]?.style.setProperty('--group', categoryColour(group.colour));
    }
    const most = Math.max(PICTURES_PER_GROUP, 8 * Math.floor(PICTURES_IN_ALL / shown.length / 8));
    this.walls.replaceChildren(...shown.map((group, at) => this.card(group, at + 1, most)));
  }

  private card(group: Group, number: number, most: number): HTMLElement {
    const mark = el('span', { class: 'swatch', 'aria-hidden': 'true' });
    mark.style.background = categoryColour(group.colour);
    const heading = el('h3', { id: `group-${number}` }, mark, `Group ${number}`);
    const pieces = group.pieces.length === 1 ? '1 piece' : `${integer(group.pieces.length)} pieces`;
    return el(
      'article',
      { class: 'card', 'aria-labelledby': heading.id, 'data-testid': 'group-card' },
      heading,
      el('p', { class: 'muted figures' }, el('span', {}, `${percent(group.size / this.total)} of the images`), el('span', {}, pieces)),
      wall(this.run, this.pictures, picturesOf(this.tree, group, most), `Images of group ${number}`, this.viewer.open),
    );
  }
}

export function showTree(run: Run, pictures: Pictures, viewer: Viewer): TreeView | null {
  const { tree } = run.report;
  if (!tree || tree.pieces.length < 2 || tree.joins.length !== tree.pieces.length - 1) return null;
  return new TreeView(run, tree, pictures, viewer);
}
