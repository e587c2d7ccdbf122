// Networks: fetched once, checked, and kept in the browser.

import { type DBSchema, type IDBPDatabase, openDB } from 'idb';

/// A network as a file beside the page.
export interface NetFile {
  /// Its name, packed with gzip.
  file: string;
  /// Bytes of the file.
  bytes: number;
  /// The digest of the network itself, by which it is kept.
  sha256: string;
}

interface Schema extends DBSchema {
  nets: { key: string; value: Uint8Array };
}

let opened: Promise<IDBPDatabase<Schema>> | undefined;

function database(): Promise<IDBPDatabase<Schema>> {
  opened ??= openDB<Schema>('tabiya-nets', 1, { upgrade: made => void made.createObjectStore('nets') });
  return opened;
}

/// A network of an earlier visit.
export async function keptNet({ sha256 }: NetFile): Promise<Uint8Array | undefined> {
  try {
    return await (await database()).get('nets', sha256);
  } catch {
    return undefined;
  }
}

/// Fetches a network, telling how many bytes have come.
export async function fetchNet(folder: URL, net: NetFile, progress?: (loaded: number) => void): Promise<Uint8Array> {
  const response = await fetch(new URL(net.file, folder));
  if (!response.ok || !response.body) throw new Error(`${net.file}: ${response.status}`);
  let loaded = 0;
  const count = new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
    transform(chunk, controller) {
      loaded += chunk.length;
      progress?.(loaded);
      controller.enqueue(chunk);
    },
  });
  const unpacked = response.body.pipeThrough(count).pipeThrough(new DecompressionStream('gzip'));
  const bytes = new Uint8Array(await new Response(unpacked).arrayBuffer());
  const seen = await digest(bytes);
  if (seen !== undefined && seen !== net.sha256) throw new Error(`${net.file}: not what was announced`);
  return bytes;
}

/// Keeps a network for the next visit; those that the page no longer has are forgotten.
export async function keepNet({ sha256 }: NetFile, bytes: Uint8Array, all: NetFile[]): Promise<void> {
  try {
    const { store } = (await database()).transaction('nets', 'readwrite');
    for (const key of await store.getAllKeys()) {
      if (!all.some(net => net.sha256 === key)) await store.delete(key);
    }
    await store.put(bytes, sha256);
  } catch {
    // The next visit fetches it again.
  }
}

async function digest(bytes: Uint8Array<ArrayBuffer>): Promise<string | undefined> {
  // Pages without encryption from elsewhere have no digests; the engine checks the network itself, too.
  const subtle = (crypto as Partial<Crypto>).subtle;
  if (!subtle) return undefined;
  return Array.from(new Uint8Array(await subtle.digest('SHA-256', bytes)), byte => byte.toString(16).padStart(2, '0')).join('');
}
