// A few scripts, one style sheet, icons: the program embeds them. No inline code, so that the content
// security policy of the server can be strict.
import { createHash } from 'node:crypto';
import { readFileSync, readdirSync } from 'node:fs';

const program = process.env.TABIYA_ADDRESS ?? '127.0.0.1:8571';

/// The service worker, with the list of everything the page is made of.
function offline() {
  return {
    name: 'offline',
    apply: 'build',
    generateBundle(_, bundle) {
      const files = ['/', ...readdirSync('public').map(name => `/${name}`), ...Object.keys(bundle).filter(name => name !== 'index.html').map(name => `/${name}`)];
      const version = createHash('sha256').update(Object.keys(bundle).join()).digest('hex').slice(0, 12);
      const source = readFileSync('src/offline.js', 'utf8').replace('= __FILES__', `= ${JSON.stringify(files)}`).replace('__VERSION__', version);
      this.emitFile({ type: 'asset', fileName: 'sw.js', source });
    },
  };
}

export default {
  plugins: [offline()],
  build: { target: 'es2023', assetsInlineLimit: 0, modulePreload: { polyfill: false } },
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
