// What `pssc reproduce` writes into the page: reproduction.json.

export interface Figure {
  mean: number;
  spread: number;
  least: number;
  greatest: number;
  seeds: number;
  wanted: number;
}

export interface ResultCell {
  dataset: string;
  state: 'computed' | 'quoted' | 'no data' | 'not computed' | 'out of memory';
  gibibytes?: number;
  accuracy?: Figure;
  purity?: Figure;
  nmi?: Figure;
  seconds?: Figure;
  paper: { accuracy: number; nmi: number } | null;
  difference?: { purity: number; nmi: number };
}

export interface Results {
  datasets: string[];
  seeds: number;
  rows: { method: string; quoted: boolean; cells: ResultCell[] }[];
}

export interface Timing {
  threads: number;
  ours: { preset: string; seconds: number; accuracy: number; stages: { stage: string; seconds: number }[] }[];
  paper: { method: string; seconds: number }[];
  paper_hardware: string;
}

interface AblationFigures {
  accuracy: Figure;
  purity: Figure;
  nmi: Figure;
  seconds: Figure;
}

export interface Ablation {
  dataset: string;
  rows: {
    blocks: string;
    paper: { accuracy: number; nmi: number; seconds: number };
    authors: AblationFigures | null;
    text: AblationFigures | null;
  }[];
}

export interface Angles {
  dataset: string;
  classes: string[];
  dims: number;
  domains: {
    domain: string;
    paper: number[];
    greedy?: number[];
    principal?: number[];
    greedy_affinity?: number;
    affinity?: number;
  }[];
}

export interface Eigenvalues {
  dataset: string;
  domains: { domain: string; paper: string; shares?: number[]; first_four?: number; for_half?: number; count?: number }[];
}

interface Outcome {
  labels: number[];
  accuracy: number;
  projected?: [number, number][];
}

export interface Poc {
  toys: {
    name: string;
    points: [number, number][];
    truth: number[];
    before: Outcome;
    after: Outcome;
    after_by_one_class: Outcome;
  }[];
}

export interface Reproduction {
  version: string;
  date: string;
  machine: { cores: number; memory_gib: number; processor: string; simd: string; threads: number };
  seconds: number;
  items: {
    results?: Results;
    timing?: Timing;
    ablation?: Ablation;
    angles?: Angles;
    eigenvalues?: Eigenvalues;
    poc?: Poc;
  };
  remarks: Record<string, string[]>;
}

/** The data in the page; null where it is the empty page. */
export function readReproduction(): Reproduction | null {
  const text = document.getElementById('pssc-reproduction')?.textContent;
  return text ? (JSON.parse(text) as Reproduction) : null;
}
