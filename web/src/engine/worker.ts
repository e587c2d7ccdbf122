// The engine in a worker: the module at once, a small network right after it, the full one when it has
// come. Messages are those of the socket.

import { Module, Runner } from '../../../npm/src/module';
import { type NetFile, fetchNet, keptNet } from './nets';
import type { Reply, Request } from './protocol';

export interface NetProgress {
  loaded: number;
  total: number;
}

/// What the worker is told.
export type Told = { begin: { base: string; fetchesFull: boolean } } | { request: Request };
/// What it says.
export type Heard = { reply: Reply } | { net: NetProgress } | { failed: string };

/// The networks beside the page; both may be missing.
interface Nets {
  small?: NetFile;
  full?: NetFile;
}

const say = (message: Heard): void => postMessage(message);
const failed = (error: unknown): void => say({ failed: String(error) });

let module: Module | undefined;
let runner: Runner | undefined;
/// What was asked before the engine was there.
const early: Request[] = [];

addEventListener('message', (event: MessageEvent<Told>) => {
  const message = event.data;
  if ('begin' in message) begin(message.begin.base, message.begin.fetchesFull).catch(failed);
  else if (runner) receive(message.request);
  else early.push(message.request);
});

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
  const folder = new URL('engine/', base);
  const [wasm, nets] = await Promise.all([compile(new URL('tabiya.wasm', folder)), listNets(folder)]);
  const full = nets.full && (await keptNet(nets.full));
  const small = full || !nets.small ? undefined : await fetchNet(folder, nets.small).catch(() => undefined);
  // The first hello is said by the engine as it will be used for now.
  const held: Reply[] = [];
  let tell = (reply: Reply): unknown => held.push(reply);
  module = new Module(wasm, 'messages', text => tell(JSON.parse(text) as Reply));
  module.start();
  const net = full ?? small;
  if (net) module.loadNet(net);
  tell = reply => say({ reply });
  const hello = held.at(-1);
  if (hello) tell(hello);
  runner = new Runner(module, failed);
  for (const request of early.splice(0)) receive(request);
  if (!nets.full || full || !fetchesFull) return;
  const { bytes: total } = nets.full;
  try {
    const bytes = await fetchNet(folder, nets.full, loaded => say({ net: { loaded: Math.min(loaded, total - 1), total } }), true);
    module.loadNet(bytes);
    say({ net: { loaded: total, total } });
  } catch {
    // Without it the engine goes on as it is; the next visit tries again.
    say({ net: { loaded: total, total } });
  }
}

async function compile(address: URL): Promise<WebAssembly.Module> {
  const response = await fetch(address);
  if (!response.ok) throw new Error(`${address.pathname}: ${response.status}`);
  // Servers that do not know the type of the file are common.
  return WebAssembly.compile(await response.arrayBuffer());
}

async function listNets(folder: URL): Promise<Nets> {
  const response = await fetch(new URL('nets.json', folder));
  return response.ok ? ((await response.json()) as Nets) : {};
}
