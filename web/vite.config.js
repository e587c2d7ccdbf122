// A few scripts, one style sheet, icons: the program embeds them. No inline code, so that the content
// security policy of the server can be strict.
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { gzipSync } from 'node:zlib';

const program = process.env.TABIYA_ADDRESS ?? '127.0.0.1:8571';

/// The engine for the page itself, if INSIDE names the folder of its module, and the networks in NETS.
const inside = process.env.INSIDE;
if (inside) process.env.VITE_INSIDE = '1';

/// A network, packed, and what the page must know of it.
function pack(name, kind, emit) {
  const path = `${process.env.NETS ?? '../nets'}/${name}.${kind}`;
  if (!existsSync(path)) return undefined;
  const bytes = readFileSync(path);
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  const packed = gzipSync(bytes, { level: 9 });
  const file = `${name}-${sha256.slice(0, 12)}.${kind}.gz`;
  emit(file, packed);
  return { file, bytes: packed.length, sha256 };
}

function engine() {
  return {
    name: 'engine',
    apply: 'build',
    buildStart() {
      if (!inside) return;
      const emit = (name, source) => this.emitFile({ type: 'asset', fileName: `engine/${name}`, source });
      emit('tabiya.wasm', readFileSync(`${inside}/tabiya.wasm`));
      const small = pack('small', 'nnue', emit);
      // The program has the large ones itself; only a page alone needs them.
      const full = process.env.SITE ? pack('default', 'nnue', emit) : undefined;
      const policy = process.env.SITE ? pack('policy', 'gguf', emit) : undefined;
      emit('nets.json', JSON.stringify({ small, full, policy }));
    },
  };
}

/// The service worker, with the list of everything the page is made of but the large networks, which the
/// engine keeps itself.
function offline() {
  return {
    name: 'offline',
    apply: 'build',
    generateBundle(_, bundle) {
      const built = Object.keys(bundle).filter(name => name !== 'index.html' && !/^engine\/(default|policy)-/.test(name));
      const files = ['./', ...readdirSync('public'), ...built];
      const digest = createHash('sha256');
      for (const [name, part] of Object.entries(bundle)) digest.update(name).update(part.type === 'asset' ? part.source : part.code);
      const source = readFileSync('src/offline.js', 'utf8').replace('= __FILES__', `= ${JSON.stringify(files)}`).replace('__VERSION__', digest.digest('hex').slice(0, 12));
      this.emitFile({ type: 'asset', fileName: 'sw.js', source });
    },
  };
}

export default {
  // Any folder of any server will do.
  base: './',
  plugins: [engine(), offline()],
  build: { outDir: process.env.SITE ?? 'dist', emptyOutDir: true, target: 'es2023', assetsInlineLimit: 0, modulePreload: { polyfill: false } },
  worker: { format: 'es' },
  // A test that hangs must end, one on a busy machine must not: no test is about time.
  test: { include: ['test/unit/**/*.test.ts'], testTimeout: 120_000, hookTimeout: 120_000 },
  // `npm run dev` beside a running `tabiya serve`: the page is built on the fly, the engine is real.
  server: {
    fs: { allow: ['..'] },
    proxy: {
      '/socket': { target: `ws://${program}`, ws: true, changeOrigin: true, headers: { origin: `http://${program}` } },
    },
  },
};
