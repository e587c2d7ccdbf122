// One script, one style sheet, one icon: the program embeds them. No inline code, so that the
// content security policy of the server can be strict.
const program = '127.0.0.1:8571';

export default {
  build: { target: 'es2023', assetsInlineLimit: 0, modulePreload: { polyfill: false } },
  // `npm run dev` beside a running `tabiya serve`: the page is built on the fly, the engine is real.
  server: {
    proxy: {
      '/socket': { target: `ws://${program}`, ws: true, changeOrigin: true, headers: { origin: `http://${program}` } },
    },
  },
};
