// The service worker: the page works without program and network, from what was loaded last. The network comes
// first, so that a newer program brings its newer page. The build fills in files and version.

/* global self, Response, __FILES__ */
const NAME = 'tabiya-__VERSION__';
const FILES = __FILES__;

self.addEventListener('install', event => {
  event.waitUntil(
    caches
      .open(NAME)
      .then(cache => cache.addAll(FILES))
      .then(() => self.skipWaiting()),
  );
});

self.addEventListener('activate', event => {
  const clean = async () => {
    for (const name of await caches.keys()) if (name !== NAME && name.startsWith('tabiya-')) await caches.delete(name);
    await self.clients.claim();
  };
  event.waitUntil(clean());
});

self.addEventListener('fetch', event => {
  const { request } = event;
  if (request.method !== 'GET' || new URL(request.url).origin !== self.location.origin) return;
  const answer = async () => {
    try {
      return await fetch(request);
    } catch {
      const kept = await caches.match(request.mode === 'navigate' ? './' : request);
      return kept ?? Response.error();
    }
  };
  event.respondWith(answer());
});
