// The engine in a worker: the module at once, a small network right after it, the full one when it has
// come. Messages are those of the socket.

import { Module, Runner } from '../../../npm/src/module';
import { type NetFile, fetchNet, keepNet, keptNet } from './nets';
import type { Reply, Request } from './protocol';

export interface NetProgress {
  /// The one that judges best, or the one that plays like people.
  net: 'full' | 'policy';
  loaded: number;
  total: number;
}

/// What the worker is told.
export type Told = { begin: { base: string; fetchesFull: boolean } } | { request: Request };
/// What it says.
export type Heard = { reply: Reply } | { net: NetProgress } | { failed: string };

/// The networks beside the page; each may be missing.
interface Nets {
  small?: NetFile;
  full?: NetFile;
  policy?: NetFile;
}

const say = (message: Heard): void => postMessage(message);
const failed = (error: unknown): void => say({ failed: String(error) });

let folder: URL;
let nets: Nets = {};
let module: Module | undefined;
let runner: Runner | undefined;
/// Whether the engine is there, and does not wait for a network.
let isReady = false;
/// Whether the network that plays like people was asked for.
let hasPolicy = false;
/// What was asked before the engine was there.
const early: Request[] = [];

addEventListener('message', (event: MessageEvent<Told>) => {
  const message = event.data;
  if ('begin' in message) begin(message.begin.base, message.begin.fetchesFull).catch(failed);
  else {
    early.push(message.request);
    if (isReady) goOn();
  }
});

/// Carries out what was asked, in turn.
function goOn(): void {
  isReady = true;
  for (let request = early.shift(); request; request = early.shift()) {
    if (request.type === 'think' && request.human && !hasPolicy && nets.policy) {
      early.unshift(request);
      isReady = false;
      hasPolicy = true;
      void loadPolicy(nets.policy).then(goOn);
      return;
    }
    receive(request);
  }
}

function receive(request: Request): void {
  runner?.receive(JSON.stringify(request));
  if (request.type !== 'report') return;
  try {
    module?.review();
  } catch (error) {
    failed(error);
  }
}

async function begin(base: string, fetchesFull: boolean): Promise<void> {
  folder = new URL('engine/', base);
  const [wasm, listed] = await Promise.all([compile(new URL('tabiya.wasm', folder)), listNets()]);
  nets = listed;
  const full = nets.full && (await keptNet(nets.full));
  const small = full || !nets.small ? undefined : await fetchNet(folder, nets.small).catch(() => undefined);
  // The first hello is said by the engine as it will be used for now.
  const held: Reply[] = [];
  let tell = (reply: Reply): unknown => held.push(reply);
  module = new Module(wasm, 'messages', text => tell(JSON.parse(text) as Reply));
  module.start();
  const net = full ?? small;
  if (net) module.loadNet(net);
  tell = reply => say({ reply: offering(reply) });
  const hello = held.at(-1);
  if (hello) tell(hello);
  runner = new Runner(module, failed);
  goOn();
  if (!nets.full || full || !fetchesFull) return;
  // Without it the engine goes on as it is; the next visit tries again.
  const bytes = await load('full', nets.full).catch(() => undefined);
  if (bytes) module.loadNet(bytes);
}

/// The network for people's moves is fetched when somebody wants them; the engine knows nothing of it before.
function offering(reply: Reply): Reply {
  return reply.type === 'hello' ? { ...reply, human: reply.human || nets.policy !== undefined } : reply;
}

async function loadPolicy(net: NetFile): Promise<void> {
  try {
    const bytes = (await keptNet(net)) ?? (await load('policy', net));
    if (module?.loadPolicy(bytes)) return;
  } catch {
    // Said below.
  }
  delete nets.policy;
  for (const request of early) if (request.type === 'think') request.human = false;
  say({ reply: { type: 'refused', id: null, reason: 'The network that plays like people could not be fetched; the engine plays in its own way.' } });
}

/// Fetches a network with progress, and keeps it.
async function load(name: NetProgress['net'], net: NetFile): Promise<Uint8Array> {
  const total = net.bytes;
  try {
    const bytes = await fetchNet(folder, net, loaded => say({ net: { net: name, loaded: Math.min(loaded, total - 1), total } }));
    await keepNet(net, bytes, Object.values(nets) as NetFile[]);
    return bytes;
  } finally {
    say({ net: { net: name, loaded: total, total } });
  }
}

async function compile(address: URL): Promise<WebAssembly.Module> {
  const response = await fetch(address);
  if (!response.ok) throw new Error(`${address.pathname}: ${response.status}`);
  // Servers that do not know the type of the file are common.
  return WebAssembly.compile(await response.arrayBuffer());
}

async function listNets(): Promise<Nets> {
  const response = await fetch(new URL('nets.json', folder));
  return response.ok ? ((await response.json()) as Nets) : {};
}
