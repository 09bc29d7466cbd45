// What the page asks of `pssc explore`, which serves it.

export interface ClusterState {
  id: number;
  name: string | null;
  size: number;
  confidence: number;
  outliers: number;
  /** Null also where a person has changed which images it holds. */
  stability: number | null;
  reviewed: number;
}

export interface State {
  count: number;
  clusters: ClusterState[];
  /** The number that a new cluster gets. */
  next: number;
  reviewed: number;
  undo: boolean;
  redo: boolean;
}

export interface Members {
  rows: number[];
  /** In thousandths. */
  confidence: number[];
  /** Null: each image's name is its row. */
  ids: string[] | null;
}

export interface ImageFacts {
  row: number;
  id: string;
  cluster: number;
  confidence: number;
  outlier: boolean;
  reviewed: boolean;
  truth: string | null;
}

export interface Placement {
  cluster: number;
  confidence: number;
  outlier: boolean;
}

export type Edit =
  | { do: 'name'; cluster: number; name: string }
  | { do: 'merge'; cluster: number; to: number }
  | { do: 'move'; images: number[]; to: number }
  | { do: 'confirm'; images: number[] };

const token = new URLSearchParams(location.search).get('token') ?? '';

async function ask(path: string, init: RequestInit = {}): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(path, { ...init, headers: { ...init.headers, 'X-PSSC-Token': token } });
  } catch {
    throw new Error('pssc explore does not answer: it was ended. What was done so far is kept.');
  }
  if (response.ok) return response;
  const told = (await response.json().catch(() => null)) as { error?: string } | null;
  throw new Error(told?.error ?? `The request failed (${response.status}).`);
}

async function json<T>(path: string, init?: RequestInit): Promise<T> {
  return (await (await ask(path, init)).json()) as T;
}

const post = <T>(path: string, body: BodyInit = ''): Promise<T> => json<T>(path, { method: 'POST', body });

export const api = {
  state: () => json<State>('api/state'),
  members: (cluster: number, order: string) => json<Members>(`api/cluster?id=${cluster}&order=${order}`),
  review: (count: number) => json<{ left: number; images: ImageFacts[] }>(`api/review?count=${count}`),
  images: (rows: number[]) => json<ImageFacts[]>(`api/images?rows=${rows.join(',')}`),
  find: (id: string) => json<ImageFacts[]>(`api/find?id=${encodeURIComponent(id)}`),
  pictures: async (rows: number[], columns: number) =>
    createImageBitmap(await (await ask(`api/pictures?rows=${rows.join(',')}&columns=${columns}`)).blob()),
  labels: async () => new Uint16Array(await (await ask('api/labels')).arrayBuffer()),
  rows: async () => new Uint32Array(await (await ask('api/rows')).arrayBuffer()),
  edit: (edit: Edit) => post<State>('api/edit', JSON.stringify(edit)),
  undo: () => post<State>('api/undo'),
  redo: () => post<State>('api/redo'),
  split: (cluster: number, parts: number) => post<State>(`api/split?cluster=${cluster}&parts=${parts}`),
  progress: () => json<{ stage: string; share: number }>('api/progress'),
  place: (file: Blob) => json<Placement>('api/place', { method: 'POST', body: file, headers: { 'Content-Type': 'application/octet-stream' } }),
  export: async (form: 'csv' | 'json') => (await ask(`api/export.${form}`)).blob(),
  exportFolders: (copy: boolean) => post<{ path: string }>(`api/export-folders?copy=${copy ? 1 : 0}`),
};
