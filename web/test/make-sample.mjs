// Writes a made-up report for work on the page:
//   node test/make-sample.mjs [--out dist/sample.html] [--count 4000] [--clusters 10] [--plain]
// --plain leaves out what needs true classes, gives the images awkward names, and thumbnails to every second one; it is
// of the paper's method, with directions that were taken out, and without a tree.
import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { launch } from './chromium.mjs';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const { values: options } = parseArgs({
  options: {
    out: { type: 'string', default: here('../dist/sample.html') },
    count: { type: 'string', default: '4000' },
    clusters: { type: 'string', default: '10' },
    plain: { type: 'boolean', default: false },
  },
});
const count = Number(options.count);
const K = Number(options.clusters);
const plain = options.plain;
const size = 32;
const perSide = 64;

let state = 12345;
const random = () => {
  state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
  return state / 4294967296;
};
const normal = () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
const range = (n) => Array.from({ length: n }, (_, i) => i);

const className = (c) => (K <= 10 ? String(c) : String.fromCharCode(65 + (c % 26)) + (c >= 26 ? Math.floor(c / 26) : ''));

function makeImages() {
  const centres = range(K).map((k) => {
    const angle = k * 2.39996;
    const radius = 0.42 * Math.sqrt((k + 0.5) / K);
    return [0.5 + radius * Math.cos(angle), 0.5 + radius * Math.sin(angle)];
  });
  const spread = 0.14 / Math.sqrt(K);
  return range(count).map((i) => {
    const truth = Math.floor(random() * K);
    const wrong = random() < 0.03;
    // The numbers of clusters are no class numbers: shuffle them a little.
    const cluster = ((wrong ? Math.floor(random() * K) : truth) * 7 + 3) % K;
    const [cx, cy] = centres[cluster];
    const far = Math.abs(normal());
    const clamp = (v) => Math.max(0, Math.min(1, v));
    const confidence = clamp(wrong ? 0.35 + 0.4 * random() : 1 - 0.06 * far * random() - (random() < 0.05 ? 0.5 * random() : 0));
    const none = plain && i % 97 === 0;
    return {
      truth,
      cluster: none ? 65535 : cluster,
      confidence,
      outlier: far > 3 ? 1 : 0,
      x: clamp(cx + spread * normal()),
      y: clamp(cy + spread * normal()),
    };
  });
}

const AWKWARD = ['a "quoted" name.png', "it's <b>bold</b>.png", '<img src=x onerror="document.title=1">', 'line\nbreak.png', '</script><script>alert(1)</script>', 'ünïcödé 图像 🙂.png', 'a/very/long/path/' + 'x'.repeat(120) + '.png'];

const KINDS = ['shift', 'tilt', 'scale', 'stretch', 'shear', 'thickness', 'gain'];

function makeIgnored(clusters) {
  return {
    kinds: [...KINDS, 'flip'],
    moves: KINDS.map((kind, i) => ({ kind, move: 0.12 + 0.11 * ((i * 5) % 7) / 3 })),
    pictures: {
      size: 64,
      images: clusters.slice(0, 3).map((c) => c.typical[0]),
      columns: KINDS.flatMap((kind) => [{ kind, variant: 0 }, { kind, variant: 1 }]),
      sheet: '',
    },
  };
}

/** Each cluster in one to three pieces: they join first, then the clusters, ever more weakly. */
function makeTree(images) {
  const pieces = [];
  const joins = [];
  const partsOf = range(K).map((id) => {
    const members = range(count).filter((i) => images[i].cluster === id);
    const parts = 1 + (id % 3);
    return range(parts).map((part) => {
      const own = members.filter((_, at) => at % parts === part);
      pieces.push({ size: own.length, images: own.slice(0, 12) });
      return pieces.length - 1;
    });
  });
  const within = partsOf.filter((parts) => parts.length > 1);
  const total = within.reduce((sum, parts) => sum + parts.length - 1, 0);
  const join = (one, other, tie) => pieces.length + joins.push({ one, other, tie }) - 1;
  let made = 0;
  const roots = partsOf.map((parts) => parts.reduce((one, other) => join(one, other, 0.85 - (0.55 * made++) / total)));
  while (roots.length > 1) {
    const one = roots.splice(Math.floor(random() * roots.length), 1)[0];
    const at = Math.floor(random() * roots.length);
    roots[at] = join(one, roots[at], 0.1 * 0.6 ** (K - roots.length));
  }
  return { pieces, joins };
}

const WAYS = [
  { description: 'as they are', options: '', stability: 0.64, confidence: 0.71 },
  { description: 'mirrored images are the same thing', options: '--ignore +flip', stability: 0.88, confidence: 0.9 },
  { description: 'mirrored images are the same thing, 64 x 64 pixels', options: '--ignore +flip --size 64', stability: 0.94, confidence: 0.93 },
];

