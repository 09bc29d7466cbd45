// The data of a run, as the program writes it into the page.

export interface Thumbnails {
  size: number;
  channels: number;
  columns: number;
  rows: number;
  sheets: number;
  images: number[] | null;
}

export interface Cluster {
  id: number;
  /** Given by a person. */
  name?: string | null;
  size: number;
  confidence: number;
  outliers: number;
  /** How much of it repeated clusterings find again, 0 to 1. */
  stability?: number | null;
  typical: number[];
  uncertain: number[];
  mostly: { name: string; share: number } | null;
}

export interface Candidate {
  clusters: number;
  score: number;
}

export interface Spectra {
  covariance: number[];
  total_variance: number;
  graph: number[];
  candidates: Candidate[];
}

export interface Removed {
  by: string;
  directions: { share: number; images: number[] }[];
}

/** Small changes of an image that were ignored. */
export interface Ignored {
  kinds: string[];
  /** How far each kind moves an image, in units of the spread of all images. */
  moves: { kind: string; move: number }[];
  /** Tiles of one picture in base64: a row per image, the image itself first, then a tile for each of the columns. */
  pictures: { size: number; images: number[]; columns: { kind: string; variant: number }[]; sheet: string } | null;
}

/** Pieces, and how they join: groups are named by number, the pieces first, then the joins in their order. */
export interface Tree {
  pieces: { size: number; images: number[] }[];
  joins: { one: number; other: number; tie: number }[];
}

/** Numbers of clusters that may be, the one taken first. */
export interface Verdict {
  clear: boolean;
  /** What was found before the range had its say; 1: nothing parts the images. */
  unrestricted?: number;
  numbers: { clusters: number; share: number }[];
}

/** A way to see the images, and how well clusters came out when a sample was clustered so. */
export interface Way {
  description: string;
  /** Of the command that asks for it; empty for the images as they are. */
  options: string;
  stability: number;
  confidence: number;
}

/** What was found out from the images themselves about how to see them. */
export interface Adapted {
  chosen: number;
  candidates: Way[];
  /** The share of images that lie nearer to another one when turned so. */
  turned_images_at_home: { mirror: number; half_turn: number; quarter_turn: number };
  sample_images: number;
}

export interface Metrics {
  accuracy: number;
  purity: number;
  nmi: number;
  ari: number;
}

export interface Summary {
  input?: {
    name?: string;
    count?: number;
    height?: number;
    width?: number;
    channels?: number;
    skipped?: number;
    skipped_images?: { id: string; reason: string }[];
  };
  parameters?: Record<string, unknown>;
  clusters: number;
  cluster_sizes?: number[];
  noise?: number;
  metrics?: Metrics | null;
  timings?: { stage: string; seconds: number }[];
  total_seconds: number;
  images_per_second?: number;
  peak_memory_bytes?: number;
  outliers?: number;
  notes?: string[];
  /** What a run that did not adapt might have gained by it. */
  suggestion?: string | null;
  k_verdict?: Verdict | null;
  adapted?: Adapted | null;
  backend?: Record<string, unknown>;
  seed?: number | string;
  version?: string;
}

export interface Report {
  title: string;
  command: string;
  count: number;
  ids: string[] | null;
  classes: string[] | null;
  thumbs: Thumbnails;
  clusters: Cluster[];
  confusion: number[][] | null;
  spectra: Spectra | null;
  removed: Removed | null;
  ignored?: Ignored | null;
  tree?: Tree | null;
  /** Of each way to see the images that was tried, images of its larger clusters. */
  ways?: number[][][];
  summary: Summary;
}

export interface Points {
  x: Uint16Array;
  y: Uint16Array;
  cluster: Uint16Array;
  truth: Uint16Array;
  confidence: Uint8Array;
  outlier: Uint8Array;
}

/** Stands for "no cluster" and "class unknown" in the points. */
export const NONE = 65535;

export class Run {
  private readonly positionOfCluster = new Map<number, number>();

  constructor(
    readonly report: Report,
    readonly points: Points,
  ) {
    this.setClusters(report.clusters, points.cluster);
  }

  /** Takes other clusters, and the cluster of each image, in the place of the present ones. */
  setClusters(clusters: Cluster[], clusterOfImage: Uint16Array): void {
    this.report.clusters = clusters;
    this.points.cluster = clusterOfImage;
    this.positionOfCluster.clear();
    clusters.forEach((cluster, position) => this.positionOfCluster.set(cluster.id, position));
  }

  /** The name that a person gave a cluster, else its number. */
  shortNameOf(position: number): string {
    const cluster = this.report.clusters[position];
    return cluster?.name ?? String(cluster?.id);
  }

  /** The same to be read in a sentence: "cluster 3". */
  nameOfCluster(position: number): string {
    const cluster = this.report.clusters[position];
    return cluster?.name ?? `cluster ${cluster?.id}`;
  }

  nameOf(image: number): string {
    return this.report.ids?.[image] ?? String(image);
  }

  /** The cluster of an image as a position in the list of clusters, or -1. */
  clusterOf(image: number): number {
    const id = this.points.cluster[image];
    return id === undefined || id === NONE ? -1 : (this.positionOfCluster.get(id) ?? -1);
  }

  /** The true class of an image as a position in the list of classes, or -1. */
  truthOf(image: number): number {
    const truth = this.points.truth[image];
    return truth === undefined || truth === NONE || !this.report.classes ? -1 : truth;
  }

  className(position: number): string {
    return this.report.classes?.[position] ?? 'unknown';
  }

  confidenceOf(image: number): number {
    return (this.points.confidence[image] ?? 0) / 255;
  }

  isOutlier(image: number): boolean {
    return this.points.outlier[image] !== 0;
  }
}

export function bytesOfBase64(text: string): Uint8Array<ArrayBuffer> {
  const binary = atob(text.trim());
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i);
  return bytes;
}

function textOf(id: string): string | null {
  return document.getElementById(id)?.textContent ?? null;
}

function littleEndian16(view: DataView, offset: number, count: number): Uint16Array {
  const values = new Uint16Array(count);
  for (let i = 0; i < count; i++) values[i] = view.getUint16(offset + 2 * i, true);
  return values;
}

export function pointsOf(bytes: Uint8Array<ArrayBuffer>, count: number): Points {
  if (bytes.length < 10 * count) throw new Error('The points of this report are cut short.');
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return {
    x: littleEndian16(view, 0, count),
    y: littleEndian16(view, 2 * count, count),
    cluster: littleEndian16(view, 4 * count, count),
    truth: littleEndian16(view, 6 * count, count),
    confidence: bytes.subarray(8 * count, 9 * count),
    outlier: bytes.subarray(9 * count, 10 * count),
  };
}

/** The run in this page, or null when the page is the bare template. */
export function readRun(): Run | null {
  const json = textOf('pssc-report');
  const points = textOf('pssc-points');
  if (json === null || points === null) return null;
  const report = JSON.parse(json) as Report;
  return new Run(report, pointsOf(bytesOfBase64(points), report.count));
}
