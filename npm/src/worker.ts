// The worker behind `Engine`, in browsers and in Node.js: gets the module and a network, then messages.

import { type Language, Module, Runner } from './module.js';

/// The first thing the worker is told.
export interface Setup {
  language: Language;
  wasm: WebAssembly.Module;
  net: Uint8Array | undefined;
  policy: Uint8Array | undefined;
}

interface Port {
  post(message: string | { failed: string }): void;
  listen(hear: (message: Setup | string) => void): void;
}

async function openPort(): Promise<Port> {
  if (typeof WorkerGlobalScope !== 'undefined' && self instanceof WorkerGlobalScope) {
    return { post: message => self.postMessage(message), listen: hear => self.addEventListener('message', event => hear(event.data as Setup | string)) };
  }
  const { parentPort } = await import('node:worker_threads');
  if (!parentPort) throw new Error('this is a worker');
  return { post: message => parentPort.postMessage(message), listen: hear => void parentPort.on('message', hear) };
}

const port = await openPort();
const failed = (error: unknown): void => port.post({ failed: String(error) });
let runner: Runner | undefined;
let module: Module | undefined;
port.listen(message => {
  try {
    if (typeof message !== 'string') {
      module = new Module(message.wasm, message.language, text => port.post(text));
      runner = new Runner(module, failed);
      module.start();
      if (message.policy) module.loadPolicy(message.policy);
      if (message.net) module.loadNet(message.net);
      return;
    }
    runner?.receive(message);
    // A worker of its own has nothing else to do meanwhile.
    if (message.startsWith('{"type":"report"')) module?.review();
  } catch (error) {
    failed(error);
  }
});
port.post('{"type":"ready"}');