function makeReport(images) {
  const clusters = range(K).map((id) => {
    const members = range(count).filter((i) => images[i].cluster === id);
    members.sort((a, b) => images[b].confidence - images[a].confidence);
    const counts = range(K).map((c) => members.filter((i) => images[i].truth === c).length);
    const most = counts.indexOf(Math.max(...counts));
    return {
      id,
      size: members.length,
      confidence: members.reduce((sum, i) => sum + images[i].confidence, 0) / (members.length || 1),
      outliers: members.filter((i) => images[i].outlier).length,
      stability: plain ? null : id === K - 1 ? 0.43 : 0.97 - 0.02 * id,
      typical: members.slice(0, 32),
      uncertain: members.slice(-8).reverse(),
      mostly: plain ? null : { name: className(most), share: counts[most] / (members.length || 1) },
      counts,
    };
  });
  const right = clusters.reduce((sum, c) => sum + Math.max(...c.counts), 0) / count;
  const total = 151.27;
  const covariance = range(120).map((i) => 14 * Math.exp(-i / 9));
  const graph = range(Math.max(24, K + 8)).map((i) => (i < K ? 1 - 0.012 * i : 0.72 - 0.015 * (i - K)));
  const timings = [['read', 0.31], ['features', 2.914], ['covariance', 0.42], ['neighbours', 1.67], ['graph', 0.236], ['eigenvectors', 0.81], ['assign', 0.094], ['report', 0.27]];
  return {
    title: plain ? 'photos "of" <em>summer</em>\n& more' : 'mnist-test',
    command: plain ? "pssc cluster 'photos <of> summer'" : `pssc cluster mnist-test -k ${K}`,
    count,
    ids: plain ? range(count).map((i) => AWKWARD[i % 11] ?? `photo-${i}.jpg`) : null,
    classes: plain ? null : range(K).map(className),
    thumbs: { size, channels: plain ? 3 : 1, columns: perSide, rows: perSide, sheets: 0, images: plain ? range(count).filter((i) => i % 2 === 0) : null },
    clusters: clusters.map(({ counts, ...cluster }) => cluster),
    confusion: plain ? null : clusters.map((c) => c.counts),
    spectra: { covariance, total_variance: total, graph, candidates: [{ clusters: K, score: 0.154 }, { clusters: K - 1, score: 0.061 }, { clusters: 2, score: 0.034 }, { clusters: K + 3, score: 0.012 }] },
    removed: {
      by: plain ? 'poc' : 'whitening',
      directions: range(plain ? 3 : 0).map((d) => ({ share: 0.12 / (d + 1), images: range(14).map((i) => Math.floor(((i + d / 10) * count) / 15)) })),
    },
    ignored: plain ? null : makeIgnored(clusters),
    tree: plain ? null : makeTree(images),
    ways: plain ? [] : range(WAYS.length).map((way) => clusters.slice(0, 12).map(({ typical }) => typical.slice(way, way + 8))),
    summary: {
      input: {
        name: 'sample', count, height: 28, width: 28, channels: plain ? 3 : 1, skipped: plain ? 14 : 0,
        skipped_images: plain ? range(12).map((i) => ({ id: AWKWARD[i % AWKWARD.length], reason: i % 2 ? 'not an image' : 'cut short at byte 1,204' })) : [],
      },
      parameters: {
        clusters: K, neighbours: 10, seed: 0, removal: { by: plain ? 'poc' : 'whitening', directions: 10, strength: 0.5 },
        features: { layers: [64, 128], patch: 5, normalise: true }, device: null,
      },
      clusters: K, cluster_sizes: clusters.map((c) => c.size), noise: images.filter((i) => i.cluster === 65535).length,
      metrics: plain ? null : { accuracy: right, purity: right + 0.0004, nmi: 0.93127, ari: 0.94418 },
      timings: timings.map(([stage, seconds]) => ({ stage, seconds })),
      total_seconds: 6.724, images_per_second: count / 6.724, peak_memory_bytes: 431 * 1048576,
      outliers: images.filter((i) => i.outlier).length,
      notes: plain ? ['14 files were not images and were left out.', 'The gap after 2 is nearly as large: <two> clusters may be as good.'] : [`cluster ${K - 1} is not stable: repeated clusterings find 43 % of it again`],
      k_verdict: plain ? null : { clear: false, numbers: [{ clusters: K, share: 0.41 }, { clusters: K + 2, share: 0.33 }, { clusters: K + 4, share: 0.21 }] },
      adapted: plain ? null : { chosen: 2, candidates: WAYS, turned_images_at_home: { mirror: 0.49, half_turn: 0.51, quarter_turn: 0.08 }, sample_images: 1500 },
      backend: { device: 'cpu', simd: 'avx2', threads: 8 }, seed: 0, version: '0.1.0',
    },
  };
}

function packPoints(images) {
  const bytes = Buffer.alloc(10 * count);
  images.forEach((image, i) => {
    bytes.writeUInt16LE(Math.round(65535 * image.x), 2 * i);
    bytes.writeUInt16LE(Math.round(65535 * image.y), 2 * (count + i));
    bytes.writeUInt16LE(image.cluster, 2 * (2 * count + i));
    bytes.writeUInt16LE(plain ? 65535 : image.truth, 2 * (3 * count + i));
    bytes.writeUInt8(Math.round(255 * image.confidence), 8 * count + i);
    bytes.writeUInt8(image.outlier, 9 * count + i);
  });
  return bytes.toString('base64');
}

/** Runs in Chromium: draws one sheet of slanted, shifted characters. */
function drawSheet({ labels, size, perSide, colour }) {
  const canvas = document.createElement('canvas');
  canvas.width = perSide * size;
  canvas.height = Math.ceil(labels.length / perSide) * size;
  const context = canvas.getContext('2d');
  context.fillStyle = '#000';
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.textAlign = 'center';
  context.textBaseline = 'middle';
  labels.forEach((label, tile) => {
    const hue = Math.random() * 360;
    context.save();
    context.beginPath();
    context.rect((tile % perSide) * size, Math.floor(tile / perSide) * size, size, size);
    context.clip();
    context.translate((tile % perSide + 0.5) * size, (Math.floor(tile / perSide) + 0.5) * size);
    if (colour) {
      context.fillStyle = `hsl(${hue} 45% 30%)`;
      context.fillRect(-size / 2, -size / 2, size, size);
    }
    context.fillStyle = colour ? `hsl(${hue + 150} 60% 75%)` : '#fff';
    context.transform(1, 0, -0.5 * (Math.random() - 0.5), 1, 2 * Math.random() - 1, 2 * Math.random());
    context.rotate(0.35 * (Math.random() - 0.5));
    context.font = `${Math.random() < 0.5 ? 'bold ' : ''}${22 + 5 * Math.random()}px ${Math.random() < 0.5 ? 'serif' : 'sans-serif'}`;
    context.fillText(label, 0, 0);
    context.restore();
  });
  return canvas.toDataURL('image/webp', 0.8).split(',')[1];
}

/** Runs in Chromium: a row per label, the character itself and then changed as the columns say. */
function drawChanges({ labels, kinds, size }) {
  const canvas = document.createElement('canvas');
  canvas.width = (1 + 2 * kinds.length) * size;
  canvas.height = labels.length * size;
  const context = canvas.getContext('2d');
  context.fillStyle = '#000';
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.textAlign = 'center';
  context.textBaseline = 'middle';
  const changes = {
    shift: (s) => context.translate(0, 2 * s),
    tilt: (s) => context.rotate(0.12 * s),
    scale: (s) => context.scale(1.08 ** s, 1.08 ** s),
    stretch: (s) => context.scale(1.08 ** s, 1.08 ** -s),
    shear: (s) => context.transform(1, 0, 0.12 * s, 1, 0, 0),
    thickness: (s) => (context.font = s > 0 ? 'bold 52px serif' : '52px serif'),
    gain: (s) => (context.globalAlpha = 0.8 + 0.1 * s),
  };
  labels.forEach((label, row) => {
    for (let column = 0; column < 1 + 2 * kinds.length; column++) {
      context.save();
      context.translate((column + 0.5) * size, (row + 0.5) * size);
      context.font = '52px serif';
      context.fillStyle = '#fff';
      if (column) changes[kinds[(column - 1) >> 1]](column % 2 ? 1 : -1);
      context.fillText(label, 0, 0);
      context.restore();
    }
  });
  return canvas.toDataURL('image/webp', 0.85).split(',')[1];
}

async function makeSheets(images, shown) {
  const browser = await launch();
  const page = await browser.newPage();
  const sheets = [];
  for (let from = 0; from < shown.length; from += perSide * perSide) {
    const labels = shown.slice(from, from + perSide * perSide).map((i) => className(images[i].truth).charAt(0));
    sheets.push(await page.evaluate(drawSheet, { labels, size, perSide, colour: plain }));
  }
  const { pictures } = report.ignored ?? {};
  if (pictures) {
    const labels = pictures.images.map((i) => className(images[i].truth).charAt(0));
    pictures.sheet = await page.evaluate(drawChanges, { labels, kinds: KINDS, size: pictures.size });
  }
  await browser.close();
  return sheets;
}

const images = makeImages();
const report = makeReport(images);
const sheets = await makeSheets(images, report.thumbs.images ?? range(count));
report.thumbs.sheets = sheets.length;
const elements = [
  `<script type="application/json" id="pssc-report">${JSON.stringify(report).replaceAll('<', '\\u003c')}</script>`,
  `<script type="text/plain" id="pssc-points">${packPoints(images)}</script>`,
  ...sheets.map((sheet, i) => `<script type="text/plain" id="pssc-sheet-${i}">${sheet}</script>`),
];
const template = await readFile(here('../dist/index.html'), 'utf8');
await writeFile(options.out, template.replace('<!--PSSC-DATA-->', () => elements.join('\n')));
console.log(`${options.out}: ${count} images, ${K} clusters, ${sheets.length} sheets`);
